import AuthorizationCore
import SQL

/// Values to tell a database's master key from another.
extension Store {
    /// Value that `keepMasterKeyCheck` wrote. Nil without one.
    package func masterKeyCheck() async throws -> [UInt8]? {
        try await database.first("SELECT sealed FROM master_key_check") { try $0.blob(0) }
    }

    /// Writes a value that only the master key opens. An existing value, also of another process, stays.
    package func keepMasterKeyCheck(_ sealed: [UInt8]) async throws {
        try await database.execute(
            "INSERT INTO master_key_check (id, sealed) VALUES (1, \(sealed)) ON CONFLICT (id) DO NOTHING")
    }

    /// Sealed private half and sealing context of the oldest signing key that is not revoked, of all tenants. Nil without a key.
    package func oldestSealedKey() async throws -> (sealed: [UInt8], context: String)? {
        try await database.first(
            """
            SELECT sealed_private_key, tenant, id FROM signing_key WHERE length(sealed_private_key) > 0
            ORDER BY created_at, tenant, id LIMIT 1
            """
        ) { (try $0.blob(0), SigningKey.sealingContext(tenant: try $0.id(1), id: try $0.id(2))) }
    }

    package static func derivationContext(_ label: String) -> String { "derivation key/\(label)" }

    /// Stores a derivation key. An existing one stays.
    package func keepDerivationKey(_ label: String, sealed: [UInt8]) async throws {
        let isKept = try await database.read { try $0.exists("SELECT 1 FROM derivation_key WHERE label = \(label)") }
        guard !isKept else { return }
        try await database.execute(
            "INSERT INTO derivation_key (label, sealed) VALUES (\(label), \(sealed)) ON CONFLICT (label) DO NOTHING")
    }

    /// Sealed derivation keys by label.
    package func derivationKeys() async throws -> [String: [UInt8]] {
        let rows = try await database.query("SELECT label, sealed FROM derivation_key") {
            (try $0.text(0), try $0.blob(1))
        }
        return Dictionary(rows) { first, _ in first }
    }
}
