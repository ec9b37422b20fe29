import GuardianWire

/// Allows and rejects requests for one device.
public struct Authentication: Sendable {
    let api: API
    let device: any AuthenticationDevice

    /// Allows the request.
    public func allow(notification: Notification) -> Request<NoContent> {
        resolve(notification, accepted: true, reason: nil)
    }

    /// Rejects the request. The client and the server's log get the first 256 characters of `reason`.
    public func reject(notification: Notification, withReason reason: String? = nil) -> Request<NoContent> {
        resolve(notification, accepted: false, reason: reason)
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

    private func resolve(_ notification: Notification, accepted: Bool, reason: String?) -> Request<NoContent> {
        api.resolve(transaction: notification.transactionToken) { [api, device] url in
            let response = ChallengeResponse(
                deviceIdentifier: device.localIdentifier, challenge: notification.challenge, audience: url,
                issuedAt: api.server.configuration.timestamp, accepted: accepted, reason: reason)
            return try KeySigner(device.signingKey).jwt(response.payload, failure: .cannotSignChallenge)
        }
    }
}
