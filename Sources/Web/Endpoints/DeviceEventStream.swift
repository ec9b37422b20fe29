import AuthorizationCore
import Flows
import GuardianWire
import Primitives

/// The bytes of one device's open stream.
struct DeviceEventStream {
    /// Proxies and phones give up on silent connections; a comment keeps them open.
    static let keepAlive = Duration.seconds(20)
    /// What a device waits before it reconnects, in milliseconds.
    static let retry = 2000
    /// Chunks a slow reader may be behind before its stream ends; it then resumes.
    static let backlog = 512

    let pending: [DeviceEvent]
    let live: AsyncStream<DeviceEvent>
    /// What the device had last.
    let after: Int64
    let timer: any Timer
    /// False once the device was removed or its user blocked, here or by another process.
    let isAdmitted: @Sendable () async throws -> Bool

    var bytes: AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingOldest(Self.backlog))
        let events = Task { [pending, live, after] in
            continuation.yield(ServerSentEvent.retry(milliseconds: Self.retry))
            var sent = after
            for event in pending {
                continuation.yield(event.serverSentEvent.bytes)
                sent = max(sent, event.id)
            }
            let resumed = sent
            for await var event in live {
                // What was pending may come a second time, live.
                if case .notification = event.content, event.id <= resumed { continue }
                // Never below what was sent, so that a device resumes behind everything it saw.
                sent = max(sent, event.id)
                event.id = sent
                if case .dropped = continuation.yield(event.serverSentEvent.bytes) { break }
            }
            continuation.finish()
        }
        let comments = Task { [timer, isAdmitted] in
            while true {
                try await timer.sleep(Self.keepAlive)
                // A store that cannot answer removes nobody. A removed device is told so when it comes back.
                if await (try? isAdmitted()) == false { break }
                continuation.yield(ServerSentEvent.keepAlive)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in
            events.cancel()
            comments.cancel()
        }
        return stream
    }
}
