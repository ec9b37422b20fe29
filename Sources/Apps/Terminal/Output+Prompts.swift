/// A yes-or-no question and the words that answer it.
package struct Question: Sendable {
    package let text: Text
    /// Accepted answers. Users see the first one of each list.
    let yes: [String]
    let no: [String]
    /// Shown after any other answer.
    let advice: String

    package init(_ text: Text, yes: [String], no: [String], advice: String) {
        self.text = text
        self.yes = yes
        self.no = no
        self.advice = advice
    }

    package static func english(_ text: Text) -> Question {
        Question(text, yes: ["y", "yes"], no: ["n", "no"], advice: "Please answer y or n.")
    }

    fileprivate func prompt(preset: Bool?) -> Text {
        let (yes, no) = (yes.first ?? "", no.first ?? "")
        let choices =
            switch preset {
            case nil: "[\(yes)/\(no)]"
            case true?: "[\(yes.uppercased())/\(no)]"
            case false?: "[\(yes)/\(no.uppercased())]"
            }
        return text + " \(choices) "
    }
}

/// A line above a question that changes until the question is answered.
package struct LiveLine: Sendable {
    let text: @Sendable () -> Text
    let pause: @Sendable () async throws -> Void

    /// `pause` returns when the line should be redrawn, and throws when it should not be redrawn any more.
    package init(_ text: @escaping @Sendable () -> Text, pause: @escaping @Sendable () async throws -> Void) {
        self.text = text
        self.pause = pause
    }
}

extension Output {
    /// Asks a question in English.
    package func confirm(_ question: Text, default preset: Bool? = nil) async -> Bool? {
        await confirm(.english(question), default: preset)
    }

    /// Asks until the answer is yes or no. Nil means no answer: input is not a terminal, has ended, or the task was
    /// cancelled. `status` is shown above the question and is updated on a terminal.
    package func confirm(_ question: Question, default preset: Bool? = nil, status: LiveLine? = nil) async -> Bool? {
        guard input.isTerminal else { return nil }
        while true {
            showPrompt(Prompt(status: status?.text(), question: question.prompt(preset: preset)))
            let ticker = status.flatMap { status in
                diagnostics.isTerminal
                    ? Task {
                        while !Task.isCancelled {
                            try await status.pause()
                            updatePrompt(status: status.text())
                        }
                    } : nil
            }
            let answer = await input.readLine()
            ticker?.cancel()
            endPrompt()
            guard let answer else {
                put("\n", on: diagnostics)
                return nil
            }
            let word = trimmed(answer).lowercased()
            if question.yes.contains(word) { return true }
            if question.no.contains(word) { return false }
            if word.isEmpty, let preset { return preset }
            note(Text(question.advice))
        }
    }

    private func trimmed(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
