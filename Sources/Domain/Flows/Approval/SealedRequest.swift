package import AuthorizationCore
package import Primitives

/// A request as it is stored. Its record and its outcome are sealed under the master key, bound to the other columns.
/// Only `RequestVault` makes a request of it.
package struct SealedRequest: Sendable, Equatable {
    /// 0 before the request is stored.
    package var sequence: Int64 = 0
    package let hash: AuthReqIDHash
    package let tenant: TenantID
    package let client: ClientID
    package let user: UserID
    package let audience: String
    package let channel: Client.NotificationChannel
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    package let interval: Int
    package let wantsReceipt: Bool
    package let login: [UInt8]?
    package let browser: [UInt8]?
    /// Empty before it is sealed.
    package var record: [UInt8] = []
    package var state = BackchannelRequest.State.pending
    /// Device that decided. Nil before the decision, and if a session decided or the client withdrew the request.
    package var decidedBy: DeviceID?
    /// Session in which the person decided. Nil before the decision, and if a device decided.
    package var decidedIn: SessionID?
    /// Nil before the decision, and after the redemption.
    package var outcome: [UInt8]?

    package init(
        hash: AuthReqIDHash, tenant: TenantID, client: ClientID, user: UserID, audience: String,
        channel: Client.NotificationChannel,
        createdAt: Timestamp, expiresAt: Timestamp, interval: Int, wantsReceipt: Bool, login: [UInt8]?,
        browser: [UInt8]?
    ) {
        self.hash = hash
        self.tenant = tenant
        self.client = client
        self.user = user
        self.audience = audience
        self.channel = channel
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.interval = interval
        self.wantsReceipt = wantsReceipt
        self.login = login
        self.browser = browser
    }

    package var consentID: ConsentID { hash.consentID }

    /// True for a request that goes to phones and waits no longer than `briefLife`.
    package var isBrief: Bool { channel == .guardianPush && expiresAt - createdAt <= Self.briefLife }

    /// Longest life of a request for which push comes first.
    package static let briefLife = Duration.seconds(300)

    /// Sealing context of the record: every column that changes only with a new seal. The length before each keeps different rows
    /// apart.
    package var recordContext: String {
        Self.recordContext([
            Hex.encode(hash.bytes), tenant.rawValue, client.rawValue, user.rawValue, audience, channel.rawValue,
            String(createdAt.milliseconds), String(expiresAt.milliseconds), String(interval),
            wantsReceipt ? "1" : "0", login.map(Hex.encode) ?? "",
            browser.map(Hex.encode) ?? "",
        ])
    }

    /// `columns` are the values of those columns, in the order of the table, bytes in hexadecimal digits.
    package static func recordContext(_ columns: [String]) -> String {
        // Bytes cost a third of texts that are joined.
        var context = Array("request".utf8)
        context.reserveCapacity(columns.reduce(16) { $0 + $1.utf8.count + 6 })
        for column in columns {
            context.append(UInt8(ascii: "/"))
            context.append(contentsOf: String(column.utf8.count).utf8)
            context.append(UInt8(ascii: ":"))
            context.append(contentsOf: column.utf8)
        }
        return String(decoding: context, as: UTF8.self)
    }

    /// Sealing context of the outcome.
    package static func outcomeContext(_ hash: AuthReqIDHash, tenant: TenantID) -> String {
        "outcome/\(Hex.encode(hash.bytes))/\(tenant)"
    }
}
