import HTTPModel
import Synchronization

struct ResponseHead: Sendable {
    var status: Int
    var fields: HTTPFields
}

/// Receives a transfer's response. All methods are called on the loop's thread, except `finished`, which any thread may
/// call. Only its first call counts.
protocol Receiver: AnyObject, Sendable {
    /// True if no more data is needed.
    var isFinished: Bool { get }
    func received(_ head: ResponseHead)
    func received(_ bytes: UnsafeRawBufferPointer) -> Verdict
    /// Nil means that the response is complete.
    func finished(_ failure: HTTPClientError?)
}

enum Verdict {
    case taken
    /// Not accepted. The same bytes should be offered again when the reader has caught up.
    case pause
    case refused(HTTPClientError)
}

/// Collects a response for `send`.
final class WholeReceiver: Receiver {
    typealias Outcome = Result<ClientResponse, HTTPClientError>

    private struct State {
        var head: ResponseHead?
        var body: [UInt8] = []
        var continuation: CheckedContinuation<Outcome, Never>?
        var outcome: Outcome?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// False if the request was already cancelled. The continuation has been resumed then.
    func begin(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
        return outcome == nil
    }

    var isFinished: Bool { state.withLock { $0.outcome != nil } }

    func received(_ head: ResponseHead) { state.withLock { $0.head = head } }

    func received(_ bytes: UnsafeRawBufferPointer) -> Verdict {
        state.withLock { state in
            guard bytes.count <= limit - state.body.count else { return .refused(.tooLarge(limit: limit)) }
            state.body.append(contentsOf: bytes)
            return .taken
        }
    }

    func finished(_ failure: HTTPClientError?) {
        let (continuation, outcome) = state.withLock { state -> (CheckedContinuation<Outcome, Never>?, Outcome?) in
            guard state.outcome == nil else { return (nil, nil) }
            let outcome: Outcome =
                if let failure {
                    .failure(failure)
                } else if let head = state.head {
                    .success(ClientResponse(status: head.status, fields: head.fields, body: state.body))
                } else {
                    .failure(.other("the server closed the connection without a response"))
                }
            state.outcome = outcome
            state.body = []
            defer { state.continuation = nil }
            return (state.continuation, outcome)
        }
        if let continuation, let outcome { continuation.resume(returning: outcome) }
    }
}
