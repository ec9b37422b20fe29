extension String {
    /// Replaces characters that a person cannot see, or that change the text around them, by `name`: controls, marks of
    /// direction (UAX 9), ignorable and private characters. Otherwise, a request could show another account, or push
    /// a part of itself out of sight.
    ///
    /// Joiners beside ASCII are replaced, and stay elsewhere, because scripts and emoji need them. A single line break
    /// stays if `keepsLines`.
    package func replacingUnseen(keepsLines: Bool, by name: (Unicode.Scalar) -> String) -> String {
        guard unicodeScalars.contains(where: { !(0x20...0x7E).contains($0.value) }) else { return self }
        var result = ""
        var previous: Unicode.Scalar?
        for scalar in unicodeScalars {
            let stays = scalar == "\n" ? keepsLines && previous != "\n" : !isUnseen(scalar, after: previous)
            result += stays ? String(scalar) : name(scalar)
            previous = scalar
        }
        return result
    }
}

private func isUnseen(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?) -> Bool {
    switch scalar.value {
    case 0x20...0x7E: return false
    case 0x200C, 0x200D: return previous?.isASCII ?? true
    // Emoji selectors, and the tags of flags.
    case 0xFE00...0xFE0F, 0xE0020...0xE007F: return false
    // The Braille pattern without dots is a blank.
    case 0x2800: return true
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: return true
    default: return scalar.properties.isDefaultIgnorableCodePoint
    }
}
