import Primitives

/// The body of an error of the device API.
public struct GuardianErrorBody: Sendable, Equatable {
    /// A code of Auth0's list that this product sends, or any other that a server sent.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let invalidToken = Code(rawValue: "invalid_token")
        public static let invalidBody = Code(rawValue: "invalid_body")
        public static let enrollmentTransactionNotFound = Code(rawValue: "enrollment_transaction_not_found")
        public static let enrollmentConflict = Code(rawValue: "enrollment_conflict")
        public static let enrollmentNotFound = Code(rawValue: "enrollment_not_found")
        public static let loginTransactionNotFound = Code(rawValue: "login_transaction_not_found")
        public static let transactionExpired = Code(rawValue: "transaction_expired")
        public static let invalidChallenge = Code(rawValue: "invalid_challenge")
        public static let invalidDPoPAssertion = Code(rawValue: "invalid_dpop_assertion")
        public static let consentNotFound = Code(rawValue: "consent_not_found")
        public static let userBlocked = Code(rawValue: "user_blocked")
        public static let methodNotFound = Code(rawValue: "method_not_found")
        public static let tooManyRequests = Code(rawValue: "too_many_requests")
    }

    public var statusCode: Int
    /// The status in words: `Not Found`.
    public var error: String
    public var message: String
    public var errorCode: Code?

    public init(statusCode: Int, error: String, message: String, errorCode: Code?) {
        self.statusCode = statusCode
        self.error = error
        self.message = message
        self.errorCode = errorCode
    }

    /// Reads what it can: `statusCode` as a number or a string, `status` for an answer without one. Fails only for
    /// what is no JSON object.
    public init(parsing body: [UInt8], status: Int) throws(GuardianWireFailure) {
        let members = try Members(parsing: body)
        let code = members.value("statusCode")
        statusCode = code?.intValue ?? code?.stringValue.flatMap { Int($0) } ?? status
        error = members.value("error")?.stringValue ?? ""
        message = members.value("message")?.stringValue ?? members.value("description")?.stringValue ?? error
        errorCode = members.value("errorCode")?.stringValue.map(Code.init(rawValue:))
    }

    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("statusCode", statusCode)
            writer.member("error", error)
            writer.member("message", message)
            writer.member("errorCode", ifPresent: errorCode?.rawValue)
        }
        return writer.bytes
    }
}
