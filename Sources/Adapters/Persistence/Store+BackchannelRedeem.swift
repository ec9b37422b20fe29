package import AuthorizationCore
package import Flows
import SQL

extension Store: BackchannelRedeemStore {
    private static let poll = StaticStatement(
        """
        SELECT state, expires_at, poll_interval FROM backchannel_request
        WHERE hash = $1 AND client = $2 AND tenant = $3 AND
        """, RequestSQL.isOfLogin, "$4")

    package func poll(
        _ hash: AuthReqIDHash, client: ClientID, login: [UInt8]?, tenant: TenantID
    ) async throws -> PolledRequest? {
        try await database.first(Self.poll(hash.bytes, client, tenant, login)) { row in
            guard let state = BackchannelRequest.State(rawValue: try row.int(0)) else {
                throw CorruptRow(what: "state")
            }
            return PolledRequest(state: state, expiresAt: try row.timestamp(1), interval: try row.int(2))
        }
    }

    private static let byHash = StaticStatement(
        "SELECT", SealedRequest.columns, ",", User.columns,
        """
        FROM backchannel_request LEFT JOIN "user"
            ON "user".tenant = backchannel_request.tenant AND "user".id = backchannel_request."user"
        WHERE backchannel_request.hash = $1 AND backchannel_request.tenant = $2
        """)

    package func request(
        _ hash: AuthReqIDHash, tenant: TenantID
    ) async throws -> (request: SealedRequest, user: User?)? {
        try await database.first(Self.byHash(hash.bytes, tenant)) { row in
            let user = SealedRequest.columnCount
            return (try SealedRequest(row), try row.isNull(user) ? nil : User(row, at: user))
        }
    }

    private static let redeem = StaticStatement(
        "UPDATE backchannel_request SET", RequestSQL.becomesRedeemed,
        // Without its seal, no decision counts again, even if somebody resets the state.
        #", sealed_outcome = NULL WHERE hash = $1 AND client = $2 AND tenant = $3 AND expires_at > $4 AND "user" = $5 AND"#,
        RequestSQL.isApproved, "AND", RequestSQL.isOfLogin,
        """
        $6 AND (decided_in IS NOT NULL
            OR EXISTS (SELECT 1 FROM device WHERE id = backchannel_request.decided_by AND tenant = $3))
        """)

    package func redeem(_ redemption: Redemption) async throws -> Bool {
        let entry = UnchainedAuditEntry(redemption.event)
        return try await allOrNothing { connection in
            // Tokens are given once (CIBA Core 11), and nobody would get these.
            if redemption.clientHasLeft() { return false }
            let changed = try connection.execute(
                Self.redeem(
                    redemption.hash.bytes, redemption.client, redemption.tenant, redemption.now, redemption.user,
                    redemption.login))
            guard changed == 1 else { return false }
            if let family = redemption.refreshToken { try insert(family, connection) }
            try append(entry, connection)
            return true
        }
    }
}

extension Store: WaitingRequestStore {
    package func waiting(_ requests: [AuthReqIDHash]) async throws -> Set<AuthReqIDHash> {
        let hashes = SQLFragment.joined(requests.map { "\($0.bytes)" }, by: ", ")
        let found = try await database.query(
            "SELECT hash FROM backchannel_request WHERE hash IN (\(hashes)) AND \(raw: RequestSQL.isPending.description)"
        ) { AuthReqIDHash(stored: try $0.blob(0)) }
        return Set(found)
    }
}
