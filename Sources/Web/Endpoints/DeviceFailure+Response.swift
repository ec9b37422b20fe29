package import Flows
package import HTTPModel
package import Routing

extension DeviceFailure: ResponseError {
    package var logDetail: String? { detail }

    package func response(in style: ErrorStyle, to request: Request) -> Response {
        .failure(status, message, code: code, in: style)
    }

    private var status: Int {
        switch reason {
        case .invalidBody: 400
        case .invalidToken, .invalidChallenge: 401
        case .additionNotAllowed, .invalidProof, .userBlocked, .wrongNumber, .numberRequired, .passkeyRequired,
            .invalidPasskey:
            403
        case .ticketNotFound, .enrollmentNotFound, .transactionNotFound, .transactionExpired, .consentNotFound: 404
        case .identifierTaken, .passkeyRegistered, .tooManyDevices: 409
        case .tooManyCodes: 429
        }
    }
}
