package import AuthorizationCore
package import Configuration
package import Primitives

/// Reads of single objects, for checks of what is stored.
extension UserReader {
    package func clients(of tenant: TenantID) throws -> [Client] { try all(Client.self, of: tenant) }

    package func client(_ id: ClientID, of tenant: TenantID) throws -> Client? {
        try find(Client.self, id.rawValue, of: tenant)
    }

    package func role(_ id: RoleID, of tenant: TenantID) throws -> Role? {
        try find(Role.self, id.rawValue, of: tenant)
    }

    package func roles(of tenant: TenantID) throws -> [Role] { try all(Role.self, of: tenant) }

    package func resourceServers(of tenant: TenantID) throws -> [ResourceServer] {
        try all(ResourceServer.self, of: tenant)
    }

    package func resourceServer(_ identifier: String, of tenant: TenantID) throws -> ResourceServer? {
        try find(ResourceServer.self, identifier, of: tenant)
    }

    package func connections(of tenant: TenantID) throws -> [LoginConnection] {
        try all(LoginConnection.self, of: tenant)
    }

    package func signingKeys(of tenant: TenantID) throws -> [SigningKey] {
        try draft(of: tenant, [.keys]).signingKeys()
    }

    package func document(
        _ kind: TenantDocument.Kind, _ id: String, of tenant: TenantID
    ) throws -> TenantDocument? {
        try draft(of: tenant, [.object(kind, id: id)]).document(kind, id)
    }

    package func documents(_ kind: TenantDocument.Kind, of tenant: TenantID) throws -> [TenantDocument] {
        try draft(of: tenant, [.kind(kind)]).documents(kind)
    }
}

/// Writes of single objects, to prepare a store.
extension UserTransaction {
    package func put(_ tenant: Tenant) throws { try commit(ConfigurationCommit(tenant.id, [.tenant(tenant)])) }

    package func remove(tenant: TenantID) throws { try commit(ConfigurationCommit(tenant, [.removeTenant])) }

    package func put(_ entity: some StoredEntity, in tenant: TenantID) throws { try put(entity.stored, in: tenant) }

    package func put(_ document: TenantDocument, in tenant: TenantID) throws {
        try commit(ConfigurationCommit(tenant, [.put(document)]))
    }

    package func put(_ key: SigningKey) throws { try commit(ConfigurationCommit(key.tenant, [.key(key)])) }

    package func put(_ key: WebPushKey) throws { try commit(ConfigurationCommit(key.tenant, [.webPushKey(key)])) }

    package func certify(_ key: SigningKey) throws {
        try commit(ConfigurationCommit(key.tenant, [.certificate(key)]))
    }

    package func putMissing(_ keys: [SigningKey], of tenant: TenantID) throws {
        var draft = try draft(of: tenant, [.keys])
        _ = try SigningKeySupply.put(keys, in: &draft)
        try commit(ConfigurationCommit(tenant, draft.changes))
    }

    package func remove(client: ClientID, from tenant: TenantID, now: Timestamp) throws {
        _ = try remove(.client, client.rawValue, from: tenant, now: now)
    }

    package func remove(resourceServer: String, from tenant: TenantID, now: Timestamp) throws -> [[UInt8]] {
        try remove(.resourceServer, resourceServer, from: tenant, now: now)
    }

    package func remove(role: RoleID, from tenant: TenantID) throws {
        _ = try remove(.role, role.rawValue, from: tenant, now: Samples.start)
    }

    package func withdraw(permissionsOf api: String, keeping kept: Set<String>, in tenant: TenantID) throws {
        try commit(ConfigurationCommit(tenant, [.withdraw(permissionsOf: api, keeping: kept)]))
    }

    private func remove(
        _ kind: TenantDocument.Kind, _ id: String, from tenant: TenantID, now: Timestamp
    ) throws -> [[UInt8]] {
        try commit(ConfigurationCommit(tenant, [.remove(kind, id: id, now: now)]))
    }
}
