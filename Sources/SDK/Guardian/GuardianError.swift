import Foundation
import GuardianWire
import Primitives

/// A refusal of the server with its error code, or a failure of this SDK with a ``Code``.
public struct GuardianError: Error, Sendable, CustomStringConvertible {
    /// The server's `errorCode`, such as `enrollment_transaction_not_found`, or the raw value of a ``Code``.
    public let code: String
    /// The server's message or the SDK's reason, without advice.
    public let description: String
    /// Other members of the server's response.
    public let info: [String: Json]
    /// Status of the server's response. Nil for failures of this SDK.
    public let statusCode: Int?
    /// The system's or the key's own error. Nil for refusals of the server.
    public let cause: (any Error)?

    /// Failures of this SDK.
    public enum Code: String, Sendable, CaseIterable {
        /// The domain is neither a host nor a URL that is allowed.
        case invalidDomain = "a0.guardian.internal.invalid.domain"
        /// The text is not the URI of an enrolment code, or has no ticket.
        case invalidEnrollmentUri = "a0.guardian.internal.invalid.enrollment_uri"
        /// The secret of one-time passwords is empty or not Base32.
        case invalidOTPSecret = "a0.guardian.internal.invalid.base32_secret"
        /// The digits are not `6...8`, or the period is not `1...3600 seconds`.
        case invalidOTPParameters = "a0.guardian.internal.invalid.otp_parameters"
        /// The identifier is not one of ``AuthenticationCategory/default``.
        case invalidNotificationActionIdentifier = "a0.guardian.internal.invalid.notification_action_identifier"
        /// The data is not a private key of the expected kind.
        case invalidKey = "a0.guardian.internal.invalid.assymmetric_key"
        /// The public key is not a JWK for ES256, or for RS256 with at least 2048 bits.
        case invalidJWK = "a0.guardian.internal.invalid_jwk"
        /// The system created no key. ``GuardianError/cause`` has its reason.
        case failedKeyCreation = "a0.guardian.internal.failed.creation_assymmetric_key"
        /// The keychain did not store the key. ``GuardianError/cause`` has its reason.
        case failedKeyStorage = "a0.guardian.internal.failed.store_assymmetric_key"
        /// The keychain is not available, for example before the first unlock.
        case failedKeyRetrieval = "a0.guardian.internal.failed.retrieve_assymmetric_key"
        /// There is no key with that reference on this device.
        case keyNotFound = "a0.guardian.internal.no.private_key"
        /// The key did not sign the answer.
        case cannotSignChallenge = "a0.guardian.internal.cannot.sign_challenge"
        /// The key did not sign the token for the device's own enrolment or channel.
        case cannotSignToken = "a0.guardian.internal.cannot.sign_token"
        /// The key did not sign the proof for the details of a request.
        case cannotSignProof = "a0.guardian.internal.failed.creation_dpop_proof"
        /// The key's type has no ``SigningKey/reference`` of its own.
        case keyNotStorable = "a0.guardian.internal.no.key_reference"
        /// The store could not read or write. It still has its old content.
        case failedDeviceStorage = "a0.guardian.internal.failed.store_device"
    }

    init(_ code: Code, cause: (any Error)? = nil, detail: String? = nil) {
        self.init(
            code: code.rawValue, description: detail.map { "\(code.message): \($0)" } ?? code.message, info: [:],
            statusCode: nil, cause: cause)
    }

    private init(code: String, description: String, info: [String: Json], statusCode: Int?, cause: (any Error)?) {
        self.code = code
        self.description = description
        self.info = info
        self.statusCode = statusCode
        self.cause = cause
    }

    /// A copy that names the device, for calls that work on several.
    func naming(device id: String) -> GuardianError {
        var info = info
        info["device"] = Json(.string(id))
        return GuardianError(code: code, description: description, info: info, statusCode: statusCode, cause: cause)
    }

    /// Nil means that the response has no `errorCode`, so it did not come from the device API.
    init?(_ response: ResponseEvent) {
        guard let data = response.data, let value = try? JSONReader.parse(Array(data)), let object = value.objectValue,
            let body = try? GuardianErrorBody(parsing: Array(data), status: response.statusCode),
            let code = body.errorCode
        else { return nil }
        self.code = code.rawValue
        description = body.message.isEmpty ? code.rawValue : body.message
        var info: [String: Json] = [:]
        for (name, value) in object where name != "errorCode" { info[name] = Json(value) }
        self.info = info
        statusCode = response.statusCode
        cause = nil
    }
}

/// A call that failed on its way: no connection, no response, or a response that is not from this API.
public struct NetworkError: Error, Sendable, CustomStringConvertible, Equatable {
    /// Kinds of such failures. Those for statuses apply if the response has no `errorCode`.
    public enum Code: String, Sendable, CaseIterable {
        /// No response arrived. ``NetworkError/cause`` says why.
        case failedRequest
        /// The response is not in the form of this API. Another service may have answered.
        case invalidResponse
        /// The response has no body, but should have one.
        case missingResponse
        /// Status 400.
        case badRequest
        /// Status 401 or 403.
        case notAuthorized
        /// Status 404.
        case notFound
        /// Status 429.
        case rateLimited
        /// Status 500 to 599.
        case serverError
        /// Any other status that is not 2xx.
        case failedResponse

        init(statusCode: Int) {
            self =
                switch statusCode {
                case 400: .badRequest
                case 401, 403: .notAuthorized
                case 404: .notFound
                case 429: .rateLimited
                case 500...599: .serverError
                default: .failedResponse
                }
        }
    }

    public let code: Code
    /// Status of the response, or 0 if there was none.
    public let statusCode: Int
    /// The reason without advice. It may be a text that the server sent.
    public let description: String
    /// The transport's error, or the fault in the response. Nil means that the status says all.
    public let cause: (any Error)?

    init(code: Code, statusCode: Int = 0, description: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.statusCode = statusCode
        self.description = description ?? cause.map { "\(code.message): \($0)" } ?? code.message
        self.cause = cause
    }

    /// Error for a response that is not 2xx and has no code. A plain text is its description.
    init(_ response: ResponseEvent) {
        let text = response.mediaType == "text/plain" ? response.data.map { String(decoding: $0, as: UTF8.self) } : nil
        self.init(code: Code(statusCode: response.statusCode), statusCode: response.statusCode, description: text)
    }

    /// Compares the codes and statuses.
    public static func == (left: NetworkError, right: NetworkError) -> Bool {
        left.code == right.code && left.statusCode == right.statusCode
    }
}
