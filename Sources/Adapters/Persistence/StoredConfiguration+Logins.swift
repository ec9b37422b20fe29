import AuthorizationCore
import Configuration
import Primitives
import SQL

extension StoredConfiguration {
    // MARK: sessions

    func sessions(of user: UserID, in tenant: TenantID, now: Timestamp) throws -> [SessionRecord] {
        try sessions(#""user" = \#(user) AND tenant = \#(tenant)"#, now: now)
    }

    func session(_ id: SessionID, in tenant: TenantID, now: Timestamp) throws -> SessionRecord? {
        try sessions("id = \(id) AND tenant = \(tenant)", now: now).first
    }

    private func sessions(_ condition: SQLFragment, now: Timestamp) throws -> [SessionRecord] {
        try connection.query(
            """
            SELECT \(raw: Session.columns.map(\.description).joined()) FROM session WHERE \(condition) AND expires_at > \(now) AND idle_expires_at > \(now) ORDER BY sequence
            """
        ) { try Session($0) }.map { SessionRecord(session: $0, clients: try Store.clients(in: $0.id, connection)) }
    }

    func end(session: SessionID, in tenant: TenantID, now: Timestamp) throws -> SessionEnd? {
        try store.end(where: "id = \(session) AND tenant = \(tenant)", now: now, connection)
    }

    // MARK: refresh tokens

    private static func condition(_ filter: RefreshTokenFilter, _ tenant: TenantID) -> SQLFragment {
        var parts: [SQLFragment] = ["tenant = \(tenant)"]
        if let ids = filter.ids {
            let list = SQLFragment.joined(ids.map { "\($0)" }, by: ", ")
            // `IN ()` is no SQL.
            parts.append(ids.isEmpty ? "1 = 0" : "authorization_id IN (\(list))")
        }
        if let user = filter.user { parts.append(#""user" = \#(user)"#) }
        if let client = filter.client { parts.append("client = \(client)") }
        if let audience = filter.audience { parts.append("audience = \(audience)") }
        if let session = filter.session { parts.append("session = \(session)") }
        return .joined(parts, by: " AND ")
    }

    func refreshTokens(
        _ filter: RefreshTokenFilter, in tenant: TenantID, limit: Int?, now: Timestamp
    ) throws -> [RefreshTokenRecord] {
        try connection.query(
            """
            SELECT \(raw: RefreshTokenFamily.columns.map(\.description).joined()), metadata
            FROM refresh_token_family WHERE \(Self.condition(filter, tenant)) AND expires_at > \(now)
                AND (idle_expires_at IS NULL OR idle_expires_at > \(now))
            ORDER BY sequence LIMIT \(limit ?? .max)
            """
        ) { row in
            let stored = try row.text(RefreshTokenFamily.columnCount)
            let metadata = stored.isEmpty ? [:] : try JSONValue(stored: stored).objectValue
            guard let metadata else { throw CorruptRow(what: "metadata of a refresh token") }
            return RefreshTokenRecord(family: try RefreshTokenFamily(row), metadata: metadata)
        }
    }

    func removeRefreshTokens(
        _ filter: RefreshTokenFilter, from tenant: TenantID, tokensExpireAt: Timestamp
    ) throws -> [AuthorizationID] {
        let theirs = Self.condition(filter, tenant)
        try connection.hold("refresh_token_family", by: "sequence", where: theirs)
        let removed = try connection.query(
            "DELETE FROM refresh_token_family WHERE \(theirs) RETURNING authorization_id"
        ) { try $0.id(0, of: GrantedAccess.self) }
        for id in removed { try Store.revokeAccessTokens(of: id, tenant: tenant, until: tokensExpireAt, connection) }
        return removed
    }

    func put(metadata: JSONObject, ofRefreshToken id: AuthorizationID, in tenant: TenantID) throws -> Bool {
        try connection.execute(
            """
            UPDATE refresh_token_family SET metadata = \(metadata.isEmpty ? "" : JSONWriter.string(.object(metadata)))
            WHERE authorization_id = \(id) AND tenant = \(tenant)
            """) > 0
    }

    // MARK: consents

    private static func condition(_ filter: ConsentFilter, _ tenant: TenantID) -> SQLFragment {
        var parts: [SQLFragment] = ["tenant = \(tenant)"]
        if let user = filter.user { parts.append(#""user" = \#(user)"#) }
        if let client = filter.client { parts.append("client = \(client)") }
        if let audience = filter.audience { parts.append("audience = \(audience)") }
        return .joined(parts, by: " AND ")
    }

    func consents(_ filter: ConsentFilter, in tenant: TenantID, skip: Int, limit: Int) throws -> [ConsentGrant] {
        try connection.query(
            """
            SELECT \(raw: RowSeal.consent.list.description) FROM consent_grant
            WHERE \(Self.condition(filter, tenant)) ORDER BY "user", client, audience LIMIT \(limit) OFFSET \(skip)
            """
        ) { try ConsentGrant($0) }
    }

    func consentCount(_ filter: ConsentFilter, in tenant: TenantID) throws -> Int {
        try connection.first("SELECT count(*) FROM consent_grant WHERE \(Self.condition(filter, tenant))") {
            try $0.int(0)
        } ?? 0
    }

    func removeConsents(_ filter: ConsentFilter, from tenant: TenantID, now: Timestamp) throws -> Int {
        let condition = Self.condition(filter, tenant)
        let removed = try connection.execute("DELETE FROM consent_grant WHERE \(condition)")
        try Store.endAuthorizations(where: condition, now: now, connection)
        return removed
    }
}
