#if canImport(CryptoKit)
import Foundation
import HTTPModel
import Security

/// HTTP over URLSession, without cookies, caches or redirects.
final class URLSessionTransport: HTTPClient {
    /// The largest body in bytes that `send` reads.
    private static let responseLimit = 4 << 20
    /// Bytes of a stream that are handed out at once.
    private static let chunk = 4 << 10
    private static let advice = "Name its CA in CountersignClient.Environment.Trust.certificates."

    private let session: URLSession

    init() { session = Self.session(SessionDelegate(anchors: nil)) }

    /// Trusts only the certificates in a PEM text; nil where there is none.
    init?(trustingPEM pem: Data) {
        let anchors = Self.certificates(pem)
        guard !anchors.isEmpty else { return nil }
        session = Self.session(SessionDelegate(anchors: anchors))
    }

    deinit { session.invalidateAndCancel() }

    private static func session(_ delegate: SessionDelegate) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    private static func certificates(_ pem: Data) -> [Data] {
        let text = String(decoding: pem, as: UTF8.self)
        return text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().compactMap { part in
            let body = part.components(separatedBy: "-----END CERTIFICATE-----")[0]
            guard let der = Data(base64Encoded: body, options: .ignoreUnknownCharacters),
                SecCertificateCreateWithData(nil, der as CFData) != nil
            else { return nil }
            return der
        }
    }

    func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        let (bytes, response) = try await open(request)
        var body: [UInt8] = []
        do {
            for try await byte in bytes {
                guard body.count < Self.responseLimit else { throw HTTPClientError.tooLarge(limit: Self.responseLimit) }
                body.append(byte)
            }
        } catch {
            throw Self.failure(error)
        }
        return ClientResponse(status: response.statusCode, fields: Self.fields(response), body: body)
    }

    func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
        let (bytes, response) = try await open(request)
        let body = AsyncThrowingStream<[UInt8], any Error> { continuation in
            let task = Task {
                do {
                    var chunk: [UInt8] = []
                    for try await byte in bytes {
                        chunk.append(byte)
                        // Server-Sent Events end in a line break: they must not wait for more.
                        guard byte == 0x0A || chunk.count == Self.chunk else { continue }
                        continuation.yield(chunk)
                        chunk = []
                    }
                    if !chunk.isEmpty { continuation.yield(chunk) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: Self.failure(error))
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
        return StreamingResponse(status: response.statusCode, fields: Self.fields(response), body: body)
    }

    private func open(
        _ request: ClientRequest
    ) async throws(HTTPClientError) -> (URLSession.AsyncBytes, HTTPURLResponse) {
        guard let url = URL(string: request.url), url.scheme == "https" || url.scheme == "http" else {
            throw .invalidURL("only http and https URLs are accepted")
        }
        var message = URLRequest(url: url)
        message.httpMethod = request.method.rawValue
        message.httpBody = request.body.map { Data($0) }
        for field in request.fields { message.addValue(field.value, forHTTPHeaderField: field.name) }
        message.timeoutInterval = request.timeout.map { Double($0.components.seconds) + 1 } ?? .infinity
        do {
            let (bytes, response) = try await session.bytes(for: message)
            guard let response = response as? HTTPURLResponse else {
                throw HTTPClientError.other("the server's answer is not HTTP")
            }
            return (bytes, response)
        } catch {
            throw Self.failure(error)
        }
    }

    private static func fields(_ response: HTTPURLResponse) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { fields.append(name, value) }
        }
        return fields
    }

    private static func failure(_ error: any Error) -> HTTPClientError {
        if let failure = error as? HTTPClientError { return failure }
        if error is CancellationError { return .cancelled }
        guard let error = error as? URLError else { return .other(error.localizedDescription) }
        switch error.code {
        // A refused certificate also ends as cancelled.
        case .cancelled where Task.isCancelled: return .cancelled
        case .cancelled: return .tls("the server's certificate is not trusted. \(advice)")
        case .timedOut: return .timedOut
        case .badURL, .unsupportedURL: return .invalidURL(error.localizedDescription)
        case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet:
            return .cannotConnect(error.localizedDescription)
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid, .serverCertificateUntrusted, .appTransportSecurityRequiresSecureConnection:
            return .tls("\(error.localizedDescription) \(advice)")
        default: return .other(error.localizedDescription)
        }
    }
}

/// Follows no redirect, and trusts the given authorities only, where some are given.
private final class SessionDelegate: NSObject, URLSessionTaskDelegate {
    /// Certificates in DER form; nil leaves trust to the system.
    private let anchors: [Data]?

    init(anchors: [Data]?) { self.anchors = anchors }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let anchors, let trust = challenge.protectionSpace.serverTrust else {
            return completionHandler(.performDefaultHandling, nil)
        }
        let certificates = anchors.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
        SecTrustSetAnchorCertificates(trust, certificates as CFArray)
        SecTrustSetAnchorCertificatesOnly(trust, true)
        guard SecTrustEvaluateWithError(trust, nil) else {
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        completionHandler(.useCredential, URLCredential(trust: trust))
    }
}
#endif
