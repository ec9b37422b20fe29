import Administration
import AuthorizationCore
import SQL

/// What ends together with a client or an API.
extension StoredConfiguration {
    func remove(client: ClientID, from tenant: TenantID) throws {
        try execute("DELETE FROM client WHERE tenant = \(tenant) AND id = \(client)")
        try endAuthorizations("tenant = \(tenant) AND client = \(client)")
        for table in ["authorization_transaction", "pushed_request"] {
            try connection.execute("DELETE FROM \(raw: table) WHERE tenant = \(tenant) AND client = \(client)")
        }
    }

    func remove(resourceServer: String, from tenant: TenantID) throws -> [[UInt8]] {
        try execute("DELETE FROM resource_server WHERE tenant = \(tenant) AND identifier = \(resourceServer)")
        try withdraw(permissionsOf: resourceServer, keeping: [], in: tenant)
        let theirs: SQLFragment = "tenant = \(tenant) AND audience = \(resourceServer)"
        try endAuthorizations(theirs)
        return try removeRequests(theirs)
    }

    /// A code that is on its way would give a refresh token after all.
    private func endAuthorizations(_ condition: SQLFragment) throws {
        for table in ["consent_grant", "authorization_code", "refresh_token_family"] {
            try connection.execute("DELETE FROM \(raw: table) WHERE \(condition)")
        }
    }

    func withdraw(permissionsOf resourceServer: String, keeping kept: Set<String>, in tenant: TenantID) throws {
        let users = try connection.query(
            """
            SELECT \(raw: User.columns.description) FROM "user" WHERE tenant = \(tenant) AND permissions <> ''
            """
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
