public import Primitives

/// A push that asks a device to decide a transaction. APNs carries it as JSON, FCM as a flat map of strings, and the
/// device channel exactly as APNs does.
public struct NotificationPayload: Sendable, Equatable {
    /// The category that marks a Guardian push in APNs' `aps`.
    public static let category = "com.auth0.notification.authentication"
    public static let acceptActionIdentifier = category + ".accept"
    public static let rejectActionIdentifier = category + ".reject"

    /// A program or system by name and version.
    public struct Agent: Sendable, Hashable {
        public var name: String
        public var version: String?

        public init(name: String, version: String? = nil) {
            self.name = name
            self.version = version
        }
    }

    /// Where the request came from.
    public struct Source: Sendable, Hashable {
        public var browser: Agent?
        public var system: Agent?

        public init(browser: Agent? = nil, system: Agent? = nil) {
            self.browser = browser
            self.system = system
        }
    }

    public struct Location: Sendable, Hashable {
        public var name: String?
        /// Degrees north.
        public var latitude: Double?
        /// Degrees east.
        public var longitude: Double?

        public init(name: String? = nil, latitude: Double? = nil, longitude: Double? = nil) {
            self.name = name
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// What the lock screen shows; only in APNs' form.
    public var title: String?
    public var body: String?
    /// `dai`: the enrolment that is asked.
    public var enrollmentID: String
    /// `txtkn`: authorises this device to read the consent and to answer.
    public var transactionToken: String
    /// `txlnkid`: the consent record's id; nil outside consent flows.
    public var transactionLinkingID: String?
    /// `c`: what the answer signs.
    public var challenge: String
    /// `d`: when the transaction began.
    public var date: Timestamp
    /// `sh`: the tenant's host.
    public var host: String
    public var source: Source?
    public var location: Location?

    public init(
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
