package import HTTPModel

/// Hands requests to handlers by their origin, without sockets. Unknown origins are unreachable.
package struct HandlerClient: HTTPClient, OutgoingHTTPClient {
    package let policy = OutgoingPolicy(allowing: OutgoingPolicy.loopback)
    private let handlers: [String: Handler]

    /// `handlers` by origin: `https://api.github.com`.
    package init(_ handlers: [String: Handler]) { self.handlers = handlers }

    package func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        guard let handler = handlers.first(where: { request.url.hasPrefix($0.key + "/") }) else {
            throw .cannotConnect("nobody is at \(request.url)")
        }
        let target = request.url.dropFirst(handler.key.count)
        let path = target.prefix { $0 != "?" }
        let response = await handler.value(
            Request(
                method: request.method, path: String(path),
                query: path.count < target.count ? String(target.dropFirst(path.count + 1)) : nil,
                fields: request.fields, body: request.body ?? []))
        guard case .bytes(let body) = response.body else { throw .other("a stream was answered") }
        return ClientResponse(status: response.status, fields: response.fields, body: body)
    }

    package func send(_ request: OutgoingRequest) async throws(HTTPClientError) -> ClientResponse {
        try await send(request.request)
    }

    package func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
        throw .other("nothing is streamed here")
    }
}
