import CCurl
import HTTPModel

extension HTTPClientError {
    /// Converts a libcurl code. `detail` is libcurl's own message, or empty.
    init(_ code: CURLcode, detail: String, trustAdvice: String) {
        let text = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: self = .invalidURL(text)
        case CURLE_LOGIN_DENIED: self = .invalidURL("URLs with a user name or password are not accepted")
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT: self = .cannotConnect(text)
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_PEER_FAILED_VERIFICATION:
            self = .untrusted("the server's certificate is not trusted: \(text). \(trustAdvice)")
        case CURLE_SSL_CACERT_BADFILE:
            self = .untrusted("the CA certificates could not be read: \(text). \(trustAdvice)")
        case CURLE_SSL_CERTPROBLEM: self = .tls("the client certificate or its key could not be used: \(text)")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
            self = .tls(text)
        // With TLS 1.3 the server's alert about a certificate comes after the client's handshake (RFC 8446 clause 4.4.2.4).
        case CURLE_RECV_ERROR where text.contains(" alert "), CURLE_SEND_ERROR where text.contains(" alert "):
            self = .tls(text)
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            self = .other("the connection ended before the response was complete: \(text)")
        default: self = .other(text)
        }
    }
}
