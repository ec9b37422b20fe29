extension Format {
    /// RFC 2673 3.2: four decimal numbers. Refuses leading zeros, which some parsers read as octal.
    static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
        let parts = split(text, at: ".")
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.count) && part.allSatisfy(isDigit)
                    && (part.count == 1 || part.first != UInt8(ascii: "0"))
                    && part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
            }
    }

    /// RFC 4291 2.2, without a zone.
    static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
        // The longest form is eight groups, with the last two as IPv4.
        guard text.count <= 45 else { return false }
        let colons = [UInt8](repeating: UInt8(ascii: ":"), count: 2)
        guard let gap = text.indices.first(where: { text[$0...].starts(with: colons) }) else {
            return groups(in: text, mayEndInIPv4: true) == 8
        }
        guard let before = groups(in: text[..<gap], mayEndInIPv4: false),
            let after = groups(in: text[(gap + 2)...], mayEndInIPv4: true)
        else { return false }
        return before + after <= 7
    }

    /// Counts groups of 16 bits. Nil means that one is malformed.
    private static func groups(in text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> Int? {
        if text.isEmpty { return 0 }
        var parts = split(text, at: ":")
        var count = 0
        if mayEndInIPv4, let last = parts.last, isIPv4(last) {
            parts.removeLast()
            count = 2
        }
        guard parts.allSatisfy({ (1...4).contains($0.count) && $0.allSatisfy(isHexadecimal) }) else { return nil }
        return count + parts.count
    }

    /// RFC 3986 3: a URI with a scheme, not a relative reference.
    static func isURI(_ text: ArraySlice<UInt8>) -> Bool {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = text[..<colon]
        guard let first = scheme.first, isLetter(first),
            scheme.allSatisfy({ isAlphanumeric($0) || "+-.".utf8.contains($0) })
        else { return false }
        return isAfterScheme(text[(colon + 1)...])
    }

    /// RFC 3986 4.1: a URI, or a relative reference whose first segment has no colon.
    static func isURIReference(_ text: ArraySlice<UInt8>) -> Bool {
        if isURI(text) { return true }
        let path = text.prefix { !"/?#".utf8.contains($0) }
        return !path.contains(UInt8(ascii: ":")) && isAfterScheme(text)
    }

    private static func isAfterScheme(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            guard hasCharacters(rest[(hash + 1)...], besides: ":@/?") else { return false }
            rest = rest[..<hash]
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            guard hasCharacters(rest[(mark + 1)...], besides: ":@/?") else { return false }
            rest = rest[..<mark]
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let path = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            guard isAuthority(rest[..<path]) else { return false }
            rest = rest[path...]
        }
        return hasCharacters(rest, besides: ":@/")
    }

    private static func isAuthority(_ text: ArraySlice<UInt8>) -> Bool {
        var host = text
        if let at = host.firstIndex(of: UInt8(ascii: "@")) {
            guard hasCharacters(host[..<at], besides: ":") else { return false }
            host = host[(at + 1)...]
        }
        let port = host.reversed().prefix(while: isDigit).count
        let beforePort = host.dropLast(port)
        if beforePort.last == UInt8(ascii: ":") { host = beforePort.dropLast() }
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
            return isIPv6(host.dropFirst().dropLast())
        }
        return hasCharacters(host, besides: "")
    }

    /// RFC 3986 2: accepts unreserved characters, sub-delimiters, percent-encoded bytes, and `others`.
    private static func hasCharacters(_ text: ArraySlice<UInt8>, besides others: String) -> Bool {
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2, rest.prefix(2).allSatisfy(isHexadecimal) else { return false }
                rest = rest.dropFirst(2)
            } else if !isAlphanumeric(byte), !"-._~!$&'()*+,;=".utf8.contains(byte), !others.utf8.contains(byte) {
                return false
            }
        }
        return true
    }
}
