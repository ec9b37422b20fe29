import Glibc

/// A source of answers.
package struct TextInput: Sendable {
    package let isTerminal: Bool
    /// The next line without its line break. Nil means the end of input or a cancelled task.
    package let readLine: @Sendable () async -> String?

    /// The process's standard input.
    static var standard: TextInput { descriptor(STDIN_FILENO) }

    static func descriptor(_ descriptor: Int32) -> TextInput {
        TextInput(isTerminal: isatty(descriptor) == 1) {
            guard let wake = WakePipe() else { return nil }
            return await withTaskCancellationHandler {
                await onOwnThread { readLineBlocking(descriptor, wake) } ?? nil
            } onCancel: {
                wake.wake(1)
            }
        }
    }
}

/// Reads byte by byte, so that bytes after the line remain for the next reader.
private func readLineBlocking(_ descriptor: Int32, _ wake: WakePipe) -> String? {
    var line: [UInt8] = []
    while true {
        var ready = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0),
        ]
        if poll(&ready, 2, -1) < 0 {
            guard errno == EINTR else { return nil }
            continue
        }
        guard ready[1].revents == 0 else {
            // Half a line at a terminal must not become part of the answer to the next question.
            tcflush(descriptor, TCIFLUSH)
            return nil
        }
        var byte: UInt8 = 0
        let count = read(descriptor, &byte, 1)
        let failure = errno
        if count < 0, failure == EINTR || failure == EAGAIN { continue }
        guard count == 1 else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
        if byte == UInt8(ascii: "\n") {
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            return String(decoding: line, as: UTF8.self)
        }
        line.append(byte)
    }
}
