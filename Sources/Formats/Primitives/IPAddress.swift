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

    /// Reads `192.0.2.1` or `2001:db8::1` (RFC 4291 clause 2.2), without a zone. Nil for anything else.
    package init?(_ text: some StringProtocol) {
        let bytes =
            text.contains(":")
            ? Self.v6(text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { Array($0) })
            : Self.v4(Array(text.utf8))
        guard let bytes else { return nil }
        self.init(bytes: bytes)
    }

    /// Canonical text (RFC 5952 clause 4), the same for every spelling that was read.
    package var description: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        func text(_ range: Range<Int>) -> String { groups[range].map { String($0, radix: 16) }.joined(separator: ":") }
        let zeros = Self.longestZeros(in: groups)
        guard zeros.count > 1 else { return text(0..<8) }
        return "\(text(0..<zeros.lowerBound))::\(text(zeros.upperBound..<8))"
    }

    /// The first of two equally long runs. Empty if there is none.
    private static func longestZeros(in groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 { start = index + 1 }
            if index + 1 - start > longest.count { longest = start..<index + 1 }
        }
        return longest
    }

    /// Four decimal numbers without leading zeros, because some readers take those for octal.
    private static func v4(_ text: [UInt8]) -> [UInt8]? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0"),
                part.allSatisfy({ (0x30...0x39).contains($0) }),
                let byte = UInt8(String(decoding: part, as: UTF8.self))
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    /// `groups` are the parts between the colons. An empty one is part of `::`.
    private static func v6(_ groups: [[UInt8]]) -> [UInt8]? {
        guard (3...9).contains(groups.count) else { return nil }
        // `::` leaves two empty groups at an end, and one elsewhere.
        var groups = groups[...]
        var hasGap = false
        if groups.first?.isEmpty == true {
            guard groups.dropFirst().first?.isEmpty == true else { return nil }
            groups = groups.dropFirst()
        }
        if groups.last?.isEmpty == true {
            guard groups.dropLast().last?.isEmpty == true else { return nil }
            groups = groups.count > 1 ? groups.dropLast() : groups
        }
        var before: [UInt8] = []
        var after: [UInt8] = []
        for (position, group) in groups.enumerated() {
            if group.isEmpty {
                guard !hasGap else { return nil }
                hasGap = true
                continue
            }
            let bytes: [UInt8]
            if position == groups.count - 1, group.contains(UInt8(ascii: ".")) {
                guard let v4 = v4(group) else { return nil }
                bytes = v4
            } else {
                guard (1...4).contains(group.count), group.allSatisfy({ Self.isHex($0) }),
                    let word = UInt16(String(decoding: group, as: UTF8.self), radix: 16)
                else { return nil }
                bytes = [UInt8(word >> 8), UInt8(truncatingIfNeeded: word)]
            }
            if hasGap { after += bytes } else { before += bytes }
        }
        let missing = 16 - before.count - after.count
        guard hasGap ? missing >= 2 : missing == 0 else { return nil }
        return before + [UInt8](repeating: 0, count: missing) + after
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
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
