#if canImport(CryptoKit)
    import Foundation
    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif
    import HTTPModel
    import Security
    import Synchronization

    /// URLSession without cookies, caches or redirects.
    final class PlatformTransport: HTTPClient {
        /// The largest body in bytes that `send` reads.
        private static let responseLimit = 4 << 20
        private let session: URLSession
        private let exchanges = Exchanges()

        init(certificateAuthorityFile: String?) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieStorage = nil
            configuration.urlCache = nil
            // A file that cannot be read leaves no authority: every TLS connection fails, rather than trusting more
            // than was asked for.
            let anchors = certificateAuthorityFile.map { PinnedAuthorities(pemFile: $0) }
            let delegate = SessionDelegate(exchanges: exchanges, anchors: anchors)
            session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        }

        deinit { session.invalidateAndCancel() }

        func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
            let response = try await stream(request)
            var body: [UInt8] = []
            do {
                for try await piece in response.body {
                    body += piece
                    guard body.count <= Self.responseLimit else {
                        throw HTTPClientError.tooLarge(limit: Self.responseLimit)
                    }
                }
            } catch { throw error as? HTTPClientError ?? .other(String(describing: error)) }
            if Task.isCancelled { throw .cancelled }
            return ClientResponse(status: response.status, fields: response.fields, body: body)
        }

        func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
            let task = session.dataTask(with: try Self.urlRequest(request))
            let identifier = task.taskIdentifier
            let (body, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
            continuation.onTermination = { [weak task] _ in task?.cancel() }
            let outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { head in
                    exchanges.begin(identifier, Exchange(head: head, body: continuation))
                    task.resume()
                }
            } onCancel: {
                task.cancel()
            }
            let head = try outcome.get()
            return StreamingResponse(status: head.status, fields: head.fields, body: body)
        }

        private static func urlRequest(_ request: ClientRequest) throws(HTTPClientError) -> URLRequest {
            guard let url = URL(string: request.url), url.scheme == "https" || url.scheme == "http" else {
                throw .invalidURL(request.url)
            }
            var result = URLRequest(url: url)
            result.httpMethod = request.method.rawValue
            result.httpBody = request.body.map { Data($0) }
            result.httpShouldHandleCookies = false
            // URLSession counts the time without any data; a stream may be silent for longer than its default of 60 s.
            result.timeoutInterval = request.timeout.map { Double($0.components.seconds) } ?? 86_400
            for field in request.fields { result.addValue(field.value, forHTTPHeaderField: field.name) }
            return result
        }
    }

    /// The head of an answer, as soon as it is there.
    struct Head: Sendable {
        let status: Int
        let fields: HTTPFields
    }

    /// One request under way.
    struct Exchange: Sendable {
        /// Nil once the head was handed out.
        var head: CheckedContinuation<Result<Head, HTTPClientError>, Never>?
        let body: AsyncThrowingStream<[UInt8], any Error>.Continuation
    }

    /// Requests under way, by the task's identifier.
    final class Exchanges: Sendable {
        private let underWay = Mutex<[Int: Exchange]>([:])

        func begin(_ identifier: Int, _ exchange: Exchange) { underWay.withLock { $0[identifier] = exchange } }

        func received(_ head: Head, for identifier: Int) {
            let waiting = underWay.withLock { underWay in
                let waiting = underWay[identifier]?.head
                underWay[identifier]?.head = nil
                return waiting
            }
            waiting?.resume(returning: .success(head))
        }

        func received(_ data: Data, for identifier: Int) {
            let body = underWay.withLock { $0[identifier]?.body }
            body?.yield(Array(data))
        }

        func ended(_ identifier: Int, _ error: HTTPClientError?) {
            let exchange = underWay.withLock { $0.removeValue(forKey: identifier) }
            exchange?.head?.resume(returning: .failure(error ?? .other("The connection was closed without an answer")))
            if let error { exchange?.body.finish(throwing: error) } else { exchange?.body.finish() }
        }
    }

    final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
        private let exchanges: Exchanges
        private let anchors: PinnedAuthorities?

        init(exchanges: Exchanges, anchors: PinnedAuthorities?) {
            self.exchanges = exchanges
            self.anchors = anchors
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
        ) {
            guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
            var fields = HTTPFields()
            for (name, value) in response.allHeaderFields { fields.append("\(name)", "\(value)") }
            exchanges.received(Head(status: response.statusCode, fields: fields), for: dataTask.taskIdentifier)
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            exchanges.received(data, for: dataTask.taskIdentifier)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            exchanges.ended(task.taskIdentifier, error.map { HTTPClientError($0) })
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            // Only a challenge about the server's certificate has a trust to judge.
            guard let anchors, let trust = challenge.protectionSpace.serverTrust else {
                return completionHandler(.performDefaultHandling, nil)
            }
            guard anchors.vouch(for: trust) else { return completionHandler(.cancelAuthenticationChallenge, nil) }
            completionHandler(.useCredential, URLCredential(trust: trust))
        }
    }

    /// The only authorities that may vouch for servers.
    struct PinnedAuthorities: Sendable {
        /// In DER.
        private let certificates: [Data]

        init(pemFile: String) {
            let text = (try? String(contentsOfFile: pemFile, encoding: .utf8)) ?? ""
            certificates = text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().compactMap { part in
                let base64 = part.components(separatedBy: "-----END CERTIFICATE-----")[0]
                return Data(base64Encoded: base64, options: .ignoreUnknownCharacters)
            }
        }

        func vouch(for trust: SecTrust) -> Bool {
            let anchors = certificates.compactMap { SecCertificateCreateWithData(nil, NSData(data: $0) as CFData) }
            guard !anchors.isEmpty,
                SecTrustSetAnchorCertificates(trust, NSArray(array: anchors) as CFArray) == errSecSuccess,
                SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess
            else { return false }
            return SecTrustEvaluateWithError(trust, nil)
        }
    }

    extension HTTPClientError {
        init(_ error: any Error) {
            guard let error = error as? URLError else {
                self = .other(error.localizedDescription)
                return
            }
            self =
                switch error.code {
                case .cancelled: .cancelled
                case .timedOut: .timedOut
                case .badURL, .unsupportedURL: .invalidURL(error.localizedDescription)
                case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet,
                    .networkConnectionLost:
                    .cannotConnect(error.localizedDescription)
                case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
                    .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .userCancelledAuthentication:
                    .tls(error.localizedDescription)
                default: .other(error.localizedDescription)
                }
        }
    }
#endif
