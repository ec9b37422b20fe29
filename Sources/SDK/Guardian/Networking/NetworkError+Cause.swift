import HTTPModel

extension NetworkError {
    /// Converts an error of the transport for the app. Cancellation becomes Swift's `CancellationError`.
    static func cause(of error: any Error) -> any Error {
        guard let error = error as? HTTPClientError else { return error }
        if error == .cancelled { return CancellationError() }
        return NetworkError(code: .failedRequest, description: error.text, cause: error)
    }
}

extension HTTPClientError {
    /// True if later attempts fail until the caller corrects the server's URL or certificates.
    var needsCaller: Bool {
        switch self {
        case .invalidURL, .untrusted: true
        case .cannotConnect, .tls, .timedOut, .cancelled, .tooLarge, .other: false
        }
    }
}
