package import AuthorizationCore
package import Flows
import SQL

extension Store: OneTimePasswordStore {
    package func oneTimePasswords(of user: UserID, tenant: TenantID) async throws -> [DeviceOneTimePassword] {
        try await database.query(
            """
            SELECT d.id, o.sealed_secret FROM device d JOIN one_time_password o ON o.device = d.id
            WHERE d.tenant = \(tenant) AND d."user" = \(user) ORDER BY d.enrolled_at, d.id
            """
        ) { DeviceOneTimePassword(device: try $0.id(0), sealedSecret: try $0.blob(1)) }
    }

    package func useOneTimePassword(_ device: DeviceID, step: Int64, tenant: TenantID) async throws -> Bool {
        try await database.execute(
            """
            UPDATE one_time_password SET last_step = \(step)
            WHERE device = \(device) AND tenant = \(tenant) AND last_step < \(step)
            """) == 1
    }
}
