import HTTPModel
import Primitives

/// The client's address behind proxies. Only listed proxies are believed, each about its own peer.
///
/// The operator names the field that the proxies write, and only this field is read. A proxy that writes one field passes
/// the other on as the client sent it, so a reader of both would believe the client.
struct ForwardedAddress: Sendable {
    /// Maximum elements that are read.
    private static let longestChain = 16

    let proxies: [IPNetwork]
    let field: ClientAddressField

    /// The nearest address that is no listed proxy's. If a proxy's element cannot be read, the address is that proxy's.
    func client(of request: Request) -> String {
        guard !proxies.isEmpty, let peer = IPAddress(request.remoteAddress), isProxy(peer) else {
            return request.remoteAddress
        }
        var known = peer
        for hop in ForwardedHops(request.fields, in: field).prefix(Self.longestChain) {
            known = hop
            guard isProxy(hop) else { break }
        }
        return known.description
    }

    private func isProxy(_ address: IPAddress) -> Bool { proxies.contains { $0.contains(address) } }
}
