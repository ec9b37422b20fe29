package import Primitives

/// A code on paper that takes the place of a second factor once. Only its hash is stored: it is as random as a client's
/// secret, so a slow hash would protect nothing.
package struct RecoveryCode: Sendable, Equatable {
    /// Codes that a person has after making them.
    package static let count = 10
    /// 80 bits.
    private static let bytes = 10
    /// Letters and digits of a code.
    private static let length = 16

    /// Letters and digits without hyphens.
    private let text: String

    package init(_ random: some RandomSource) { text = Base32.encode(random.bytes(Self.bytes)) }

    /// Reads a typed code. Case, spaces and hyphens do not count, and digits that no code has are the letters that they
    /// resemble. Nil if it cannot be a code.
    package init?(typed: String) {
        var text = ""
        for scalar in typed.unicodeScalars.prefix(64) {
            switch scalar {
            case " ", "-", "\u{2010}"..."\u{2015}", "\u{A0}": continue
            case "0": text += "O"
            case "1": text += "I"
            case "8": text += "B"
            case "A"..."Z", "a"..."z", "2"..."7": text += String(scalar).uppercased()
            default: return nil
            }
        }
        guard text.utf8.count == Self.length else { return nil }
        self.text = text
    }

    /// Four groups of four.
    package var shown: String {
        stride(from: 0, to: Self.length, by: 4).map { String(text.dropFirst($0).prefix(4)) }.joined(separator: "-")
    }

    /// SHA-256.
    package func hash(_ hashing: any Hashing) -> [UInt8] { hashing.sha256(Array(text.utf8)) }
}
