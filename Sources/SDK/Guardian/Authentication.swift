import GuardianWire

/// Allows and rejects requests for one device.
public struct Authentication: Sendable {
    let api: API
    let device: any AuthenticationDevice

    /// Allows the request.
    ///
    /// - Parameters:
    ///   - notification: The request as it was received.
    ///   - consent: The request as the user saw it. The answer signs its ``Consent/requestDigest``, which proves later
    ///     what was allowed, and which some APIs demand. Nil signs the notification's challenge alone.
    ///   - pick: The number that the user picked. Needed if the consent has ``Consent/matchingChoices`` or
    ///     ``Consent/asksTypedNumber``. A wrong number rejects the request.
    public func allow(
        notification: Notification, consent: Consent? = nil, pick: MatchingNumber? = nil
    ) -> Request<NoContent> {
        resolve(notification, accepted: true, consent) { $0.matchingPick = pick?.number }
    }

    /// Rejects the request.
    ///
    /// - Parameters:
    ///   - notification: The request as it was received.
    ///   - reason: The user's own words. The client and the server's log get the first 256 characters.
    ///   - consent: The request as the user saw it. The answer signs its ``Consent/requestDigest``.
    public func reject(
        notification: Notification, withReason reason: String? = nil, consent: Consent? = nil
    ) -> Request<NoContent> {
        resolve(notification, accepted: false, consent) { $0.reason = reason }
    }

    /// Rejects a request that the user did not ask for. The server tells the organization, and lets the same client
    /// ask this user only after a pause.
    ///
    /// - Parameters:
    ///   - notification: The request as it was received.
    ///   - consent: The request as the user saw it. The answer signs its ``Consent/requestDigest``.
    public func report(notification: Notification, consent: Consent? = nil) -> Request<NoContent> {
        resolve(notification, accepted: false, consent) { $0.isReported = true }
    }

    /// Allows or rejects the request by a notification action's identifier (see ``AuthenticationCategory``).
    public func handleAction(withIdentifier identifier: String, notification: Notification) -> Request<NoContent> {
        let category = AuthenticationCategory.default
        switch identifier {
        case category.allow.identifier: return allow(notification: notification)
        case category.reject.identifier: return reject(notification: notification)
        default:
            return api.resolve(transaction: notification.transactionToken) { _ in
                throw GuardianError(.invalidNotificationActionIdentifier)
            }
        }
    }

    private func resolve(
        _ notification: Notification, accepted: Bool, _ consent: Consent?,
        adding: @escaping @Sendable (inout ChallengeResponse) -> Void
    ) -> Request<NoContent> {
        api.resolve(transaction: notification.transactionToken) { [api, device] url in
            var response = ChallengeResponse(
                deviceIdentifier: device.localIdentifier, challenge: notification.challenge, audience: url,
                issuedAt: api.server.configuration.timestamp, accepted: accepted,
                requestDigest: consent?.requestDigest)
            adding(&response)
            return try KeySigner(device.signingKey).jwt(response.payload, failure: .cannotSignChallenge)
        }
    }
}
