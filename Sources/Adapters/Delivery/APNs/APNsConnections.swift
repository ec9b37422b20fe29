package import HTTPModel
import Primitives
import Synchronization
package import X509

/// One client for each key or certificate and environment. Apple binds a connection to the first team that uses it, and
/// a tenant may name any team.
package final class APNsConnections: Sendable {
    /// Time after which an unused connection is closed.
    static let idleLimit = Duration.seconds(3600)

    enum Name: Hashable {
        case key(APNsTokens.Name, isSandbox: Bool)
        case certificate([UInt8], isSandbox: Bool)
    }

    private struct Known {
        let client: any OutgoingHTTPClient
        var usedAt: Timestamp
    }

    /// Makes a client whose requests share a connection, with that certificate in the handshake. True means that a new
    /// connection takes one request until one succeeds, as Apple's do.
    package typealias Connect = @Sendable (CertifiedKey?, Bool) throws -> any OutgoingHTTPClient

    private let connect: Connect
    /// Maximum open connections. The least recently used one is closed for a new one. If more keys than that are in use,
    /// each message opens a connection, which Apple takes for an attack.
    private let limit: Int
    private let known = Mutex<[Name: Known]>([:])

    init(limit: Int, _ connect: @escaping Connect) {
        self.limit = limit
        self.connect = connect
    }

    func client(_ name: Name, certificate: CertifiedKey?, now: Timestamp) throws -> any OutgoingHTTPClient {
        if let client = use(name, now) { return client }
        let made = try connect(certificate, true)
        return known.withLock { known in
            if let other = known[name] { return other.client }
            // A client is made seldom, so others are looked at only then.
            known = known.filter { now - $0.value.usedAt < Self.idleLimit }
            if known.count >= limit, let oldest = known.min(by: { $0.value.usedAt < $1.value.usedAt }) {
                known[oldest.key] = nil
            }
            known[name] = Known(client: made, usedAt: now)
            return made
        }
    }

    private func use(_ name: Name, _ now: Timestamp) -> (any OutgoingHTTPClient)? {
        known.withLock { known in
            guard let client = known[name]?.client else { return nil }
            known[name]?.usedAt = now
            return client
        }
    }
}
