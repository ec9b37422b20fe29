import Primitives

/// Columns that a terminal uses for the text: two for East Asian wide characters and emoji, none for combining marks.
package func displayWidth(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + displayWidth($1) } }

func displayWidth(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    // An emoji presentation selector makes the character before it two columns wide (UTS 51 2.3).
    if first.value >= 0x80, character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control, .format: return 0
    default: break
    }
    if first.properties.isEmojiPresentation { return 2 }
    return wideRanges.contains { $0.contains(first.value) } ? 2 : 1
}

/// Blocks whose characters are Wide or Fullwidth (UAX 11). The few narrow characters in them are not excluded.
private let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
]

/// Escapes everything that a terminal would act on, such as control characters, which could move the cursor or forge a
/// line, and everything that a person cannot see.
func visible(_ text: String) -> String {
    text.replacingUnseen(keepsLines: false) { scalar in
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: scalar.shownNumber
        }
    }
}
