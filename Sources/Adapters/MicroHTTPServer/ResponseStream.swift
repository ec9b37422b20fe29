import CMicroHTTPD
import Glibc
import Synchronization

/// A body that grows while the connection is open. A task takes the elements as they come into a bounded buffer; the
/// event thread empties it into the connection, and suspends the connection while it is empty.
///
/// Unchecked: `handle` is a pointer to the library's connection, used only where `state` says that it is alive.
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
    /// The client knows no chunks: the end of the connection is the end of the body (RFC 9112 clause 6.3).
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
                // The next step of a cancelled iteration tells whoever makes the elements.
                withUnsafeCurrentTask { $0?.cancel() }
            }
            finish()
        }
        state.withLock { $0.task = task }
    }

    var sentBytes: Int { state.withLock { $0.sentBytes } }

    /// Fills the library's buffer, on the event thread. Returns its size, or one of the library's two end marks; 0
    /// leaves the connection suspended.
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

    /// Ends after what waits has been sent.
    func finish() { wake { $0.isEnded = true } }

    /// Ends now; the connection is closed.
    func abort() {
        wake { $0.isAborted = true }
        state.withLock { $0.task }?.cancel()
    }

    /// The connection is over: whoever makes the elements learns it by the cancellation of the iteration.
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
        // A client that does not read leaves its connection waiting to be writable, not suspended.
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

    /// Has the library look at the connection once more after an end mark that closes it. It closes only the request
    /// then, and frees the connection and its socket at the next look; but it expects no event there, and for the idle
    /// timeout it looks at the oldest connection of the thread only. A connection that is resumed it always looks at.
    private func scheduleCleanup() {
        // Refused only by a server that is about to free all connections.
        guard core.beginSuspension() else { return }
        MHD_suspend_connection(handle)
        core.resume(handle)
    }

    /// The library leaves the head waiting for a first part of the body to travel with it; setting the option again
    /// sends it.
    private func flushHead() {
        var on: Int32 = 1
        setsockopt(
            connection.socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
}
