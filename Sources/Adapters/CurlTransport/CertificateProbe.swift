import CCurl
package import HTTPModel
import Primitives

/// Reads the certificates that a server presents, trusted or not, so that a person can be told why it is not trusted.
package enum CertificateProbe {
    /// The server's certificates as PEM, its own first. Blocks for at most `limit`. Sends a request without a body to
    /// the URL's path, and reads no answer that it would trust.
    package static func certificates(of url: String, within limit: Duration) throws(HTTPClientError) -> [String] {
        guard CurlLibrary.isReady, let handle = curl_easy_init() else { throw .other("libcurl is out of memory") }
        defer { curl_easy_cleanup(handle) }
        func set(_ option: CURLoption, _ value: Int) { _ = countersign_curl_set_long(handle, option, value) }
        func set(_ option: CURLoption, _ value: String) { _ = countersign_curl_set_string(handle, option, value) }
        set(CURLOPT_PROTOCOLS_STR, "https")
        set(CURLOPT_PROXY, "")
        set(CURLOPT_URL, url)
        set(CURLOPT_NOBODY, 1)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_CERTINFO, 1)
        // Nothing secret is sent, and the certificate is judged by its reader.
        set(CURLOPT_SSL_VERIFYPEER, 0)
        set(CURLOPT_SSL_VERIFYHOST, 0)
        _ = countersign_curl_limit_certificates(handle)
        set(CURLOPT_TIMEOUT_MS, Int(max(1, limit.milliseconds)))
        let code = curl_easy_perform(handle)
        var found: UnsafeMutablePointer<curl_certinfo>?
        guard countersign_curl_get_certificates(handle, &found) == CURLE_OK, let found,
            found.pointee.num_of_certs > 0, let lists = found.pointee.certinfo
        else { throw HTTPClientError(code, detail: "", trustAdvice: "") }
        return (0..<Int(found.pointee.num_of_certs)).compactMap { lists[$0].flatMap(pem) }
    }

    /// Value of the line `Cert:` among the certificate's lines.
    private static func pem(_ first: UnsafeMutablePointer<curl_slist>) -> String? {
        var line: UnsafeMutablePointer<curl_slist>? = first
        while let current = line {
            let text = current.pointee.data.map { String(cString: $0) } ?? ""
            if text.hasPrefix("Cert:") { return String(text.dropFirst("Cert:".count)) }
            line = current.pointee.next
        }
        return nil
    }
}
