import HTTPModel
import Synchronization

/// Delivers a response in pieces for `stream`. Unread bytes are buffered up to a high-water mark.
final class StreamReceiver: Receiver {
    typealias HeadOutcome = Result<ResponseHead, HTTPClientError>
    typealias ChunkOutcome = Result<[UInt8]?, HTTPClientError>

    private struct State {
        var head: ResponseHead?
        var headContinuation: CheckedContinuation<HeadOutcome, Never>?
        var reader: CheckedContinuation<ChunkOutcome, Never>?
        var waiting: [UInt8] = []
        var isPaused = false
        /// End of the transfer. Success means the end of the body.
        var end: Result<Void, HTTPClientError>?
    }

    private let highWater: Int
    private let state = Mutex(State())

    init(highWater: Int) { self.highWater = highWater }

    /// False if the request was already cancelled. The continuation has been resumed then.
    func begin(_ continuation: CheckedContinuation<HeadOutcome, Never>) -> Bool {
        let wasCancelled = state.withLock { state in
            if state.end == nil { state.headContinuation = continuation }
            return state.end != nil
        }
        if wasCancelled { continuation.resume(returning: .failure(.cancelled)) }
        return !wasCancelled
    }

    /// Delivers buffered bytes, or waits for some. True if the transfer was paused and should be resumed.
    func read(_ continuation: CheckedContinuation<ChunkOutcome, Never>) -> Bool {
        let (answer, resumes) = state.withLock { state -> (ChunkOutcome?, Bool) in
            if !state.waiting.isEmpty {
                defer {
                    state.waiting = []
                    state.isPaused = false
                }
                return (.success(state.waiting), state.isPaused)
            }
            switch state.end {
            case .success: return (.success(nil), false)
            case .failure(let failure): return (.failure(failure), false)
            case nil: break
            }
            guard state.reader == nil else {
                return (.failure(.other("a body can have only one reader at a time")), false)
            }
            state.reader = continuation
            return (nil, false)
        }
        if let answer { continuation.resume(returning: answer) }
        return resumes
    }

    /// Handles cancellation of the reader's task: drops buffered bytes and lets further reads fail.
    func cancelled() {
        state.withLock { state in
            state.waiting = []
            if case .failure = state.end { return }
            if state.end != nil { state.end = .failure(.cancelled) }
        }
        finished(.cancelled)
    }

    var isFinished: Bool { state.withLock { $0.end != nil } }

    func received(_ head: ResponseHead) {
        let continuation = state.withLock { state in
            state.head = head
            defer { state.headContinuation = nil }
            return state.headContinuation
        }
        continuation?.resume(returning: .success(head))
    }

    func received(_ bytes: UnsafeRawBufferPointer) -> Verdict {
        let (verdict, reader) = state.withLock { state -> (Verdict, CheckedContinuation<ChunkOutcome, Never>?) in
            if state.end != nil { return (.refused(.cancelled), nil) }
            if let reader = state.reader {
                state.reader = nil
                return (.taken, reader)
            }
            guard state.waiting.count < highWater else {
                state.isPaused = true
                return (.pause, nil)
            }
            state.waiting.append(contentsOf: bytes)
            return (.taken, nil)
        }
        reader?.resume(returning: .success(Array(bytes)))
        return verdict
    }

    func finished(_ failure: HTTPClientError?) {
        let (head, reader, end) = state.withLock { state in
            defer {
                state.headContinuation = nil
                state.reader = nil
            }
            let end = state.end ?? failure.map { .failure($0) } ?? .success(())
            state.end = end
            return (state.headContinuation, state.reader, end)
        }
        let failure: HTTPClientError? = if case .failure(let failure) = end { failure } else { nil }
        head?.resume(returning: .failure(failure ?? .other("the server closed the connection without a response")))
        reader?.resume(returning: end.map { nil })
    }
}
