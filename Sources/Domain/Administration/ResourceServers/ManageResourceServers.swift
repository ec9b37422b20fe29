package import AuthorizationCore
package import Configuration
import JOSE
package import Primitives

/// Manages APIs: scopes, types of authorization details, and access policies.
package struct ManageResourceServers: Sendable {
    let store: any ConfigurationStore
    let ids: ObjectIDs
    let keys: SigningKeySupply
    let schemas: SchemaRegistry

    package func id(of api: ResourceServer, in tenant: TenantID) -> String {
        ids.resourceServer(api.identifier, of: tenant)
    }

    /// The Management API, then the others sorted by identifier. Non-nil `identifiers` select APIs.
    package func list(_ tenant: Tenant, identifiers: [String]? = nil) async throws -> [ResourceServer] {
        let all = [.management(of: tenant)] + (try await store.view(tenant.id) { try $0.all(ResourceServer.self) })
        guard let identifiers else { return all }
        return all.filter { identifiers.contains($0.identifier) }
    }

    /// `name` is the id or the identifier.
    package func resourceServer(_ name: String, of tenant: Tenant) async throws -> ResourceServer {
        try await store.view(tenant.id) { try find(name, of: tenant, $0) }
    }

    /// `document` has at least `identifier`. Unknown members are stored.
    package func create(_ document: JSONObject, of tenant: Tenant, for context: AdministrativeContext) async throws
        -> ResourceServer
    {
        var document = document
        // Auth0's default. `apply` files have the other.
        let skips = "skip_consent_for_verifiable_first_party_clients"
        if document[skips]?.isNull ?? true { document[skips] = false }
        let completed = document
        let api = try Self.read(completed)
        guard !tenant.isUserinfoAudience(api.identifier) else {
            throw AdministrationFailure.invalid("identifier", "names the userinfo endpoint")
        }
        let weights = try await checkSchemas(in: completed, context.tenant)
        let made = try await missingKeys(for: completed, context)
        return try await store.edit(for: context) { change in
            let taken = try change.draft.find(ResourceServer.self, api.identifier) != nil
            guard !taken, api.identifier != tenant.managementAudience else {
                throw AdministrationFailure.conflict(.resourceServer, same: "identifier")
            }
            change.draft.put(api)
            try checkTotal(weights, change.draft)
            change.record(.created, .resourceServer, ids.resourceServer(api.identifier, of: context.tenant))
            try change.put(made)
            return api
        }
    }

    /// Replaces `patch`'s members; null deletes. Revokes removed scopes from roles, clients and users.
    package func update(
        _ name: String, _ patch: JSONObject, of tenant: Tenant, for context: AdministrativeContext
    ) async throws -> ResourceServer {
        let weights = try await checkSchemas(in: patch, context.tenant)
        let made = try await missingKeys(for: patch, context)
        return try await store.edit(for: context) { change in
            let old = try changeable(name, of: tenant, change.draft)
            if let identifier = patch["identifier"], identifier.stringValue != old.identifier {
                throw AdministrationFailure.invalid("identifier", "cannot be changed")
            }
            let api = try Self.read(old.flatDocument.patched(with: patch), patch: patch, over: old)
            try context.requireOwn(api.scopesForTypes(over: old), to: "asking people for less, or with a sound")
            change.draft.put(api)
            try checkTotal(weights, change.draft)
            change.record(.resourceServer, id(of: api, in: context.tenant), from: old.document, to: api.document)
            try change.put(made)
            let scopes = Set(api.scopes.map(\.value))
            let types = Set(api.authorizationDetailsTypes.map(\.type))
            if !old.scopes.allSatisfy({ scopes.contains($0.value) })
                || !old.authorizationDetailsTypes.allSatisfy({ types.contains($0.type) })
            {
                try withdraw(api.identifier, keeping: (scopes, types), &change)
                change.draft.withdraw(permissionsOf: api.identifier, keeping: scopes)
            }
            return api
        }
    }

    /// Also revokes its permissions from clients, roles and users, and deletes consents and pending requests. Returns
    /// the SHA-256 of each deleted request's `auth_req_id`, to wake its polls.
    package func remove(_ name: String, of tenant: Tenant, for context: AdministrativeContext) async throws -> [[UInt8]]
    {
        try await store.editEnding(for: context) { change in
            let api = try changeable(name, of: tenant, change.draft)
            guard tenant.settings.defaultAudience != api.identifier else {
                throw AdministrationFailure.unsupported(
                    "This is the tenant's default audience; choose another one first")
            }
            // The creator of another API with that identifier would decide alone.
            let bare = ResourceServer(identifier: api.identifier, name: api.name)
            try context.requireOwn(
                bare.scopesForTypes(over: api).union(api.scopesForDropping),
                to: "removing an API that demands more of people than others")
            try withdraw(api.identifier, keeping: nil, &change)
            change.remove(.resourceServer, api.identifier)
            change.record(.removed, .resourceServer, id(of: api, in: context.tenant))
        }.ended
    }

    // MARK: helpers

    private func find(_ name: String, of tenant: Tenant, _ draft: Draft) throws -> ResourceServer {
        if let api = try draft.find(ResourceServer.self, name) { return api }
        let all = [.management(of: tenant)] + (try draft.all(ResourceServer.self))
        return try all.first { $0.identifier == name || id(of: $0, in: tenant.id) == name }.orUnknown(.resourceServer)
    }

    private func changeable(_ name: String, of tenant: Tenant, _ draft: Draft) throws -> ResourceServer {
        let api = try find(name, of: tenant, draft)
        guard !api.isSystem else {
            throw AdministrationFailure.unsupported("The Management API cannot be changed; grant it to clients instead")
        }
        return api
    }

    private static func read(
        _ document: JSONObject, patch: JSONObject = [:], over stored: ResourceServer? = nil
    ) throws(AdministrationFailure) -> ResourceServer {
        // If these were ignored, APIs would believe that their tokens are protected.
        for (name, what) in [("token_encryption", "encrypts"), ("proof_of_possession", "binds")] {
            if let value = document[name], !value.isNull {
                throw .invalid(name, "is not supported: this server never \(what) access tokens for an API")
            }
        }
        let api = try DocumentFields.openEntity(document, patch: patch, over: stored, taking: .resourceServers) {
            ResourceServer($0)
        }
        let problems = Problems()
        api.check(path: "", problems)
        guard problems.list.isEmpty else { throw .invalid(problems.list) }
        return api
    }

    /// Compiles the document's schemas. Returns the weights of all the tenant's schemas; nil means that the document
    /// has none.
    private func checkSchemas(in document: JSONObject, _ tenant: TenantID) async throws -> SchemaWeights? {
        guard let types = document["authorization_details"], types.arrayValue?.isEmpty == false else { return nil }
        var (problems, weights) = try await schemas.check(types, path: "authorization_details")
        if !problems.isEmpty { throw AdministrationFailure.invalid(problems) }
        weights.add(try await schemas.weights(of: try await store.view(tenant) { try $0.all(ResourceServer.self) }))
        return weights
    }

    private func checkTotal(_ weights: SchemaWeights?, _ draft: Draft) throws {
        guard let weights else { return }
        if let problem = try weights.problem(of: try draft.all(ResourceServer.self)) {
            throw AdministrationFailure.invalid("authorization_details", problem)
        }
    }

    private func missingKeys(for document: JSONObject, _ context: AdministrativeContext) async throws -> [SigningKey] {
        guard let algorithm = document["signing_alg"]?.stringValue.flatMap(JWSAlgorithm.init(rawValue:)),
            signingAlgorithms.contains(algorithm)
        else { return [] }
        let stored = try await store.view(context.tenant) { try $0.signingKeys() }
        return try keys.missing([algorithm], among: stored, tenant: context.tenant, now: context.now)
    }

    /// Revokes from roles and clients what the API no longer defines. Nil revokes all.
    private func withdraw(
        _ api: String, keeping kept: (scopes: Set<String>, types: Set<String>)?, _ change: inout ConfigurationChange
    ) throws {
        for old in try change.draft.all(Role.self) {
            var role = old
            role.permissions = old.permissions.filter {
                $0.resourceServer != api || kept?.scopes.contains($0.scope) ?? false
            }
            guard role != old else { continue }
            change.draft.put(role)
            change.record(.role, role.id.rawValue, from: old.document, to: role.document)
        }
        for old in try change.draft.all(Client.self) {
            var client = old
            client.grants = old.grants.compactMap { grant in
                guard grant.audience == api else { return grant }
                guard let kept else { return nil }
                var grant = grant
                grant.scopes?.formIntersection(kept.scopes)
                grant.authorizationDetailsTypes?.formIntersection(kept.types)
                return grant
            }
            guard client != old else { continue }
            change.draft.put(client)
            change.record(.client, client.id.rawValue, from: old.document, to: client.document)
        }
    }
}

extension ResourceServer {
    /// Scopes for dropping the API's own demands.
    fileprivate var scopesForDropping: Set<String> {
        var scopes: Set<String> = []
        if evidence != nil || carriesApproval { scopes.insert(Self.evidenceScope) }
        if requiresTransactionalMFA { scopes.insert(Self.personScope) }
        return scopes
    }

    /// Scopes for a change of types that drops a demand of `old`, also with its type or by leaving out the member, or makes a
    /// type urgent.
    fileprivate func scopesForTypes(over old: ResourceServer) -> Set<String> {
        var scopes: Set<String> = []
        func isLess(_ new: EvidenceDemand?, than old: EvidenceDemand?) -> Bool {
            EvidenceDemand.strongest(new, old) != new
        }
        for type in old.authorizationDetailsTypes {
            let new = authorizationDetailsTypes.first { $0.type == type.type }
            if isLess(new?.evidence, than: type.evidence) { scopes.insert(Self.evidenceScope) }
            if type.matching != nil, new?.matching == nil { scopes.insert(Self.personScope) }
        }
        let urgent = Set(old.authorizationDetailsTypes.filter(\.isUrgent).map(\.type))
        if authorizationDetailsTypes.contains(where: { $0.isUrgent && !urgent.contains($0.type) }) {
            scopes.insert(Self.personScope)
        }
        return scopes
    }
}

extension Managers {
    package var resourceServers: ManageResourceServers {
        ManageResourceServers(store: store, ids: ids, keys: supply, schemas: schemas)
    }
}
