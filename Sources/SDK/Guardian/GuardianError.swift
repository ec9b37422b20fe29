import Foundation
import GuardianWire
import JOSE
import Primitives

/// What the server refused, by its own code, or what this SDK could not do, by a code of ``Code``.
public struct GuardianError: Error, Sendable, CustomStringConvertible {
    /// The server's `errorCode`, `enrollment_transaction_not_found` for example, or the raw value of a ``Code``.
    public let code: String
    public let description: String
    /// The other members of the server's answer.
    public let info: [String: Json]
    /// The status of the server's answer; nil for errors of this SDK.
    public let statusCode: Int?
    public let cause: (any Error)?

    /// Errors of this SDK.
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

    /// The same error, of one of several devices.
    func naming(device id: String) -> GuardianError {
        var info = info
        info["device"] = Json(.string(id))
        return GuardianError(code: code, description: description, info: info, statusCode: statusCode, cause: cause)
    }

    /// Nil where the answer has no `errorCode`: then it did not come from the device API.
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

/// A call that failed on its way: no connection, no answer, or an answer that is not this API's.
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
    /// The status of the answer; 0 where there was none.
    public let statusCode: Int
    public let description: String
    public let cause: (any Error)?

    init(code: Code, statusCode: Int = 0, description: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.statusCode = statusCode
        self.description = description ?? cause.map { "\(code.message): \($0)" } ?? code.message
        self.cause = cause
    }

    /// The error of an answer that is not 2xx and says no code; plain text is its description.
    init(_ response: ResponseEvent) {
        let text = response.mediaType == "text/plain" ? response.data.map { String(decoding: $0, as: UTF8.self) } : nil
        self.init(code: Code(statusCode: response.statusCode), statusCode: response.statusCode, description: text)
    }

    public static func == (left: NetworkError, right: NetworkError) -> Bool {
        left.code == right.code && left.statusCode == right.statusCode
    }
}
