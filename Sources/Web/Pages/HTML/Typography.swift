import OAuthWire

/// The spaces of good typesetting, so that the texts in the source can be written with plain ones.
enum Typography {
    /// French has a space before `? ! ; : »` and after `«`, at which a line must not break: a narrow one (U+202F)
    /// before `? ! ;` and a full one (U+00A0) at the others.
    static func typeset(_ words: LocalizedText, in language: Language) -> String {
        let text = words[language]
        guard language == .french else { return text }
        var output = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "?", "!", ";": replaceSpace(at: &output, with: "\u{202F}")
            case ":", "»": replaceSpace(at: &output, with: "\u{A0}")
            case " " where output.last == "«":
                output.append("\u{A0}")
                continue
            default: break
            }
            output.append(scalar)
        }
        return String(output)
    }

    private static func replaceSpace(at text: inout String.UnicodeScalarView, with space: Unicode.Scalar) {
        guard text.last == " " else { return }
        text.removeLast()
        text.append(space)
    }
}
