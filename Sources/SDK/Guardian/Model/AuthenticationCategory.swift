import GuardianWire

/// Identifiers for an app's notification category, with which the system offers allow and reject on the notification.
public struct AuthenticationCategory: Sendable, Hashable {
    /// A button of the notification.
    public struct Action: Sendable, Hashable {
        public let identifier: String
    }

    public let identifier: String
    public let allow: Action
    public let reject: Action

    /// The category of the server's notifications, as in `aps.category`.
    public static let `default` = AuthenticationCategory(
        identifier: NotificationPayload.category,
        allow: Action(identifier: NotificationPayload.acceptActionIdentifier),
        reject: Action(identifier: NotificationPayload.rejectActionIdentifier))
}
