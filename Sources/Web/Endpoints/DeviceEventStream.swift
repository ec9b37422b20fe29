import AuthorizationCore
import GuardianWire

/// Bytes of one device's open event stream.
struct DeviceEventStream {
    /// Interval of comments, which keep proxies and phones from closing a silent connection.
    static let keepAlive = Duration.seconds(20)
    /// Milliseconds that a device waits before it reconnects.
    static let retry = 2000
    /// Maximum chunks that wait for a slow reader. Beyond it the stream ends, and the device resumes.
    static let backlog = 512

    let pending: [DeviceEvent]
    let live: AsyncStream<DeviceEvent>
    /// Id of the last event that the device has.
    let after: Int64
    let timer: any Timer
    /// False if the device was removed or its user blocked, also by another process.
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
                // A pending notification may come a second time, live.
                if case .notification = event.content, event.id <= resumed { continue }
                // Ids never decrease, so that a device resumes after all received events.
                sent = max(sent, event.id)
                event.id = sent
                if case .dropped = continuation.yield(event.serverSentEvent.bytes) { break }
            }
            continuation.finish()
        }
        let comments = Task { [timer, isAdmitted] in
            while true {
                try await timer.sleep(Self.keepAlive)
                // If the store fails, the stream stays open. A removed device is refused when it reconnects.
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
