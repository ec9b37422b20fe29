import Primitives

extension Certificate {
    /// True if the certificate names `host`, a DNS name or an address (RFC 9525 clause 6). The subject's common name does
    /// not count.
    package func names(host: String) -> Bool {
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        if let address = IPAddress(bare) { return addresses.contains(address) }
        let name = Self.labels(bare)
        return dnsNames.contains { pattern in
            let pattern = Self.labels(pattern)
            // A wildcard is the whole first label (clause 6.3).
            guard pattern.first == "*" else { return pattern == name }
            return pattern.count > 2 && pattern.count == name.count && pattern.dropFirst() == name.dropFirst()
        }
    }

    private static func labels(_ name: String) -> [Substring] {
        let lowered = name.lowercased()
        return (lowered.hasSuffix(".") ? lowered.dropLast() : lowered[...])
            .split(separator: ".", omittingEmptySubsequences: false)
    }

    /// Certificates of a text, in order. Other blocks and text between blocks are skipped. Nil if a certificate cannot be
    /// read.
    package static func chain(pem text: String) -> [Certificate]? {
        var chain: [Certificate] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "-----BEGIN \(label)-----"),
            let end = rest[start.lowerBound...].firstRange(of: "-----END \(label)-----")
        {
            guard let certificate = Certificate(pem: String(rest[start.lowerBound..<end.upperBound])) else {
                return nil
            }
            chain.append(certificate)
            rest = rest[end.upperBound...]
        }
        return chain
    }
}
