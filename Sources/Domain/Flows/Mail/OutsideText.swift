import Primitives

extension String {
    /// Text from a client or a user as a mail shows it: one line without unseen characters, apart from the text around it
    /// (UAX 9), and with nothing that a mail program makes a link of.
    var outside: String { "\u{2068}\(visible)\u{2069}" }

    /// The same without the marks around it, for values of templates.
    var visible: String {
        var output = ""
        var previous: Unicode.Scalar?
        for scalar in replacingUnseen(keepsLines: false, by: { _ in "\u{FFFD}" }).unicodeScalars {
            // A joiner of no width ends what looks like a name or an address of the web or of mail.
            if let previous, ".:@/".unicodeScalars.contains(previous), scalar.properties.isAlphabetic || scalar == "/" {
                output.unicodeScalars.append("\u{200C}")
            }
            output.unicodeScalars.append(scalar)
            previous = scalar
        }
        return output
    }
}
