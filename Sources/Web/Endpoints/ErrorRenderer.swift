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
        case let error as LocalizedOAuthError: return response(for: error, to: request)
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
        case let failure as any PassingFailure where failure.isPassing:
            note("\(failure)", Self.overloaded.status, request)
            return render(Self.overloaded, to: request, style: style)
        case is CancellationError:
            return render(Self.stopping, to: request, style: style)
        default:
            note("\(error)", Self.internalError.status, request)
            return render(Self.internalError, to: request, style: style)
        }
    }

    func response(for error: LocalizedOAuthError, to request: Request) -> Response {
        note(error.error.detail, error.error.status, request)
        return oauth(error.error, in: error.language, to: request)
    }

    private func note(_ detail: String?, _ status: Int, _ request: Request) {
        if let detail { log(request.id, String(detail.prefix(Self.detailLimit)), status) }
    }

    private func render(_ error: OAuthError, to request: Request, style: Style) -> Response {
        let language = Language.preferred(uiLocales: nil, acceptLanguage: request.fields["Accept-Language"])
        switch style {
        case .oauth: return oauth(error, in: language, to: request)
        case .bearer:
            var response = oauth(error, in: language, to: request)
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
            var response = device(DeviceFailure(error.status, code, error.description[.english]), style: style)
            if let seconds = error.retryAfter { response.fields.append("Retry-After", String(seconds)) }
            return response
        }
    }

    private static let englishPending = write(RedeemBackchannelRequest.pending, in: .english, challenges: false)
    private static let frenchPending = write(RedeemBackchannelRequest.pending, in: .french, challenges: false)

    /// What most polls get, written once.
    static func pending(in language: Language) -> Response {
        switch language {
        case .english: englishPending
        case .french: frenchPending
        }
    }

    private func oauth(_ error: OAuthError, in language: Language, to request: Request) -> Response {
        // RFC 6749 clause 5.2: only where the client tried HTTP authentication; openid-client reads no body behind it.
        return Self.write(
            error, in: language, challenges: error.code == .invalidClient && request.fields["Authorization"] != nil)
    }

    private static func write(_ error: OAuthError, in language: Language, challenges: Bool) -> Response {
        var body = JSONWriter()
        body.object { body in
            body.member("error", error.code.rawValue)
            body.member("error_description", error.description[language])
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

    /// RFC 6750 clause 3. Our English texts hold no quote and no backslash but what they quote from outside.
    private static func challenge(_ error: OAuthError) -> String {
        let text = error.description[.english].unicodeScalars.filter {
            (0x20...0x7E).contains($0.value) && $0 != "\"" && $0 != "\\"
        }
        let scope = error.code == .insufficientScope ? #", scope="openid""# : ""
        return
            #"Bearer error="\#(error.code.rawValue)", error_description="\#(String(String.UnicodeScalarView(text)))""#
            + scope
    }

    /// What was refused before it came to a route of devices or of the Management API.
    func response(forRefused status: Int, error: String, _ description: String) -> Response {
        let code = status == 413 ? .invalidBody : GuardianErrorBody.Code(rawValue: error)
        return device(DeviceFailure(status, code, description), style: .device(scheme: "Bearer"))
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
        .serverError, en: "The server failed; try again, and tell its operator the request id if it stays so",
        fr: "Le serveur a échoué ; réessayez, et donnez l'identifiant de requête à l'opérateur si cela persiste")

    private static let missingAccessToken = OAuthError(
        .invalidToken, en: "Send an access token as Authorization: Bearer …",
        fr: "Envoyez un jeton d'accès sous la forme Authorization: Bearer …")

    private static let stopping = unavailable(
        en: "The server is stopping; try again", fr: "Le serveur s'arrête ; réessayez")

    private static let overloaded = unavailable(
        en: "The server has too much to do; nothing was changed, try again in a moment",
        fr: "Le serveur est surchargé ; rien n'a été changé, réessayez dans un instant")

    /// RFC 6749 clause 4.1.2.1 for the code, RFC 9110 clause 15.6.4 for the status and `Retry-After`.
    private static func unavailable(en: String, fr: String) -> OAuthError {
        var error = OAuthError(.temporarilyUnavailable, en: en, fr: fr)
        error.retryAfter = 1
        return error
    }
}

/// An error whose language the request named in its body (`ui_locales`).
struct LocalizedOAuthError: Error {
    let error: OAuthError
    let language: Language
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
