import GuardianWire
package import HTTPModel
package import OAuthWire
import Primitives

/// A refusal of the gate, or a failure that is no fault of the client.
package struct ServerFailure: ResponseError {
    package let error: OAuthError
    package private(set) var logDetail: String?
    /// Message in the style of the Management API, whose texts are Auth0's. Nil is the description.
    private var managementMessage: String?
    /// `errorCode` in that style. Nil means none.
    private var managementCode: GuardianErrorBody.Code?
    /// Field `Allow`.
    private var allow: String?

    private init(_ error: OAuthError) { self.error = error }

    /// Failure of an error that is no `ResponseError`.
    init(_ error: any Error, of request: Request) {
        switch error {
        case let error as any TransientError where error.isTransient:
            self = error.mayBeDone ? .unknownOutcome : .busy
            logDetail = error.isToldElsewhere ? nil : "\(error)"
        case is CancellationError: self = request.client?.hasLeft ?? false ? .clientLeft : .stopping
        default:
            self = .internalError
            logDetail = "\(error)"
        }
    }

    package static let notFound: ServerFailure = {
        var failure = ServerFailure(
            OAuthError(
                .notFound,
                "No endpoint has this path; \(EndpointPath.openIDConfiguration.rawValue) lists the endpoints"))
        failure.managementMessage = "Not Found"
        return failure
    }()

    /// An endpoint that other servers of this kind have.
    static func absent(_ explanation: String) -> ServerFailure {
        var failure = ServerFailure(OAuthError(.notFound, ErrorDescription(explanation)))
        failure.managementCode = GuardianErrorBody.Code(rawValue: "not_supported")
        return failure
    }

    static func methodNotAllowed(_ routes: [Route]) -> ServerFailure {
        let allowed = routes.count == 1 ? routes[0].allowed : Set(routes.flatMap(\.allowed)).sorted()
        // People are not told of OPTIONS, which browsers send by themselves.
        let advice = allowed.filter { $0 != HTTPMethod.options.rawValue }.joined(separator: ", ")
        var failure = ServerFailure(OAuthError(.methodNotAllowed, "Use \(advice) here"))
        failure.allow = allowed.joined(separator: ", ")
        return failure
    }

    private static let internalError = ServerFailure(
        OAuthError(
            .serverError,
            "The server failed; try again, and report the request id to its operator if the failure persists"))

    private static let stopping = unavailable("The server is stopping; try again")

    /// Read by a client that closed its sending side alone, and by no other.
    private static let clientLeft = ServerFailure(
        OAuthError(
            .invalidRequest,
            "The connection was closed from the client's side before the answer; keep it open both ways and ask again"))

    private static let busy = unavailable("The server cannot do this now; nothing was changed, try again in a moment")

    private static let unknownOutcome = unavailable(
        "The server does not know whether this was done; ask for its state, or repeat it with the same Idempotency-Key")

    /// A refusal of many. Their times to try again differ, so that they do not come back at once.
    static func tooBusy() -> ServerFailure {
        unavailable(
            "The server has too much to do; nothing was changed, try again in a moment", after: Int.random(in: 1...5))
    }

    /// RFC 6749 clause 4.1.2.1 for the code, RFC 9110 clause 15.6.4 for the status and `Retry-After`.
    private static func unavailable(_ description: ErrorDescription, after seconds: Int = 1) -> ServerFailure {
        var error = OAuthError(.temporarilyUnavailable, description)
        error.retryAfter = seconds
        return ServerFailure(error)
    }

    package func response(in style: ErrorStyle, to request: Request) -> Response {
        var response: Response
        if case .management = style {
            response = .failure(
                error.status, managementMessage ?? error.description.text, code: managementCode,
                in: style)
            if let seconds = error.retryAfter { response.fields.append("Retry-After", String(seconds)) }
        } else {
            response = error.response(in: style, to: request)
        }
        if let allow { response.fields.append("Allow", allow) }
        return response
    }
}
