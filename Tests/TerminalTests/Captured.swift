import Synchronization

@testable import Terminal

/// Everything an `Output` wrote, in memory.
final class Captured: Sendable {
    private let written = Mutex((standard: "", diagnostics: ""))

    var standard: String { written.withLock { $0.standard } }
    var diagnostics: String { written.withLock { $0.diagnostics } }

    func output(
        isTerminal: Bool = false, hasColours: Bool = false, width: Int = 80, answers: [String] = [],
        reading read: (@Sendable () async -> String?)? = nil
    ) -> Output {
        let left = Mutex(answers[...])
        return Output(
            standard: TextStream(isTerminal: isTerminal, hasColours: hasColours, width: { width }) { text in
                self.written.withLock { $0.standard += text }
            },
            diagnostics: TextStream(isTerminal: isTerminal, hasColours: hasColours, width: { width }) { text in
                self.written.withLock { $0.diagnostics += text }
            },
            input: TextInput(isTerminal: isTerminal) {
                if let read { await read() } else { left.withLock { $0.popFirst() } }
            })
    }
}
