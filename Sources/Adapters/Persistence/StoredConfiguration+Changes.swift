import AuthorizationCore
import Configuration
import Primitives
import SQL

extension StoredConfiguration {
    func commit(_ commit: ConfigurationCommit) throws -> [[UInt8]] {
        let tenant = commit.tenant
        var ended: [[UInt8]] = []
        for change in commit.changes {
            switch change {
            case .tenant(let tenant): try put(tenant)
            case .removeTenant: try remove(tenant: tenant)
            case .put(let document): try put(document, in: tenant)
            case .remove(let kind, let id, let now):
                try remove(kind, id, from: tenant)
                ended += try endUse(of: kind, id, in: tenant, now: now)
            case .withdraw(let api, let kept): try withdraw(permissionsOf: api, keeping: kept, in: tenant)
            case .key(let key): try put(key)
            case .certificate(let key): try certify(key)
            case .webPushKey(let key): try put(key)
            }
        }
        for event in commit.events { try record(event) }
        return ended
    }

    private func put(_ tenant: Tenant) throws {
        try dropChangedParts(of: tenant.id)
        try execute(
            """
            INSERT INTO tenant (id, document) VALUES (\(tenant.id), \(JSONWriter.string(.object(tenant.document))))
            ON CONFLICT (id) DO UPDATE SET document = excluded.document
            """)
        try bind(.tenant, tenant.id)
    }

    private func remove(tenant: TenantID) throws {
        // Decisions leave with their users.
        try connection.execute("DELETE FROM backchannel_request WHERE tenant = \(tenant)")
        try execute("DELETE FROM tenant WHERE id = \(tenant)")
    }

    private func put(_ document: TenantDocument, in tenant: TenantID) throws {
        try endLinks(ofMembersOf: document, in: tenant)
        try changePart(document.kind, of: tenant) {
            try execute(
                """
                INSERT INTO configuration_object (tenant, kind, id, document, sealed, secret_hashes)
                VALUES (\(tenant), \(document.kind.rawValue), \(document.id),
                    \(JSONWriter.string(.object(document.document))), \(document.sealedSecrets),
                    \(Array(document.secretHashes.joined())))
                ON CONFLICT (tenant, kind, id) DO UPDATE SET document = excluded.document, sealed = excluded.sealed,
                    secret_hashes = excluded.secret_hashes
                """)
            try bind(.object, tenant, document.kind.rawValue, document.id)
        }
    }

    private func remove(_ kind: TenantDocument.Kind, _ id: String, from tenant: TenantID) throws {
        try changePart(kind, of: tenant) {
            try execute(
                """
                DELETE FROM configuration_object
                WHERE tenant = \(tenant) AND kind = \(kind.rawValue) AND id = \(id)
                """)
        }
    }

    /// Changes an object. The tenant's own seal binds objects without which the tenant would demand less.
    private func changePart(_ kind: TenantDocument.Kind, of tenant: TenantID, _ change: () throws -> Void) throws {
        if RowSeal.independentKinds.contains(kind) { return try change() }
        try rebind(.tenant, tenant, after: change)
    }
}
