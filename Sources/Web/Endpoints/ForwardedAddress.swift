import HTTPModel
import Primitives

/// The client's address where proxies in front pass requests on. It is believed of listed proxies alone, and each of
/// them is believed only as to the one before it.
///
/// One field is read, the one that the operator says the proxies write, and the other never: a proxy that writes one
/// passes the other on as a client sent it, so that whoever reads "the one that is there", or both, reads the
/// client's own word.
struct ForwardedAddress: Sendable {
    /// Elements that are read; chains of proxies are short.
    private static let longestChain = 16

    let proxies: [IPNetwork]
    let field: ClientAddressField

    /// From the nearest on, the first that is not a listed proxy. Where the chain ends before, because a proxy said
    /// nothing that can be read, it is that proxy, the last of whom something is known.
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
