public import AuthorizationCore
public import Flows
public import Primitives
import SQL

extension Store: BackchannelRedeemStore {
    private static let poll = StaticStatement(
        """
        SELECT state, expires_at, poll_interval FROM backchannel_request
        WHERE hash = $1 AND client = $2 AND tenant = $3
        """)

    public func poll(_ hash: AuthReqIDHash, client: ClientID, tenant: TenantID) async throws -> PolledRequest? {
        try await database.read { connection in
            try connection.first(Self.poll(hash.bytes, client, tenant)) { row in
                guard let state = BackchannelRequest.State(rawValue: try row.int(0)) else {
                    throw CorruptRow(what: "state")
                }
                return PolledRequest(state: state, expiresAt: try row.timestamp(1), interval: try row.int(2))
            }
        }
    }

    private static let byHash = StaticStatement(
        "SELECT", BackchannelRequest.columns,
        """
        FROM backchannel_request WHERE hash = $1 AND tenant = $2
        """)

    public func approved(_ hash: AuthReqIDHash, tenant: TenantID) async throws -> ApprovedRequest? {
        try await database.read { connection in
            let request = try connection.first(Self.byHash(hash.bytes, tenant)) { try BackchannelRequest($0) }
            guard let request else { return nil }
            return ApprovedRequest(
                request: request, user: try Self.user(request.user, tenant: tenant, connection))
        }
    }

    private static let redeem = StaticStatement(
        """
        UPDATE backchannel_request SET state = 3
        WHERE hash = $1 AND client = $2 AND tenant = $3 AND state = 1 AND expires_at > $4
        """)

    public func redeem(_ redemption: Redemption) async throws -> Bool {
        try await allOrNothing { connection in
            let changed = try connection.execute(
                Self.redeem(redemption.hash.bytes, redemption.client, redemption.tenant, redemption.now))
            guard changed == 1 else { return false }
            if let family = redemption.refreshToken { try Self.insert(family, connection) }
            try append(redemption.event, connection)
            return true
        }
    }
}
