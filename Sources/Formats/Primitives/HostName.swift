/// A host name in the form in which the DNS has it: letters, digits and inner hyphens, in lower case.
///
/// A label beyond ASCII (a U-label, RFC 5890 clause 2.3.2.1) becomes an A-label: in lower case, in Normalization Form C,
/// and in Punycode behind `xn--`. Its characters are those that RFC 5892 derives from properties of Unicode. Characters that
/// RFC 5892 permits in some places only (appendix A) are refused: invisible joiners are among them. A label with such a
/// character is written as its A-label.
package enum HostName {
    private static let labelLimit = 63

    /// Nil for a text that is no host name. Callers bound its length.
    package static func ascii(_ text: Substring) -> String? {
        let labels = text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        let name = labels.compactMap { label in
            label.allSatisfy(\.isASCII) ? Substring(label).lowercased() : asciiLabel(Substring(label))
        }
        let joined = name.joined(separator: ".")
        return name.count == labels.count && isASCII(joined.utf8) ? joined : nil
    }

    /// True for a name that is in this form already (RFC 1123 clause 2.1, RFC 1035 clause 2.3.1).
    package static func isASCII(_ name: some Collection<UInt8>) -> Bool {
        var (size, previous) = (0, UInt8(ascii: "-"))
        for byte in name {
            switch byte {
            case 0x61...0x7A, 0x30...0x39: size += 1
            case UInt8(ascii: "-") where size > 0: size += 1
            case UInt8(ascii: ".") where previous != UInt8(ascii: "-") && size > 0: size = 0
            default: return false
            }
            guard size <= labelLimit else { return false }
            previous = byte
        }
        return size > 0 && previous != UInt8(ascii: "-")
    }

    /// The A-label of a U-label.
    private static func asciiLabel(_ text: Substring) -> String? {
        // A letter and its mark become one.
        guard text.unicodeScalars.prefix(2 * labelLimit + 1).count <= 2 * labelLimit,
            let label = String(text).folded.map({ Array($0.composed.unicodeScalars) }), label.count <= labelLimit,
            isUnicodeLabel(label)
        else { return nil }
        return "xn--" + Punycode.encode(label)
    }

    /// RFC 5891 clause 4.2.3, without the rule for texts from right to left: an A-label is shown in one direction.
    private static func isUnicodeLabel(_ label: [Unicode.Scalar]) -> Bool {
        guard let first = label.first, !isMark(first), first != "-", label.last != "-",
            !label.dropFirst(2).prefix(2).elementsEqual(["-", "-"])
        else { return false }
        // RFC 5892 appendices A.8 and A.9: digits of both kinds look alike.
        let isMixed =
            label.contains { (0x660...0x669).contains($0.value) }
            && label.contains { (0x6F0...0x6F9).contains($0.value) }
        return !isMixed && label.allSatisfy(isValid)
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// True for `PVALID` (RFC 5892 clause 3). Comments name the categories of clause 2.
    private static func isValid(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // LDH (E) in lower case, and other ASCII characters.
        case 0x2D, 0x30...0x39, 0x61...0x7A: return true
        case 0..<0x80: return false
        // Exceptions (F).
        case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007: return true
        case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: return false
        // OldHangulJamo (I), IgnorableBlocks (D).
        case 0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF, 0x20D0...0x20FF, 0x1D100...0x1D24F: return false
        default: break
        }
        let properties = scalar.properties
        // Unstable (B), IgnorableProperties (C).
        guard !properties.changesWhenNFKCCaseFolded, !properties.isDefaultIgnorableCodePoint,
            !properties.isWhitespace, !properties.isNoncharacterCodePoint
        else { return false }
        // LetterDigits (A).
        switch properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .otherLetter, .modifierLetter, .decimalNumber, .nonspacingMark,
            .spacingMark:
            return true
        default: return false
        }
    }
}
