public import HTTPModel

/// A call that is ready to be started, with a callback or by `await`. It may be started more than once. Each start
/// creates new signatures.
///
/// ```swift
/// request.start { result in … }
/// let payload = try await request.start()
/// ```
public struct Request<Payload: Sendable>: Sendable {
    let method: HTTPMethod
    /// The URL, as far as it is known before the call.
    let url: String
    let configuration: GuardianConfiguration
    private let prepare: @Sendable () throws -> ClientRequest
    private let decode: @Sendable (ClientResponse) throws -> Payload
    private var observers = RequestObservers()
    private var transport: (any HTTPClient)?

    init(
        _ method: HTTPMethod, _ url: String, on server: Server, prepare: @escaping @Sendable () throws -> ClientRequest,
        decode: @escaping @Sendable (ClientResponse) throws -> Payload
    ) {
        self.method = method
        self.url = url
        configuration = server.configuration
        self.prepare = prepare
        self.decode = decode
    }

    /// Adds closures that run when the request is sent, when a response with any status arrives, and when the call
    /// fails. A later closure replaces an earlier one.
    public func on(
        request: OnRequestEvent? = nil, response: OnResponseEvent? = nil, error: OnErrorEvent? = nil
    ) -> Self {
        var copy = self
        copy.observers.request = request ?? observers.request
        copy.observers.response = response ?? observers.response
        copy.observers.error = error ?? observers.error
        return copy
    }

    /// Lets the app create its own error for a response that is not 2xx. Nil means the SDK's error.
    public func mapError(transform: @escaping @Sendable (ResponseEvent) -> (any Error)?) -> Self {
        var copy = self
        copy.observers.mapError = transform
        return copy
    }

    /// Sends this request with another transport than the configuration's.
    public func withTransport(_ transport: any HTTPClient) -> Self {
        var copy = self
        copy.transport = transport
        return copy
    }

    /// Starts the call in a new task and passes its result to the callback, which runs on any thread.
    ///
    /// - Returns: The task. Cancelling it ends the call with `CancellationError`.
    @discardableResult
    public func start(callback: @escaping @Sendable (Result<Payload, any Error>) -> Void) -> Task<Void, Never> {
        Task {
            do { callback(.success(try await start())) } catch { callback(.failure(error)) }
        }
    }

    /// Starts the call.
    ///
    /// - Throws: `GuardianError` if the server or this device refused, `NetworkError` if the call failed on its way,
    ///   and `CancellationError` if the task was cancelled.
    public func start() async throws -> Payload {
        do {
            return try await call()
        } catch {
            let cause = NetworkError.cause(of: error)
            observers.error?(cause)
            throw cause
        }
    }

    private func call() async throws -> Payload {
        let request = try prepare()
        observers.request?(RequestEvent(request))
        let response = try await (transport ?? configuration.transport).send(request)
        let event = ResponseEvent(response)
        observers.response?(event)
        guard (200..<300).contains(response.status) else {
            throw observers.mapError?(event) ?? GuardianError(event) ?? NetworkError(event)
        }
        do { return try decode(response) } catch let error as NetworkError { throw error } catch {
            throw NetworkError(code: .invalidResponse, statusCode: response.status, cause: error)
        }
    }

    func map<Other: Sendable>(_ transform: @escaping @Sendable (Payload) -> Other) -> Request<Other> {
        var other = Request<Other>(
            method, url, on: Server(domain: url, configuration: configuration), prepare: prepare,
            decode: { [decode] in transform(try decode($0)) })
        other.observers = observers
        other.transport = transport
        return other
    }
}

extension Request: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { "\(method) \(url)" }
    /// Omits fields and body, which contain tokens.
    public var debugDescription: String { description }
}

/// The result of a call whose response has no body.
public struct NoContent: Sendable, Hashable {}

extension ClientResponse {
    /// The body, if there is one of type JSON.
    func json() throws(NetworkError) -> [UInt8] {
        guard !body.isEmpty else { throw NetworkError(code: .missingResponse, statusCode: status) }
        guard ResponseEvent.mediaType(fields) == "application/json" else {
            throw NetworkError(code: .invalidResponse, statusCode: status)
        }
        return body
    }
}

/// A request to enrol this device.
public typealias EnrollRequest = Request<EnrolledDevice>
