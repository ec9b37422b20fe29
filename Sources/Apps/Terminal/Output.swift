import Glibc
package import Primitives
import Synchronization

/// An output stream and the capabilities of the terminal behind it.
package struct TextStream: Sendable {
    package let isTerminal: Bool
    package let hasColours: Bool
    /// Width in columns. Computed for each use because windows are resized.
    package let width: @Sendable () -> Int
    package let write: @Sendable (String) -> Void

    /// A stream for a file descriptor. Colours need a terminal that supports them and an empty `NO_COLOR`
    /// (no-color.org).
    static func descriptor(_ descriptor: Int32, environment: [String: String]) -> TextStream {
        let isTerminal = isatty(descriptor) == 1
        let refused = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
        let forced = environment["COLUMNS"].flatMap(Int.init)
        return TextStream(isTerminal: isTerminal, hasColours: isTerminal && !refused) {
            var size = winsize()
            if let forced, forced > 0 { return forced }
            return isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
                ? Int(size.ws_col) : 80
        } write: { text in
            writeAll(Array(text.utf8), to: descriptor)
        }
    }
}

/// Writes all bytes, and returns silently if the reader is gone.
private func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        let failure = errno
        if count > 0 {
            rest = rest.dropFirst(count)
        } else if failure == EAGAIN {
            var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&ready, 1, -1)
        } else if failure != EINTR {
            return
        }
    }
}

/// A command's conversation: results go to standard output, everything else to standard error.
package final class Output: Sendable {
    package let standard: TextStream
    package let diagnostics: TextStream
    package let input: TextInput
    /// The progress line or prompt at the end of the diagnostics. Other text is written above it.
    private let tail = Mutex(Tail.none)

    package init(standard: TextStream, diagnostics: TextStream, input: TextInput) {
        self.standard = standard
        self.diagnostics = diagnostics
        self.input = input
    }

    /// The process's standard streams.
    package convenience init(environment: [String: String]) {
        self.init(
            standard: .descriptor(STDOUT_FILENO, environment: environment),
            diagnostics: .descriptor(STDERR_FILENO, environment: environment),
            input: .standard)
    }

    /// Writes a line of the result.
    package func line(_ text: Text = "") { lines([text]) }

    package func lines(_ lines: [Text]) { emit(lines, to: standard) }

    /// Writes a line about the work to standard error.
    package func note(_ text: Text) { notes([text]) }

    package func notes(_ lines: [Text]) { emit(lines, to: diagnostics) }

    package func warning(_ text: Text) { note("\("warning:", .yellow) \(text)") }

    /// Reports an error, and advice on what to do next.
    package func error(_ what: String, hint: String? = nil) {
        note("\("error:", .red) \(what)")
        if let hint { note("\("hint:", .cyan) \(hint)") }
    }

    /// Writes text that has its own line breaks, such as a message's body. Control characters are escaped.
    package func block(_ text: String, indent: Int = 0) {
        let space = String(repeating: " ", count: indent)
        lines(text.split(separator: "\n", omittingEmptySubsequences: false).map { Text(space + $0) })
    }

    /// Writes exactly these characters and a line break, for other programs to read.
    package func raw(_ text: String) { put(text + "\n", on: standard) }

    /// Writes exactly these characters, such as a part of a file.
    package func verbatim(_ text: String) { put(text, on: standard) }

    /// Writes JSON on one line, or indented if standard output is a terminal.
    package func json(_ value: JSONValue) {
        if standard.isTerminal {
            block(JSONWriter.lines(value).joined(separator: "\n"))
        } else {
            raw(JSONWriter.string(value))
        }
    }

    package func table(_ table: Table) { lines(table.lines) }

    /// Width to which texts for people are wrapped. Nil for programs, which read a line at a time.
    package var wrappingWidth: Int? { standard.isTerminal ? standard.width() : nil }

    /// Writes names and values. They are wrapped only on a terminal: programs that read them expect a value a line.
    package func fields(_ rows: [(name: String, value: Text)]) {
        lines(Fields(rows).lines(width: wrappingWidth))
    }

    package func card(_ card: Card) { lines(card.lines(width: standard.width())) }

    private func emit(_ lines: [Text], to stream: TextStream) {
        put(lines.map { $0.rendered(colours: stream.hasColours) + "\n" }.joined(), on: stream)
    }

    func put(_ text: String, on stream: TextStream) {
        tail.withLock { tail in
            guard diagnostics.isTerminal else { return stream.write(text) }
            switch tail {
            case .none: stream.write(text)
            case .progress:
                diagnostics.write("\r\u{1B}[K")
                tail = .none
                stream.write(text)
            case .prompt(let prompt):
                diagnostics.write("\r\u{1B}[K" + (prompt.status == nil ? "" : "\u{1B}[A\u{1B}[K"))
                stream.write(text)
                diagnostics.write(rendered(prompt))
            }
        }
    }

    /// Replaces the progress line; an empty text removes it.
    func showProgress(_ text: Text) {
        tail.withLock { tail in
            let line = fitting(text)
            let isShown = if case .progress = tail { true } else { false }
            if isShown || line.width > 0 {
                diagnostics.write("\r\u{1B}[K" + line.rendered(colours: diagnostics.hasColours))
            }
            tail = line.width > 0 ? .progress : .none
        }
    }

    func showPrompt(_ prompt: Prompt) {
        put("", on: diagnostics)
        tail.withLock { tail in
            diagnostics.write(rendered(prompt))
            tail = .prompt(prompt)
        }
    }

    /// Replaces the line above the question and keeps the text typed so far.
    func updatePrompt(status: Text) {
        tail.withLock { tail in
            guard case .prompt(var prompt) = tail, prompt.status != nil, prompt.status != status else { return }
            prompt.status = status
            tail = .prompt(prompt)
            // The cursor is saved and restored (ECMA-48 has no such pair; DECSC and DECRC are everywhere).
            diagnostics.write(
                "\u{1B}7\u{1B}[A\r\u{1B}[K" + fitting(status).rendered(colours: diagnostics.hasColours) + "\u{1B}8")
        }
    }

    /// Leaves the lines of an answered question in place.
    func endPrompt() { tail.withLock { $0 = .none } }

    private func rendered(_ prompt: Prompt) -> String {
        let status = prompt.status.map { fitting($0).rendered(colours: diagnostics.hasColours) + "\n" } ?? ""
        return status + prompt.question.rendered(colours: diagnostics.hasColours)
    }

    /// The part of the text that fits on one line.
    private func fitting(_ text: Text) -> Text { text.wrapped(to: max(1, diagnostics.width() - 1)).first ?? "" }
}

/// A question that waits for its answer, and the line above it.
struct Prompt: Sendable {
    var status: Text?
    let question: Text
}

private enum Tail: Sendable {
    case none, progress
    case prompt(Prompt)
}
