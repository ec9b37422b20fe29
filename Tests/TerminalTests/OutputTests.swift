import Primitives
import Synchronization
import Testing

@testable import Terminal

@Suite("Output")
struct OutputTests {
    @Test("Results go to standard output, messages to standard error")
    func streams() {
        let captured = Captured()
        let output = captured.output()
        output.line("result")
        output.note("working")
        output.error("no such user", hint: "list them with `countersign users`")
        output.json(["a": 1])
        #expect(captured.standard == "result\n{\"a\":1}\n")
        #expect(
            captured.diagnostics
                == "working\nerror: no such user\nhint: list them with `countersign users`\n")
    }

    @Test("A block keeps its line breaks and no other control characters")
    func block() {
        let captured = Captured()
        captured.output().block("a\n\u{1B}[0mb", indent: 2)
        #expect(captured.standard == "  a\n  ‹U+001B›[0mb\n")
    }

    @Test("Fields are one line per value in pipes, and wrapped in terminals", arguments: [false, true])
    func fields(_ isTerminal: Bool) {
        let captured = Captured()
        let secret = String(repeating: "s", count: 64)
        let words = "a value of several words, and wider than the terminal"
        captured.output(isTerminal: isTerminal, width: 40).fields([
            (name: "client_secret", value: Text(secret)), (name: "text", value: Text(words)),
        ])
        let lines = captured.standard.split(separator: "\n")
        #expect(lines[0] == "client_secret  \(secret)")
        #expect(isTerminal ? lines.count > 2 : lines[1...] == ["text           \(words)"])
    }

    @Test("A progress line is erased before other output")
    func progressOnTerminal() async {
        let captured = Captured()
        let output = captured.output(isTerminal: true)
        await output.progress("Waiting") { progress in
            progress.update("Waiting for Ana")
            output.note("a note")
        }
        #expect(captured.diagnostics.contains("Waiting for Ana\r\u{1B}[Ka note\n"))
    }

    @Test("Without a terminal, each new progress text is one plain line")
    func progressElsewhere() async {
        let captured = Captured()
        await captured.output().progress("Waiting") { progress in
            progress.update("Waiting")
            progress.update("Still waiting")
        }
        #expect(captured.diagnostics == "Waiting\nStill waiting\n")
    }

    @Test("A question repeats until it is answered, and is not asked without a terminal")
    func confirm() async {
        let captured = Captured()
        let output = captured.output(isTerminal: true, answers: ["perhaps", " Y "])
        #expect(await output.confirm("Allow?") == true)
        #expect(captured.diagnostics == "Allow? [y/n] Please answer y or n.\nAllow? [y/n] ")
        #expect(await captured.output(isTerminal: true, answers: [""]).confirm("Allow?", default: false) == false)
        #expect(await captured.output(isTerminal: true).confirm("Allow?") == nil)
        #expect(await captured.output(answers: ["y"]).confirm("Allow?") == nil)
    }

    @Test("Output during a question appears above it, and the question is shown again")
    func noteDuringQuestion() async {
        let captured = Captured()
        let shared = Mutex<Output?>(nil)
        let output = captured.output(isTerminal: true) {
            shared.withLock(\.self)?.note("a note")
            shared.withLock(\.self)?.line("a result")
            return "y"
        }
        shared.withLock { $0 = output }
        let status = LiveLine({ "5s left" }, pause: { throw CancellationError() })
        #expect(await output.choose(.english("Allow?"), status: status) == true)
        let question = "5s left\nAllow? [y/n] "
        let gone = "\r\u{1B}[K\u{1B}[A\u{1B}[K"
        #expect(captured.diagnostics == "\(question)\(gone)a note\n\(question)\(gone)\(question)")
        #expect(captured.standard == "a result\n")
    }

    @Test("The line above a question is replaced in place until the question is answered")
    func liveLine() async {
        let captured = Captured()
        let left = Mutex(3)
        let output = captured.output(isTerminal: true) {
            while !captured.diagnostics.contains("1s left") { await Task.yield() }
            return "n"
        }
        let status = LiveLine(
            { "\(left.withLock(\.self))s left" },
            pause: {
                let isOver = left.withLock { left in
                    if left > 1 { left -= 1 }
                    return left == 1
                }
                if isOver, captured.diagnostics.contains("1s left") { throw CancellationError() }
            })
        #expect(await output.choose(.english("Allow?"), status: status) == false)
        func moved(_ text: String) -> String { "\u{1B}7\u{1B}[A\r\u{1B}[K\(text)\u{1B}8" }
        #expect(captured.diagnostics == "3s left\nAllow? [y/n] " + moved("2s left") + moved("1s left"))
    }

    @Test("Without cursor movement, the line above a question is an ordinary line")
    func plainLine() async {
        let captured = Captured()
        let output = Output(
            standard: captured.output().standard, diagnostics: captured.output().diagnostics,
            input: TextInput(isTerminal: true) { "y" })
        let status = LiveLine({ "5s left" }, pause: { Issue.record("nothing is to be moved") })
        #expect(await output.choose(.english("Allow?"), status: status) == true)
        #expect(captured.diagnostics == "5s left\nAllow? [y/n] ")
    }

    @Test("Colours appear on terminals only")
    func colours() {
        #expect(TextStream.descriptor(-1, environment: [:]).hasColours == false)
        #expect(TextStream.descriptor(-1, environment: ["COLUMNS": "44"]).width() == 44)
        #expect(TextStream.descriptor(-1, environment: [:]).width() == 80)
    }
}
