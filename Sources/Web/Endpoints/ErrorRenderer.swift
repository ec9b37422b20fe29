import Flows
import GuardianWire
import HTTPModel
import OAuthWire
import Primitives

/// The one place where an error becomes a response.
struct ErrorRenderer: Sendable {
    enum Style: Sendable {
        /// `{"error","error_description"}`; never `errorCode`, which would hide `error` from Auth0's SDKs.
        case oauth
        /// The same for a resource that access tokens open: what is wrong stands in `WWW-Authenticate` too (RFC 6750
        /// clause 3).
        case bearer
        /// `{"statusCode","error","message","errorCode"}`; the scheme is what a 401 asks for (RFC 9110 clause 15.5.2).
        case device(scheme: String)
    }

    /// Characters of a detail that are logged: some quote what came from outside.
    static let detailLimit = 300

    /// Gets the private detail of an error, with the request's id and the answer's status.
    let log: @Sendable (_ requestID: String, _ detail: String, _ status: Int) -> Void

    func response(for error: any Error, to request: Request, style: Style) -> Response {
        switch error {
        case is MissingAccessToken:
            var response = render(Self.missingAccessToken, to: request, style: .oauth)
            response.fields.append("WWW-Authenticate", "Bearer")
            return response
        case let error as OAuthError:
            note(error.detail, error.status, request)
            return render(error, to: request, style: style)
        case let failure as DeviceFailure:
            note(failure.detail, failure.status, request)
            return device(failure, style: style)
        case let failure as any TransientError where failure.isTransient:
            note("\(failure)", Self.overloaded.status, request)
            return render(Self.overloaded, to: request, style: style)
        case is CancellationError:
            let hasLeft = request.client?.hasLeft ?? false
            return render(hasLeft ? Self.clientLeft : Self.stopping, to: request, style: style)
        default:
            note("\(error)", Self.internalError.status, request)
            return render(Self.internalError, to: request, style: style)
        }
    }

    private func note(_ detail: String?, _ status: Int, _ request: Request) {
        if let detail { log(request.id, String(detail.prefix(Self.detailLimit)), status) }
    }

    private func render(_ error: OAuthError, to request: Request, style: Style) -> Response {
        switch style {
        case .oauth: return oauth(error, to: request)
        case .bearer:
            var response = oauth(error, to: request)
            if (400...403).contains(error.status) {
                response.fields.append("WWW-Authenticate", Self.challenge(error))
            }
            return response
        case .device:
            let code: GuardianErrorBody.Code =
                switch error.code {
                case .methodNotAllowed: .methodNotFound
                case .notFound: .methodNotFound
                case .invalidRequest: .invalidBody
                default: GuardianErrorBody.Code(rawValue: error.code.rawValue)
                }
            var response = device(DeviceFailure(error.status, code, error.description.text), style: style)
            if let seconds = error.retryAfter { response.fields.append("Retry-After", String(seconds)) }
            return response
        }
    }

    /// The answer to most polls, written once.
    static let pending = write(RedeemBackchannelRequest.pending, challenges: false)

    private func oauth(_ error: OAuthError, to request: Request) -> Response {
        // RFC 6749 clause 5.2: only where the client tried HTTP authentication; openid-client reads no body behind it.
        Self.write(
            error, challenges: error.code == .invalidClient && request.fields["Authorization"] != nil)
    }

    private static func write(_ error: OAuthError, challenges: Bool) -> Response {
        var body = JSONWriter()
        body.object { body in
            body.member("error", error.code.rawValue)
            body.member("error_description", error.description.text)
            body.member("reason", ifPresent: error.reason)
            if let interval = error.interval { body.member("interval", interval) }
        }
        var response = Response.json(body.bytes, status: error.status)
        if let seconds = error.retryAfter { response.fields.append("Retry-After", String(seconds)) }
        if let seconds = error.appliedWait { response.fields.append("Preference-Applied", "wait=\(seconds)") }
        if challenges { response.fields.append("WWW-Authenticate", "Basic realm=\"token\"") }
        if let limit = error.rateLimit {
            response.fields.append("x-ratelimit-limit", String(limit.limit))
            response.fields.append("x-ratelimit-remaining", String(limit.remaining))
            response.fields.append("x-ratelimit-reset", String(limit.reset))
        }
        return response
    }

    /// RFC 6750 clause 3.
    private static func challenge(_ error: OAuthError) -> String {
        let scope = error.code == .insufficientScope ? #", scope="openid""# : ""
        return
            #"Bearer error="\#(error.code.rawValue)", error_description="\#(error.description.text)""#
            + scope
    }

    /// What was refused before it came to a route of devices or of the Management API.
    func response(forRefused status: Int, error: String, _ description: String) -> Response {
        let code = status == 413 ? .invalidBody : GuardianErrorBody.Code(rawValue: error)
        var response = device(DeviceFailure(status, code, description), style: .device(scheme: "Bearer"))
        if status == 503 { response.fields.append("Retry-After", "1") }
        return response
    }

    private func device(_ failure: DeviceFailure, style: Style) -> Response {
        let body = GuardianErrorBody(
            statusCode: failure.status, error: Response.reasonPhrase(of: failure.status), message: failure.message,
            errorCode: failure.code)
        var response = Response.json(body.json, status: failure.status)
        if failure.status == 401, case .device(let scheme) = style {
            response.fields.append("WWW-Authenticate", scheme)
        }
        return response
    }

    private static let internalError = OAuthError(
        .serverError, "The server failed; try again, and tell its operator the request id if it stays so")

    private static let missingAccessToken = OAuthError(
        .invalidToken, "Send an access token as Authorization: Bearer TOKEN")

    private static let stopping = unavailable("The server is stopping; try again")

    /// Read by nobody but a client that closed its sending side alone.
    private static let clientLeft = OAuthError(
        .invalidRequest,
        "The connection was closed from the client's side before the answer; keep it open both ways and ask again")

    private static let overloaded = unavailable(
        "The server has too much to do; nothing was changed, try again in a moment")

    /// RFC 6749 clause 4.1.2.1 for the code, RFC 9110 clause 15.6.4 for the status and `Retry-After`.
    private static func unavailable(_ description: ErrorDescription) -> OAuthError {
        var error = OAuthError(.temporarilyUnavailable, description)
        error.retryAfter = 1
        return error
    }
}

/// No access token came at all: then the challenge names no error (RFC 6750 clause 3.1).
struct MissingAccessToken: Error {}

extension Response {
    /// A JSON answer that nobody keeps (RFC 6749 clause 5.1).
    static func json(_ body: [UInt8], status: Int = 200) -> Response {
        Response(status: status, fields: uncachedJSON, body: .bytes(body))
    }

    private static let uncachedJSON: HTTPFields = ["Content-Type": "application/json", "Cache-Control": "no-store"]
}
