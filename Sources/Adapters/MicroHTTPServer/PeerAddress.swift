import Glibc

/// A client's address as accepted: what the library wants, what logs show, and what the limit counts by.
struct PeerAddress: Sendable {
    /// IPv4 as four bytes, IPv6 as its /64 network: one subscriber has a whole one.
    enum Key: Hashable, Sendable {
        case v4(UInt32)
        case v6(UInt64)
    }

    let key: Key
    /// An IPv4 address that came through an IPv6 socket is shown as IPv4.
    let text: String

    init(_ address: sockaddr_in6) {
        var address = address
        if address.sin6_family == sa_family_t(AF_INET) {
            let v4 = withUnsafeBytes(of: &address) { $0.load(as: sockaddr_in.self) }
            (key, text) = Self.v4(v4.sin_addr)
            return
        }
        let bytes = withUnsafeBytes(of: &address.sin6_addr) { Array($0) }
        if bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) {
            let mapped = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 12, as: in_addr.self) }
            (key, text) = Self.v4(mapped)
            return
        }
        key = .v6(bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
        text = withUnsafePointer(to: &address.sin6_addr) { Self.text(AF_INET6, $0) }
    }

    private static func v4(_ address: in_addr) -> (Key, String) {
        (.v4(address.s_addr), withUnsafePointer(to: address) { text(AF_INET, $0) })
    }

    private static func text(_ family: Int32, _ address: UnsafeRawPointer) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let start = buffer.baseAddress,
                inet_ntop(family, address, start, socklen_t(buffer.count)) != nil
            else { return "" }
            return String(cString: start)
        }
    }
}
