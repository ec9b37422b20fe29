import HTTPModel

/// Reasons for which Apple's push service refuses a message, as its answer's `reason`.
enum APNsReason: String, CaseIterable {
    case badCollapseID = "BadCollapseId"
    case badDeviceToken = "BadDeviceToken"
    case badExpirationDate = "BadExpirationDate"
    case badMessageID = "BadMessageId"
    case badPriority = "BadPriority"
    case badTopic = "BadTopic"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case duplicateHeaders = "DuplicateHeaders"
    case idleTimeout = "IdleTimeout"
    case invalidPushType = "InvalidPushType"
    case missingDeviceToken = "MissingDeviceToken"
    case missingTopic = "MissingTopic"
    case payloadEmpty = "PayloadEmpty"
    case topicDisallowed = "TopicDisallowed"
    case badCertificate = "BadCertificate"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case expiredProviderToken = "ExpiredProviderToken"
    case forbidden = "Forbidden"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case unrelatedKeyID = "UnrelatedKeyIdInToken"
    case badEnvironmentKeyID = "BadEnvironmentKeyIdInToken"
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    case expiredToken = "ExpiredToken"
    case unregistered = "Unregistered"
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"
    case internalServerError = "InternalServerError"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"

    enum Meaning: Equatable {
        /// The device's token is invalid.
        case gone(String)
        /// Another try may help.
        case retry
        /// The message is refused for good.
        case refused
        /// The token does not match the tenant's settings. It stays valid.
        case mismatch(String)
        /// The tenant's credentials are refused.
        case credentials(String)
        /// Apple refuses the provider token. A new token may help; otherwise the credentials are wrong.
        case providerToken(String)
        /// Another token of the same key was made less than 20 minutes ago, perhaps by another program.
        case earlierToken
    }

    var meaning: Meaning {
        switch self {
        case .badDeviceToken: .mismatch("the device's token is damaged, or sandbox does not fit the app's build")
        case .deviceTokenNotForTopic: .mismatch("the device's token is of another app than bundle_id")
        case .unregistered: .gone("the app was removed from the device")
        case .expiredToken: .gone("the device's token has expired")
        case .idleTimeout, .tooManyRequests, .internalServerError, .serviceUnavailable, .shutdown: .retry
        case .tooManyProviderTokenUpdates: .earlierToken
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders, .invalidPushType,
            .missingDeviceToken, .payloadEmpty, .badPath, .methodNotAllowed, .payloadTooLarge:
            .refused
        case .badTopic, .missingTopic, .topicDisallowed: .credentials("bundle_id is not an app of these credentials")
        case .badCertificate: .credentials("the certificate is not valid")
        case .badCertificateEnvironment: .credentials("the certificate is for the other environment; change sandbox")
        case .forbidden: .credentials("these credentials may not send")
        case .missingProviderToken: .credentials("the certificate was not accepted, and there is no key")
        case .unrelatedKeyID: .credentials("key_id is not the id of this key")
        case .badEnvironmentKeyID: .credentials("the key is for the other environment; change sandbox")
        case .invalidProviderToken:
            .providerToken("p8, key_id and team_id do not belong together, or the key was revoked")
        case .expiredProviderToken: .providerToken("this server's clock is wrong")
        }
    }

    /// Meaning of a reason that Apple added later.
    static func meaning(ofStatus status: Int) -> Meaning {
        if status == 403 { return .credentials("these credentials may not send") }
        return ClientResponse.mayPass(status: status) ? .retry : .refused
    }
}
