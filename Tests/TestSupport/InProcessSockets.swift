import CurlTransport
import Endpoints
package import HTTPModel
package import MicroHTTPServer
import Primitives

/// An `InProcessServer` behind real sockets on the loopback, and a client for it.
package final class InProcessSockets: RequestSender {
    private let http: HTTPServer
    private let transport: CurlTransport

    private init(_ http: HTTPServer) throws {
        self.http = http
        transport = try CurlTransport()
    }

    package var port: UInt16 { http.port }

    /// Serves while `body` runs.
    package static func serve(
        _ server: InProcessServer, tls: TLSIdentity? = nil, limits: HTTPLimits = HTTPLimits(),
        observer: (any HTTPServerObserver)? = nil,
        _ body: (InProcessSockets) async throws -> Void
    ) async throws {
        let application = server.application
        let http = try HTTPServer(
            configuration: HTTPServerConfiguration(
                tls: tls, threads: 2, limits: limits, largeBodies: { application.largeBody($0) },
                renderRefusal: { application.response(to: $0, of: $1) }), observer: observer,
            answerSynchronously: { application.answerSynchronously($0) }, handler: { await application.handle($0) })
        try http.start()
        do {
            try await body(InProcessSockets(http))
        } catch {
            await http.stop(within: .seconds(1))
            throw error
        }
        await http.stop(within: .seconds(1))
    }

    package func send(_ request: Request) async throws -> HTTPAnswer {
        try await HTTPAnswer(transport.send(prepared(request)))
    }

    /// The answer's head at once, its body as it comes.
    package func stream(_ request: Request) async throws -> StreamingResponse {
        try await transport.stream(prepared(request))
    }

    private func prepared(_ request: Request) -> ClientRequest {
        let query = request.query.map { "?" + $0 } ?? ""
        let hasBody = !request.body.isEmpty || request.method == .post || request.method == .patch
        return ClientRequest(
            method: request.method, url: "http://127.0.0.1:\(port)\(request.path)\(query)", fields: request.fields,
            body: hasBody ? request.body : nil, timeout: .seconds(60))
    }
}
