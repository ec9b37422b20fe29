/// An e-mail address in the common form of RFC 5321 (dot-atoms and a host name), in lower case as accounts keep it.
package struct EmailAddress: Sendable, Hashable, CustomStringConvertible {
    package let description: String
    /// Part before the `@`.
    package let localPart: String

    /// Nil for quoted local parts, address literals, and texts that could break a mail's header.
    package init?(parsing text: String) {
        let trimmed = text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
        guard let lowered = Self.folded(String(trimmed)), lowered.utf8.count <= 254 else { return nil }
        let parts = lowered.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count),
            parts[0].split(separator: ".", omittingEmptySubsequences: false)
                .allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isAtomByte) })
        else { return nil }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2,
            labels.allSatisfy({ label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { Self.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
            })
        else { return nil }
        description = lowered
        localPart = String(parts[0])
    }

    /// The text in lower case. Nil if a letter beyond ASCII would become an ASCII one, as the Kelvin sign (U+212A)
    /// becomes a `k`: two addresses that reach different people would be one.
    package static func folded(_ text: String) -> String? {
        let isFit = text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII || !scalar.properties.lowercaseMapping.unicodeScalars.contains(where: \.isASCII)
        }
        return isFit ? text.lowercased() : nil
    }

    /// Address without the detail that most servers accept after a `+` (RFC 5233), so that one mailbox does not count
    /// as many.
    package var mailbox: String {
        let name = localPart.prefix { $0 != "+" }
        return (name.isEmpty ? localPart : String(name)) + description.dropFirst(localPart.count)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
    }

    /// `atext` (RFC 5322 clause 3.2.3).
    private static func isAtomByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }
}
