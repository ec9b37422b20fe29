import Foundation
import Guardian
import HTTPModel
import Primitives
import Synchronization

/// Answers each request with the next step of a script.
final class ScriptedTransport: HTTPClient {
    enum Step: Sendable {
        case answer(Int, String, type: String = "application/json")
        case fail(HTTPClientError)
        /// An event stream whose pieces arrive at once.
        case stream([String], end: StreamEnd)
        /// Never answers; ends when its task is cancelled.
        case hang
    }

    enum StreamEnd: Sendable {
        case close
        case fail(HTTPClientError)
        /// Stays open and silent.
        case silence
    }

    private struct State {
        var steps: [Step]
        var requests: [ClientRequest] = []
    }

    private let state: Mutex<State>

    init(_ steps: [Step]) { state = Mutex(State(steps: steps)) }

    var requests: [ClientRequest] { state.withLock { $0.requests } }

    private func next(_ request: ClientRequest) -> Step {
        state.withLock {
            $0.requests.append(request)
            return $0.steps.isEmpty ? .fail(.other("the script has ended")) : $0.steps.removeFirst()
        }
    }

    func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        switch next(request) {
        case .answer(let status, let body, let type):
            return ClientResponse(status: status, fields: ["Content-Type": type], body: Array(body.utf8))
        case .fail(let error): throw error
        case .hang:
            try? await Task.sleep(for: .seconds(3600))
            throw .cancelled
        case .stream: throw .other("the script expected a stream")
        }
    }

    func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
        switch next(request) {
        case .answer(let status, let body, let type):
            let stream = Self.body([body], .close)
            return StreamingResponse(status: status, fields: ["Content-Type": type, "Retry-After": "9"], body: stream)
        case .fail(let error): throw error
        case .stream(let pieces, let end):
            return StreamingResponse(
                status: 200, fields: ["Content-Type": "text/event-stream; charset=utf-8"], body: Self.body(pieces, end))
        case .hang: throw .other("the script expected no stream")
        }
    }

    private static func body(_ pieces: [String], _ end: StreamEnd) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { continuation in
            for piece in pieces { continuation.yield(Array(piece.utf8)) }
            switch end {
            case .close: continuation.finish()
            case .fail(let error): continuation.finish(throwing: error)
            case .silence: break
            }
        }
    }
}
