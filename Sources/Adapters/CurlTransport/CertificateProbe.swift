import CCurl
package import HTTPModel
import Primitives

/// Asks a server without judging its certificate. Nothing secret is sent, and no body is read.
package enum CertificateProbe {
    /// The certificates that the server presents, as PEM, its own first, so that a person can be told why it is not
    /// trusted. Blocks for at most `limit`.
    package static func certificates(of url: String, within limit: Duration) throws(HTTPClientError) -> [String] {
        try ask(url, "HEAD", by: "https", within: limit) { (handle, code) throws(HTTPClientError) in
            var found: UnsafeMutablePointer<curl_certinfo>?
            guard countersign_curl_get_certificates(handle, &found) == CURLE_OK, let found,
                found.pointee.num_of_certs > 0, let lists = found.pointee.certinfo
            else { throw HTTPClientError(code, detail: "", trustAdvice: "") }
            return (0..<Int(found.pointee.num_of_certs)).compactMap { lists[$0].flatMap(pem) }
        }
    }

    /// Status of the server's answer to `GET`, for a server on this machine, whose certificate is made out to its public
    /// name. Blocks for at most `limit`.
    package static func status(of url: String, within limit: Duration) throws(HTTPClientError) -> Int {
        try ask(url, "GET", by: "http,https", within: limit) { (handle, code) throws(HTTPClientError) in
            var status = 0
            _ = countersign_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
            guard status > 0 else { throw HTTPClientError(code, detail: "", trustAdvice: "") }
            return status
        }
    }

    private static func ask<Answer>(
        _ url: String, _ method: String, by protocols: String, within limit: Duration,
        _ read: (UnsafeMutableRawPointer, CURLcode) throws(HTTPClientError) -> Answer
    ) throws(HTTPClientError) -> Answer {
        guard CurlLibrary.isReady, let handle = curl_easy_init() else { throw .other("libcurl is out of memory") }
        defer { curl_easy_cleanup(handle) }
        func set(_ option: CURLoption, _ value: Int) { _ = countersign_curl_set_long(handle, option, value) }
        func set(_ option: CURLoption, _ value: String) { _ = countersign_curl_set_string(handle, option, value) }
        set(CURLOPT_PROTOCOLS_STR, protocols)
        set(CURLOPT_PROXY, "")
        set(CURLOPT_URL, url)
        // The body is left out, of an answer to GET too.
        set(CURLOPT_NOBODY, 1)
        set(CURLOPT_CUSTOMREQUEST, method)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_CERTINFO, 1)
        set(CURLOPT_SSL_VERIFYPEER, 0)
        set(CURLOPT_SSL_VERIFYHOST, 0)
        _ = countersign_curl_limit_certificates(handle)
        set(CURLOPT_TIMEOUT_MS, Int(max(1, limit.milliseconds)))
        return try read(handle, curl_easy_perform(handle))
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
