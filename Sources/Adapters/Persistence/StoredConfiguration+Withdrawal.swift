import AuthorizationCore
import Primitives
import SQL

/// Ends access to a removed client or API.
extension StoredConfiguration {
    func remove(client: ClientID, from tenant: TenantID, now: Timestamp) throws {
        try execute("DELETE FROM client WHERE tenant = \(tenant) AND id = \(client)")
        try endConsents("WHERE tenant = \(tenant) AND client = \(client)", now: now)
        for table in ["authorization_transaction", "pushed_request"] {
            try connection.execute("DELETE FROM \(raw: table) WHERE tenant = \(tenant) AND client = \(client)")
        }
    }

    func remove(resourceServer: String, from tenant: TenantID, now: Timestamp) throws -> [[UInt8]] {
        try execute("DELETE FROM resource_server WHERE tenant = \(tenant) AND identifier = \(resourceServer)")
        try withdraw(permissionsOf: resourceServer, keeping: [], in: tenant)
        let theirs: SQLFragment = "tenant = \(tenant) AND audience = \(resourceServer)"
        try endConsents("WHERE \(theirs)", now: now)
        return try removeRequests(theirs)
    }

    private func endConsents(_ condition: SQLFragment, now: Timestamp) throws {
        try connection.execute("DELETE FROM consent_grant \(condition)")
        try Store.endAuthorizations(condition, now: now, connection)
    }

    func withdraw(permissionsOf resourceServer: String, keeping kept: Set<String>, in tenant: TenantID) throws {
        let users = try connection.query(
            #"SELECT \#(raw: User.columns.description) FROM "user" WHERE tenant = \#(tenant) AND permissions <> ''"#
        ) { try User($0) }
        for user in users {
            var changed = user
            changed.permissions = user.permissions.filter {
                $0.resourceServer != resourceServer || kept.contains($0.scope)
            }
            guard changed.permissions != user.permissions else { continue }
            try connection.execute(
                """
                UPDATE "user" SET permissions = \(changed.storedPermissions)
                WHERE tenant = \(tenant) AND id = \(user.id)
                """)
        }
    }
}
