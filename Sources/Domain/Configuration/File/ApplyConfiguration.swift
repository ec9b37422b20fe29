package import Audit
package import AuthorizationCore
import JOSE
package import Primitives
import X509

/// Applies a file to a store (`countersign apply`). Declarative: applying twice changes nothing. Atomic: an invalid
/// file changes nothing.
package struct ApplyConfiguration: Sendable {
    /// The result for one object.
    package struct Change: Sendable, Equatable {
        package enum Action: String, Sendable { case created, changed, removed, unchanged }

        package let action: Action
        /// `tenant`, `api`, `role`, `user`, `client`, `connection`, `key` or the kind of a service's document.
        package let kind: String
        package let tenant: TenantID
        package let name: String
        /// Names of changed fields, never values.
        package let fields: [String]
        /// Why the object has no effect. Nil if it has one.
        package var note: String?
    }

    let store: any ConfigurationStore
    private let hashing: any Hashing
    private let passwords: any PasswordHasher
    let sealer: any Sealer
    let keyFiles: any KeyFileReader
    private let keys: SigningKeySupply
    private let schemas: SchemaRegistry

    package init(
        store: any ConfigurationStore, hashing: any Hashing, passwords: any PasswordHasher,
        sealer: any Sealer, keys: any SigningKeyFactory, schemas: SchemaRegistry
    ) {
        self.store = store
        self.hashing = hashing
        self.passwords = passwords
        self.sealer = sealer
        keyFiles = keys
        self.keys = SigningKeySupply(keys)
        self.schemas = schemas
    }

    /// Applies a file. `prune` deletes the tenants' APIs, roles, clients, connections and services that the file does
    /// not name, but never users. Throws `ConfigurationFile.Failure` with the problems if the file does not fit the
    /// store.
    package func apply(
        _ file: ConfigurationFile, prune: Bool, by actor: AuditEvent.Actor, now: Timestamp
    ) async throws -> [Change] {
        let (weights, schemaProblems) = try await checkSchemas(file)
        let before = try await store.tenants()
        let (services, serviceProblems) = settledServices(file, over: before, now: now)
        try Self.refuse(file, schemaProblems + serviceProblems + Self.problems(file, against: before))
        let made = try await newKeys(for: file, now: now)
        let hashes = try await passwordHashes(file)
        return try await store.change { transaction in
            let stored = try transaction.tenants()
            // Again, because the store may have changed.
            try Self.refuse(file, Self.problems(file, against: stored))
            var changes: [Change] = []
            for entry in file.tenants {
                let part = stored.first { $0.tenant.id == entry.tenant.id }
                var writer = ChangeWriter(
                    transaction: transaction,
                    context: AdministrativeContext(tenant: entry.tenant.id, actor: actor, now: now))
                try write(entry, over: part, with: &writer)
                try writeConnections(entry, over: part, with: &writer)
                try write(services[entry.tenant.id] ?? [], of: entry.tenant.id, over: part, with: &writer)
                try writeUsers(entry, hashes: hashes, file: file, with: &writer)
                try writeKeys(made.signing[entry.tenant.id] ?? [], of: entry.tenant.id, with: &writer)
                if let key = made.webPush[entry.tenant.id] { try transaction.put(key) }
                if prune, let part { try remove(from: part, notIn: entry, with: &writer) }
                let apis = try transaction.resourceServers(of: entry.tenant.id)
                if let problem = try weights.problem(of: apis) {
                    throw file.failure([DocumentProblem(path: "\(entry.path).apis", message: problem)])
                }
                try writer.record()
                changes += writer.changes
            }
            return changes
        }
    }

    private static func refuse(_ file: ConfigurationFile, _ problems: [DocumentProblem]) throws {
        if !problems.isEmpty { throw file.failure(problems) }
    }

    private static func problems(_ file: ConfigurationFile, against stored: [StoredTenant]) -> [DocumentProblem] {
        hostProblems(file, against: stored) + secretProblems(file, against: stored)
    }

    private static func hostProblems(_ file: ConfigurationFile, against stored: [StoredTenant]) -> [DocumentProblem] {
        var problems: [DocumentProblem] = []
        let named = Set(file.tenants.map(\.tenant.id))
        for other in stored where !named.contains(other.tenant.id) {
            for entry in file.tenants {
                for (host, path) in entry.placedHosts where other.tenant.hosts.contains(host) {
                    problems.append(
                        DocumentProblem(path: path, message: "\(host) belongs to the tenant \(other.tenant.id)"))
                }
            }
        }
        return problems
    }

    /// Without a secret, a confidential client cannot authenticate, nor this server at a provider.
    private static func secretProblems(
        _ file: ConfigurationFile, against stored: [StoredTenant]
    ) -> [DocumentProblem] {
        var problems: [DocumentProblem] = []
        for entry in file.tenants {
            let part = stored.first { $0.tenant.id == entry.tenant.id }
            let known = Set((part?.clients ?? []).filter { !$0.secretHashes.isEmpty }.map(\.id))
            for item in entry.clients
            where item.secret == nil && item.client.usesSecret && !known.contains(item.client.id) {
                problems.append(
                    DocumentProblem(path: "\(item.path).client_secret", message: "is required for a new client"))
            }
            for item in entry.connections where item.secret == nil {
                let old = part?.connections.first { $0.name == item.connection.name }
                guard let problem = item.connection.missingSecret(over: old) else { continue }
                problems.append(DocumentProblem(path: "\(item.path).options.client_secret", message: problem))
            }
        }
        return problems
    }

    private func write(
        _ entry: ConfigurationFile.TenantEntry, over part: StoredTenant?, with writer: inout ChangeWriter
    ) throws {
        try writer.put("tenant", entry.tenant.id.rawValue, entry.tenant.document, over: part?.tenant.document) {
            try $0.put(entry.tenant)
        }
        for api in entry.resourceServers.map(\.value) {
            let old = part?.resourceServers.first { $0.identifier == api.identifier }
            try writer.put("api", api.identifier, api.document, over: old?.document) {
                try $0.put(api, in: entry.tenant.id)
            }
        }
        for role in entry.roles.map(\.value) {
            let old = part?.roles.first { $0.id == role.id }
            try writer.put("role", role.id.rawValue, role.document, over: old?.document) {
                try $0.put(role, in: entry.tenant.id)
            }
        }
        for item in entry.clients {
            let old = part?.clients.first { $0.id == item.client.id }
            var client = item.client.withCredentialsNamed(over: old, hashing, now: writer.now)
            // A client that no longer uses its secret loses it.
            client.secretHashes =
                !client.usesSecret ? [] : item.secret.map { [hashing.sha256($0.bytes)] } ?? old?.secretHashes ?? []
            var document = client.document
            document["client_secret"] = JSONValue(client.secretHashes.map { Hex.encode($0) })
            var before = old?.document
            if let old { before?["client_secret"] = JSONValue(old.secretHashes.map { Hex.encode($0) }) }
            let stored = client
            try writer.put("client", client.id.rawValue, document, over: before) {
                try $0.put(stored, in: entry.tenant.id)
            }
        }
    }

    private func writeConnections(
        _ entry: ConfigurationFile.TenantEntry, over part: StoredTenant?, with writer: inout ChangeWriter
    ) throws {
        let tenant = entry.tenant.id
        for item in entry.connections {
            let old = part?.connections.first { $0.name == item.connection.name }
            var connection = item.connection
            if var provider = connection.upstream {
                provider.sealedSecret = try sealed(
                    item.secret, context: UpstreamProvider.sealingContext(tenant: tenant, connection: connection.name),
                    over: old?.upstream?.sealedSecret)
                connection.kind = .upstream(provider)
            }
            let stored = connection
            try writer.put(
                "connection", connection.name, connection.documentWithSecret, over: old?.documentWithSecret
            ) { try $0.put(stored, in: tenant) }
        }
    }

    /// Keeps the stored box if it holds the same secret: sealing again would change it.
    private func sealed(_ secret: SecretBytes?, context: String, over old: [UInt8]?) throws -> [UInt8] {
        guard let secret else { return old ?? [] }
        if let old, let opened = try? sealer.open(old, context: context), constantTimeEquals(opened.bytes, secret.bytes)
        {
            return old
        }
        return try sealer.seal(secret.bytes, context: context)
    }

    private func writeUsers(
        _ entry: ConfigurationFile.TenantEntry, hashes: [UserKey: FilePassword], file: ConfigurationFile,
        with writer: inout ChangeWriter
    ) throws {
        let tenant = entry.tenant.id
        let named = Set(entry.users.map(\.user.id))
        // Users before their address was released for another user of the file.
        var released: [UserID: (user: User, passwordHash: String?)] = [:]
        for item in entry.users {
            let old = try released[item.user.id] ?? writer.transaction.user(item.user.id, in: tenant)
            if let email = item.user.email, let owner = try writer.transaction.user(email: email, in: tenant),
                owner != item.user.id
            {
                guard named.contains(owner), let holder = try writer.transaction.user(owner, in: tenant) else {
                    throw file.failure([
                        DocumentProblem(path: "\(item.path).email", message: "\(email) belongs to the user \(owner)")
                    ])
                }
                released[owner] = holder
                var without = holder.user
                without.email = nil
                try writer.transaction.put(without, passwordHash: holder.passwordHash, in: tenant)
            }
            if let username = item.user.username,
                let owner = try writer.transaction.user(username: username, in: tenant), owner != item.user.id
            {
                throw file.failure([
                    DocumentProblem(path: "\(item.path).username", message: "\(username) belongs to the user \(owner)")
                ])
            }
            var user = item.user
            if let old {
                user.createdAt = old.user.createdAt
                user.updatedAt = old.user.updatedAt
                if !item.saysWhetherBlocked { user.blocked = old.user.blocked }
            }
            let given = hashes[UserKey(tenant: tenant, user: user.id)]
            let hash = given?.replacement(of: old?.passwordHash) ?? old?.passwordHash
            var document = user.document
            document["password"] = hash.map(JSONValue.string)
            var before = old?.user.document
            before?["password"] = old?.passwordHash.map(JSONValue.string)
            let kept = try writer.transaction.metadata(of: user.id, in: tenant)
            let metadata = UserMetadata(user: item.userMetadata ?? kept.user, app: item.appMetadata ?? kept.app)
            document["user_metadata"] = .object(metadata.user)
            document["app_metadata"] = .object(metadata.app)
            before?["user_metadata"] = .object(kept.user)
            before?["app_metadata"] = .object(kept.app)
            let stored = user
            let now = writer.now
            try writer.put("user", user.id.rawValue, document, over: before) { transaction in
                var changed = stored
                changed.updatedAt = now
                try transaction.put(changed, passwordHash: hash, in: tenant)
                if let old, hash != old.passwordHash || changed.blocked && !old.user.blocked {
                    try transaction.endAccess(of: changed.id, in: tenant, now: now)
                }
                // Tickets were mailed to the old address or set the old password.
                if let old, hash != old.passwordHash || changed.email != old.user.email {
                    try transaction.removeTickets(of: changed.id, in: tenant)
                }
                if metadata != kept { try transaction.put(metadata, of: changed.id, in: tenant) }
            }
            if let applied = given?.applied {
                try writer.transaction.put(appliedPasswordHash: applied, of: user.id, in: tenant)
            }
        }
    }

    private func writeKeys(_ made: [SigningKey], of tenant: TenantID, with writer: inout ChangeWriter) throws {
        for key in try SigningKeySupply.put(made, of: tenant, in: writer.transaction) {
            writer.add(.created, "key", "\(key.algorithm.rawValue) \(key.id) (\(key.status.rawValue))")
        }
    }

    private func remove(
        from part: StoredTenant, notIn entry: ConfigurationFile.TenantEntry,
        with writer: inout ChangeWriter
    ) throws {
        let tenant = entry.tenant.id
        let clients = Set(entry.clients.map(\.client.id))
        for client in part.clients where !clients.contains(client.id) {
            try writer.transaction.remove(client: client.id, from: tenant, now: writer.now)
            writer.add(.removed, "client", client.id.rawValue)
        }
        let connections = Set(entry.connections.map(\.connection.name))
        for connection in part.connections where !connections.contains(connection.name) {
            try writer.transaction.remove(connection: connection.name, from: tenant)
            writer.add(.removed, "connection", connection.name)
        }
        let roles = Set(entry.roles.map(\.value.id))
        for role in part.roles where !roles.contains(role.id) {
            try writer.transaction.remove(role: role.id, from: tenant)
            writer.add(.removed, "role", role.id.rawValue)
        }
        let apis = Set(entry.resourceServers.map(\.value.identifier))
        for api in part.resourceServers where !apis.contains(api.identifier) {
            // The remaining roles and clients are in the file, which refers only to its own APIs.
            _ = try writer.transaction.remove(resourceServer: api.identifier, from: tenant, now: writer.now)
            writer.add(.removed, "api", api.identifier)
        }
        try removeServices(from: part, notIn: entry, with: &writer)
    }

    // MARK: slow work, before the transaction

    /// Returns the weights of the schemas of the file's tenants, including stored ones, and the problems that only
    /// compilation finds.
    private func checkSchemas(
        _ file: ConfigurationFile
    ) async throws -> (weights: SchemaWeights, problems: [DocumentProblem]) {
        var problems: [DocumentProblem] = []
        var weights = SchemaWeights()
        for api in file.tenants.flatMap(\.resourceServers) {
            let checked = try await schemas.check(
                api.value.document["authorization_details"], path: "\(api.path).authorization_details")
            problems += checked.problems
            weights.add(checked.weights)
        }
        let tenants = file.tenants.map(\.tenant.id)
        let stored = try await store.read { reader in try tenants.flatMap { try reader.resourceServers(of: $0) } }
        weights.add(try await schemas.weights(of: stored))
        return (weights, problems)
    }

    package struct UserKey: Hashable {
        let tenant: TenantID
        let user: UserID
    }

    private struct NewKeys {
        var signing: [TenantID: [SigningKey]] = [:]
        var webPush: [TenantID: WebPushKey] = [:]
    }

    /// A current and a next key of each algorithm that the tenant uses without keys, and the key for push services.
    /// Always includes RS256: clients expect it.
    private func newKeys(for file: ConfigurationFile, now: Timestamp) async throws -> NewKeys {
        let parts = try await store.tenants()
        var made = NewKeys()
        for entry in file.tenants {
            let part = parts.first { $0.tenant.id == entry.tenant.id }
            let stored = part?.signingKeys ?? []
            let used = Set(
                [.rs256] + entry.resourceServers.map(\.value.signingAlgorithm)
                    + entry.clients.map(\.client.idTokenAlgorithm))
            made.webPush[entry.tenant.id] = try keys.missingWebPushKey(of: part, tenant: entry.tenant.id)
            made.signing[entry.tenant.id] = try keys.missing(used, among: stored, tenant: entry.tenant.id, now: now)
        }
        return made
    }

    private struct FilePassword {
        let hash: String
        /// True if only a new user gets the password.
        let isInitial: Bool

        /// Nil keeps the stored password.
        func replacement(of stored: String?) -> String? { isInitial && stored != nil ? nil : hash }

        /// Hash to remember as the file's.
        var applied: String? { isInitial ? nil : hash }
    }

    /// Passwords of new users, and passwords that changed in the file since it was applied last. An unchanged password
    /// is skipped: the user may have changed theirs since.
    private func passwordHashes(_ file: ConfigurationFile) async throws -> [UserKey: FilePassword] {
        var hashes: [UserKey: FilePassword] = [:]
        for entry in file.tenants {
            for item in entry.users {
                guard let password = (item.password ?? item.initialPassword).map({ Password($0) }) else { continue }
                let isInitial = item.password == nil
                let id = item.user.id
                let (stored, applied) = try await store.read { reader in
                    (
                        try reader.user(id, in: entry.tenant.id)?.passwordHash,
                        try reader.appliedPasswordHash(of: id, in: entry.tenant.id)
                    )
                }
                if isInitial, stored != nil { continue }
                if let applied, try await passwords.verify(password, against: applied) != .none { continue }
                let hash: String
                if let stored, try await passwords.verify(password, against: stored) != .none {
                    hash = stored
                } else {
                    hash = try await passwords.hash(password)
                }
                hashes[UserKey(tenant: entry.tenant.id, user: id)] = FilePassword(hash: hash, isInitial: isInitial)
            }
        }
        return hashes
    }
}

extension LoginConnection {
    /// For comparison only: separate options, including the sealed secret.
    fileprivate var documentWithSecret: JSONObject {
        var document = document
        for (name, value) in document["options"]?.objectValue ?? [:] { document["options.\(name)"] = value }
        document["options"] = nil
        document["options.client_secret"] = (upstream?.sealedSecret).map { .string(Hex.encode($0)) }
        return document
    }
}
