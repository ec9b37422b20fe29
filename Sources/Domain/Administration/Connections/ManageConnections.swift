package import AuthorizationCore
package import Configuration
package import Primitives

package struct ManageConnections: Sendable {
    let store: any ConfigurationStore
    let sealer: any Sealer
    let ids: ObjectIDs

    package func id(of connection: LoginConnection, in tenant: TenantID) -> String {
        ids.connection(connection.name, of: tenant)
    }

    /// Sorted by name. The default database if none is configured.
    package func list(_ tenant: TenantID) async throws -> [LoginConnection] {
        try await store.view(tenant) { try $0.connectionsOrDefault() }
    }

    package func connection(_ id: String, of tenant: TenantID) async throws -> LoginConnection {
        try await store.view(tenant) { try find(id, $0) }
    }

    /// `document` has at least `name` and `strategy`. No client can use the connection unless `enabled_clients` names
    /// it. Unknown members are stored.
    package func create(_ document: JSONObject, for context: AdministrativeContext) async throws -> LoginConnection {
        var document = document
        if document["enabled_clients"] == nil { document["enabled_clients"] = [] }
        let (read, secret) = try Self.read(document)
        try Self.checkSecret(secret, of: read, over: nil)
        let connection = try sealed(read, secret, over: nil, context)
        if connection.secretPath != nil {
            try context.requireOwn(try await store.scopesOfEverybody(for: context), to: Self.trusting)
        }
        return try await store.edit(for: context) { change in
            let others = try change.draft.connectionsOrDefault()
            guard !others.contains(where: { $0.name == connection.name }) else {
                throw AdministrationFailure.conflict(.connection, same: "name")
            }
            if connection.isDatabase, others.contains(where: \.isDatabase) {
                throw AdministrationFailure.unsupported("A tenant has one database of users; change that one instead")
            }
            try Self.checkClients(of: connection, change.draft)
            // The default database exists only while no connection is configured, so store it now.
            for other in others where try change.draft.find(LoginConnection.self, other.name) == nil {
                change.draft.put(other)
            }
            change.draft.put(connection)
            change.record(.created, .connection, id(of: connection, in: context.tenant))
            return connection
        }
    }

    /// Replaces `patch`'s members, `options` as a whole; null deletes. Name and strategy are fixed. Without a new
    /// secret, the old one stays if its destination does: a new address must not receive it.
    package func update(_ id: String, _ patch: JSONObject, for context: AdministrativeContext) async throws
        -> LoginConnection
    {
        let rights = try await store.scopesOfEverybody(for: context)
        return try await store.edit(for: context) { change in
            let old = try find(id, change.draft)
            let before = old.flatDocument
            for name in ["name", "strategy"] where patch[name].map({ $0 != before[name] }) ?? false {
                throw AdministrationFailure.invalid(name, "cannot be changed")
            }
            let (read, secret) = try Self.read(before.patched(with: patch), patch: patch, over: old)
            try Self.checkSecret(secret, of: read, over: old)
            let connection = try sealed(read, secret, over: old, context)
            if !connection.trusts(asMuchAs: old) { try context.requireOwn(rights, to: Self.trusting) }
            try Self.checkClients(of: connection, change.draft)
            put(connection, over: old, &change)
            return connection
        }
    }

    /// Enables or disables clients.
    package func update(_ id: String, clients: [ClientID: Bool], for context: AdministrativeContext) async throws {
        try await store.edit(for: context) { change in
            let old = try find(id, change.draft)
            // A connection for every client becomes a list of the clients that exist now.
            var enabled = try old.enabledClients ?? Set(change.draft.all(Client.self).map(\.id))
            for (client, isEnabled) in clients {
                if isEnabled { enabled.insert(client) } else { enabled.remove(client) }
            }
            var connection = old
            connection.enabledClients = enabled
            try Self.checkClients(of: connection, change.draft)
            put(connection, over: old, &change)
        }
    }

    /// Clients that can use the connection, sorted by id.
    package func clients(of id: String, in tenant: TenantID) async throws -> [ClientID] {
        try await store.view(tenant) { draft in
            let enabled = try find(id, draft).enabledClients
            return try (enabled.map(Array.init) ?? draft.all(Client.self).map(\.id))
                .sorted { $0.rawValue < $1.rawValue }
        }
    }

    /// The connection's users stay but can no longer log in through it.
    package func remove(_ id: String, for context: AdministrativeContext) async throws {
        let rights = try await store.scopesOfEverybody(for: context)
        try await store.edit(for: context) { change in
            let connection = try find(id, change.draft)
            // Another database without it may come next, whose people the old server would have known.
            if connection.oldServer != nil { try context.requireOwn(rights, to: Self.trusting) }
            guard try change.draft.connectionsOrDefault().count > 1 else {
                throw AdministrationFailure.unsupported("A tenant needs a connection; create another one first")
            }
            change.remove(.connection, connection.name)
            change.record(.removed, .connection, id)
        }
    }

    /// Deletes the connection's user with this address, if there is one. Returns the stored form of each deleted request's
    /// `auth_req_id`, to wake its polls.
    package func removeUser(
        email: EmailAddress, from id: String, for context: AdministrativeContext
    ) async throws -> [[UInt8]] {
        try await store.change(for: context) { change in
            let draft = try change.reader.draft(of: context.tenant, [.kind(.connection)])
            let connection = try find(id, draft)
            let upstream = try draft.connectionsOrDefault().filter { !$0.isDatabase }
            guard let user = try change.reader.user(email: email, in: context.tenant) else { return [] }
            // An id's first part names the upstream provider. Other ids belong to the database.
            let source = user.rawValue.split(separator: "|").first.map(String.init)
            let isFromElsewhere = upstream.contains { $0.name == source }
            guard connection.isDatabase ? !isFromElsewhere : connection.name == source else { return [] }
            return try change.user(user).map { try ManageUsers.remove($0, change) } ?? []
        }
    }

    // MARK: helpers

    private static let trusting = "deciding which provider or old server says who a user is"

    private func find(_ id: String, _ draft: Draft) throws -> LoginConnection {
        try draft.connectionsOrDefault().first { self.id(of: $0, in: draft.id) == id }.orUnknown(.connection)
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
            LoginConnection(fields, sealedSecret: []) { holder, name in
                secret = holder.string(name, limit: 1024).map(SecretBytes.init(utf8:))
            }
        }
        return (connection, secret)
    }

    private static func checkSecret(
        _ secret: SecretBytes?, of connection: LoginConnection, over old: LoginConnection?
    ) throws(AdministrationFailure) {
        guard let path = connection.secretPath else { return }
        let problem =
            secret.map { connection.problem(withSecret: $0) } ?? connection.missingSecret(over: old)
        if let problem { throw .invalid(path, problem) }
    }

    /// Seals the given secret. Without one, keeps the old secret.
    private func sealed(
        _ connection: LoginConnection, _ secret: SecretBytes?, over old: LoginConnection?,
        _ context: AdministrativeContext
    ) throws -> LoginConnection {
        guard connection.secretPath != nil else { return connection }
        var connection = connection
        if let secret {
            let context = UpstreamProvider.sealingContext(tenant: context.tenant, connection: connection.name)
            connection.sealedSecret = try sealer.seal(secret.bytes, context: context)
        } else {
            connection.sealedSecret = old?.sealedSecret
        }
        return connection
    }

    private static func checkClients(of connection: LoginConnection, _ draft: Draft) throws {
        let clients = try Set(draft.all(Client.self).map(\.id))
        let unknown = (connection.enabledClients ?? []).subtracting(clients).map(\.rawValue).sorted()
        if let first = unknown.first { throw AdministrationFailure.invalid("enabled_clients", "\(first) is no client") }
    }

    private func put(_ new: LoginConnection, over old: LoginConnection, _ change: inout ConfigurationChange) {
        guard new != old else { return }
        change.draft.put(new)
        var fields = new.document.differences(from: old.document)
        if let path = new.secretPath, new.sealedSecret != old.sealedSecret { fields.append(path) }
        change.record(.changed, .connection, id(of: new, in: change.tenant), fields: fields)
    }
}

extension Managers {
    package var connections: ManageConnections { ManageConnections(store: store, sealer: sealer, ids: ids) }
}
