package import GuardianWire

/// A refusal of a device's request.
package struct DeviceFailure: Error, Sendable, Equatable {
    package enum Reason: Sendable, CaseIterable {
        case invalidBody, invalidToken, invalidChallenge, invalidProof
        case ticketNotFound, enrollmentNotFound, transactionNotFound, transactionExpired, consentNotFound
        case identifierTaken, userBlocked
        case tooManyCodes, additionNotAllowed, tooManyDevices
        case wrongNumber, numberRequired, passkeyRequired, invalidPasskey, passkeyRegistered
    }

    package let reason: Reason
    /// Advice for the device's developer. It never holds a secret.
    package let message: String
    /// For the log only.
    package var detail: String?

    package init(_ reason: Reason, _ message: String, detail: String? = nil) {
        self.reason = reason
        self.message = message
        self.detail = detail
    }

    /// Code that Guardian's SDKs know.
    package var code: GuardianErrorBody.Code {
        switch reason {
        case .invalidBody: .invalidBody
        case .invalidToken: .invalidToken
        case .invalidChallenge: .invalidChallenge
        case .invalidProof: .invalidDPoPAssertion
        case .ticketNotFound: .enrollmentTransactionNotFound
        case .enrollmentNotFound: .enrollmentNotFound
        case .transactionNotFound: .loginTransactionNotFound
        case .transactionExpired: .transactionExpired
        case .consentNotFound: .consentNotFound
        case .identifierTaken: .enrollmentConflict
        case .userBlocked: .userBlocked
        case .tooManyCodes: .tooManyRequests
        case .additionNotAllowed: .additionNotAllowed
        case .tooManyDevices: .tooManyDevices
        case .wrongNumber: .wrongNumber
        case .numberRequired: .numberRequired
        case .passkeyRequired: .passkeyRequired
        case .invalidPasskey: .invalidPasskey
        case .passkeyRegistered: .passkeyRegistered
        }
    }

    /// `advice` is for a peer that authenticated as the device.
    static func invalidToken(_ detail: String, advice: String? = nil) -> DeviceFailure {
        let reason = advice.map { ": \($0)" } ?? ""
        return DeviceFailure(
            .invalidToken, "The token is missing, expired or not for this request\(reason)", detail: detail)
    }

    package static let needsKey = DeviceFailure.invalidToken(
        "an opaque token", advice: "this needs a token that the device's key signed")

    package static func invalidBody(_ problem: String) -> DeviceFailure {
        DeviceFailure(.invalidBody, "Payload validation error: \(problem)")
    }

    static let transactionNotFound = DeviceFailure(
        .transactionNotFound, "The request does not exist or was already answered")
    /// The row in the database is not the one that this server wrote.
    static let requestChanged = DeviceFailure(
        .transactionNotFound, "The request was changed after it was made, and cannot be answered any more")
    static let transactionExpired = DeviceFailure(.transactionExpired, "The request has expired")
    /// The request stays pending.
    static let numberRequired = DeviceFailure(
        .numberRequired,
        "This request is allowed only with the number that the asking screen displays; sign it as matching_pick")
    /// The request was rejected by the same answer.
    static let wrongNumber = DeviceFailure(
        .wrongNumber, "The picked number is not the one that the asking screen displays; the request was rejected")
    /// For an authenticated device.
    static let userBlocked = DeviceFailure(
        .userBlocked, "This account is blocked. Contact the operator of this service")
    static let identifierTaken = DeviceFailure(
        .identifierTaken, "Another phone of this user has the identifier; choose one that only this phone has")
    static let enrollmentNotFound = DeviceFailure(.enrollmentNotFound, "The enrolment does not exist")
}
