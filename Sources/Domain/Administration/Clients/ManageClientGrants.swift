package import AuthorizationCore
package import Configuration
package import Primitives

package struct ManageClientGrants: Sendable {
    /// A grant with its client.
    package struct Entry: Sendable, Equatable {
        package let id: String
        package let client: ClientID
        package let grant: ClientGrant
    }

    let store: any ConfigurationStore
    let ids: ObjectIDs

    /// Sorted by client and audience.
    package func list(_ tenant: TenantID) async throws -> [Entry] {
        try await store.view(tenant) { try entries($0) }
    }

    package func grant(_ id: String, of tenant: TenantID) async throws -> Entry {
        try await store.view(tenant) { try entry(id, $0) }
    }

    /// `document` has `client_id`, `audience`, and either `scope` or `allow_all_scopes`.
    package func create(_ document: JSONObject, of tenant: Tenant, for context: AdministrativeContext) async throws
        -> Entry
    {
        let client = ClientID(document["client_id"]?.stringValue ?? "")
        var document = document
        document["client_id"] = nil
        document[ClientGrant.inertMember] = nil
        // As at Auth0, `subject_type` is `client` by default.
        if document["subject_type"]?.stringValue == nil {
            document["subject_type"] = .string(ClientGrant.Subject.client.rawValue)
        }
        let grant = try Self.read(document).settled(managementAudience: tenant.managementAudience)
        return try await store.edit(for: context) { change in
            let old = try ManageClients.client(client, change.draft)
            guard !old.grants.contains(where: { $0.conflicts(with: grant) }) else {
                throw AdministrationFailure.conflict(.clientGrant, same: "client_id, audience and subject_type")
            }
            var new = old
            new.grants = (old.grants + [grant]).sorted(by: ClientGrant.precedes)
            try check(grant, of: tenant, change.draft)
            try context.requireOwn(grant.managementScopes(of: tenant), to: Self.passingOn)
            return put(grant, in: new, over: old, .created, &change)
        }
    }

    /// Replaces `patch`'s members; null deletes. Client, audience and subject are fixed.
    package func update(
        _ id: String, _ patch: JSONObject, of tenant: Tenant, for context: AdministrativeContext
    ) async throws -> Entry {
        try await store.edit(for: context) { change in
            let entry = try entry(id, change.draft)
            let fixed: JSONObject = [
                "audience": .string(entry.grant.audience), "client_id": .string(entry.client.rawValue),
            ]
            for (name, value) in patch where fixed[name].map({ $0 != value }) ?? (name == "subject_type") {
                throw AdministrationFailure.invalid(name, "cannot be changed; create another grant")
            }
            var patch = patch
            patch["client_id"] = nil
            patch[ClientGrant.inertMember] = nil
            var document = entry.grant.flatDocument
            // Either member sets the scopes. Without both, they stay.
            if patch["allow_all_scopes"] == true { document["scope"] = nil }
            if patch["allow_all_scopes"] == true || patch["scope"] != nil { document[ClientGrant.inertMember] = nil }
            if entry.grant.scopes == nil, patch["scope"] == nil { document["allow_all_scopes"] = true }
            let grant = try Self.read(document.patched(with: patch), patch: patch, over: entry.grant)
                .settled(managementAudience: tenant.managementAudience)
            try check(grant, of: tenant, change.draft)
            let before = entry.grant.managementScopes(of: tenant)
            try context.requireOwn(grant.managementScopes(of: tenant).subtracting(before), to: Self.passingOn)
            let old = try ManageClients.client(entry.client, change.draft)
            var new = old
            new.grants = old.grants.map { $0 == entry.grant ? grant : $0 }
            return put(grant, in: new, over: old, .changed, &change)
        }
    }

    package func remove(_ id: String, for context: AdministrativeContext) async throws {
        try await store.edit(for: context) { change in
            let entry = try entry(id, change.draft)
            let old = try ManageClients.client(entry.client, change.draft)
            var new = old
            new.grants.removeAll { $0 == entry.grant }
            _ = put(entry.grant, in: new, over: old, .removed, &change)
        }
    }

    // MARK: helpers

    private static let passingOn = "granting scopes of the Management API"

    private func entries(_ draft: Draft) throws -> [Entry] {
        try draft.all(Client.self).flatMap { client in
            client.grants.map { grant in
                Entry(id: ids.clientGrant(grant, of: client.id, in: draft.id), client: client.id, grant: grant)
            }
        }
    }

    private func entry(_ id: String, _ draft: Draft) throws -> Entry {
        try entries(draft).first { $0.id == id }.orUnknown(.clientGrant)
    }

    /// Missing scopes and, for users, missing types grant nothing. Only `apply` files grant all so.
    private static func read(
        _ document: JSONObject, patch: JSONObject = [:], over stored: ClientGrant? = nil
    ) throws(AdministrationFailure) -> ClientGrant {
        var document = document
        let allowsAll = document["allow_all_scopes"] == true
        document["allow_all_scopes"] = nil
        guard document["organization_usage"] != "require" else {
            throw .invalid("organization_usage", "is not supported: there are no organizations")
        }
        if allowsAll {
            guard document["scope"]?.arrayValue?.isEmpty ?? true else {
                throw .invalid("scope", "must be empty or omitted with allow_all_scopes")
            }
            document["scope"] = nil
        } else if document["scope"] == nil {
            document["scope"] = []
        }
        if document["subject_type"]?.stringValue == ClientGrant.Subject.user.rawValue,
            document["authorization_details_types"] == nil
        {
            document["authorization_details_types"] = []
        }
        return try DocumentFields.openEntity(
            document, patch: patch, over: stored, taking: .clientGrants
        ) {
            ClientGrant($0)
        }
    }

    private func check(_ grant: ClientGrant, of tenant: Tenant, _ draft: Draft) throws {
        let problems = Problems()
        ConfiguredScopes(tenant, try draft.all(ResourceServer.self)).check(grant, problems)
        guard problems.list.isEmpty else { throw AdministrationFailure.invalid(problems.list) }
    }

    private func put(
        _ grant: ClientGrant, in new: Client, over old: Client, _ action: ConfigurationChange.Action,
        _ change: inout ConfigurationChange
    ) -> Entry {
        let entry = Entry(id: ids.clientGrant(grant, of: new.id, in: change.tenant), client: new.id, grant: grant)
        if new != old {
            change.draft.put(new)
            change.record(action, .clientGrant, entry.id)
        }
        return entry
    }
}

extension Managers {
    package var clientGrants: ManageClientGrants { ManageClientGrants(store: store, ids: ids) }
}
