import AuthorizationCore
import Configuration
import Primitives
import SQL

/// Ends access to a removed client or API.
extension StoredConfiguration {
    /// Ends what was given to a removed object. Returns the stored form of each ended request's `auth_req_id`.
    func endUse(
        of kind: TenantDocument.Kind, _ id: String, in tenant: TenantID, now: Timestamp
    ) throws -> [[UInt8]] {
        switch kind {
        case .client:
            try endConsents(where: "tenant = \(tenant) AND client = \(id)", now: now)
            for table in ["authorization_transaction", "pushed_request"] {
                try connection.execute("DELETE FROM \(raw: table) WHERE tenant = \(tenant) AND client = \(id)")
            }
        case .resourceServer:
            try withdraw(permissionsOf: id, keeping: [], in: tenant)
            let theirs: SQLFragment = "tenant = \(tenant) AND audience = \(id)"
            try endConsents(where: theirs, now: now)
            return try removeRequests(theirs)
        case .role:
            try connection.execute(
                """
                UPDATE "user" SET roles = trim(replace(' ' || roles || ' ', \(" \(id) "), ' '))
                WHERE tenant = \(tenant)
                    AND id IN (SELECT "user" FROM user_role WHERE tenant = \(tenant) AND role = \(id))
                """)
            try connection.execute("DELETE FROM user_role WHERE tenant = \(tenant) AND role = \(id)")
        default: break
        }
        return []
    }

    private func endConsents(where condition: SQLFragment, now: Timestamp) throws {
        try connection.execute("DELETE FROM consent_grant WHERE \(condition)")
        try Store.endAuthorizations(where: condition, now: now, connection)
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
