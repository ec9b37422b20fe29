package import Primitives

/// A push that asks a device to decide a transaction. APNs carries it as JSON, and the device channel exactly as APNs
/// does.
package struct NotificationPayload: Sendable, Equatable {
    /// The category that marks a Guardian push in APNs' `aps`.
    package static let category = "com.auth0.notification.authentication"
    package static let acceptActionIdentifier = category + ".accept"
    package static let rejectActionIdentifier = category + ".reject"

    /// A program or system by name and version.
    package struct Agent: Sendable, Hashable {
        package var name: String
        package var version: String?
    }

    /// Origin of the request.
    package struct Source: Sendable, Hashable {
        package var browser: Agent?
        package var system: Agent?
    }

    package struct Location: Sendable, Hashable {
        package var name: String?
        /// Degrees north.
        package var latitude: Double?
        /// Degrees east.
        package var longitude: Double?
    }

    /// Title on the lock screen, only in APNs' form.
    package var title: String?
    package var body: String?
    /// `dai`: the notified enrolment.
    package var enrollmentID: String
    /// `txtkn`: authorises this device to read the consent and to answer.
    package var transactionToken: String
    /// `txlnkid`: the consent record's id. Nil outside consent flows.
    package var transactionLinkingID: String?
    /// `c`: the challenge that the answer signs.
    package var challenge: String
    /// `d`: start of the transaction.
    package var date: Timestamp
    /// `sh`: the tenant's host.
    package var host: String
    package var source: Source?
    package var location: Location?
    /// True if the phone makes a sound even in quiet hours. Additional to Auth0's members.
    package var isUrgent = false

    package init(
        title: String? = nil, body: String? = nil, enrollmentID: String, transactionToken: String,
        transactionLinkingID: String?, challenge: String, date: Timestamp, host: String, source: Source? = nil,
        location: Location? = nil
    ) {
        self.title = title
        self.body = body
        self.enrollmentID = enrollmentID
        self.transactionToken = transactionToken
        self.transactionLinkingID = transactionLinkingID
        self.challenge = challenge
        self.date = date
        self.host = host
        self.source = source
        self.location = location
    }
}
