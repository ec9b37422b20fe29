import Primitives

/// The body of an error of the device API.
package struct GuardianErrorBody: Sendable, Equatable {
    /// A code of Auth0's list that this product sends, or any other from a server.
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        package static let invalidToken = Code(rawValue: "invalid_token")
        package static let invalidBody = Code(rawValue: "invalid_body")
        package static let enrollmentTransactionNotFound = Code(rawValue: "enrollment_transaction_not_found")
        package static let enrollmentConflict = Code(rawValue: "enrollment_conflict")
        package static let enrollmentNotFound = Code(rawValue: "enrollment_not_found")
        package static let loginTransactionNotFound = Code(rawValue: "login_transaction_not_found")
        package static let transactionExpired = Code(rawValue: "transaction_expired")
        package static let invalidChallenge = Code(rawValue: "invalid_challenge")
        package static let invalidDPoPAssertion = Code(rawValue: "invalid_dpop_assertion")
        package static let consentNotFound = Code(rawValue: "consent_not_found")
        package static let userBlocked = Code(rawValue: "user_blocked")
        package static let wrongNumber = Code(rawValue: "wrong_number")
        package static let numberRequired = Code(rawValue: "number_required")
        package static let passkeyRequired = Code(rawValue: "passkey_required")
        package static let invalidPasskey = Code(rawValue: "invalid_passkey")
        package static let passkeyRegistered = Code(rawValue: "passkey_registered")
        /// Phones of the tenant add no other phones.
        package static let additionNotAllowed = Code(rawValue: "addition_not_allowed")
        package static let tooManyDevices = Code(rawValue: "too_many_devices")
        package static let methodNotFound = Code(rawValue: "method_not_found")
        package static let tooManyRequests = Code(rawValue: "too_many_requests")
    }

    package var statusCode: Int
    /// The status in words: `Not Found`.
    package var error: String
    package var message: String
    package var errorCode: Code?

    package init(statusCode: Int, error: String, message: String, errorCode: Code?) {
        self.statusCode = statusCode
        self.error = error
        self.message = message
        self.errorCode = errorCode
    }

    /// Lenient: reads `statusCode` as a number or a string, and takes `status` without one. Fails only if `body` is no
    /// JSON object.
    package init(parsing body: [UInt8], status: Int) throws(GuardianWireFailure) {
        let members = try Members(parsing: body)
        let code = members.value("statusCode")
        statusCode = code?.intValue ?? code?.stringValue.flatMap { Int($0) } ?? status
        error = members.value("error")?.stringValue ?? ""
        message = members.value("message")?.stringValue ?? members.value("description")?.stringValue ?? error
        errorCode = members.value("errorCode")?.stringValue.map(Code.init(rawValue:))
    }

    package var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("statusCode", statusCode)
            writer.member("error", error)
            writer.member("message", message)
            writer.member("errorCode", ifPresent: errorCode?.rawValue)
        }
    }
}
