import Foundation
import GuardianWire
import HTTPModel
import Synchronization

/// Events of the device channel.
public enum DeviceChannelEvent: Sendable {
    /// The channel is open, for the first time or again.
    case connected
    /// A request waits for an answer. It may be repeated after a reconnection.
    case notification(Notification, eventId: String)
    /// The request no longer needs an answer.
    case withdrawal(transactionLinkingId: String, eventId: String)
    /// All waiting requests, directly after ``connected``. All others that the app shows were withdrawn while the
    /// channel was closed.
    case pending(transactionLinkingIds: Set<String>)
    /// The channel is interrupted, and will be opened again after the pause.
    case interrupted(any Error, retryAfter: Duration)
}

/// The Server-Sent Events of `GET api/notifications`, reconnected until cancelled or refused.
struct DeviceChannel: Sendable {
    /// Maximum pause in seconds, even if the server asks for a longer one: a phone must not stay away forever.
    fileprivate static let longestPause = 3600

    let server: Server
    let device: EnrolledDevice
    let lastEventID: String?

    private var configuration: GuardianConfiguration { server.configuration }

    func events() -> AsyncThrowingStream<DeviceChannelEvent, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    try await run { continuation.yield($0) }
                    continuation.finish()
                } catch is CancellationError {
                    continuation.finish()
                } catch { continuation.finish(throwing: error) }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func run(_ yield: @escaping @Sendable (DeviceChannelEvent) -> Void) async throws {
        let progress = Progress(lastEventID: lastEventID)
        var backoff = Backoff()
        var wasOpen = false
        while true {
            var failure: any Error = NetworkError(code: .failedRequest, description: "The server closed the channel")
            var retryAfter: Duration?
            do {
                let response = try await connect(after: progress.lastEventID)
                backoff.succeeded()
                wasOpen = true
                yield(.connected)
                try await read(response.body, progress, yield)
            } catch let refusal as Refusal where refusal.isFinal {
                throw refusal.error
            } catch {
                try Task.checkCancellation()
                retryAfter = (error as? Refusal)?.retryAfter
                failure = NetworkError.cause(of: (error as? Refusal)?.error ?? error)
                guard !(failure is GuardianError) || error is Refusal else { throw failure }
                // A trusted server may get a wrong certificate for a while, or a network may intercept the connection.
                // If no connection ever succeeded, only the caller can correct the mistake.
                if !wasOpen, (error as? HTTPClientError)?.needsCaller == true { throw failure }
            }
            let pause = retryAfter ?? backoff.next(base: progress.retry, jitter: configuration.jitter())
            yield(.interrupted(failure, retryAfter: pause))
            try await configuration.sleep(pause)
        }
    }

    private func connect(after eventID: String?) async throws -> StreamingResponse {
        let url = try server.base().notifications
        let token = try server.deviceToken(
            enrollmentId: device.id, userId: device.userId, audience: url, signingKey: device.signingKey)
        var request = server.request(.get, url, authorization: "Bearer \(token)")
        request.fields.set("Accept", "text/event-stream")
        request.fields.set("Cache-Control", "no-store")
        if let eventID { request.fields.set("Last-Event-ID", eventID) }
        request.timeout = nil
        let response = try await configuration.transport.stream(request)
        guard response.status == 200 else { throw await Refusal(response) }
        guard ResponseEvent.mediaType(response.fields) == "text/event-stream" else {
            throw NetworkError(code: .invalidResponse, statusCode: response.status)
        }
        return response
    }

    /// Reads until the stream ends. Gives up if nothing arrives for too long, since a phone that changes networks is
    /// not told that its old connection is dead.
    private func read(
        _ body: AsyncThrowingStream<[UInt8], any Error>, _ progress: Progress,
        _ yield: @escaping @Sendable (DeviceChannelEvent) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var parser = ServerSentEventParser(lastEventID: progress.lastEventID)
                for try await piece in body {
                    progress.isAlive()
                    let events = try parser.parse(piece)
                    if let milliseconds = parser.retryMilliseconds {
                        progress.retry = .milliseconds(min(milliseconds, Self.longestPause * 1000))
                    }
                    for event in events { deliver(event, yield) }
                    progress.lastEventID = parser.lastEventID
                }
            }
            group.addTask {
                var seen = progress.sign
                while true {
                    try await configuration.sleep(configuration.channelIdleTimeout)
                    guard progress.sign != seen else { throw HTTPClientError.timedOut }
                    seen = progress.sign
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Delivers an event. An unreadable event is skipped, so that it does not block the following ones.
    private func deliver(_ event: ServerSentEvent, _ yield: (DeviceChannelEvent) -> Void) {
        guard let event = try? DeviceEvent(event) else { return }
        let id = String(event.id)
        switch event.content {
        case .notification(let payload): yield(.notification(Notification(payload), eventId: id))
        case .withdrawal(let linkingID): yield(.withdrawal(transactionLinkingId: linkingID, eventId: id))
        case .pending(let linkingIDs): yield(.pending(transactionLinkingIds: Set(linkingIDs)))
        }
    }
}

/// State that outlives a connection.
private final class Progress: Sendable {
    private struct State {
        var lastEventID: String?
        var retry: Duration?
        var sign = 0
    }

    private let state: Mutex<State>

    init(lastEventID: String?) { state = Mutex(State(lastEventID: lastEventID)) }

    var lastEventID: String? {
        get { state.withLock { $0.lastEventID } }
        set { state.withLock { $0.lastEventID = newValue } }
    }

    /// The pause that the server requested in the stream.
    var retry: Duration? {
        get { state.withLock { $0.retry } }
        set { state.withLock { $0.retry = newValue } }
    }

    /// A counter of received data.
    var sign: Int { state.withLock { $0.sign } }
    func isAlive() { state.withLock { $0.sign &+= 1 } }
}

/// Pauses of 1, 2, 4 … 60 seconds or as the server requests, shortened by up to a quarter so that devices do not
/// reconnect at the same time.
struct Backoff {
    private var failures = 0

    mutating func succeeded() { failures = 0 }

    mutating func next(base: Duration?, jitter: Double) -> Duration {
        let exponential = Duration.seconds(1) * (1 << min(failures, 6))
        failures += 1
        return max(base ?? .zero, min(exponential, .seconds(60))) * (1 - jitter / 4)
    }
}

/// A response that opens no channel.
private struct Refusal: Error {
    let error: any Error
    let retryAfter: Duration?
    /// A 4xx status that further attempts cannot change.
    let isFinal: Bool

    init(_ response: StreamingResponse) async {
        var body: [UInt8] = []
        do {
            for try await piece in response.body where body.count < 65_536 { body += piece }
        } catch { body = [] }
        let event = ResponseEvent(ClientResponse(status: response.status, fields: response.fields, body: body))
        error = GuardianError(event) ?? NetworkError(event)
        retryAfter = response.fields["Retry-After"].flatMap { Int($0) }
            .map { .seconds(min(max($0, 1), DeviceChannel.longestPause)) }
        isFinal = (400..<500).contains(response.status) && ![408, 425, 429].contains(response.status)
    }
}
