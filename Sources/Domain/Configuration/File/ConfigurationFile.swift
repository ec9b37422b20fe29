package import AuthorizationCore
import OAuthWire
package import Primitives

/// A file of `countersign apply`, read and checked as far as possible without a store.
package struct ConfigurationFile: Sendable {
    /// Source of a secret: the file itself, an environment variable, or another file.
    package enum SecretSource: Sendable, Equatable {
        case text(String)
        case environment(String)
        case file(String)
    }

    /// A value with its path in the file.
    package struct Placed<Value: Sendable>: Sendable {
        var value: Value
        /// Nil keeps the stored secret.
        var secret: SecretBytes?
        let path: String
    }

    package struct UserEntry: Sendable {
        package let user: User
        /// False keeps the stored state, so that files without `blocked` lift no administrator's block.
        let saysWhetherBlocked: Bool
        /// Nil keeps the stored part, which applications write to.
        let userMetadata: JSONObject?
        let appMetadata: JSONObject?
        /// For new users, or if it changed in the file since the last apply. Nil keeps the stored one.
        package let password: SecretBytes?
        /// Only for new users.
        package let initialPassword: SecretBytes?
        let path: String
    }

    package struct TenantEntry: Sendable {
        package let tenant: Tenant
        package let path: String
        var resourceServers: [Placed<ResourceServer>] = []
        var roles: [Placed<Role>] = []
        package private(set) var users: [UserEntry] = []
        var clients: [Placed<Client>] = []
        var connections: [Placed<LoginConnection>] = []
        var services: [ServiceEntry] = []

        /// Paths of the tenant's hosts.
        var placedHosts: [(host: String, path: String)] {
            tenant.hosts.enumerated().map { ($1, path + ($0 == 0 ? ".host" : ".custom_domains")) }
        }
    }

    /// All problems of a file, with lines.
    package struct Failure: Error, Sendable, Equatable {
        package struct Line: Sendable, Equatable {
            package let line: Int
            package let column: Int
            package let path: String
            package let message: String
        }

        package let lines: [Line]
    }

    /// Minimum bytes of a secret: enough randomness to store a plain hash of it.
    package static let secretMinimum = 32

    package let tenants: [TenantEntry]
    /// Members of former names.
    package let warnings: [Failure.Line]
    private let bytes: [UInt8]

    /// `secret` resolves `client_secret` and `password`. Nil means not found.
    package init(parsing bytes: [UInt8], now: Timestamp, secret: (SecretSource) -> SecretBytes?) throws(Failure) {
        let bytes = Array(bytes.withoutByteOrderMark)
        self.bytes = bytes
        let value: JSONValue
        do {
            value = try JSONReader.parse(bytes, depthLimit: 64)
        } catch {
            throw Self.failure(error, in: bytes)
        }
        let problems = Problems()
        var tenants: [TenantEntry] = []
        if let root = DocumentFields(value, path: "", problems: problems) {
            if root.value("tenants") == nil { root.problem("tenants", "is required") }
            for fields in root.objects("tenants") {
                if let entry = Self.tenant(fields, now: now, secret: secret) { tenants.append(entry) }
            }
            root.finish()
        }
        self.tenants = tenants
        warnings = Self.failure(problems.warnings, in: bytes).lines
        Self.check(tenants, problems)
        if !problems.list.isEmpty { throw Self.failure(problems.list, in: bytes) }
    }

    /// Problems found only against the store, with their lines.
    package func failure(_ problems: [DocumentProblem]) -> Failure { Self.failure(problems, in: bytes) }

    private static func failure(_ problems: [DocumentProblem], in bytes: [UInt8]) -> Failure {
        let positions = JSONLocator.positions(of: problems.map(\.path), in: bytes)
        let lines = problems.map { problem in
            let position = positions[problem.path] ?? JSONLocator.Position(line: 1, column: 1)
            return Failure.Line(
                line: position.line, column: position.column, path: problem.path, message: problem.message)
        }
        return Failure(lines: lines.sorted { ($0.line, $0.column) < ($1.line, $1.column) })
    }

    private static func failure(_ error: JSONReader.Failure, in bytes: [UInt8]) -> Failure {
        let message =
            switch error {
            case .syntax(_, let problem): "is not valid JSON: \(problem)"
            case .tooDeep(let limit): "is nested more than \(limit) levels deep"
            case .duplicateName(let name): "has the member \(name) twice in one object"
            }
        let position = JSONLocator.position(of: JSONLocator.offset(of: error, in: bytes), in: bytes)
        return Failure(lines: [Failure.Line(line: position.line, column: position.column, path: "", message: message)])
    }

    private static func tenant(
        _ fields: DocumentFields, now: Timestamp, secret: (SecretSource) -> SecretBytes?
    ) -> TenantEntry? {
        let tenant = Tenant(fields)
        var users: [UserEntry] = []
        func placed<Value>(
            _ member: String, _ read: (DocumentFields, inout SecretBytes?) -> Value?
        ) -> [Placed<Value>] {
            fields.objects(member).compactMap { item in
                var secret: SecretBytes?
                let value = read(item, &secret)
                item.finish()
                return value.map { Placed(value: $0, secret: secret, path: item.path) }
            }
        }
        let resourceServers = placed("apis") { item, _ in ResourceServer(item) }
        let roles = placed("roles") { item, _ in Role(item) }
        for user in fields.objects("users") {
            let password = readPassword("password", of: user, secret)
            let initialPassword = readPassword("initial_password", of: user, secret)
            if password != nil, initialPassword != nil {
                user.problem("initial_password", "must be omitted with password")
            }
            let userMetadata = user.metadata("user_metadata")
            let appMetadata = user.metadata("app_metadata")
            if let read = User(user, now: now) {
                users.append(
                    UserEntry(
                        user: read, saysWhetherBlocked: user.value("blocked") != nil, userMetadata: userMetadata,
                        appMetadata: appMetadata, password: password, initialPassword: initialPassword, path: user.path)
                )
            }
            user.finish()
        }
        var clients = placed("clients") { item, text in
            text = readSecret("client_secret", of: item, secret)
            if let text, text.count < secretMinimum {
                item.problem("client_secret", "must have at least \(secretMinimum) bytes; generate it at random")
            }
            return Client(item, secretHashes: [])
        }
        let connections = placed("connections") { item, text in
            let read = LoginConnection(item, sealedSecret: []) { text = readSecret($1, of: $0, secret) }
            if let path = read?.secretPath, let problem = text.flatMap({ read?.problem(withSecret: $0) }) {
                item.problem(path, problem)
            }
            return read
        }
        let services = ServiceEntry.all(of: fields, secret)
        fields.finish()
        guard let tenant else { return nil }
        for index in clients.indices {
            let grants = clients[index].value.grants
            clients[index].value.grants = grants.map { $0.settled(managementAudience: tenant.managementAudience) }
        }
        return TenantEntry(
            tenant: tenant, path: fields.path, resourceServers: resourceServers, roles: roles, users: users,
            clients: clients, connections: connections, services: services)
    }

    private static func readPassword(
        _ name: String, of user: DocumentFields, _ secret: (SecretSource) -> SecretBytes?
    ) -> SecretBytes? {
        let password = readSecret(name, of: user, secret)
        if let password, password.count < 8 || password.count > 72 { user.problem(name, "must have 8 to 72 bytes") }
        return password
    }

    /// `"text"`, `{"env": "NAME"}` or `{"file": "PATH"}`.
    static func readSecret(
        _ name: String, of fields: DocumentFields, _ secret: (SecretSource) -> SecretBytes?
    ) -> SecretBytes? {
        guard let value = fields.value(name) else { return nil }
        let source: SecretSource
        if let text = value.stringValue {
            source = .text(text)
        } else if let named = SecretSource(value) {
            source = named
        } else {
            fields.problem(name, #"must be a text, {"env": "NAME"} or {"file": "PATH"}"#)
            return nil
        }
        guard let found = secret(source) else {
            switch source {
            case .text: fields.problem(name, "cannot be used")
            case .environment(let variable): fields.problem(name, "needs the environment variable \(variable)")
            case .file(let path): fields.problem(name, "cannot be read from \(path)")
            }
            return nil
        }
        return found
    }

    /// Checks uniqueness and references.
    private static func check(_ tenants: [TenantEntry], _ problems: Problems) {
        var hosts: Set<String> = []
        unique(tenants.map { ($0.tenant.id.rawValue, $0.path) }, "id", problems)
        for entry in tenants {
            for (host, path) in entry.placedHosts where !hosts.insert(host).inserted {
                problems.add(path, "\(host) is used twice")
            }
            unique(entry.resourceServers.map { ($0.value.identifier, $0.path) }, "identifier", problems)
            unique(entry.roles.map { ($0.value.id.rawValue, $0.path) }, "id", problems)
            unique(entry.clients.map { ($0.value.id.rawValue, $0.path) }, "client_id", problems)
            unique(entry.users.map { ($0.user.id.rawValue, $0.path) }, "user_id", problems)
            unique(entry.users.map { ($0.user.email?.description ?? "", $0.path) }, "email", problems)
            unique(entry.users.map { ($0.user.username ?? "", $0.path) }, "username", problems)
            unique(entry.connections.map { ($0.value.name, $0.path) }, "name", problems)
            checkReferences(entry, problems)
            checkConnections(entry, problems)
        }
    }

    private static func unique(_ values: [(value: String, path: String)], _ field: String, _ problems: Problems) {
        var seen: Set<String> = []
        for (value, path) in values where !value.isEmpty && !seen.insert(value).inserted {
            problems.add("\(path).\(field)", "\(value) is used twice")
        }
    }

    private static func checkReferences(_ entry: TenantEntry, _ problems: Problems) {
        if let audience = entry.tenant.settings.defaultAudience, !entry.tenant.isUserinfoAudience(audience),
            !entry.resourceServers.contains(where: { $0.value.identifier == audience })
        {
            problems.add("\(entry.path).settings.default_audience", "\(audience) is no API in this file")
        }
        for api in entry.resourceServers {
            api.value.check(path: api.path, problems)
            api.value.checkSchemas(path: api.path, problems)
        }
        let scopes = ConfiguredScopes(entry.tenant, entry.resourceServers.map(\.value), place: " in this file")
        let given =
            entry.roles.map { ($0.value.permissions, $0.path) } + entry.users.map { ($0.user.permissions, $0.path) }
        for (permissions, path) in given { scopes.check(permissions, at: "\(path).permissions", problems) }
        let roles = Set(entry.roles.map(\.value.id))
        for user in entry.users {
            for role in user.user.roles where !roles.contains(role) {
                problems.add("\(user.path).roles", "\(role) is no role in this file")
            }
        }
        for client in entry.clients {
            client.value.check(path: client.path, hasSecret: client.secret != nil, problems)
            if client.value.grantTypes.contains(.authorizationCode), client.value.redirectURIs.isEmpty {
                problems.addUnlessPart(
                    "\(client.path).callbacks", "must name at least one URI for the grant type authorization_code")
            }
            scopes.check(client.value.grants, at: "\(client.path).client_grants", problems)
        }
    }

    private static func checkConnections(_ entry: TenantEntry, _ problems: Problems) {
        // Users with passwords belong to the tenant, so a second database would have the same users.
        for item in entry.connections.filter(\.value.isDatabase).dropFirst() {
            problems.add("\(item.path).strategy", "auth0 is used twice; a tenant has one database")
        }
        let clients = Set(entry.clients.map(\.value.id))
        for item in entry.connections {
            for client in (item.value.enabledClients ?? []).subtracting(clients).map(\.rawValue).sorted() {
                problems.add("\(item.path).enabled_clients", "\(client) is no client in this file")
            }
        }
    }
}
