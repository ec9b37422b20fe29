package import HTTPModel

/// HTTP/1.1 and HTTP/2 over libcurl: every request of one transport shares one thread, one pool of connections and
/// one set of options. Redirects are never followed, cookies never kept, and the environment's proxy settings never
/// read.
///
/// Letting go of the transport stops its thread; requests still under way fail as cancelled. A streamed body keeps
/// its transport alive.
package final class CurlTransport: HTTPClient {
    package let configuration: Configuration
    private let loop: TransferLoop

    /// Starts the transport's thread.
    package init(_ configuration: Configuration = Configuration()) throws(HTTPClientError) {
        self.configuration = configuration
        loop = try TransferLoop(configuration)
    }

    deinit { loop.close() }

    /// Sends a request and reads the whole answer, at most `Configuration.responseLimit` bytes of body.
    package func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        let receiver = WholeReceiver(limit: configuration.responseLimit)
        let outcome = await start(request, receiver, receiver.begin)
        return try outcome.get()
    }

    /// Sends a request and answers as soon as the head is complete. The transfer pauses while more than
    /// `Configuration.streamHighWater` bytes wait to be read; one task may read the body.
    package func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
        let receiver = StreamReceiver(highWater: configuration.streamHighWater)
        let outcome = await start(request, receiver, receiver.begin)
        let body = StreamBody(receiver: receiver, transport: self)
        let head = try outcome.get()
        return StreamingResponse(
            status: head.status, fields: head.fields,
            body: AsyncThrowingStream(unfolding: { try await body.next() }))
    }

    /// Waits for what `begin` has the receiver answer; cancelling the task ends the transfer.
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

/// The reading end of a streamed body. Letting go of it, read to its end or not, ends the transfer.
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
