import Primitives

extension String {
    /// Text from a client or a user as a mail shows it: one line without unseen characters, and with nothing that a
    /// mail program makes a link of. Applied twice, it changes nothing more.
    package var visible: String {
        if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return apart }
        // Its own joiners count as absent, because those beside ASCII are replaced.
        var output = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in unicodeScalars where scalar != Self.joiner || !Self.joins(previous) {
            output.append(scalar)
            previous = scalar
        }
        return String(output).replacingUnseen(keepsLines: false, by: \.shownNumber).apart
    }

    static let joiner: Unicode.Scalar = "\u{200C}"

    /// True for a character after which letters make a name or an address of the web or of mail.
    static func joins(_ scalar: Unicode.Scalar?) -> Bool {
        scalar == "." || scalar == ":" || scalar == "@" || scalar == "/"
    }

    /// With a joiner of no width in all that looks like a name or an address of the web or of mail.
    private var apart: String {
        guard utf8.contains(where: { [0x2E, 0x3A, 0x40, 0x2F].contains($0) }) else { return self }
        var output = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in unicodeScalars {
            if Self.joins(previous), scalar.beginsName {
                output.append(Self.joiner)
            }
            output.append(scalar)
            previous = scalar
        }
        return String(output)
    }
}

extension Unicode.Scalar {
    var beginsName: Bool {
        isASCII ? self == "/" || (0x61...0x7A).contains(value | 0x20) : properties.isAlphabetic
    }
}
