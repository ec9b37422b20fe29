#if canImport(CryptoKit)
    import Foundation
    import HTTPModel
    import Security

    /// Forwards responses, follows no redirects, and trusts only the given authorities, if any.
    final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
        private let exchanges: Exchanges
        /// Nil means the system's trust.
        private let anchors: PinnedAuthorities?
        private let advice: String

        init(_ exchanges: Exchanges, anchors: PinnedAuthorities?, advice: String) {
            self.exchanges = exchanges
            self.anchors = anchors
            self.advice = advice
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
            var fields = HTTPFields()
            for (name, value) in response.allHeaderFields { fields.append("\(name)", "\(value)") }
            exchanges.receive(Head(status: response.statusCode, fields: fields), for: dataTask.taskIdentifier)
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            exchanges.receive(data, for: dataTask.taskIdentifier)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            exchanges.end(task.taskIdentifier, error.map { HTTPClientError($0, advice: advice) })
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        // Implemented for tasks rather than the session, to know which request is refused.
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            // Only challenges about the server's certificate have a trust.
            guard let anchors, let trust = challenge.protectionSpace.serverTrust else {
                return completionHandler(.performDefaultHandling, nil)
            }
            guard anchors.vouch(for: trust) else {
                exchanges.end(task.taskIdentifier, .untrusted("the server's certificate is not trusted. \(advice)"))
                return completionHandler(.cancelAuthenticationChallenge, nil)
            }
            completionHandler(.useCredential, URLCredential(trust: trust))
        }
    }

    extension HTTPClientError {
        fileprivate init(_ error: any Error, advice: String) {
            let text = error.localizedDescription
            self =
                switch (error as? URLError)?.code {
                case .cancelled: .cancelled
                case .timedOut: .timedOut
                // The app's Info.plist forbids `http` for this host.
                case .badURL, .unsupportedURL, .appTransportSecurityRequiresSecureConnection: .invalidURL(text)
                case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet:
                    .cannotConnect(text)
                case .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
                    .serverCertificateUntrusted:
                    .untrusted("\(text) \(advice)")
                case .secureConnectionFailed: .tls("\(text) \(advice)")
                default: .other(text)
                }
        }
    }
#endif
