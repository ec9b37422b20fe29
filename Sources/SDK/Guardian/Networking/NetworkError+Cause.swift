import HTTPModel

extension NetworkError {
    /// What to tell the app about an error of the transport: cancellation as Swift spells it, the rest by its text.
    static func cause(of error: any Error) -> any Error {
        guard let error = error as? HTTPClientError else { return error }
        if error == .cancelled { return CancellationError() }
        return NetworkError(code: .failedRequest, description: error.text, cause: error)
    }
}

extension HTTPClientError {
    var text: String {
        switch self {
        case .invalidURL(let url): "\(url) is no valid URL"
        case .cannotConnect(let text), .tls(let text), .untrusted(let text), .other(let text): text
        case .timedOut: "The server did not answer in time"
        case .cancelled: "The request was cancelled"
        case .tooLarge(let limit): "The answer is longer than \(limit) bytes"
        }
    }

    /// No later try will succeed, unless what the caller says of the server changes.
    var needsCaller: Bool {
        switch self {
        case .invalidURL, .untrusted: true
        case .cannotConnect, .tls, .timedOut, .cancelled, .tooLarge, .other: false
        }
    }
}
