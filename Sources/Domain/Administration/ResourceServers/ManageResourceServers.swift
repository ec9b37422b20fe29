package import AuthorizationCore
package import Configuration
import JOSE
package import Primitives

/// Manages APIs: scopes, types of authorization details, and access policies.
package struct ManageResourceServers: Sendable {
    private let store: any ConfigurationStore
    private let ids: ObjectIDs
    private let keys: SigningKeySupply
    private let schemas: SchemaRegistry

    package init(
        store: any ConfigurationStore, hashing: any Hashing, keys: any SigningKeyFactory, schemas: SchemaRegistry
    ) {
        self.store = store
        ids = ObjectIDs(hashing: hashing)
        self.keys = SigningKeySupply(keys)
        self.schemas = schemas
    }

    package func id(of api: ResourceServer, in tenant: TenantID) -> String {
        ids.resourceServer(api.identifier, of: tenant)
    }

    /// The Management API, then the others sorted by identifier. Non-nil `identifiers` select APIs.
    package func list(_ tenant: Tenant, identifiers: [String]? = nil) async throws -> [ResourceServer] {
        let all = [.management(of: tenant)] + (try await store.read { try $0.resourceServers(of: tenant.id) })
        guard let identifiers else { return all }
        return all.filter { identifiers.contains($0.identifier) }
    }

    /// `name` is the id or the identifier.
    package func resourceServer(_ name: String, of tenant: Tenant) async throws -> ResourceServer {
        try await store.read { try find(name, of: tenant, $0) }
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
        return try await store.change(for: context) { change in
            let taken = try change.transaction.resourceServer(api.identifier, of: context.tenant) != nil
            guard !taken, api.identifier != tenant.managementAudience else {
                throw AdministrationFailure.conflict(.resourceServer, same: "identifier")
            }
            try change.transaction.put(api, in: context.tenant)
            try checkTotal(weights, change)
            try change.record(.created, .resourceServer, ids.resourceServer(api.identifier, of: context.tenant))
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
        return try await store.change(for: context) { change in
            let old = try changeable(name, of: tenant, change)
            if let identifier = patch["identifier"], identifier.stringValue != old.identifier {
                throw AdministrationFailure.invalid("identifier", "cannot be changed")
            }
            let api = try Self.read(old.flatDocument.patched(with: patch), patch: patch, over: old)
            try context.requireOwn(api.scopesForTypes(over: old), to: "asking people for less, or with a sound")
            try change.transaction.put(api, in: context.tenant)
            try checkTotal(weights, change)
            try change.record(.resourceServer, id(of: api, in: context.tenant), from: old.document, to: api.document)
            try change.put(made)
            let scopes = Set(api.scopes.map(\.value))
            let types = Set(api.authorizationDetailsTypes.map(\.type))
            if !old.scopes.allSatisfy({ scopes.contains($0.value) })
                || !old.authorizationDetailsTypes.allSatisfy({ types.contains($0.type) })
            {
                try withdraw(api.identifier, keeping: (scopes, types), change)
                try change.transaction.withdraw(permissionsOf: api.identifier, keeping: scopes, in: context.tenant)
            }
            return api
        }
    }

    /// Also revokes its permissions from clients, roles and users, and deletes consents and pending requests. Returns
    /// the SHA-256 of each deleted request's `auth_req_id`, to wake its polls.
    package func remove(_ name: String, of tenant: Tenant, for context: AdministrativeContext) async throws -> [[UInt8]]
    {
        try await store.change(for: context) { change in
            let api = try changeable(name, of: tenant, change)
            guard tenant.settings.defaultAudience != api.identifier else {
                throw AdministrationFailure.unsupported(
                    "This is the tenant's default audience; choose another one first")
            }
            // The creator of another API with that identifier would decide alone.
            let bare = ResourceServer(identifier: api.identifier, name: api.name)
            try context.requireOwn(
                bare.scopesForTypes(over: api).union(api.scopesForDropping),
                to: "removing an API that demands more of people than others")
            try withdraw(api.identifier, keeping: nil, change)
            let requests = try change.transaction.remove(
                resourceServer: api.identifier, from: context.tenant, now: context.now)
            try change.record(.removed, .resourceServer, id(of: api, in: context.tenant))
            return requests
        }
    }

    // MARK: helpers

    private func find(_ name: String, of tenant: Tenant, _ reader: any ConfigurationReader) throws -> ResourceServer {
        if let api = try reader.resourceServer(name, of: tenant.id) { return api }
        let all = [.management(of: tenant)] + (try reader.resourceServers(of: tenant.id))
        return try all.first { $0.identifier == name || id(of: $0, in: tenant.id) == name }.orUnknown(.resourceServer)
    }

    private func changeable(_ name: String, of tenant: Tenant, _ change: ConfigurationChange) throws -> ResourceServer {
        let api = try find(name, of: tenant, change.transaction)
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
        weights.add(try await schemas.weights(of: try await store.read { try $0.resourceServers(of: tenant) }))
        return weights
    }

    private func checkTotal(_ weights: SchemaWeights?, _ change: ConfigurationChange) throws {
        guard let weights else { return }
        if let problem = try weights.problem(of: try change.transaction.resourceServers(of: change.tenant)) {
            throw AdministrationFailure.invalid("authorization_details", problem)
        }
    }

    private func missingKeys(for document: JSONObject, _ context: AdministrativeContext) async throws -> [SigningKey] {
        guard let algorithm = document["signing_alg"]?.stringValue.flatMap(JWSAlgorithm.init(rawValue:)),
            signingAlgorithms.contains(algorithm)
        else { return [] }
        let stored = try await store.read { try $0.signingKeys(of: context.tenant) }
        return try keys.missing([algorithm], among: stored, tenant: context.tenant, now: context.now)
    }

    /// Revokes from roles and clients what the API no longer defines. Nil revokes all.
    private func withdraw(
        _ api: String, keeping kept: (scopes: Set<String>, types: Set<String>)?, _ change: ConfigurationChange
    ) throws {
        for old in try change.transaction.roles(of: change.tenant) {
            var role = old
            role.permissions = old.permissions.filter {
                $0.resourceServer != api || kept?.scopes.contains($0.scope) ?? false
            }
            guard role != old else { continue }
            try change.transaction.put(role, in: change.tenant)
            try change.record(.role, role.id.rawValue, from: old.document, to: role.document)
        }
        for old in try change.transaction.clients(of: change.tenant) {
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
            try change.transaction.put(client, in: change.tenant)
            try change.record(.client, client.id.rawValue, from: old.document, to: client.document)
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
