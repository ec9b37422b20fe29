import Glibc
package import Primitives
import Synchronization
import Threads

/// Structured lines on standard error: `time level event key=value …`, or one JSON object each. Lines are written on
/// their own thread, so that requests never wait for a terminal or a pipe.
package final class Log: Sendable {
    package enum Format: String, Sendable, CaseIterable { case text, json }

    package enum Level: String, Sendable, CaseIterable, Comparable {
        case debug, info, warning, error

        private var weight: Int {
            switch self {
            case .debug: 0
            case .info: 1
            case .warning: 2
            case .error: 3
            }
        }

        package static func < (left: Level, right: Level) -> Bool { left.weight < right.weight }
    }

    /// Bytes that may wait for a slow reader. Further lines are dropped and counted.
    static let backlog = 8 << 20

    private let format: Format
    private let level: Level
    private let clock: any WallClock
    private let queue: LogQueue
    private let second = Mutex<(second: Int64, text: [UInt8])>((.min, []))

    /// Writes to the file descriptor until `close()`.
    package init(format: Format, level: Level, clock: any WallClock, descriptor: Int32 = 2) {
        self.format = format
        self.level = level
        self.clock = clock
        queue = LogQueue(descriptor: descriptor, backlog: Self.backlog)
    }

    /// Appends a line. Control characters in values are escaped. Values must not be secrets.
    package func write(_ level: Level, _ event: StaticString, _ fields: KeyValuePairs<StaticString, String> = [:]) {
        write(level, event) { line in
            for (name, value) in fields { line.add(name, value) }
        }
    }

    /// Appends a line without building a list of fields, for frequent events.
    func write(_ level: Level, _ event: StaticString, _ body: (inout LogLine) -> Void) {
        guard level >= self.level else { return }
        var line = LogLine(format, time: time(), level: level, event: event)
        body(&line)
        queue.append(line.end())
    }

    /// The current time in ISO 8601. The calendar is computed once a second.
    private func time() -> [UInt8] {
        let now = clock.now
        var text = second.withLock { kept in
            if kept.second != now.seconds { kept = (now.seconds, Array(now.iso8601.utf8)) }
            return kept.text
        }
        let millisecond = now.milliseconds - now.seconds * 1000
        for (place, divisor) in [(4, 100), (3, 10), (2, 1)] as [(Int, Int64)] {
            text[text.count - place] = 0x30 + UInt8(millisecond / divisor % 10)
        }
        return text
    }

    /// Writes the remaining lines and ends the thread.
    package func close() { queue.close() }
}

private final class LogQueue: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var dropped = 0
        var isClosed = false
        var isDone = false
    }

    private let state = Mutex(State())
    private let descriptor: Int32
    private let backlog: Int

    /// Time during which lines are collected to be written together.
    private static let pause = timespec(tv_sec: 0, tv_nsec: 20_000_000)

    init(descriptor: Int32, backlog: Int) {
        self.descriptor = descriptor
        self.backlog = backlog
        let started: Void? = try? SystemThread.detach { [self] in run() }
        if started == nil { state.withLock { $0.isDone = true } }
    }

    func append(_ line: [UInt8]) {
        state.withLock { state in
            if state.bytes.count + line.count > backlog {
                state.dropped += 1
            } else {
                state.bytes.append(contentsOf: line)
            }
        }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        while !state.withLock(\.isDone) { nap() }
    }

    private func nap() {
        var pause = Self.pause
        nanosleep(&pause, nil)
    }

    private func run() {
        var lost = 0
        while true {
            let (bytes, dropped, isClosed) = state.withLock { state in
                defer {
                    state.bytes = []
                    state.dropped = 0
                }
                return (state.bytes, state.dropped, state.isClosed)
            }
            lost += dropped
            if !write(bytes) {
                lost += bytes.count { $0 == 0x0A }
            } else if lost > 0,
                write(Array("log: \(lost) lines were dropped because they could not be written in time\n".utf8))
            {
                lost = 0
            }
            if isClosed, bytes.isEmpty { break }
            if bytes.isEmpty { nap() }
        }
        state.withLock { $0.isDone = true }
    }

    /// False if not everything could be written: the reader is gone, or the disk is full.
    private func write(_ bytes: [UInt8]) -> Bool {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            let failure = errno
            if count > 0 {
                start += count
            } else if failure == EAGAIN {
                // A process that shares the descriptor made it non-blocking.
                var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                if poll(&writable, 1, 1_000) == 0, state.withLock(\.isClosed) { return false }
            } else if failure != EINTR {
                return false
            }
        }
        return true
    }
}
