import Audit
import AuthorizationCore
import Configuration
import Flows
import Primitives
import SQL

extension StoredConfiguration: ConfigurationTransaction {
    func put(_ tenant: Tenant) throws {
        try dropChangedParts(of: tenant.id)
        try execute(
            """
            INSERT INTO tenant (id, document) VALUES (\(tenant.id), \(JSONWriter.string(.object(tenant.document))))
            ON CONFLICT (id) DO UPDATE SET document = excluded.document
            """)
        try bind(.tenant, tenant.id)
    }

    func remove(tenant: TenantID) throws {
        // Decisions leave with their users.
        try connection.execute("DELETE FROM backchannel_request WHERE tenant = \(tenant)")
        try execute("DELETE FROM tenant WHERE id = \(tenant)")
    }

    func put(_ client: Client, in tenant: TenantID) throws {
        try execute(
            """
            INSERT INTO client (tenant, id, secret_hashes, document)
            VALUES (\(tenant), \(client.id), \(Array(client.secretHashes.joined())),
                \(JSONWriter.string(.object(client.document))))
            ON CONFLICT (tenant, id) DO UPDATE SET secret_hashes = excluded.secret_hashes, document = excluded.document
            """)
        try bind(.client, tenant, client.id)
    }

    func put(_ resourceServer: ResourceServer, in tenant: TenantID) throws {
        try execute(
            """
            INSERT INTO resource_server (tenant, identifier, document)
            VALUES (\(tenant), \(resourceServer.identifier), \(JSONWriter.string(.object(resourceServer.document))))
            ON CONFLICT (tenant, identifier) DO UPDATE SET document = excluded.document
            """)
        try bind(.resourceServer, tenant, resourceServer.identifier)
    }

    func put(_ role: Role, in tenant: TenantID) throws {
        try execute(
            """
            INSERT INTO role (tenant, id, document)
            VALUES (\(tenant), \(role.id), \(JSONWriter.string(.object(role.document))))
            ON CONFLICT (tenant, id) DO UPDATE SET document = excluded.document
            """)
        try bind(.role, tenant, role.id)
    }

    func put(_ login: LoginConnection, in tenant: TenantID) throws {
        try rebind(.tenant, tenant) {
            _ = try execute(
                """
                INSERT INTO connection (tenant, name, sealed_secret, document)
                VALUES (\(tenant), \(login.name), \(login.upstream?.sealedSecret ?? []),
                    \(JSONWriter.string(.object(login.document))))
                ON CONFLICT (tenant, name) DO UPDATE SET sealed_secret = excluded.sealed_secret,
                    document = excluded.document
                """)
        }
    }

    func remove(role: RoleID, from tenant: TenantID) throws {
        try execute("DELETE FROM role WHERE tenant = \(tenant) AND id = \(role)")
        try connection.execute(
            """
            UPDATE "user" SET roles = trim(replace(' ' || roles || ' ', \(" \(role) "), ' '))
            WHERE tenant = \(tenant)
                AND id IN (SELECT "user" FROM user_role WHERE tenant = \(tenant) AND role = \(role))
            """)
        try connection.execute("DELETE FROM user_role WHERE tenant = \(tenant) AND role = \(role)")
    }

    func remove(connection name: String, from tenant: TenantID) throws {
        try rebind(.tenant, tenant) {
            _ = try execute("DELETE FROM connection WHERE tenant = \(tenant) AND name = \(name)")
        }
    }

    func put(_ user: User, passwordHash: String?, in tenant: TenantID) throws {
        let old = try Store.account(user.id, tenant: tenant, connection)
        try connection.execute(
            """
            INSERT INTO "user" \(Store.values(of: user, passwordHash: passwordHash, tenant: tenant))
            ON CONFLICT (tenant, id) DO UPDATE SET \(Store.keptBounce), email = excluded.email, email_verified = excluded.email_verified,
                name = excluded.name, given_name = excluded.given_name, family_name = excluded.family_name,
                nickname = excluded.nickname, picture = excluded.picture, phone_number = excluded.phone_number,
                language = excluded.language, blocked = excluded.blocked, roles = excluded.roles,
                password_hash = excluded.password_hash, updated_at = excluded.updated_at,
                username = excluded.username, phone_verified = excluded.phone_verified,
                permissions = excluded.permissions
            """)
        if let identity = UpstreamIdentity(of: user) {
            try Store.add(identity, to: user.id, tenant: tenant, connection)
        }
        try Store.describe(user.id, tenant: tenant, connection)
        if let old, old.passwordHash != passwordHash {
            try Store.noteNewPassword(of: user.id, tenant: tenant, at: user.updatedAt, connection)
        }
        try putMemberships(user.roles, of: user.id, in: tenant)
    }

    func put(appliedPasswordHash hash: String, of user: UserID, in tenant: TenantID) throws {
        try connection.execute(
            #"UPDATE "user" SET applied_password_hash = \#(hash) WHERE tenant = \#(tenant) AND id = \#(user)"#)
    }

    func put(_ metadata: UserMetadata, of user: UserID, in tenant: TenantID) throws {
        try Store.put(metadata, of: user, tenant: tenant, connection)
    }

    func put(roles: [RoleID], of user: UserID, in tenant: TenantID, now: Timestamp) throws {
        try connection.execute(
            """
            UPDATE "user" SET roles = \(roles.map(\.rawValue).joined(separator: " ")), updated_at = \(now)
            WHERE tenant = \(tenant) AND id = \(user)
            """)
        try putMemberships(roles, of: user, in: tenant)
    }

    private func putMemberships(_ roles: [RoleID], of user: UserID, in tenant: TenantID) throws {
        try connection.execute(#"DELETE FROM user_role WHERE tenant = \#(tenant) AND "user" = \#(user)"#)
        for role in Set(roles) {
            try connection.execute(
                #"INSERT INTO user_role (tenant, role, "user") VALUES (\#(tenant), \#(role), \#(user))"#)
        }
    }

    func keepsDecisions(of user: UserID, in tenant: TenantID, now: Timestamp) throws -> Bool {
        try connection.exists(
            #"SELECT 1 FROM approval WHERE tenant = \#(tenant) AND "user" = \#(user) AND kept_until > \#(now)"#)
    }

    func remove(user: UserID, from tenant: TenantID) throws -> Bool {
        try connection.execute(#"DELETE FROM "user" WHERE tenant = \#(tenant) AND id = \#(user)"#) > 0
    }

    func put(_ document: TenantDocument, in tenant: TenantID) throws {
        try rebind(.tenant, tenant) {
            _ = try execute(
                """
                INSERT INTO tenant_document (tenant, kind, id, document, sealed_secrets)
                VALUES (\(tenant), \(document.kind.rawValue), \(document.id),
                    \(JSONWriter.string(.object(document.document))), \(document.sealedSecrets))
                ON CONFLICT (tenant, kind, id) DO UPDATE SET document = excluded.document,
                    sealed_secrets = excluded.sealed_secrets
                """)
        }
    }

    func remove(document kind: TenantDocument.Kind, _ id: String, from tenant: TenantID) throws -> Bool {
        try rebind(.tenant, tenant) {
            try execute(
                "DELETE FROM tenant_document WHERE tenant = \(tenant) AND kind = \(kind.rawValue) AND id = \(id)") > 0
        }
    }

    func record(_ event: AuditEvent) throws { try store.append(event, connection) }
}
