import HTTPModel

extension HTTPClientError {
    /// False if the service is silent: it cannot be reached, or its answer did not come in time or not to its end. True
    /// if the answer came and is of no use, and nil if nothing was sent.
    var isAnswered: Bool? {
        switch self {
        case .cannotConnect, .tls, .untrusted, .timedOut, .other: false
        case .tooLarge: true
        case .invalidURL, .cancelled: nil
        }
    }
}
