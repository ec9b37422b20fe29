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
    var text: String {
        switch self {
        case .invalidURL(let url): "\(url) is not a valid URL"
        case .cannotConnect(let text), .tls(let text), .untrusted(let text), .other(let text): text
        case .timedOut: "The server did not answer in time"
        case .cancelled: "The request was cancelled"
        case .tooLarge(let limit): "The response is longer than \(limit) bytes"
        }
    }

    /// True if later attempts fail until the caller corrects the server's URL or certificates.
    var needsCaller: Bool {
        switch self {
        case .invalidURL, .untrusted: true
        case .cannotConnect, .tls, .timedOut, .cancelled, .tooLarge, .other: false
        }
    }
}
