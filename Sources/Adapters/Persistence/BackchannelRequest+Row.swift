import AuthorizationCore
import Flows
import OAuthWire
import Primitives
import SQL

extension BackchannelRequest {
    /// Qualified by the table, for joins.
    static let columns: StaticString = """
        backchannel_request.sequence, backchannel_request.hash, backchannel_request.tenant, backchannel_request.client,
        backchannel_request."user", backchannel_request.scope, backchannel_request.audience,
        backchannel_request.binding_message, backchannel_request.authorization_details, backchannel_request.channel,
        backchannel_request.created_at, backchannel_request.expires_at, backchannel_request.poll_interval,
        backchannel_request.state, backchannel_request.decided_at, backchannel_request.decided_by,
        backchannel_request.login
        """
    static let columnCount = 17

    init(_ row: borrowing Row) throws {
        guard let channel = Client.NotificationChannel(rawValue: try row.text(9)),
            let state = State(rawValue: try row.int(13))
        else { throw CorruptRow(what: "backchannel_request") }
        self.init(
            consentID: AuthReqIDHash(stored: try row.blob(1)).consentID, tenant: try row.id(2), client: try row.id(3),
            user: try row.id(4), scope: ScopeSet(try row.text(5).split(separator: " ").map(String.init)),
            audience: try row.text(6), bindingMessage: try row.text(7),
            authorizationDetails: try row.optionalText(8).map { try JSONValue(stored: $0) }, channel: channel,
            createdAt: try row.timestamp(10), expiresAt: try row.timestamp(11), interval: try row.int(12))
        sequence = try row.int64(0)
        self.state = state
        decidedAt = try row.optionalTimestamp(14)
        decidedBy = try row.optionalID(15)
        login = try row.isNull(16) ? nil : row.blob(16)
    }
}
