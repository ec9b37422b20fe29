import AuthorizationCore
import JOSE
import Primitives
import SQL

extension StoredConfiguration {
    func signingKeys(of tenant: TenantID) throws -> [SigningKey] {
        try connection.query(
            """
            SELECT \(raw: RowSeal.signingKey.list.description), seal, sealed_private_key
            FROM signing_key WHERE tenant = \(tenant) ORDER BY created_at, id
            """
        ) { row -> SigningKey? in
            guard try isIntact(BoundRow(row, .signingKey), .signingKey) else { return changedKey(row, of: tenant) }
            guard let algorithm = JWSAlgorithm(rawValue: try row.text(2)),
                let status = SigningKey.Status(rawValue: try row.text(3))
            else { throw CorruptRow(what: "signing_key") }
            return SigningKey(
                id: try row.id(1), tenant: tenant, algorithm: algorithm, status: status,
                sealedPrivateKey: try row.blob(11), publicKey: try JWK(JSONValue(stored: try row.text(4))),
                certificate: try row.optionalBlob(5) ?? [], createdAt: try row.timestamp(6),
                changedAt: try row.timestamp(7), currentSince: try row.optionalTimestamp(8),
                currentUntil: try row.optionalTimestamp(9))
        }.compactMap(\.self)
    }

    /// The key of a row that somebody else changed, so that it can be revoked. Nil if not even that is possible.
    private func changedKey(_ row: borrowing Row, of tenant: TenantID) -> SigningKey? {
        guard let algorithm = (try? row.text(2)).flatMap(JWSAlgorithm.init(rawValue:)),
            let status = (try? row.text(3)).flatMap(SigningKey.Status.init(rawValue:)),
            let text = try? row.text(4), let json = try? JSONValue(stored: text), let key = try? JWK(json),
            let id = try? row.id(1, of: SigningKey.self), let createdAt = try? row.timestamp(6),
            let changedAt = try? row.timestamp(7)
        else { return nil }
        return SigningKey(
            id: id, tenant: tenant, algorithm: algorithm, status: status, sealedPrivateKey: [], publicKey: key,
            createdAt: createdAt, changedAt: changedAt, isIntact: false)
    }

    func put(_ key: SigningKey) throws {
        try dropUnreadableKeys(inRoleOf: key)
        try execute(
            """
            INSERT INTO signing_key (tenant, id, algorithm, status, public_key, sealed_private_key, created_at,
                changed_at, certificate, current_since, current_until)
            VALUES (\(key.tenant), \(key.id), \(key.algorithm.rawValue), \(key.status.rawValue),
                \(JSONWriter.string(key.publicKey.json)), \(key.sealedPrivateKey), \(key.createdAt), \(key.changedAt),
                \(key.certificate.isEmpty ? nil : key.certificate), \(key.currentSince), \(key.currentUntil))
            ON CONFLICT (tenant, id) DO UPDATE SET algorithm = excluded.algorithm, status = excluded.status,
                public_key = excluded.public_key, sealed_private_key = excluded.sealed_private_key,
                created_at = excluded.created_at, changed_at = excluded.changed_at, certificate = excluded.certificate,
                current_since = excluded.current_since, current_until = excluded.current_until
            """)
        try bind(.signingKey, key.tenant, key.id)
    }

    /// Deletes rows that are no keys, because somebody else wrote them, and that would keep `key` from its role.
    private func dropUnreadableKeys(inRoleOf key: SigningKey) throws {
        guard [.current, .next].contains(key.status) else { return }
        let role: SQLFragment = """
            tenant = \(key.tenant) AND algorithm = \(key.algorithm.rawValue) AND status = \(key.status.rawValue)
            """
        let known = try signingKeys(of: key.tenant).map(\.id)
        let stored = try connection.query("SELECT id FROM signing_key WHERE \(role)") {
            try $0.id(0, of: SigningKey.self)
        }
        for id in stored where !known.contains(id) {
            try execute("DELETE FROM signing_key WHERE tenant = \(key.tenant) AND id = \(id)")
        }
    }

    func webPushKey(of tenant: TenantID) throws -> WebPushKey? {
        try connection.first("SELECT sealed_private_key FROM web_push_key WHERE tenant = \(tenant)") {
            WebPushKey(tenant: tenant, sealedPrivateKey: try $0.blob(0))
        }
    }

    func refreshTokenKey(of tenant: TenantID) throws -> [UInt8]? {
        try connection.first("SELECT sealed_key FROM refresh_token_key WHERE tenant = \(tenant)") { try $0.blob(0) }
    }

    func put(_ key: WebPushKey) throws {
        try execute(
            """
            INSERT INTO web_push_key (tenant, sealed_private_key) VALUES (\(key.tenant), \(key.sealedPrivateKey))
            ON CONFLICT (tenant) DO NOTHING
            """)
    }

    func certify(_ key: SigningKey) throws {
        try rebind(.signingKey, key.tenant, key.id) {
            _ = try execute(
                """
                UPDATE signing_key SET certificate = \(key.certificate)
                WHERE tenant = \(key.tenant) AND id = \(key.id) AND certificate IS NULL
                """)
        }
    }
}
