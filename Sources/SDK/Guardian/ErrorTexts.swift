public import Foundation
import GuardianWire
import HTTPModel
import Localization
import Primitives

// English texts of errors: the reason, then the next step.

extension GuardianError: LocalizedError {
    /// The reason and the next step, for a log or a person, without secrets.
    public var errorDescription: String? { sentences(description, recoverySuggestion) }
    public var failureReason: String? { sentences(description, nil) }
    public var recoverySuggestion: String? { Code(rawValue: code)?.advice ?? Self.advice(code) }

    /// Advice for the server's codes.
    private static func advice(_ code: String) -> String? {
        switch GuardianErrorBody.Code(rawValue: code) {
        case .invalidToken, .invalidChallenge, .invalidDPoPAssertion:
            "Check that this device's clock is right. If it is, enrol this device again."
        case .invalidBody: "Update the app. The server does not understand its requests."
        case .enrollmentTransactionNotFound:
            "Codes and tickets can be used once and for a short time. Ask for a new one."
        case .enrollmentNotFound:
            "This device was removed at the server. Delete it here and enrol it again with a new code."
        case .loginTransactionNotFound, .transactionExpired, .consentNotFound:
            "The request was already answered or has expired. There is nothing left to do."
        case .methodNotFound: "Check that the domain belongs to the server that enrolled this device."
        case .wrongNumber:
            "The request was rejected. Start again in the application, and pick the number that it shows."
        case .numberRequired: "Pick the number that the application shows, and pass it as pick."
        case .passkeyRequired, .invalidPasskey:
            "Answer the request in the web app of the server, with the passkey of this person."
        case .tooManyRequests: "Wait a minute, then try again."
        default: nil
        }
    }
}

extension GuardianError {
    /// The text for the person whose answer the server refused, in their language. Nil for an error of another kind.
    ///
    /// - Parameter language: A language tag, such as `de-AT`. English stands for a language that the SDK does not have.
    public func refusal(inLanguage language: String) -> String? {
        let texts = (Language(tag: language) ?? .english).texts.phone
        return switch GuardianErrorBody.Code(rawValue: code) {
        case .wrongNumber: texts.wrongNumber
        case .numberRequired: texts.numberRequired
        case .passkeyRequired: texts.passkeyRequired
        case .invalidPasskey: texts.invalidPasskey
        case .loginTransactionNotFound, .transactionExpired, .consentNotFound: texts.needsNoAnswer
        default: nil
        }
    }
}

extension GuardianError.Code {
    var message: String {
        switch self {
        case .invalidDomain: "The domain is neither a host name nor an https URL"
        case .invalidEnrollmentUri: "The enrolment code is not from this service"
        case .invalidOTPSecret: "The one-time password's secret is not Base32"
        case .invalidOTPParameters: "One-time passwords must have 6 to 8 digits and a period of 1 to 3600 seconds"
        case .invalidNotificationActionIdentifier: "The action is neither allow nor reject"
        case .invalidKey: "The data is not a private key of this kind"
        case .invalidJWK: "The public key cannot be written as a JWK"
        case .failedKeyCreation: "The key could not be created"
        case .failedKeyStorage: "The key could not be stored"
        case .failedKeyRetrieval: "The key could not be read"
        case .keyNotFound: "The key is not stored here"
        case .cannotSignChallenge: "The answer could not be signed"
        case .cannotSignToken: "The device's token could not be signed"
        case .cannotSignProof: "The proof of possession could not be signed"
        case .keyNotStorable: "The key has no reference to find it again"
        case .failedDeviceStorage: "The device could not be stored or read"
        }
    }

    var advice: String {
        switch self {
        case .invalidDomain:
            "Name the server as id.example.org or https://id.example.org. Plain http is allowed only for localhost, "
                + "127.0.0.1 and ::1."
        case .invalidEnrollmentUri: "Scan the whole code again, or ask for a new one."
        case .invalidOTPSecret, .invalidOTPParameters: "Enrol this device again with a new code."
        case .invalidNotificationActionIdentifier: "Pass an identifier of AuthenticationCategory.default."
        case .invalidKey: "Pass the data of a key of the same type, unchanged."
        case .invalidJWK: "Use a key for ES256, or for RS256 with 2048 bits or more."
        case .failedKeyCreation, .cannotSignChallenge, .cannotSignToken, .cannotSignProof:
            "Unlock the device and try again. The error's cause has the system's reason."
        case .failedKeyStorage, .failedKeyRetrieval:
            "Unlock the device and try again. On macOS the app must be signed to use the keychain. The error's cause "
                + "has the system's code."
        case .keyNotFound: "Enrol this device again with a new code. There is no other copy of the key."
        case .keyNotStorable: "Give the key's type a reference (SigningKeyReference.named), or use a key of this SDK."
        case .failedDeviceStorage: "The error's cause has the system's reason. Nothing was changed."
        }
    }
}

extension NetworkError: LocalizedError {
    /// The reason and the next step, for a log or a person, without secrets.
    public var errorDescription: String? { sentences(description, recoverySuggestion) }
    public var failureReason: String? { sentences(description, nil) }

    public var recoverySuggestion: String? {
        switch cause as? HTTPClientError {
        // The text already says what to do.
        case .untrusted: return nil
        case .invalidURL: return GuardianError.Code.invalidDomain.advice
        default: return code.advice
        }
    }
}

extension NetworkError.Code {
    var message: String {
        switch self {
        case .failedRequest: "The request could not be sent"
        case .invalidResponse: "The response does not have the expected form"
        case .missingResponse: "The response has no body"
        case .badRequest: "The server rejected the request as invalid"
        case .notAuthorized: "The server did not accept the authorization"
        case .notFound: "The server has no such resource"
        case .rateLimited: "Too many requests"
        case .serverError: "The server failed to answer"
        case .failedResponse: "The server refused the request"
        }
    }

    var advice: String {
        switch self {
        case .failedRequest: "Check the network connection and the server's name, then try again."
        case .invalidResponse, .missingResponse, .notFound, .failedResponse:
            "Check the server's domain. Another service or a network's login page may have answered."
        case .badRequest: "Update the app. The server does not understand its requests."
        case .notAuthorized: "Check that this device's clock is right. If it is, enrol this device again."
        case .rateLimited: "Wait a minute, then try again."
        case .serverError: "Try again in a minute. If that does not help, tell the server's operator."
        }
    }
}
