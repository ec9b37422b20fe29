import AuthorizationCore
import Flows
import SQL

extension SealedRequest {
    /// Columns to which the record is bound.
    static let boundColumns = [
        "hash", "tenant", "client", "user", "audience", "channel", "created_at", "expires_at", "poll_interval",
        "wants_receipt", "login", "browser",
    ]

    /// Qualified by the table, for joins.
    static let columns: StaticString = """
        backchannel_request.hash, backchannel_request.tenant, backchannel_request.client, backchannel_request."user",
        backchannel_request.audience, backchannel_request.channel, backchannel_request.created_at,
        backchannel_request.expires_at, backchannel_request.poll_interval, backchannel_request.wants_receipt,
        backchannel_request.login, backchannel_request.sealed_record, backchannel_request.sequence,
        backchannel_request.state, backchannel_request.decided_by, backchannel_request.sealed_outcome,
        backchannel_request.decided_in, backchannel_request.browser
        """
    static let columnCount = 18

    init(_ row: borrowing Row) throws {
        guard let channel = Client.NotificationChannel(rawValue: try row.text(5)),
            let state = BackchannelRequest.State(rawValue: try row.int(13))
        else { throw CorruptRow(what: "backchannel_request") }
        self.init(
            hash: AuthReqIDHash(stored: try row.blob(0)), tenant: try row.id(1), client: try row.id(2),
            user: try row.id(3), audience: try row.text(4), channel: channel, createdAt: try row.timestamp(6),
            expiresAt: try row.timestamp(7), interval: try row.int(8), wantsReceipt: try row.bool(9),
            login: try row.optionalBlob(10), browser: try row.optionalBlob(17))
        record = try row.blob(11)
        sequence = try row.int64(12)
        self.state = state
        decidedBy = try row.optionalID(14)
        outcome = try row.optionalBlob(15)
        decidedIn = try row.optionalID(16)
    }
}
