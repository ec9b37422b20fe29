package import Primitives

/// A tenant's further host name, ready or not.
package struct CustomDomain: Sendable, Equatable {
    /// `cd_` and 16 characters derived from the name, so that names in a configuration file have ids, too.
    package let id: String
    /// In lower case.
    package let domain: String
    /// True if the domain is in use.
    package let isReady: Bool
    /// Stored members beside the name.
    package let document: JSONObject

    static func id(of domain: String, _ hashing: any Hashing) -> String {
        "cd_" + Base64URL.encode(hashing.sha256(Array(domain.utf8)).prefix(12))
    }

    /// The name in lower case. Nil means no DNS name of two labels or more (RFC 1123 clause 2.1).
    static func normalized(_ text: String) -> String? {
        let name = text.lowercased()
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let hyphen = UInt8(ascii: "-")
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                && label.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == hyphen }
        }
        // The last label has a letter: 127.0.0.1 is an address.
        let isAddress = labels.last?.allSatisfy { (0x30...0x39).contains($0) } ?? true
        return isName && !isAddress && labels.count > 1 && name.utf8.count <= 253 ? name : nil
    }
}
