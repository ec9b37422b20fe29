/// A question with two answers, and the words for them.
package struct Question: Sendable {
    package let text: Text
    /// The first of each is shown as the choice.
    let yes: [String]
    let no: [String]
    /// Told after any other answer.
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

/// A line that changes while a question waits for its answer.
package struct LiveLine: Sendable {
    let text: @Sendable () -> Text
    let pause: @Sendable () async throws -> Void

    /// `pause` returns when the line is to be shown anew, and throws when it is not any more.
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

    /// Asks until the answer is yes or no. Nil where nobody can be asked, at the end of input, and when the task is
    /// cancelled: the caller says what happens then. `status` stands above the question, and moves on a terminal.
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

    private func trimmed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
