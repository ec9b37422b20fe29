package import Audit
package import AuthorizationCore
import JOSE
package import Primitives
import X509

/// Applies a file to a store (`countersign apply`). Declarative: applying twice changes nothing. Atomic: an invalid
/// file changes nothing.
package struct ApplyConfiguration: Sendable {
    let store: any ConfigurationStore
    let hashing: any Hashing
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
    /// not name, but never users. A dry run makes the same drafts, and writes none. Throws `ConfigurationFile.Failure`
    /// with the problems if the file does not fit the store.
    package func apply(
        _ file: ConfigurationFile, prune: Bool, dryRun: Bool = false, by actor: AuditEvent.Actor, now: Timestamp
    ) async throws -> [Change] {
        try await apply(file, Options(prune: prune, dryRun: dryRun), now: now) {
            AdministrativeContext(tenant: $0, actor: actor, now: now)
        }.changes
    }

    /// Applies a file, with the context of each tenant's changes. Throws ``Moved`` if the configuration has none of the
    /// versions that the options name.
    package func apply(
        _ file: ConfigurationFile, _ options: Options, now: Timestamp,
        for context: @escaping @Sendable (TenantID) -> AdministrativeContext
    ) async throws -> Outcome {
        let (weights, schemaProblems) = try await checkSchemas(file)
        let before = try await store.tenants()
        let (services, serviceProblems) = settledServices(
            file, over: before, comparesSecrets: options.comparesSecrets, now: now)
        try Self.refuse(file, schemaProblems + serviceProblems + Self.problems(file, against: before))
        let made = try await newKeys(for: file, now: now)
        let hashes = options.comparesSecrets ? try await passwordHashes(file) : [:]
        @Sendable func drafted(_ reader: any UserReader) throws -> [ChangeWriter] {
            // Again, because the store may have changed.
            try Self.refuse(file, Self.problems(file, against: reader.tenants()))
            return try file.tenants.map { entry in
                let tenant = entry.tenant.id
                let draft = try reader.draft(of: tenant, StoredTenant.parts)
                var writer = ChangeWriter(
                    ConfigurationChange(draft, for: context(tenant)), comparesSecrets: options.comparesSecrets)
                let isKnown = try draft.tenant() != nil
                try write(entry, over: isKnown ? draft : nil, with: &writer)
                try write(services[tenant] ?? [], of: tenant, over: isKnown ? draft : nil, with: &writer)
                try writeUsers(entry, hashes: hashes, file: file, reader: reader, with: &writer)
                for key in try SigningKeySupply.put(made.signing[tenant] ?? [], in: &writer.change.draft) {
                    writer.add(.created, "key", "\(key.algorithm.rawValue) \(key.id) (\(key.status.rawValue))")
                }
                if let key = made.webPush[tenant] { writer.change.draft.put(key) }
                if options.prune, isKnown { try writer.prune() }
                if let problem = try weights.problem(of: writer.change.draft.all(ResourceServer.self)) {
                    throw file.failure([DocumentProblem(path: "\(entry.path).apis", message: problem)])
                }
                return writer
            }
        }
        let tenants = file.tenants.map(\.tenant.id)
        if options.dryRun {
            return try await store.read { reader in
                let version = try checkedVersion(of: tenants, options, reader)
                return Outcome(changes: try drafted(reader).flatMap(\.changes), version: version)
            }
        }
        return try await store.change { transaction in
            _ = try checkedVersion(of: tenants, options, transaction)
            let writers = try drafted(transaction)
            for writer in writers { try writer.write(transaction) }
            return Outcome(changes: writers.flatMap(\.changes), version: try version(of: tenants, transaction))
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
            where item.secret == nil && item.value.usesSecret && !known.contains(item.value.id) {
                problems.append(
                    DocumentProblem(path: "\(item.path).client_secret", message: "is required for a new client"))
            }
            for item in entry.connections where item.secret == nil {
                let old = part?.connections.first { $0.name == item.value.name }
                guard let path = item.value.secretPath, let problem = item.value.missingSecret(over: old) else {
                    continue
                }
                problems.append(DocumentProblem(path: "\(item.path).\(path)", message: problem))
            }
        }
        return problems
    }

    /// A nil `old` is a tenant that is unknown, or was changed by somebody else.
    private func write(
        _ entry: ConfigurationFile.TenantEntry, over old: Draft?, with writer: inout ChangeWriter
    ) throws {
        let tenant = entry.tenant.id
        writer.put("tenant", tenant.rawValue, entry.tenant.document, over: try old?.tenant()?.document) {
            $0.change.draft.put(entry.tenant)
        }
        for api in entry.resourceServers.map(\.value) {
            let old = try old?.find(ResourceServer.self, api.identifier)
            writer.put(.resourceServer, api.identifier, api.document, over: old?.document) { api.stored }
        }
        for role in entry.roles.map(\.value) {
            let old = try old?.find(Role.self, role.storedID)
            writer.put(.role, role.storedID, role.document, over: old?.document) { role.stored }
        }
        for item in entry.clients {
            let old = try old?.find(Client.self, item.value.storedID)
            var client = item.value.withCredentialsNamed(over: old, hashing, now: writer.now)
            let secret = writer.compared(item.secret)
            // A client that no longer uses its secret loses it.
            client.secretHashes =
                !client.usesSecret ? [] : secret.map { [hashing.sha256($0.bytes)] } ?? old?.secretHashes ?? []
            writer.put(
                .client, client.storedID, client.documentWithSecret, over: old?.documentWithSecret,
                uncompared: writer.uncompared(item.secret, "client_secret")
            ) { client.stored }
        }
        for item in entry.connections {
            let old = try old?.find(LoginConnection.self, item.value.name)
            var connection = item.value
            let secret = writer.compared(item.secret)
            if connection.secretPath != nil {
                connection.sealedSecret = try sealed(
                    secret, context: UpstreamProvider.sealingContext(tenant: tenant, connection: connection.name),
                    over: old?.sealedSecret)
            }
            writer.put(
                .connection, connection.name, connection.documentWithSecret, over: old?.documentWithSecret,
                uncompared: writer.uncompared(item.secret, connection.secretPath)
            ) { connection.stored }
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

    /// Notes what is written to users. Users whose e-mail address another user of the file gets lose it first.
    private func writeUsers(
        _ entry: ConfigurationFile.TenantEntry, hashes: [UserKey: FilePassword], file: ConfigurationFile,
        reader: any UserReader, with writer: inout ChangeWriter
    ) throws {
        let tenant = entry.tenant.id
        let named = Set(entry.users.map(\.user.id))
        var released: Set<UserID> = []
        for item in entry.users {
            guard let email = item.user.email, let owner = try reader.user(email: email, in: tenant),
                owner != item.user.id
            else { continue }
            guard named.contains(owner), let holder = try reader.user(owner, in: tenant) else {
                throw file.failure([
                    DocumentProblem(path: "\(item.path).email", message: "\(email) belongs to the user \(owner)")
                ])
            }
            guard released.insert(owner).inserted else { continue }
            writer.users.append { transaction in
                var without = holder.user
                without.email = nil
                try transaction.put(without, passwordHash: holder.passwordHash, in: tenant)
            }
        }
        var written: Set<UserID> = []
        for item in entry.users {
            let old = try reader.user(item.user.id, in: tenant)
            if let username = item.user.username, let owner = try reader.user(username: username, in: tenant),
                owner != item.user.id, !written.contains(owner)
            {
                throw file.failure([
                    DocumentProblem(path: "\(item.path).username", message: "\(username) belongs to the user \(owner)")
                ])
            }
            written.insert(item.user.id)
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
            let kept = try reader.metadata(of: user.id, in: tenant)
            let metadata = UserMetadata(user: item.userMetadata ?? kept.user, app: item.appMetadata ?? kept.app)
            document["user_metadata"] = .object(metadata.user)
            document["app_metadata"] = .object(metadata.app)
            before?["user_metadata"] = .object(kept.user)
            before?["app_metadata"] = .object(kept.app)
            let now = writer.now
            writer.put(
                "user", user.id.rawValue, document, over: before,
                uncompared: writer.uncompared(item.password, "password")
            ) { writer in
                user.updatedAt = now
                writer.users.append { [user] transaction in
                    try transaction.put(user, passwordHash: hash, in: tenant)
                    if let old, hash != old.passwordHash || user.blocked && !old.user.blocked {
                        try transaction.endAccess(of: user.id, in: tenant, now: now)
                    }
                    // Tickets were mailed to the old address or set the old password.
                    if let old, hash != old.passwordHash || user.email != old.user.email {
                        try transaction.removeTickets(of: user.id, in: tenant)
                    }
                    if metadata != kept { try transaction.put(metadata, of: user.id, in: tenant) }
                }
            }
            if let applied = given?.applied {
                writer.users.append { [id = user.id] transaction in
                    try transaction.put(appliedPasswordHash: applied, of: id, in: tenant)
                }
            }
        }
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
        let stored = try await store.read { reader in
            try tenants.flatMap { try reader.all(ResourceServer.self, of: $0) }
        }
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
                    + entry.clients.map(\.value.idTokenAlgorithm))
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

extension Client {
    /// For comparison only, including the hashes of secrets.
    fileprivate var documentWithSecret: JSONObject {
        var document = document
        document["client_secret"] = JSONValue(secretHashes.map { Hex.encode($0) })
        return document
    }
}

extension LoginConnection {
    /// For comparison only: separate options, including the sealed secret.
    fileprivate var documentWithSecret: JSONObject {
        var document = document
        for (name, value) in document["options"]?.objectValue ?? [:] { document["options.\(name)"] = value }
        document["options"] = nil
        if let secretPath { document[secretPath] = sealedSecret.map { .string(Hex.encode($0)) } }
        return document
    }
}
