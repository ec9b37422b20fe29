#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An IP address. An IPv4 address mapped into IPv6 (RFC 4291 clause 2.5.5.2) is the IPv4 address.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16, in network order.
    package let bytes: [UInt8]

    /// Nil unless there are 4 or 16 bytes.
    package init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4: self.bytes = bytes
        case 16:
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
        default: return nil
        }
    }

    /// Reads `192.0.2.1` or `2001:db8::1` (RFC 4291 clause 2.2), without a zone. Nil for anything else, such as numbers
    /// with leading zeros, because some readers take those for octal.
    package init?(_ text: some StringProtocol) {
        // The system's reader ends at a NUL.
        guard !text.utf8.contains(0) else { return nil }
        let isV6 = text.utf8.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: isV6 ? 16 : 4)
        guard inet_pton(isV6 ? AF_INET6 : AF_INET, String(text), &bytes) == 1 else { return nil }
        self.init(bytes: bytes)
    }

    /// Canonical text (RFC 5952 clause 4), the same for every spelling that was read.
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.lazy.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A block of addresses (RFC 4632): `192.0.2.0/24`, `2001:db8::/32`, or one address.
package struct IPNetwork: Sendable, Hashable, CustomStringConvertible {
    private let start: IPAddress
    /// Bits that all addresses of the block share.
    private let length: Int

    /// Nil for anything else, and for an address that is not the first of its block.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let start = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        let width = start.bytes.count * 8
        var length = width
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(parts[1]),
                (0...width).contains(number)
            else { return nil }
            length = number
        }
        self.start = start
        self.length = length
        for bit in length..<width where start.bytes[bit / 8] >> UInt8(7 - bit % 8) & 1 == 1 { return nil }
    }

    package var description: String { "\(start)/\(length)" }

    package func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == start.bytes.count else { return false }
        let whole = length / 8
        guard address.bytes.prefix(whole) == start.bytes.prefix(whole) else { return false }
        let rest = UInt8(length % 8)
        return rest == 0 || (address.bytes[whole] ^ start.bytes[whole]) >> (8 - rest) == 0
    }
}
