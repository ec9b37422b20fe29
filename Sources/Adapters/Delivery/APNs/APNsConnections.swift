package import HTTPModel
import Primitives
import Synchronization
package import X509

/// One client for each key or certificate and environment. Apple binds a connection to the first team that uses it, and
/// a tenant may name any team.
package final class APNsConnections: Sendable {
    /// Maximum open connections. The least recently used one is closed for a new one.
    static let limit = 64

    enum Name: Hashable {
        case key(APNsTokens.Name, isSandbox: Bool)
        case certificate([UInt8], isSandbox: Bool)
    }

    private struct Known {
        let client: any OutgoingHTTPClient
        var use: UInt64
    }

    /// Makes a client whose requests share a connection, with that certificate in the handshake. True means that a new
    /// connection takes one request until one succeeds, as Apple's do.
    package typealias Connect = @Sendable (CertifiedKey?, Bool) throws -> any OutgoingHTTPClient

    private let connect: Connect
    private let known = Mutex<(clients: [Name: Known], uses: UInt64)>(([:], 0))

    init(_ connect: @escaping Connect) {
        self.connect = connect
    }

    func client(_ name: Name, certificate: CertifiedKey?) throws -> any OutgoingHTTPClient {
        if let client = use(name) { return client }
        let made = try connect(certificate, true)
        return known.withLock { known in
            if let other = known.clients[name] { return other.client }
            if known.clients.count >= Self.limit, let oldest = known.clients.min(by: { $0.value.use < $1.value.use }) {
                known.clients[oldest.key] = nil
            }
            known.uses += 1
            known.clients[name] = Known(client: made, use: known.uses)
            return made
        }
    }

    private func use(_ name: Name) -> (any OutgoingHTTPClient)? {
        known.withLock { known in
            guard let client = known.clients[name]?.client else { return nil }
            known.uses += 1
            known.clients[name]?.use = known.uses
            return client
        }
    }
}
