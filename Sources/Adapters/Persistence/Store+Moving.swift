package import AuthorizationCore
package import Flows
import Primitives
import SQL

/// People who are moved here from a tenant's old server.
extension Store {
    package func move(_ moved: MovedUser, passwordHash: String, tenant: TenantID) async throws -> Bool {
        try await allOrNothing { try insert(moved, passwordHash: passwordHash, tenant: tenant, $0) }
    }

    /// Keeps the person, if address and id are free, with metadata and the audit entry.
    func insert(
        _ moved: MovedUser, passwordHash: String?, tenant: TenantID, _ connection: any Connection
    ) throws -> Bool {
        guard try Self.insert(moved.user, passwordHash: passwordHash, tenant: tenant, connection) else { return false }
        if moved.metadata != UserMetadata() {
            try Self.put(moved.metadata, of: moved.user.id, tenant: tenant, connection)
        }
        try append(Self.add(authenticatorsOf: moved, tenant: tenant, connection), connection)
        return true
    }

    private static let setFirstPassword = StaticStatement(
        """
        UPDATE "user" SET password_hash = $5
        WHERE tenant = $1 AND id = $2 AND password_hash IS NULL AND blocked = 0 AND email = $6 AND roles = $3
            AND permissions = $4
        """)

    package func keepFirstPassword(_ hash: String, of moved: MovedUser, tenant: TenantID) async throws -> Bool {
        let user = moved.user
        return try await allOrNothing { connection in
            try connection.lock(user.id, in: tenant)
            let set = Self.setFirstPassword(
                tenant, user.id, user.storedRoles, user.storedPermissions, hash, user.email?.description)
            guard try connection.execute(set) == 1 else { return false }
            try append(Self.replace(authenticatorsOf: moved, tenant: tenant, connection), connection)
            return true
        }
    }
}
