import Glibc
import Primitives

/// A client's address, as logs show it and as the limit counts it.
struct PeerAddress: Sendable {
    let key: CountedAddress
    /// IPv4 addresses of an IPv6 socket are written as IPv4.
    let text: String
    /// True if the peer passes on the requests of others.
    let isProxy: Bool

    init(_ address: sockaddr_in6, proxies: [IPNetwork] = []) {
        let bytes =
            address.sin6_family == sa_family_t(AF_INET)
            ? withUnsafeBytes(of: address) { withUnsafeBytes(of: $0.load(as: sockaddr_in.self).sin_addr) { Array($0) } }
            : withUnsafeBytes(of: address.sin6_addr) { Array($0) }
        let known = IPAddress(bytes: bytes)
        text = known?.description ?? ""
        key = known.map { CountedAddress($0) } ?? .other("")
        isProxy = known.map { known in proxies.contains { $0.contains(known) } } ?? false
    }
}
