import Audit
package import AuthorizationCore
import Flows
import SQL

/// `record` is in Store+Audit.
extension Store: ClientTokenStore {}

extension Store: AccessTokenStore {
    private static let revoked = StaticStatement("SELECT 1 FROM revoked_authorization WHERE id = $1 AND tenant = $2")

    package func standing(
        of authorization: AuthorizationID, user: UserID?, tenant: TenantID
    ) async throws -> (isRevoked: Bool, user: User?) {
        try await database.read { connection in
            let isRevoked = try connection.exists(Self.revoked(authorization, tenant))
            return (isRevoked, try user.flatMap { try Self.user($0, tenant: tenant, connection) })
        }
    }
}
