package import GuardianWire

/// Why a device's request was refused, in the codes that Guardian's SDKs know.
package struct DeviceFailure: Error, Sendable, Equatable {
    /// The HTTP status.
    package let status: Int
    package let code: GuardianErrorBody.Code
    /// Says what to change; never holds a secret.
    package let message: String
    /// For the log only.
    package var detail: String?

    package init(_ status: Int, _ code: GuardianErrorBody.Code, _ message: String, detail: String? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.detail = detail
    }

    /// `advice` is for one who proved to be the device.
    static func invalidToken(_ detail: String, advice: String? = nil) -> DeviceFailure {
        let reason = advice.map { ": \($0)" } ?? ""
        return DeviceFailure(
            401, .invalidToken, "The token is missing, expired or not for this request\(reason)", detail: detail)
    }

    static func invalidBody(_ failure: GuardianWireFailure) -> DeviceFailure {
        DeviceFailure(400, .invalidBody, "Payload validation error: \(failure)")
    }

    static let transactionNotFound = DeviceFailure(
        404, .loginTransactionNotFound, "The request does not exist or was already answered")
    static let transactionExpired = DeviceFailure(404, .transactionExpired, "The request has expired")
    /// For a device that proved itself.
    static let userBlocked = DeviceFailure(
        403, .userBlocked, "This account is blocked. Contact whoever runs this service")
    static let identifierTaken = DeviceFailure(
        409, .enrollmentConflict, "Another phone of this user has the identifier; choose one of this phone alone")
    static let enrollmentNotFound = DeviceFailure(404, .enrollmentNotFound, "The enrolment does not exist")
}
