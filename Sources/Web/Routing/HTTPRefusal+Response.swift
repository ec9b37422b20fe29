package import HTTPModel
import OAuthWire

extension HTTPRefusal: ResponseError {
    package var logDetail: String? { nil }

    package func response(in style: ErrorStyle, to request: Request) -> Response {
        var error = OAuthError(code, ErrorDescription(description))
        error.listenerStatus = status
        error.retryAfter = retryAfter
        return error.response(in: style, to: request)
    }

    private var code: OAuthError.Code {
        switch status {
        case 500: .serverError
        case 503: .temporarilyUnavailable
        default: .invalidRequest
        }
    }
}
