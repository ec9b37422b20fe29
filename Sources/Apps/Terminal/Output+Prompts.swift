extension Output {
    /// Asks until the answer is yes or no. Nil where nobody can be asked, at the end of input, and when the task is
    /// cancelled: the caller says what happens then.
    public func confirm(_ question: Text, default preset: Bool? = nil) async -> Bool? {
        guard input.isTerminal else { return nil }
        let choices = preset.map { $0 ? "[Y/n]" : "[y/N]" } ?? "[y/n]"
        while true {
            put("\(question.rendered(colours: diagnostics.hasColours)) \(choices) ", on: diagnostics)
            guard let answer = await input.readLine() else {
                put("\n", on: diagnostics)
                return nil
            }
            switch trimmed(answer).lowercased() {
            case "y", "yes": return true
            case "n", "no": return false
            case "" where preset != nil: return preset
            default: note("Please answer y or n.")
            }
        }
    }

    private func trimmed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
