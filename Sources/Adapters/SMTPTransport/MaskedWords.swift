/// A server's words for the operator's log. They may quote the mail: addresses, and links that log their reader in.
struct MaskedWords: CustomStringConvertible {
    let description: String

    /// Maximum characters of all words, and of one.
    private static let (limit, wordLimit) = (300, 64)

    init(_ text: String, hiding recipient: MailAddress?) {
        let hidden = recipient?.description.lowercased()
        let words = text.split(whereSeparator: \.isWhitespace).map { word -> String in
            if word.contains("://") || word.count > Self.wordLimit { return "[hidden]" }
            if let hidden, word.lowercased().contains(hidden) { return "[recipient]" }
            return String(word.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        }
        description = String(words.joined(separator: " ").prefix(Self.limit))
    }
}
