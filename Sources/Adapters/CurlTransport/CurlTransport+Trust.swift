import CCurl
package import HTTPModel

extension CurlTransport.Configuration.Trust {
    /// Makes a handle of libcurl trust these authorities alone, and take a chain of bounded size.
    package func apply(to handle: UnsafeMutableRawPointer) throws(HTTPClientError) {
        guard countersign_curl_limit_certificates(handle) == CURLE_OK else {
            throw .other("libcurl does not use OpenSSL")
        }
        switch self {
        case .system: return
        case .file(let path):
            guard countersign_curl_set_string(handle, CURLOPT_CAINFO, path) == CURLE_OK else {
                throw .other("libcurl is out of memory")
            }
        case .pem(let bytes):
            let code = bytes.withUnsafeBytes { bytes in
                countersign_curl_set_blob(handle, CURLOPT_CAINFO_BLOB, bytes.baseAddress, bytes.count)
            }
            guard code == CURLE_OK else { throw .untrusted("libcurl did not accept the CA certificates") }
        }
        // Otherwise the system's certificate folder would be trusted too.
        _ = countersign_curl_set_string(handle, CURLOPT_CAPATH, nil)
    }
}
