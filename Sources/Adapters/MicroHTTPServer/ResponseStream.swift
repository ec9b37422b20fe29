import CMicroHTTPD
import Glibc
import Synchronization

/// A body that grows while the connection is open. A task collects the elements in a bounded buffer. The event thread
/// writes the buffer to the connection, and suspends the connection while the buffer is empty.
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

    var sentBytes: Int { state.withLock { $0.sentBytes } }

    /// Fills the library's buffer, on the event thread. Returns the number of bytes, one of the library's two end
    /// marks, or 0 if it suspended the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
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
            state.isSuspended = true
            MHD_suspend_connection(handle)
            return 0
        }
    }

    /// Ends once the buffer has been sent.
    func finish() { wake { $0.isEnded = true } }

    /// Ends at once and closes the connection.
    func abort() {
        wake { $0.isAborted = true }
        state.withLock { $0.task }?.cancel()
    }

    /// Called when the connection is over. The producer learns of it by the cancellation of the iteration.
    func close() {
        let task = state.withLock { state in
            state.isAborted = true
            return state.task
        }
        task?.cancel()
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
