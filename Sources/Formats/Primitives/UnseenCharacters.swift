extension String {
    /// Replaces characters that a person cannot see, or that change the text around them, by `name`: controls, marks of
    /// direction (UAX 9), ignorable, private and blank characters. Otherwise, a request could show another account, or
    /// carry a text that nobody sees.
    ///
    /// Those that shape a visible neighbour stay there: joiners in scripts that need them and between emoji, variation
    /// selectors after a character with an emoji style, and the tags of the three flags that are in use. Selectors of
    /// ideographs do not stay: most fonts show no difference, and 240 of them carry a hidden byte each. A single line
    /// break stays if `keepsLines`.
    ///
    /// A mark without a base, or beyond the fourth on one base, is replaced too: it would be drawn over the lines around
    /// it. Four are the most in use: a Hebrew shin with its dot, dagesh, vowel and accent, or a Devanagari letter with
    /// nukta, vowel, anusvara and accent. The web app has the same rules, and both are tried on every code point.
    package func replacingUnseen(keepsLines: Bool, by name: (Unicode.Scalar) -> String) -> String {
        guard unicodeScalars.contains(where: { !(0x20...0x7E).contains($0.value) }) else { return self }
        let scalars = Array(unicodeScalars)
        var result = ""
        var marks = MarkCount()
        for (place, scalar) in scalars.enumerated() {
            let stays: Bool
            if scalar == "\n" {
                stays = keepsLines && (place == 0 || scalars[place - 1] != "\n")
                if stays { marks = MarkCount() }
            } else if Unseen.all.has(scalar) {
                stays = shapes(place, scalars)
            } else {
                stays = marks.keeps(scalar)
            }
            result += stays ? String(scalar) : name(scalar)
        }
        return result
    }

    /// The text with each unseen character as its number, such as `‹U+202E›`. A single line break stays.
    package var showingUnseen: String {
        replacingUnseen(keepsLines: true, by: \.shownNumber)
    }

    /// The first character that ``replacingUnseen(keepsLines:by:)`` replaces, line breaks among them.
    package var firstUnseen: Unicode.Scalar? {
        var first: Unicode.Scalar?
        _ = replacingUnseen(keepsLines: false) { scalar in
            first = first ?? scalar
            return ""
        }
        return first
    }
}

/// Marks on the last base. A text begins without a base, and so does each of its lines.
private struct MarkCount {
    private static let limit = 4
    private var count = limit

    /// False for a mark that has no place on its base. Spacing marks have a place of their own, and are no bases.
    mutating func keeps(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: count += 1
        case .spacingMark: return true
        default: count = 0
        }
        return count <= Self.limit
    }
}

extension Unicode.Scalar {
    /// The number of an unseen character, as pages, mails, the terminal and the web app show it.
    package var shownNumber: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "‹U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)›"
    }
}

/// True if the unseen character at `place` shapes what is visible before it.
private func shapes(_ place: Int, _ scalars: [Unicode.Scalar]) -> Bool {
    let (scalar, before) = (scalars[place], place > 0 ? scalars[place - 1] : " ")
    let after = place + 1 < scalars.count ? scalars[place + 1] : " "
    switch scalar.value {
    case 0xFE0E...0xFE0F where Unseen.pictures.has(before): return true
    // A keycap.
    case 0xFE0F: return ("0"..."9" ~= before || before == "#" || before == "*") && after == "\u{20E3}"
    case 0x200C...0x200D where Unseen.joining.has(before) && !Unseen.all.has(before): return true
    case 0x200D:
        let isStyled = (before == "\u{FE0E}" || before == "\u{FE0F}") && place > 1
        return Unseen.pictures.has(isStyled ? scalars[place - 2] : before) && Unseen.pictures.has(after)
            && !isFlag(place + 1, scalars)
    case 0xE0020...0xE007F:
        guard let flag = scalars[max(0, place - Unseen.tagCount)..<place].lastIndex(of: "🏴") else { return false }
        return isFlag(flag, scalars)
    default: return false
    }
}

private func isFlag(_ place: Int, _ scalars: [Unicode.Scalar]) -> Bool {
    scalars[place] == "🏴" && Unseen.flags.contains { scalars[(place + 1)...].starts(with: $0) }
}

private enum Unseen {
    /// Unicode's Cc, Cf, Zl, Zp, Co and Default_Ignorable_Code_Point, surrogates and the last noncharacters, with
    /// blanks: the Braille pattern without dots, Khitan's filler and the null notehead. Ranges, so that every reader has
    /// the same whatever its Unicode.
    static let all: [ClosedRange<UInt32>] = [
        0x0000...0x001F, 0x007F...0x009F, 0x00AD...0x00AD, 0x034F...0x034F, 0x0600...0x0605, 0x061C...0x061C,
        0x06DD...0x06DD, 0x070F...0x070F, 0x0890...0x0891, 0x08E2...0x08E2, 0x115F...0x1160, 0x17B4...0x17B5,
        0x180B...0x180F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x2800...0x2800, 0x2D7F...0x2D7F,
        0x3164...0x3164,
        0xD800...0xF8FF, 0xFE00...0xFE0F, 0xFEFF...0xFEFF, 0xFFA0...0xFFA0, 0xFFF0...0xFFFC, 0x1107F...0x1107F,
        0x110BD...0x110BD,
        0x110CD...0x110CD, 0x13430...0x1343F, 0x16FE4...0x16FE4, 0x1BCA0...0x1BCA3, 0x1D159...0x1D159,
        0x1D173...0x1D17A, 0xE0000...0xE0FFF, 0xF0000...0x10FFFF,
    ]
    /// Blocks of the characters with a text and an emoji style (UTS 51).
    static let pictures: [ClosedRange<UInt32>] = [
        0xA9...0xA9, 0xAE...0xAE, 0x203C...0x203C, 0x2049...0x2049, 0x2122...0x2122, 0x2139...0x2139,
        0x2190...0x27BF, 0x2934...0x2935, 0x2B00...0x2BFF, 0x3030...0x3030, 0x303D...0x303D, 0x3297...0x3297,
        0x3299...0x3299, 0x1F000...0x1FAFF,
    ]
    /// Blocks of scripts that join or stack letters: from Arabic to Myanmar, Khmer and Mongolian, and later ones.
    static let joining: [ClosedRange<UInt32>] = [
        0x0600...0x109F, 0x1780...0x18AF, 0x1A00...0x1CFF, 0xA800...0xABFF, 0x10A00...0x11FFF, 0x1E900...0x1E95F,
    ]
    /// England, Scotland and Wales (emoji-sequences of UTS 51). Other tags look like a plain flag.
    static let flags = ["gbeng", "gbsct", "gbwls"].map { name in
        name.unicodeScalars.compactMap { Unicode.Scalar(0xE0000 + $0.value) } + ["\u{E007F}"]
    }
    static let tagCount = 6
}

extension [ClosedRange<UInt32>] {
    fileprivate func has(_ scalar: Unicode.Scalar) -> Bool {
        for range in self where scalar.value <= range.upperBound { return scalar.value >= range.lowerBound }
        return false
    }
}
