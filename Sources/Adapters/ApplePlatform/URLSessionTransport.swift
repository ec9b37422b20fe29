#if canImport(CryptoKit)
    import Foundation
    package import HTTPModel
    import Security

    /// HTTP over URLSession without cookies, caches and redirects. Pending requests and unread bodies retain the
    /// transport.
    package final class URLSessionTransport: HTTPClient {
        /// Settings for connections.
        package struct Configuration: Sendable {
            /// Certificate authorities trusted for servers' certificates.
            package enum Trust: Sendable, Equatable {
                /// The operating system's authorities.
                case system
                /// Only those in a file of PEM certificates, which is read when the transport is created.
                case file(String)
                /// Only these PEM certificates.
                case pem([UInt8])
            }

            package var trust = Trust.system
            /// Maximum size in bytes of a body that `send` reads. Streams have no such limit.
            package var responseLimit = 4 << 20
            /// Added to errors about certificates that are not trusted. It should say how to name the right CA.
            package var trustAdvice = "Name the CA that signed it in URLSessionTransport.Configuration.trust."

            package init() {}
        }

        /// Our trust decision can only be stricter than App Transport Security's, unless the app relaxes the latter.
        private static let appTransportSecurity = """
            For a CA that the system does not know, an app also needs NSExceptionAllowsInsecureHTTPLoads for that host \
            under NSAppTransportSecurity in its Info.plist.
            """

        private let responseLimit: Int
        private let session: URLSession
        private let exchanges = Exchanges()

        /// Throws if the configuration names authorities and none of them can be read.
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
            // In a cancelled task the body may end early.
            if Task.isCancelled { throw .cancelled }
            return ClientResponse(status: response.status, fields: response.fields, body: body)
        }

        package func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
            let task = session.dataTask(with: try Self.urlRequest(request))
            let id = task.taskIdentifier
            let (body, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
            // URLSession's own timeout measures only inactivity.
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
                    // The handler below may have run before the exchange existed.
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
            // The exchange has its own deadline. A stream may be silent for longer than URLSession's default of 60
            // seconds.
            result.timeoutInterval = 86_400
            for field in request.fields { result.addValue(field.value, forHTTPHeaderField: field.name) }
            return result
        }
    }
#endif
