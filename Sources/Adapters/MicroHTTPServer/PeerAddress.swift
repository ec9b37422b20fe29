import Glibc
import Primitives

/// A client's address, as logs show it and as the limit counts it.
struct PeerAddress: Sendable {
    let key: CountedAddress
    /// IPv4 addresses of an IPv6 socket are written as IPv4.
    let text: String

    init(_ address: sockaddr_in6) {
        let bytes =
            address.sin6_family == sa_family_t(AF_INET)
            ? withUnsafeBytes(of: address) { withUnsafeBytes(of: $0.load(as: sockaddr_in.self).sin_addr) { Array($0) } }
            : withUnsafeBytes(of: address.sin6_addr) { Array($0) }
        text = IPAddress(bytes: bytes)?.description ?? ""
        key = IPAddress(bytes: bytes).map { CountedAddress($0) } ?? .other("")
    }
}
