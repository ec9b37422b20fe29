import Synchronization

/// A line that shows the current step of a long operation.
package final class Progress: Sendable {
    private let output: Output
    private let state: Mutex<(text: String, frame: Int)>

    fileprivate init(_ text: String, output: Output) {
        self.output = output
        state = Mutex((text, 0))
        if !output.diagnostics.isTerminal { output.note("\(text)") }
    }

    /// Replaces the text. Without a terminal, each new text is written on its own line.
    package func update(_ text: String) {
        let changed = state.withLock { state in
            defer { state.text = text }
            return state.text != text
        }
        if output.diagnostics.isTerminal {
            output.showProgress(current)
        } else if changed {
            output.note("\(text)")
        }
    }

    private var current: Text { state.withLock { "\(frames[$0.frame % frames.count], .cyan) \($0.text)" } }

    fileprivate func turn() {
        state.withLock { $0.frame += 1 }
        output.showProgress(current)
    }
}

private let frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]

extension Output {
    /// Runs `operation` under a spinner with `text`. Without a terminal, writes one plain line.
    package func progress<Result: Sendable>(
        _ text: String, isolation: isolated (any Actor)? = #isolation, _ operation: (Progress) async throws -> Result
    ) async rethrows -> Result {
        let progress = Progress(text, output: self)
        guard diagnostics.isTerminal else { return try await operation(progress) }
        let ticker = Task {
            while !Task.isCancelled {
                progress.turn()
                try await Task.sleep(for: .milliseconds(120))
            }
        }
        defer {
            ticker.cancel()
            showProgress("")
        }
        return try await operation(progress)
    }
}
