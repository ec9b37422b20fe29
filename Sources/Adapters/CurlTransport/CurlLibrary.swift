import CCurl

/// libcurl as a whole.
package enum CurlLibrary {
    /// True after libcurl was initialized, which the first reader of this does. Nothing of it works otherwise.
    package static let isReady = countersign_curl_global_init() == CURLE_OK
}
