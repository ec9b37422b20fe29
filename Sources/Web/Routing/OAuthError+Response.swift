package import GuardianWire
package import HTTPModel
package import OAuthWire
import Primitives

extension OAuthError: ResponseError {
    package var logDetail: String? { detail }

    package func response(in style: ErrorStyle, to request: Request) -> Response {
        switch style {
        // RFC 6749 clause 5.2: only if the client tried HTTP authentication. openid-client reads no body behind it.
        case .oauth, .page: return json(challenges: code == .invalidClient && request.fields["Authorization"] != nil)
        case .bearer:
            var response = response(in: .oauth, to: request)
            if (400...403).contains(status) { response.fields.append("WWW-Authenticate", bearerChallenge) }
            return response
        case .device, .management:
            let deviceStyle =
                if case .device = style { style } else { ErrorStyle.device(scheme: TokenType.bearer.rawValue) }
            var response = Response.failure(status, description.text, code: deviceCode, in: deviceStyle)
            if let retryAfter { response.fields.append("Retry-After", String(retryAfter)) }
            return response
        }
    }

    private func json(challenges: Bool) -> Response {
        let body = JSONWriter.object { body in
            body.member("error", code.rawValue)
            body.member("error_description", description.text)
            body.member("reason", ifPresent: reason)
            if let interval { body.member("interval", interval) }
        }
        var response = Response.json(body, status: status)
        if let retryAfter { response.fields.append("Retry-After", String(retryAfter)) }
        if let appliedWait { response.fields.append("Preference-Applied", "wait=\(appliedWait)") }
        if challenges { response.fields.append("WWW-Authenticate", "Basic realm=\"token\"") }
        if let rateLimit {
            response.fields.append("x-ratelimit-limit", String(rateLimit.limit))
            response.fields.append("x-ratelimit-remaining", String(rateLimit.remaining))
            response.fields.append("x-ratelimit-reset", String(rateLimit.reset))
        }
        return response
    }

    /// RFC 6750 clause 3.
    private var bearerChallenge: String {
        let scope = code == .insufficientScope ? #", scope="openid""# : ""
        return #"Bearer error="\#(code.rawValue)", error_description="\#(description.text)""# + scope
    }

    private var deviceCode: GuardianErrorBody.Code {
        switch code {
        case .methodNotAllowed, .notFound: .methodNotFound
        case .invalidRequest where listenerStatus == nil || listenerStatus == 413: .invalidBody
        default: GuardianErrorBody.Code(rawValue: code.rawValue)
        }
    }
}

/// The request has no access token. Then the challenge names no error (RFC 6750 clause 3.1).
package struct MissingAccessToken: ResponseError {
    package let logDetail: String? = nil

    package init() {}

    package func response(in style: ErrorStyle, to request: Request) -> Response {
        let error = OAuthError(.invalidToken, "Send an access token as Authorization: Bearer TOKEN")
        var response = error.response(in: .oauth, to: request)
        response.fields.append("WWW-Authenticate", TokenType.bearer.rawValue)
        return response
    }
}

extension Response {
    /// `{"statusCode","error","message","errorCode"}` in the style of devices or of the Management API.
    package static func failure(
        _ status: Int, _ message: String, code: GuardianErrorBody.Code?, in style: ErrorStyle
    ) -> Response {
        let body = GuardianErrorBody(
            statusCode: status, error: reasonPhrase(of: status), message: message, errorCode: code)
        var response = Response.json(body.json, status: status)
        var scheme = TokenType.bearer.rawValue
        switch style {
        case .device(let other): scheme = other
        case .management: response.fields.set("Content-Type", "application/json; charset=utf-8")
        case .oauth, .bearer, .page: return response
        }
        if status == 401 { response.fields.append("WWW-Authenticate", scheme) }
        return response
    }
}
