package import AuthorizationCore
package import Primitives

/// A tenant's configuration as one value, as far as it was read.
///
/// A function of a draft reads and writes it without a store. If it asks for a part that was not read, the draft throws
/// `Missing`: the caller reads that part, and calls the function again.
package struct Draft: Sendable {
    package struct Missing: Error {
        let part: ConfigurationPart
    }

    package let id: TenantID
    /// Version of the configuration that was read. Nil before anything was.
    package let version: Int64?
    /// In the order in which they were made.
    package private(set) var changes: [ConfigurationCommit.Change] = []
    private let parts: Set<ConfigurationPart>
    private var row: Tenant?
    private var objects: [TenantDocument.Kind: [String: TenantDocument]] = [:]
    private var keys: [SigningKey]
    private let rows: [Tenant]

    /// A draft of which nothing was read.
    package init(of tenant: TenantID) {
        id = tenant
        version = nil
        parts = []
        keys = []
        rows = []
    }

    /// A draft of the parts that were read.
    package init(_ read: ConfigurationObjects, _ parts: Set<ConfigurationPart>) {
        id = read.id
        version = read.version
        self.parts = parts
        row = read.tenant
        for document in read.documents { objects[document.kind, default: [:]][document.id] = document }
        keys = read.signingKeys
        rows = read.everyTenant
    }

    private func require(_ part: ConfigurationPart) throws(Missing) {
        guard parts.contains(part) else { throw Missing(part: part) }
    }

    // MARK: the tenant

    /// Nil for a tenant that is unknown, or was changed by somebody else.
    package func tenant() throws -> Tenant? {
        try require(.tenant)
        return row
    }

    /// All tenants that are known and unchanged, as they are stored.
    package func everyTenant() throws -> [Tenant] {
        try require(.everyTenant)
        return rows
    }

    package mutating func put(_ tenant: Tenant) {
        row = tenant
        changes.append(.tenant(tenant))
    }

    // MARK: objects

    /// Sorted by id.
    package func documents(_ kind: TenantDocument.Kind) throws -> [TenantDocument] {
        try require(.kind(kind))
        return (objects[kind] ?? [:]).values.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    }

    package func document(_ kind: TenantDocument.Kind, _ id: String) throws -> TenantDocument? {
        if !parts.contains(.kind(kind)) { try require(.object(kind, id: id)) }
        return objects[kind]?[id]
    }

    /// Sorted by id.
    package func all<Entity: StoredEntity>(_: Entity.Type) throws -> [Entity] {
        try documents(Entity.storedKind).map { try Entity($0) }
    }

    package func find<Entity: StoredEntity>(_: Entity.Type, _ id: String) throws -> Entity? {
        try document(Entity.storedKind, id).map { try Entity($0) }
    }

    /// A tenant without configured connections has the default database.
    package func connectionsOrDefault() throws -> [LoginConnection] {
        let configured = try all(LoginConnection.self)
        return configured.isEmpty ? [.defaultDatabase] : configured
    }

    package mutating func put(_ document: TenantDocument) {
        objects[document.kind, default: [:]][document.id] = document
        changes.append(.put(document))
    }

    package mutating func put(_ entity: some StoredEntity) { put(entity.stored) }

    package mutating func remove(_ kind: TenantDocument.Kind, _ id: String, now: Timestamp) {
        objects[kind]?[id] = nil
        changes.append(.remove(kind, id: id, now: now))
    }

    /// Revokes users' permissions for an API, except the scopes in `kept`.
    package mutating func withdraw(permissionsOf api: String, keeping kept: Set<String>) {
        changes.append(.withdraw(permissionsOf: api, keeping: kept))
    }

    // MARK: keys

    /// In the order of their making.
    package func signingKeys() throws -> [SigningKey] {
        try require(.keys)
        return keys
    }

    package mutating func put(_ key: SigningKey) {
        keys.removeAll { $0.id == key.id }
        keys.append(key)
        keys.sort { ($0.createdAt, $0.id.rawValue) < ($1.createdAt, $1.id.rawValue) }
        changes.append(.key(key))
    }

    /// Does nothing if the tenant has a key: subscriptions are bound to it.
    package mutating func put(_ key: WebPushKey) { changes.append(.webPushKey(key)) }
}
