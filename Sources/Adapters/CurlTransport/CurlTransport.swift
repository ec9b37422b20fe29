package import HTTPModel

/// HTTP/1.1 and HTTP/2 over libcurl. All requests of a transport share one thread, one connection pool and one
/// configuration. Redirects are not followed, cookies are not stored, and proxy variables of the environment are
/// ignored.
///
/// Releasing the transport ends its thread, without a wait for it, and pending requests fail as cancelled. A streamed
/// body retains its transport.
package final class CurlTransport: HTTPClient {
    package let configuration: Configuration
    private let loop: TransferLoop

    /// Starts the transport's thread.
    package init(_ configuration: Configuration = Configuration()) throws(HTTPClientError) {
        self.configuration = configuration
        loop = try TransferLoop(configuration)
    }

    deinit { loop.close() }

    /// True after a request timed out on an established connection that others share, which libcurl goes on using.
    var hasSilentConnection: Bool { loop.hasSilentConnection }

    /// Sends a request and reads the whole response, with a body of at most `Configuration.responseLimit` bytes.
    package func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        let receiver = WholeReceiver(limit: configuration.responseLimit)
        let outcome = await start(request, receiver, receiver.begin)
        return try outcome.get()
    }

    /// Sends a request and returns once the head is complete. The transfer pauses while more than
    /// `Configuration.streamHighWater` bytes are unread. Only one task may read the body.
    package func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
        let receiver = StreamReceiver(highWater: configuration.streamHighWater)
        let outcome = await start(request, receiver, receiver.begin)
        let body = StreamBody(receiver: receiver, transport: self)
        let head = try outcome.get()
        return StreamingResponse(
            status: head.status, fields: head.fields,
            body: AsyncThrowingStream(unfolding: { try await body.next() }))
    }

    /// Waits for the receiver's outcome. Cancelling the task ends the transfer.
    private func start<Outcome: Sendable>(
        _ request: ClientRequest, _ receiver: any Receiver, _ begin: (CheckedContinuation<Outcome, Never>) -> Bool
    ) async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if begin(continuation) { loop.start(request, receiver) }
            }
        } onCancel: {
            receiver.finished(.cancelled)
            loop.remove(receiver)
        }
    }

    fileprivate func resume(_ receiver: StreamReceiver) { loop.resume(receiver) }
    fileprivate func remove(_ receiver: StreamReceiver) { loop.remove(receiver) }
}

/// The reading end of a streamed body. Releasing it ends the transfer.
private final class StreamBody: Sendable {
    private let receiver: StreamReceiver
    private let transport: CurlTransport

    init(receiver: StreamReceiver, transport: CurlTransport) {
        self.receiver = receiver
        self.transport = transport
    }

    deinit {
        receiver.finished(.cancelled)
        transport.remove(receiver)
    }

    func next() async throws(HTTPClientError) -> [UInt8]? {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if receiver.read(continuation) { transport.resume(receiver) }
            }
        } onCancel: {
            receiver.cancelled()
            transport.remove(receiver)
        }
        return try outcome.get()
    }
}
