import Primitives

/// A server's words for the operator's log. They may quote the mail: addresses, and links that log their reader in.
struct MaskedWords: CustomStringConvertible {
    let description: String

    /// Maximum characters of all words, and of one.
    private static let (limit, wordLimit) = (300, 64)

    init(_ text: String, hiding recipient: MailAddress?) {
        let hidden = recipient?.description.lowercased()
        let words = text.split(whereSeparator: \.isWhitespace).map { raw -> String in
            // Removed first: unseen characters could hide a link or the address.
            let word = String(raw).replacingUnseen(keepsLines: false) { _ in "" }
            if word.contains("://") || word.count > Self.wordLimit { return "[hidden]" }
            if let hidden, word.lowercased().contains(hidden) { return "[recipient]" }
            return word
        }
        description = String(words.filter { !$0.isEmpty }.joined(separator: " ").prefix(Self.limit))
    }
}
