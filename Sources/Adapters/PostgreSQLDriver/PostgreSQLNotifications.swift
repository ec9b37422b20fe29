import CPostgreSQL
package import SQL
import Synchronization
import Threads

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Texts that nodes of a database send each other by `NOTIFY`, over a connection with a thread of its own.
///
/// The server takes one lock of the whole instance for a commit that notifies. So changes never notify: texts are sent in
/// batches, after the changes that they tell of.
package final class PostgreSQLNotifications: Sendable {
    /// Waiting texts, beyond which all are given up, and the others are told so.
    static let limit = 10_000
    /// Bytes of a notification. The server refuses 8,000.
    static let size = 7_900

    private struct State {
        var outgoing: [String] = []
        /// True if texts were given up, which the others are not told yet.
        var hasLost = false
        var hear: @Sendable (Substring) -> Void = { _ in }
        var doubt: @Sendable () -> Void = {}
        var isRunning = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let configuration: PostgreSQLConfiguration
    private let lost: @Sendable () -> String
    /// Both ends of a pipe, by which the thread is woken.
    private let bell: (out: Int32, in: Int32)

    /// Connects once somebody listens.
    /// - Parameter lost: makes a text that tells the others that some were given up.
    /// - Throws: ``SQLError/unavailable(reason:)`` if the process has no descriptors left.
    package init(
        _ configuration: PostgreSQLConfiguration, lost: @escaping @Sendable () -> String
    ) throws(SQLError) {
        self.configuration = configuration
        self.lost = lost
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .unavailable(reason: "no descriptor is left") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        bell = (ends[0], ends[1])
    }

    deinit {
        close(bell.out)
        close(bell.in)
    }

    /// Sends a text without line ends to the other nodes. Does not wait, and may lose it.
    package func send(_ text: String) {
        let isFirst = state.withLock { state in
            guard state.isRunning else { return false }
            if state.outgoing.count >= Self.limit { (state.outgoing, state.hasLost) = ([], true) }
            state.outgoing.append(text)
            return state.outgoing.count == 1
        }
        if isFirst { wake() }
    }

    /// Passes on the texts of the other nodes until the task is cancelled. Calls `doubt` after it connected, since
    /// some may have been lost before. Both are called by one thread.
    package func listen(
        _ hear: @escaping @Sendable (Substring) -> Void, doubt: @escaping @Sendable () -> Void
    ) async {
        state.withLock { state in (state.hear, state.doubt, state.isRunning) = (hear, doubt, true) }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do {
                    try SystemThread.detach { [self] in
                        work()
                        continuation.resume()
                    }
                } catch {
                    continuation.resume()
                }
            }
        } onCancel: {
            state.withLock { $0.isClosed = true }
            wake()
        }
    }

    private func wake() {
        var byte: UInt8 = 0
        // A full pipe wakes the thread, too.
        _ = write(bell.in, &byte, 1)
    }

    private var isClosed: Bool { state.withLock(\.isClosed) }

    // MARK: the thread

    private func work() {
        var failures = 0
        var isFirst = true
        while !isClosed {
            do throws(SQLError) {
                let wire = try Wire(configuration, as: .writer)
                defer { wire.close() }
                try wire.command("LISTEN \(channel)")
                failures = 0
                if !isFirst { state.withLock { ($0.outgoing, $0.hasLost) = ([], true) } }
                isFirst = false
                state.withLock(\.doubt)()
                while !isClosed {
                    try sendWaiting(wire)
                    try hear(wire)
                    try awaitBytes(wire)
                }
            } catch {
                failures += 1
                let wait = min(2000, 25 << min(failures, 7))
                pause(milliseconds: Int.random(in: wait / 2...wait))
            }
        }
        state.withLock { $0.isRunning = false }
    }

    /// Schemas of one database are stores of their own.
    private var channel: String {
        let name = configuration.schema ?? "countersign"
        return "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }

    private func sendWaiting(_ wire: Wire) throws(SQLError) {
        var (texts, hasLost) = state.withLock { state in
            defer { (state.outgoing, state.hasLost) = ([], false) }
            return (state.outgoing, state.hasLost)
        }
        // Others have to find a text without room by themselves.
        hasLost = hasLost || texts.contains { $0.utf8.count >= Self.size }
        texts.removeAll { $0.utf8.count >= Self.size }
        if hasLost { texts.append(lost()) }
        var batch = ""
        for text in texts {
            if !batch.isEmpty, batch.utf8.count + text.utf8.count >= Self.size {
                try notify(wire, batch)
                batch = ""
            }
            batch += (batch.isEmpty ? "" : "\n") + text
        }
        if !batch.isEmpty { try notify(wire, batch) }
    }

    private func notify(_ wire: Wire, _ text: String) throws(SQLError) {
        try wire.command("SELECT pg_notify($1, $2)", [configuration.schema ?? "countersign", text])
    }

    private func hear(_ wire: Wire) throws(SQLError) {
        let hear = state.withLock(\.hear)
        while let notification = PQnotifies(wire.handle) {
            defer { PQfreemem(notification) }
            // The server repeats this node's own.
            guard notification.pointee.be_pid != PQbackendPID(wire.handle), let text = notification.pointee.extra else {
                continue
            }
            for line in String(cString: text).split(separator: "\n") { hear(line) }
        }
    }

    /// Waits for the server, or for a text to send.
    private func awaitBytes(_ wire: Wire) throws(SQLError) {
        var sources = [
            pollfd(fd: PQsocket(wire.handle), events: Int16(POLLIN), revents: 0),
            pollfd(fd: bell.out, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&sources, 2, -1) > 0 else { return }
        if sources[1].revents != 0 { emptyBell() }
        if sources[0].revents != 0, PQconsumeInput(wire.handle) != 1 { throw wire.lose() }
    }

    private func pause(milliseconds: Int) {
        var source = pollfd(fd: bell.out, events: Int16(POLLIN), revents: 0)
        if poll(&source, 1, Int32(milliseconds)) > 0, !isClosed {
            emptyBell()
        }
    }

    private func emptyBell() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(bell.out, &bytes, bytes.count) > 0 {}
    }
}
