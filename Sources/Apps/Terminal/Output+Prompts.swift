public import Primitives

extension Output {
    /// Asks until the answer is yes or no. Nil where nobody can be asked, at the end of input, and when the task is
    /// cancelled: the caller says what happens then.
    public func confirm(_ question: Text, default preset: Bool? = nil) async -> Bool? {
        guard input.isTerminal else { return nil }
        let choices = preset.map { $0 ? "[Y/n]" : "[y/N]" } ?? "[y/n]"
        while true {
            put("\(question.rendered(colours: diagnostics.hasColours)) \(choices) ", on: diagnostics)
            guard let answer = await input.readLine(.shown) else {
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

    /// A line of input; without a terminal, the next line of standard input and no prompt. Nil at its end.
    public func ask(_ prompt: Text) async -> String? { await read(prompt, .shown) }

    /// The same, not shown as it is typed.
    public func askHidden(_ prompt: Text) async -> SecretBytes? {
        await read(prompt, .hidden).map(SecretBytes.init(utf8:))
    }

    private func read(_ prompt: Text, _ echo: TextInput.Echo) async -> String? {
        if input.isTerminal { put(prompt.rendered(colours: diagnostics.hasColours) + " ", on: diagnostics) }
        let line = await input.readLine(echo)
        // The line break the user typed was not shown, or there was none.
        if input.isTerminal, echo == .hidden || line == nil { put("\n", on: diagnostics) }
        return line
    }

    private func trimmed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
