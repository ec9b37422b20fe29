/// Formats a reason and advice as sentences, each with a capital letter and a full stop.
package func sentences(_ reason: String, _ advice: String?) -> String {
    [reason, advice].compactMap { text in
        guard let text, let last = text.last else { return nil }
        return text.prefix(1).uppercased() + text.dropFirst() + (".!?".contains(last) ? "" : ".")
    }.joined(separator: " ")
}
