import Glibc
import Primitives

/// A client's address as accepted: what logs show, and what the limit counts by.
struct PeerAddress: Sendable {
    let key: CountedAddress
    /// An IPv4 address that came through an IPv6 socket is shown as IPv4.
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
