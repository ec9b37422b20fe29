import CMicroHTTPD
import Glibc
import Synchronization

/// A body that grows while the connection is open. A task collects the elements in a bounded buffer, or fetches the next
/// part when the buffer is empty. The event thread writes the buffer to the connection, and suspends the connection
/// while the buffer is empty.
///
/// Unchecked: `handle` points to the library's connection and is used only while `state` says that it is alive.
final class ResponseStream: @unchecked Sendable {
    private struct State {
        var buffer: [UInt8] = []
        /// Bytes of `buffer` already sent.
        var offset = 0
        var isEnded = false
        var isAborted = false
        var isSuspended = false
        var wasSuspended = false
        var sentBytes = 0
        var task: Task<Void, Never>?
        /// The body has an end of its own, and is worth nothing without it.
        var isWhole = false
        /// Waits until the client has taken the part in the buffer.
        var taken: CheckedContinuation<Bool, Never>?
        /// Time until which the client has to take the part, in milliseconds of the monotonic clock. 0 for none.
        var deadline: UInt64 = 0

        var waiting: Int { buffer.count - offset }
    }

    private let core: ServerCore
    private let connection: Connection
    private let handle: OpaquePointer
    /// The client does not know chunks, so the end of the connection ends the body (RFC 9112 clause 6.3).
    private let endsWithConnection: Bool
    private let state = Mutex(State())

    init(core: ServerCore, connection: Connection, handle: OpaquePointer, endsWithConnection: Bool) {
        self.core = core
        self.connection = connection
        self.handle = handle
        self.endsWithConnection = endsWithConnection
    }

    func consume(_ elements: AsyncStream<[UInt8]>) {
        let task = Task { [self] in
            for await element in elements where !push(element) {
                // The producer learns of the end when the cancelled iteration continues.
                withUnsafeCurrentTask { $0?.cancel() }
            }
            finish()
        }
        state.withLock { $0.task = task }
    }

    /// Sends parts, each when the client has taken the one before, so that one is in memory.
    func send(_ next: @escaping @Sendable () async throws -> [UInt8]?) {
        let task = Task { [self] in
            do {
                while let part = try await next() {
                    guard await isTaken(part) else { return }
                }
                finish()
            } catch { abort() }
        }
        let isAborted = state.withLock { state in
            state.isWhole = true
            state.task = task
            return state.isAborted
        }
        if isAborted { task.cancel() }
    }

    var sentBytes: Int { state.withLock { $0.sentBytes } }

    /// Fills the library's buffer, on the event thread. Returns the number of bytes, one of the library's two end
    /// marks, or 0 if it suspended the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let (count, taken): (Int, CheckedContinuation<Bool, Never>?) = state.withLock { state in
            let count = fill(buffer, from: &state)
            return (count, state.waiting == 0 ? Self.waiter(&state) : nil)
        }
        taken?.resume(returning: true)
        return count
    }

    /// The task that waits for the client, which is then resumed once.
    private static func waiter(_ state: inout State) -> CheckedContinuation<Bool, Never>? {
        defer { state.taken = nil }
        return state.taken
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, from state: inout State) -> Int {
        if state.isAborted {
            scheduleCleanup()
            return countersign_mhd_end_with_error
        }
        if state.waiting > 0 {
            let count = min(buffer.count, state.waiting)
            state.buffer.withUnsafeBytes { bytes in
                buffer.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[state.offset..<state.offset + count]))
            }
            state.offset += count
            state.sentBytes += count
            if state.waiting == 0 {
                state.buffer.removeAll(keepingCapacity: state.buffer.capacity <= 4_096)
                state.offset = 0
            }
            if state.deadline != 0 { connection.enter(.streaming, until: state.deadline) }
            return count
        }
        if state.isEnded {
            if endsWithConnection { scheduleCleanup() }
            return countersign_mhd_end_of_stream
        }
        guard core.beginSuspension() else { return countersign_mhd_end_with_error }
        if !state.wasSuspended {
            state.wasSuspended = true
            flushHead()
        }
        // The client has taken all that there is.
        if state.deadline != 0 { connection.enter(.streaming) }
        state.isSuspended = true
        MHD_suspend_connection(handle)
        return 0
    }

    /// Ends a body that has no end of its own, before the server stops. Parts go on for as long as a stop may take.
    func stop() {
        if !state.withLock({ $0.isWhole }) { finish() }
    }

    /// Ends once the buffer has been sent.
    func finish() { wake { $0.isEnded = true } }

    /// Ends at once and closes the connection.
    func abort() {
        wake { $0.isAborted = true }
        close()
    }

    /// Called when the connection is over. The producer learns of it by the cancellation of the iteration.
    func close() {
        let (task, taken) = state.withLock { state in
            state.isAborted = true
            return (state.task, Self.waiter(&state))
        }
        task?.cancel()
        taken?.resume(returning: false)
    }

    /// False if the connection ended before the client has taken the part.
    private func isTaken(_ part: [UInt8]) async -> Bool {
        if part.isEmpty { return true }
        return await withCheckedContinuation { taken in
            var isOver = false
            wake { state in
                isOver = state.isAborted || state.isEnded
                guard !isOver else { return }
                state.buffer = part
                state.taken = taken
                state.deadline = MonotonicClock.milliseconds + core.deadlines.exchange
            }
            if isOver { taken.resume(returning: false) }
        }
    }

    private func push(_ element: [UInt8]) -> Bool {
        var fits = true
        wake { state in
            guard !state.isAborted, !state.isEnded else {
                fits = false
                return
            }
            if state.waiting > 0, state.waiting + element.count > core.configuration.limits.streamBufferBytes {
                fits = false
                state.isAborted = true
                return
            }
            if state.offset > 0 {
                state.buffer.removeFirst(state.offset)
                state.offset = 0
            }
            state.buffer.append(contentsOf: element)
        }
        // The connection of a slow client waits to be writable and is not suspended.
        if !fits { connection.shutDown() }
        return fits
    }

    private func wake(_ change: (inout State) -> Void) {
        let resumes = state.withLock { state in
            change(&state)
            guard state.isSuspended, state.isAborted || state.isEnded || state.waiting > 0 else { return false }
            state.isSuspended = false
            return true
        }
        if resumes { core.resume(handle) }
    }

    /// Makes the library check the connection again after an end mark, with which it ends only the request. It frees
    /// the connection and its socket at the next check, but expects no event there, and the idle timeout checks only
    /// the thread's oldest connection. A resumed connection is always checked.
    private func scheduleCleanup() {
        // Fails only if the server is about to free all connections.
        guard core.beginSuspension() else { return }
        MHD_suspend_connection(handle)
        core.resume(handle)
    }

    /// Sends the head, which the library holds back until the first part of the body. Setting the option again flushes
    /// it.
    private func flushHead() {
        var on: Int32 = 1
        setsockopt(connection.socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
}
