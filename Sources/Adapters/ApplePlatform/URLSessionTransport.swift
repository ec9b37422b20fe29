#if canImport(CryptoKit)
    import Foundation
    package import HTTPModel
    import Security

    /// HTTP over URLSession, without cookies, caches or redirects. A request under way, and a body that is being read,
    /// keep the transport alive.
    package final class URLSessionTransport: HTTPClient {
        /// How a transport connects and what it accepts.
        package struct Configuration: Sendable {
            /// Which authorities may vouch for a server's certificate.
            package enum Trust: Sendable, Equatable {
                /// Those of the operating system.
                case system
                /// Only those in a file of PEM certificates, read when the transport is made.
                case file(String)
                /// Only these PEM certificates.
                case pem([UInt8])
            }

            package var trust = Trust.system
            /// The largest body in bytes that `send` reads. Streams have no such limit.
            package var responseLimit = 4 << 20
            /// Ends the text of a failure about an untrusted certificate: what to set so that the right CA is known.
            package var trustAdvice = "Name the CA that signed it in URLSessionTransport.Configuration.trust."

            package init() {}
        }

        /// Our own judgement can only be stricter than App Transport Security's, unless an app loosens that.
        private static let appTransportSecurity = """
            For a CA that the system does not know, an app also needs NSExceptionAllowsInsecureHTTPLoads for that host \
            under NSAppTransportSecurity in its Info.plist.
            """

        private let responseLimit: Int
        private let session: URLSession
        private let exchanges = Exchanges()

        /// Throws where the configuration names authorities and none can be read.
        package init(_ configuration: Configuration = Configuration()) throws(HTTPClientError) {
            responseLimit = configuration.responseLimit
            let pem: String? =
                switch configuration.trust {
                case .system: nil
                case .file(let path): (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
                case .pem(let bytes): String(decoding: bytes, as: UTF8.self)
                }
            var anchors: PinnedAuthorities?
            if let pem { anchors = try PinnedAuthorities(pem: pem, advice: configuration.trustAdvice) }
            let options = URLSessionConfiguration.ephemeral
            options.httpCookieStorage = nil
            options.urlCache = nil
            options.tlsMinimumSupportedProtocolVersion = .TLSv12
            let delegate = SessionDelegate(
                exchanges, anchors: anchors, advice: "\(configuration.trustAdvice) \(Self.appTransportSecurity)")
            session = URLSession(configuration: options, delegate: delegate, delegateQueue: nil)
        }

        deinit { session.invalidateAndCancel() }

        package func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
            let response = try await stream(request)
            var body: [UInt8] = []
            do {
                for try await piece in response.body {
                    body += piece
                    guard body.count <= responseLimit else { throw HTTPClientError.tooLarge(limit: responseLimit) }
                }
            } catch {
                throw error as? HTTPClientError ?? .other(String(describing: error))
            }
            // A cancelled task reads the end of the body, wherever that was.
            if Task.isCancelled { throw .cancelled }
            return ClientResponse(status: response.status, fields: response.fields, body: body)
        }

        package func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
            let task = session.dataTask(with: try Self.urlRequest(request))
            let id = task.taskIdentifier
            let (body, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
            // URLSession itself counts only the time in which nothing comes.
            let deadline = request.timeout.map { timeout in
                Task { [exchanges] in
                    try await Task.sleep(for: timeout)
                    exchanges.end(id, .timedOut)
                }
            }
            continuation.onTermination = { [self] _ in
                deadline?.cancel()
                exchanges.end(id, .cancelled)
                task.cancel()
            }
            let outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { head in
                    exchanges.begin(id, Exchange(head: head, body: continuation))
                    // The handler below may have run before there was anything to end.
                    if Task.isCancelled { exchanges.end(id, .cancelled) } else { task.resume() }
                }
            } onCancel: {
                exchanges.end(id, .cancelled)
            }
            let head = try outcome.get()
            return StreamingResponse(status: head.status, fields: head.fields, body: body)
        }

        private static func urlRequest(_ request: ClientRequest) throws(HTTPClientError) -> URLRequest {
            guard let url = URL(string: request.url), url.scheme == "https" || url.scheme == "http" else {
                throw .invalidURL("only http and https URLs are accepted")
            }
            var result = URLRequest(url: url)
            result.httpMethod = request.method.rawValue
            result.httpBody = request.body.map { Data($0) }
            result.httpShouldHandleCookies = false
            // The whole exchange has its deadline; a stream may be silent for longer than URLSession's default of 60 s.
            result.timeoutInterval = 86_400
            for field in request.fields { result.addValue(field.value, forHTTPHeaderField: field.name) }
            return result
        }
    }
#endif
