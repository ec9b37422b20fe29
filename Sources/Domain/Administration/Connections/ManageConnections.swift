package import AuthorizationCore
package import Configuration
package import Primitives

package struct ManageConnections: Sendable {
    private let store: any ConfigurationStore
    private let sealer: any Sealer
    private let ids: ObjectIDs

    package init(store: any ConfigurationStore, hashing: any Hashing, sealer: any Sealer) {
        self.store = store
        self.sealer = sealer
        ids = ObjectIDs(hashing: hashing)
    }

    package func id(of connection: LoginConnection, in tenant: TenantID) -> String {
        ids.connection(connection.name, of: tenant)
    }

    /// Sorted by name. The default database if none is configured.
    package func list(_ tenant: TenantID) async throws -> [LoginConnection] {
        try await store.read { try $0.connectionsOrDefault(of: tenant) }
    }

    package func connection(_ id: String, of tenant: TenantID) async throws -> LoginConnection {
        try await store.read { try find(id, of: tenant, $0) }
    }

    /// `document` has at least `name` and `strategy`. No client can use the connection unless `enabled_clients` names
    /// it. Unknown members are stored.
    package func create(_ document: JSONObject, for context: AdministrativeContext) async throws -> LoginConnection {
        var document = document
        if document["enabled_clients"] == nil { document["enabled_clients"] = [] }
        let (read, secret) = try Self.read(document)
        if secret == nil, let problem = read.missingSecret(over: nil) {
            throw AdministrationFailure.invalid("options.client_secret", problem)
        }
        let connection = try sealed(read, secret, over: nil, context)
        return try await store.change(for: context) { change in
            let others = try change.transaction.connectionsOrDefault(of: context.tenant)
            guard !others.contains(where: { $0.name == connection.name }) else {
                throw AdministrationFailure.conflict(.connection, same: "name")
            }
            if connection.isDatabase, others.contains(where: \.isDatabase) {
                throw AdministrationFailure.unsupported("A tenant has one database of users; change that one instead")
            }
            try Self.checkClients(of: connection, change)
            // The default database exists only while no connection is configured, so store it now.
            for other in others { try Self.putMissing(other, change) }
            try change.transaction.put(connection, in: context.tenant)
            try change.record(.created, .connection, id(of: connection, in: context.tenant))
            return connection
        }
    }

    /// Replaces `patch`'s members, `options` as a whole; null deletes. Name and strategy are fixed. Without a new
    /// secret, the old one stays if its destination does: a new address must not receive it.
    package func update(_ id: String, _ patch: JSONObject, for context: AdministrativeContext) async throws
        -> LoginConnection
    {
        try await store.change(for: context) { change in
            let old = try find(id, of: context.tenant, change.transaction)
            let before = old.flatDocument
            for name in ["name", "strategy"] where patch[name].map({ $0 != before[name] }) ?? false {
                throw AdministrationFailure.invalid(name, "cannot be changed")
            }
            let (read, secret) = try Self.read(before.patched(with: patch), patch: patch, over: old)
            if secret == nil, let problem = read.missingSecret(over: old) {
                throw AdministrationFailure.invalid("options.client_secret", problem)
            }
            let connection = try sealed(read, secret, over: old, context)
            try Self.checkClients(of: connection, change)
            try put(connection, over: old, change)
            return connection
        }
    }

    /// Enables or disables clients.
    package func update(_ id: String, clients: [ClientID: Bool], for context: AdministrativeContext) async throws {
        try await store.change(for: context) { change in
            let old = try find(id, of: context.tenant, change.transaction)
            // A connection for every client becomes a list of the clients that exist now.
            var enabled = try old.enabledClients ?? Set(change.transaction.clients(of: context.tenant).map(\.id))
            for (client, isEnabled) in clients {
                if isEnabled { enabled.insert(client) } else { enabled.remove(client) }
            }
            var connection = old
            connection.enabledClients = enabled
            try Self.checkClients(of: connection, change)
            try put(connection, over: old, change)
        }
    }

    /// Clients that can use the connection, sorted by id.
    package func clients(of id: String, in tenant: TenantID) async throws -> [ClientID] {
        try await store.read { reader in
            let enabled = try find(id, of: tenant, reader).enabledClients
            return try (enabled.map(Array.init) ?? reader.clients(of: tenant).map(\.id))
                .sorted { $0.rawValue < $1.rawValue }
        }
    }

    /// The connection's users stay but can no longer log in through it.
    package func remove(_ id: String, for context: AdministrativeContext) async throws {
        try await store.change(for: context) { change in
            let connection = try find(id, of: context.tenant, change.transaction)
            guard try change.transaction.connectionsOrDefault(of: context.tenant).count > 1 else {
                throw AdministrationFailure.unsupported("A tenant needs a connection; create another one first")
            }
            try change.transaction.remove(connection: connection.name, from: context.tenant)
            try change.record(.removed, .connection, id)
        }
    }

    /// Deletes the connection's user with this address, if there is one. Returns the stored form of each deleted request's
    /// `auth_req_id`, to wake its polls.
    package func removeUser(
        email: EmailAddress, from id: String, for context: AdministrativeContext
    ) async throws -> [[UInt8]] {
        try await store.change(for: context) { change in
            let connection = try find(id, of: context.tenant, change.transaction)
            let upstream = try change.transaction.connectionsOrDefault(of: context.tenant).filter { !$0.isDatabase }
            guard let user = try change.transaction.user(email: email, in: context.tenant) else { return [] }
            // An id's first part names the upstream provider. Other ids belong to the database.
            let source = user.rawValue.split(separator: "|").first.map(String.init)
            let isFromElsewhere = upstream.contains { $0.name == source }
            guard connection.isDatabase ? !isFromElsewhere : connection.name == source else { return [] }
            return try ManageUsers.remove(user, change)
        }
    }

    // MARK: helpers

    private func find(_ id: String, of tenant: TenantID, _ reader: any ConfigurationReader) throws -> LoginConnection {
        try reader.connectionsOrDefault(of: tenant).first { self.id(of: $0, in: tenant) == id }.orUnknown(.connection)
    }

    private static func read(
        _ document: JSONObject, patch: JSONObject = [:], over stored: LoginConnection? = nil
    ) throws(AdministrationFailure) -> (LoginConnection, SecretBytes?) {
        if let realms = document["realms"], let name = document["name"], realms != [name] {
            throw .invalid("realms", "must be the name of the connection alone")
        }
        var secret: SecretBytes?
        let connection = try DocumentFields.openEntity(
            document, patch: patch, over: stored, taking: .connections
        ) { fields in
            LoginConnection(fields, sealedSecret: []) { options in
                secret = options.string("client_secret", limit: 1024).map(SecretBytes.init(utf8:))
            }
        }
        return (connection, secret)
    }

    /// Seals the given secret. Without one, keeps the old secret.
    private func sealed(
        _ connection: LoginConnection, _ secret: SecretBytes?, over old: LoginConnection?,
        _ context: AdministrativeContext
    ) throws -> LoginConnection {
        guard var provider = connection.upstream else { return connection }
        if let secret {
            let context = UpstreamProvider.sealingContext(tenant: context.tenant, connection: connection.name)
            provider.sealedSecret = try sealer.seal(secret.bytes, context: context)
        } else {
            provider.sealedSecret = old?.upstream?.sealedSecret ?? []
        }
        var connection = connection
        connection.kind = .upstream(provider)
        return connection
    }

    private static func checkClients(of connection: LoginConnection, _ change: ConfigurationChange) throws {
        let clients = try Set(change.transaction.clients(of: change.tenant).map(\.id))
        let unknown = (connection.enabledClients ?? []).subtracting(clients).map(\.rawValue).sorted()
        if let first = unknown.first { throw AdministrationFailure.invalid("enabled_clients", "\(first) is no client") }
    }

    private static func putMissing(_ connection: LoginConnection, _ change: ConfigurationChange) throws {
        guard try change.transaction.connection(connection.name, of: change.tenant) == nil else { return }
        try change.transaction.put(connection, in: change.tenant)
    }

    private func put(_ new: LoginConnection, over old: LoginConnection, _ change: ConfigurationChange) throws {
        guard new != old else { return }
        try change.transaction.put(new, in: change.tenant)
        var fields = new.document.differences(from: old.document)
        if new.upstream?.sealedSecret != old.upstream?.sealedSecret { fields.append("options.client_secret") }
        try change.record(.changed, .connection, id(of: new, in: change.tenant), fields: fields)
    }
}
