package import Audit
package import AuthorizationCore
import Flows
import JOSE
import Primitives
import SQL

extension Store: PasskeyStore {
    package func passkey(of device: DeviceID, tenant: TenantID) async throws -> Passkey? {
        try await database.first(
            """
            SELECT passkey_id, passkey_key, passkey_host, passkey_sign_count FROM device
            WHERE id = \(device) AND tenant = \(tenant) AND passkey_id IS NOT NULL
            """
        ) { row in
            guard let count = UInt32(exactly: try row.int64(3)) else { throw CorruptRow(what: "passkey count") }
            return Passkey(
                id: try row.blob(0), publicKey: try DeviceKeys.key(stored: try row.text(1)),
                relyingParty: try row.text(2), signCount: count)
        }
    }

    package func register(
        _ passkey: Passkey, of device: DeviceID, tenant: TenantID, event: AuditEvent
    ) async throws -> Bool {
        try await execute(
            """
            UPDATE device SET passkey_id = \(passkey.id), passkey_key = \(JSONWriter.string(passkey.publicKey.json)),
                passkey_host = \(passkey.relyingParty), passkey_sign_count = \(Int64(passkey.signCount)), has_passkey = 1
            WHERE id = \(device) AND tenant = \(tenant) AND passkey_id IS NULL AND NOT EXISTS (
                SELECT 1 FROM device AS other WHERE other.tenant = \(tenant) AND other.passkey_id = \(passkey.id))
            """, recording: event)
    }

    private static let allowsUse = StaticStatement(
        """
        SELECT 1 FROM device WHERE id = $1 AND tenant = $2 AND passkey_id = $3
            AND (passkey_sign_count < $4 OR passkey_sign_count = 0 AND $4 = 0)
        """)

    /// The rule of `Passkey.allows`, within the transaction of the decision.
    static func allows(_ use: PasskeyUse, of resolution: Resolution, _ connection: any Connection) throws -> Bool {
        try connection.exists(allowsUse(resolution.decider.device, resolution.tenant, use.id, Int64(use.signCount)))
    }

    static let countPasskey = StaticStatement(
        "UPDATE device SET passkey_sign_count = $1 WHERE id = $2 AND tenant = $3")
}
