package import Audit
package import AuthorizationCore
import Flows
package import GuardianWire
import SQL

extension Store: PreferenceStore {
    private static let quietHours = StaticStatement(
        #"SELECT quiet_from, quiet_to FROM phone_preference WHERE tenant = $1 AND "user" = $2"#)

    package func preferences(of user: UserID, tenant: TenantID) async throws -> PhonePreferences {
        let hours = try await database.first(Self.quietHours(tenant, user)) { row in
            guard let hours = QuietHours(from: try row.int(0), to: try row.int(1)) else {
                throw CorruptRow(what: "quiet hours")
            }
            return hours
        }
        return PhonePreferences(quietHours: hours)
    }

    package func put(
        _ preferences: PhonePreferences, by device: DeviceID, tenant: TenantID, event: AuditEvent
    ) async throws -> Bool {
        try await database.write { connection in
            guard let enrolled = try Self.device(device, tenant: tenant, connection), !enrolled.isUserBlocked else {
                return false
            }
            let changed = try Self.put(preferences.quietHours, of: enrolled.device.user, tenant: tenant, connection)
            if changed > 0 { try append(event, connection) }
            return true
        }
    }

    /// Returns the number of changed rows.
    @discardableResult
    static func put(
        _ hours: QuietHours?, of user: UserID, tenant: TenantID, _ connection: any Connection
    ) throws -> Int {
        guard let hours else {
            return try connection.execute(
                #"DELETE FROM phone_preference WHERE tenant = \#(tenant) AND "user" = \#(user)"#)
        }
        return try connection.execute(
            """
            INSERT INTO phone_preference (tenant, "user", quiet_from, quiet_to)
            VALUES (\(tenant), \(user), \(hours.from), \(hours.to))
            ON CONFLICT (tenant, "user") DO UPDATE SET quiet_from = excluded.quiet_from,
                quiet_to = excluded.quiet_to
            WHERE (phone_preference.quiet_from, phone_preference.quiet_to) IS DISTINCT FROM (excluded.quiet_from, excluded.quiet_to)
            """)
    }
}
