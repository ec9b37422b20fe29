import AuthorizationCore
import JOSE
import Primitives
import SQL

extension StoredConfiguration {
    func signingKeys(of tenant: TenantID) throws -> [SigningKey] {
        try connection.query(
            """
            SELECT id, algorithm, status, sealed_private_key, public_key, created_at, changed_at, certificate,
                current_since, current_until
            FROM signing_key WHERE tenant = \(tenant) ORDER BY created_at, id
            """
        ) { row in
            guard let algorithm = JWSAlgorithm(rawValue: try row.text(1)),
                let status = SigningKey.Status(rawValue: try row.text(2))
            else { throw CorruptRow(what: "signing_key") }
            return SigningKey(
                id: try row.id(0), tenant: tenant, algorithm: algorithm, status: status,
                sealedPrivateKey: try row.blob(3), publicKey: try JWK(JSONValue(stored: try row.text(4))),
                certificate: try row.optionalBlob(7) ?? [], createdAt: try row.timestamp(5),
                changedAt: try row.timestamp(6), currentSince: try row.optionalTimestamp(8),
                currentUntil: try row.optionalTimestamp(9))
        }
    }

    func put(_ key: SigningKey) throws {
        try execute(
            """
            INSERT INTO signing_key (tenant, id, algorithm, status, public_key, sealed_private_key, created_at,
                changed_at, certificate, current_since, current_until)
            VALUES (\(key.tenant), \(key.id), \(key.algorithm.rawValue), \(key.status.rawValue),
                \(JSONWriter.string(key.publicKey.json)), \(key.sealedPrivateKey), \(key.createdAt), \(key.changedAt),
                \(key.certificate.isEmpty ? nil : key.certificate), \(key.currentSince), \(key.currentUntil))
            ON CONFLICT (tenant, id) DO UPDATE SET status = excluded.status, changed_at = excluded.changed_at,
                current_since = excluded.current_since, current_until = excluded.current_until
            """)
    }

    func webPushKey(of tenant: TenantID) throws -> WebPushKey? {
        try connection.first("SELECT sealed_private_key FROM web_push_key WHERE tenant = \(tenant)") {
            WebPushKey(tenant: tenant, sealedPrivateKey: try $0.blob(0))
        }
    }

    func put(_ key: WebPushKey) throws {
        try execute(
            """
            INSERT INTO web_push_key (tenant, sealed_private_key) VALUES (\(key.tenant), \(key.sealedPrivateKey))
            ON CONFLICT (tenant) DO NOTHING
            """)
    }

    func certify(_ key: SigningKey) throws {
        try execute(
            """
            UPDATE signing_key SET certificate = \(key.certificate)
            WHERE tenant = \(key.tenant) AND id = \(key.id) AND certificate IS NULL
            """)
    }
}
