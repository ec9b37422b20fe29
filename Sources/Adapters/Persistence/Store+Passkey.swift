import Audit
package import AuthorizationCore
package import Flows
import JOSE
package import Primitives
import SQL

extension Store: PasskeyLoginStore {
    private static let columns: StaticString = """
        id, "user", handle, public_key, host, sign_count, device, name, logs_in, created_at, last_used_at
        """

    static let passkeysOfUser = StaticStatement(
        "SELECT", columns, #"FROM passkey WHERE tenant = $1 AND "user" = $2 ORDER BY created_at, id"#)
    private static let byID = StaticStatement("SELECT", columns, "FROM passkey WHERE tenant = $1 AND id = $2")

    package func passkeys(of user: UserID, tenant: TenantID) async throws -> [OwnedPasskey] {
        try await database.query(Self.passkeysOfUser(tenant, user)) { try OwnedPasskey($0) }
    }

    package func passkey(_ id: [UInt8], tenant: TenantID) async throws -> OwnedPasskey? {
        try await database.first(Self.byID(tenant, id)) { try OwnedPasskey($0) }
    }

    package func register(_ new: NewPasskey, tenant: TenantID) async throws -> Bool {
        try await database.write { connection in
            guard
                try Self.add(
                    new.passkey, limit: 1, challenge: new.challenge, tenant: tenant, now: new.event.at, connection)
            else { return false }
            try append(new.event, connection)
            if let notice = new.notice { try insert(notice, connection) }
            return true
        }
    }

    /// Uses the challenge up and inserts the passkey, unless its person has `limit` passkeys.
    static func add(
        _ owned: OwnedPasskey, limit: Int, challenge: UsedProof, tenant: TenantID, now: Timestamp,
        _ connection: any Connection
    ) throws -> Bool {
        try connection.lock(owned.user, in: tenant)
        guard try use(challenge, tenant: tenant, now: now, connection) else { return false }
        let passkey = owned.passkey
        let added = try connection.execute(
            """
            INSERT INTO passkey (tenant, id, "user", handle, public_key, host, sign_count, device, name, logs_in,
                created_at)
            SELECT \(tenant), \(passkey.id), "user".id, \(owned.handle),
                \(JSONWriter.string(passkey.publicKey.json)), \(passkey.relyingParty), \(Int64(passkey.signCount)),
                \(owned.device), \(owned.name), \(owned.logsIn), \(owned.createdAt)
            FROM "user" WHERE "user".tenant = \(tenant) AND "user".id = \(owned.user) AND "user".blocked = 0
                AND (\(owned.device == nil) = 1 OR EXISTS (SELECT 1 FROM device
                    WHERE device.id = \(owned.device) AND device.tenant = \(tenant)
                        AND device."user" = \(owned.user)))
                AND (SELECT count(*) FROM passkey
                    WHERE passkey.tenant = \(tenant) AND passkey."user" = \(owned.user)) < \(limit)
            ON CONFLICT (tenant, id) DO NOTHING
            """)
        return added == 1
    }

    /// Deletes a passkey, and voids what it proved before.
    static func remove(
        passkey id: [UInt8], of user: UserID, tenant: TenantID, now: Timestamp, _ connection: any Connection
    ) throws -> Bool {
        let removed = try connection.execute(
            #"DELETE FROM passkey WHERE tenant = \#(tenant) AND id = \#(id) AND "user" = \#(user)"#)
        guard removed > 0 else { return false }
        try voidFactors(of: user, tenant: tenant, now: now, connection)
        return true
    }

    /// The rule of `Passkey.allows`.
    private static let grows: StaticString = "(sign_count < $4 OR sign_count = 0 AND $4 = 0)"

    /// Holds the passkey until its count is written.
    private static let allowsUse = StaticStatement { dialect in
        """
        SELECT 1 FROM passkey WHERE tenant = $2 AND id = $3
            AND "user" = (SELECT device."user" FROM device WHERE device.id = $1 AND device.tenant = $2) AND \(grows)
        \(dialect.holding(.changing))
        """
    }

    /// The rule of `Passkey.allows`, within the transaction of the decision.
    static func allows(_ use: PasskeyUse, of resolution: Resolution, _ connection: any Connection) throws -> Bool {
        try allows(use, of: resolution.decider.device, tenant: resolution.tenant, connection)
    }

    /// Nil is no device.
    static func allows(
        _ use: PasskeyUse, of device: DeviceID?, tenant: TenantID, _ connection: any Connection
    ) throws -> Bool {
        try connection.exists(allowsUse(device, tenant, use.id, Int64(use.signCount)))
    }

    static let countPasskey = StaticStatement(
        "UPDATE passkey SET sign_count = $1, last_used_at = $4 WHERE tenant = $2 AND id = $3")

    private static let logIn = StaticStatement(
        """
        UPDATE passkey SET sign_count = $4, last_used_at = $5 WHERE tenant = $1 AND id = $2 AND "user" = $3
            AND logs_in = 1 AND EXISTS (SELECT 1 FROM "user" WHERE tenant = $1 AND id = $3 AND blocked = 0) AND
        """, grows)

    package func logIn(
        by use: PasskeyUse, of user: UserID, challenge: UsedProof, tenant: TenantID, now: Timestamp
    ) async throws -> Bool {
        try await database.write { connection in
            try Self.use(challenge, tenant: tenant, now: now, connection)
                && connection.execute(Self.logIn(tenant, use.id, user, Int64(use.signCount), now)) == 1
        }
    }
}

extension OwnedPasskey {
    init(_ row: borrowing Row) throws {
        guard let count = UInt32(exactly: try row.int64(5)) else { throw CorruptRow(what: "passkey count") }
        self.init(
            Passkey(
                id: try row.blob(0), publicKey: try DeviceKeys.key(stored: try row.text(3)),
                relyingParty: try row.text(4), signCount: count),
            of: try row.id(1), handle: try row.blob(2), device: try row.optionalID(6, of: Device.self),
            name: try row.text(7), logsIn: try row.bool(8), createdAt: try row.timestamp(9),
            lastUsedAt: try row.optionalTimestamp(10))
    }
}
