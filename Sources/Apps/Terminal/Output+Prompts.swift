/// A question and the words that answer it.
package struct Choice<Value: Sendable>: Sendable {
    package struct Answer: Sendable {
        /// Accepted words. Users see the first one.
        package let words: [String]
        let value: Value

        package init(_ words: [String], _ value: Value) {
            self.words = words
            self.value = value
        }
    }

    package let text: Text
    package let answers: [Answer]
    /// Words beside the question. Nil shows the first of each answer.
    let shown: [String]?
    /// Shown after any other answer.
    package let advice: String

    package init(_ text: Text, _ answers: [Answer], shown: [String]? = nil, advice: String) {
        self.text = text
        self.answers = answers
        self.shown = shown
        self.advice = advice
    }

    /// `preset` is the index of the answer that an empty line gives.
    fileprivate func prompt(preset: Int?) -> Text {
        let words =
            shown
            ?? answers.enumerated().map { index, answer in
                let word = answer.words.first ?? ""
                return index == preset ? word.uppercased() : word
            }
        return text + " [\(words.joined(separator: "/"))] "
    }
}

extension Choice where Value == Bool {
    package static func english(_ text: Text) -> Choice {
        Choice(text, [Answer(["y", "yes"], true), Answer(["n", "no"], false)], advice: "Please answer y or n.")
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
    /// Asks a yes-or-no question in English. Nil means no answer.
    package func confirm(_ question: Text, default preset: Bool? = nil) async -> Bool? {
        await choose(.english(question), preset: preset.map { $0 ? 0 : 1 })
    }

    /// Asks until one of the answers is given. Nil means no answer: input is not a terminal, has ended, or the task was
    /// cancelled. `status` is shown above the question and is updated on a terminal.
    package func choose<Value: Sendable>(
        _ choice: Choice<Value>, preset: Int? = nil, status: LiveLine? = nil
    ) async -> Value? {
        guard input.isTerminal else { return nil }
        while true {
            showPrompt(Prompt(status: status?.text(), question: choice.prompt(preset: preset)))
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
            if let chosen = choice.answers.first(where: { $0.words.contains(word) }) { return chosen.value }
            if word.isEmpty, let preset { return choice.answers[preset].value }
            note(Text(choice.advice))
        }
    }

    /// Makes a sound if a person is at the terminal.
    package func bell() {
        guard diagnostics.isTerminal else { return }
        put("\u{7}", on: diagnostics)
    }

    private func trimmed(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
