import Audit
package import AuthorizationCore
import Primitives

extension ConfigurationStore {
    /// Deletes the context's tenant with all its data. Its audit log entries stay.
    package func remove(_ tenant: TenantID, for context: AdministrativeContext) async throws {
        let event = context.event(.removed, AuditEvent.Object(ObjectKind.tenant.rawValue, tenant.rawValue))
        _ = try await commit(ConfigurationCommit(tenant, [.removeTenant], events: [event]), ifVersion: nil)
    }

    package func tenants() async throws -> [StoredTenant] {
        try await objects(StoredTenant.parts, of: nil).compactMap { try StoredTenant($0) }
    }

    /// Calls `body` with a draft of which each part was read that `body` asks for, in one snapshot.
    package func view<Result>(_ tenant: TenantID, _ body: (Draft) throws -> Result) async throws -> Result {
        var parts: Set<ConfigurationPart> = []
        while true {
            do { return try body(try await draft(parts, of: tenant)) } catch let missing as Draft.Missing {
                parts.insert(missing.part)
            }
        }
    }

    /// Calls `body` with a draft as `view` does, and writes what it changed, in one transaction. Changes nothing if `body`
    /// throws. Calls `body` again if somebody else changed the configuration meanwhile.
    package func edit<Result>(
        for context: AdministrativeContext, _ body: (inout ConfigurationChange) throws -> Result
    ) async throws -> Result {
        try await editEnding(for: context, body).result
    }

    /// Edits as `edit` does. Also returns the stored form of each ended request's `auth_req_id`, to wake its polls.
    package func editEnding<Result>(
        for context: AdministrativeContext, _ body: (inout ConfigurationChange) throws -> Result
    ) async throws -> (result: Result, ended: [[UInt8]]) {
        var parts: Set<ConfigurationPart> = []
        for _ in 0..<1_000 {
            var change = ConfigurationChange(try await draft(parts, of: context.tenant), for: context)
            do {
                let result = try body(&change)
                guard let commit = change.commit else { return (result, []) }
                if let ended = try await self.commit(commit, ifVersion: change.draft.version) { return (result, ended) }
            } catch let missing as Draft.Missing { parts.insert(missing.part) }
        }
        throw AdministrationFailure.unsupported("The settings are being changed by others; try again")
    }

    private func draft(_ parts: Set<ConfigurationPart>, of tenant: TenantID) async throws -> Draft {
        guard !parts.isEmpty, let read = try await objects(parts, of: tenant).first else { return Draft(of: tenant) }
        return Draft(read, parts)
    }

    /// Changes users in one transaction. Changes nothing if `body` throws. `body` may run more than once.
    package func change<Result: Sendable>(
        for context: AdministrativeContext, _ body: @escaping @Sendable (UserChange) throws -> Result
    ) async throws -> Result {
        try await change { try body(UserChange($0, for: context)) }
    }
}

extension UserReader {
    package func tenants() throws -> [StoredTenant] {
        try objects(StoredTenant.parts, of: nil).compactMap { try StoredTenant($0) }
    }

    /// A draft of parts of the configuration, in the snapshot that has the users.
    package func draft(of tenant: TenantID, _ parts: Set<ConfigurationPart>) throws -> Draft {
        try objects(parts, of: tenant).first.map { Draft($0, parts) } ?? Draft(of: tenant)
    }

    package func tenant(_ id: TenantID) throws -> Tenant? { try draft(of: id, [.tenant]).tenant() }

    package func find<Entity: StoredEntity>(_: Entity.Type, _ id: String, of tenant: TenantID) throws -> Entity? {
        try draft(of: tenant, [.object(Entity.storedKind, id: id)]).find(Entity.self, id)
    }

    package func all<Entity: StoredEntity>(_: Entity.Type, of tenant: TenantID) throws -> [Entity] {
        try draft(of: tenant, [.kind(Entity.storedKind)]).all(Entity.self)
    }

    package func connectionsOrDefault(of tenant: TenantID) throws -> [LoginConnection] {
        try draft(of: tenant, [.kind(.connection)]).connectionsOrDefault()
    }
}
