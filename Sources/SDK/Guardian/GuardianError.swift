import Foundation
import GuardianWire
import Primitives

/// A refusal of the server with its error code, or a failure of this SDK with a ``Code``.
public struct GuardianError: Error, Sendable, CustomStringConvertible {
    /// The server's `errorCode`, such as `enrollment_transaction_not_found`, or the raw value of a ``Code``.
    public let code: String
    public let description: String
    /// Other members of the server's response.
    public let info: [String: Json]
    /// Status of the server's response. Nil for failures of this SDK.
    public let statusCode: Int?
    public let cause: (any Error)?

    /// Failures of this SDK.
    public enum Code: String, Sendable, CaseIterable {
        case invalidDomain = "a0.guardian.internal.invalid.domain"
        case invalidEnrollmentUri = "a0.guardian.internal.invalid.enrollment_uri"
        case invalidOTPSecret = "a0.guardian.internal.invalid.base32_secret"
        case invalidOTPParameters = "a0.guardian.internal.invalid.otp_parameters"
        case invalidNotificationActionIdentifier = "a0.guardian.internal.invalid.notification_action_identifier"
        case invalidKey = "a0.guardian.internal.invalid.assymmetric_key"
        case invalidJWK = "a0.guardian.internal.invalid_jwk"
        case failedKeyCreation = "a0.guardian.internal.failed.creation_assymmetric_key"
        case failedKeyStorage = "a0.guardian.internal.failed.store_assymmetric_key"
        case failedKeyRetrieval = "a0.guardian.internal.failed.retrieve_assymmetric_key"
        case keyNotFound = "a0.guardian.internal.no.private_key"
        case cannotSignChallenge = "a0.guardian.internal.cannot.sign_challenge"
        case cannotSignToken = "a0.guardian.internal.cannot.sign_token"
        case cannotSignProof = "a0.guardian.internal.failed.creation_dpop_proof"
        case keyNotStorable = "a0.guardian.internal.no.key_reference"
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
    public enum Code: String, Sendable, CaseIterable {
        case failedRequest, invalidResponse, missingResponse, badRequest, notAuthorized, notFound, rateLimited
        case serverError, failedResponse

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
    public let description: String
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

    public static func == (left: NetworkError, right: NetworkError) -> Bool {
        left.code == right.code && left.statusCode == right.statusCode
    }
}
