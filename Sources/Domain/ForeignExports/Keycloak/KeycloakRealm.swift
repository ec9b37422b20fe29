import Primitives

/// A realm that `kc.sh export` wrote, with its users in the same file or in others.
package struct KeycloakRealm {
    let name: String
    let object: ForeignObject
    let clients: [KeycloakClient]
    let roles: KeycloakRoles
    let groups: KeycloakGroups
    let providers: [ForeignObject]
    let scopes: [ForeignObject]
    let users: [ForeignObject]
    let ledger = MoveLedger()

    /// Reads the realm's file, and files with its users.
    package init(_ file: ForeignFile, users others: [ForeignFile] = []) throws(ForeignFailure) {
        let value = try file.json()
        if value.arrayValue != nil {
            throw ForeignFailure(
                file: file.path, path: "", "is a list of realms; export one: kc.sh export --realm NAME --file FILE")
        }
        let subject = MoveReport.Subject(kind: "realm", name: value["realm"]?.stringValue ?? file.path, file: file.path)
        object = try ForeignObject(value, SubjectAccount(subject, ledger))
        name = try object.required("realm")
        var clients: [KeycloakClient] = []
        for client in try object.subjects("clients", "client", named: "clientId") {
            clients.append(try KeycloakClient(client))
        }
        self.clients = clients
        roles = try KeycloakRoles(object, realm: name)
        groups = try KeycloakGroups(object)
        providers = try object.subjects("identityProviders", "identity provider", named: "alias")
        scopes = try object.subjects("clientScopes", "client scope", named: "name")
        var users = try object.subjects("users", "user", named: "username")
        for other in others {
            let value = try other.json()
            let subject = MoveReport.Subject(kind: "realm", name: name, file: other.path)
            let list = try ForeignObject(value, SubjectAccount(subject, ledger))
            guard try list.required("realm") == name else {
                throw ForeignFailure(
                    file: other.path, path: "realm", "must be \(name), the realm of \(file.path); name its own files")
            }
            users += try list.subjects("users", "user", named: "username")
            try list.object("federatedUsers").map { _ in }
            list.finish("the file of users has only users")
        }
        self.users = users
    }

    /// Clients that every realm has for Keycloak itself.
    static let ownClients: Set<String> = [
        "account", "account-console", "admin-cli", "broker", "realm-management", "security-admin-console",
        "admin-permissions",
    ]

    /// Client scopes that every realm has.
    static let ownScopes: Set<String> = [
        "acr", "address", "basic", "email", "microprofile-jwt", "offline_access", "organization", "phone", "profile",
        "role_list", "roles", "saml_organization", "service_account", "web-origins", "openid",
    ]
}

/// The roles of a realm and its clients, with the roles that each includes.
struct KeycloakRoles {
    /// A role of the realm, or of a client.
    struct Name: Hashable {
        let client: String?
        let role: String

        /// Id here: a client's role has the client before it.
        var id: String {
            let role = Names.id(role, keeping: "_.")
            return client.map { "\(Names.id($0, keeping: "_.")):\(role)" } ?? role
        }
    }

    struct Entry {
        let name: Name
        let object: ForeignObject
        let description: String?
        let parts: [Name]
    }

    let entries: [Entry]
    private let parts: [Name: [Name]]

    init(_ realm: ForeignObject, realm name: String) throws(ForeignFailure) {
        var entries: [Entry] = []
        if let roles = try realm.object("roles") {
            for role in try roles.subjects("realm", "role", named: "name") {
                entries.append(try Self.entry(role, client: nil))
            }
            if let clients = try roles.object("client") {
                for client in clients.names {
                    for role in try clients.subjects(client, "client role", named: "name") {
                        entries.append(try Self.entry(role, client: client))
                    }
                }
            }
        }
        self.entries = entries
        parts = Dictionary(entries.map { ($0.name, $0.parts) }, uniquingKeysWith: { $0 + $1 })
        try refuseCycles()
    }

    private static func entry(_ role: ForeignObject, client: String?) throws(ForeignFailure) -> Entry {
        let name = Name(client: client, role: try role.required("name"))
        var parts: [Name] = []
        if let composites = try role.object("composites") {
            parts += (try composites.texts("realm") ?? []).map { Name(client: nil, role: $0) }
            if let clients = try composites.object("client") {
                for other in clients.names {
                    parts += (try clients.texts(other) ?? []).map { Name(client: other, role: $0) }
                }
            }
            composites.finish()
        }
        return Entry(name: name, object: role, description: try role.text("description"), parts: parts)
    }

    private enum Mark { case open, done }

    private func refuseCycles() throws(ForeignFailure) {
        var marks: [Name: Mark] = [:]
        for entry in entries where marks[entry.name] == nil {
            // Roles and the number of their parts that were visited.
            var path: [(name: Name, next: Int)] = [(entry.name, 0)]
            marks[entry.name] = .open
            while let (name, next) = path.last {
                let inner = parts[name] ?? []
                guard next < inner.count else {
                    marks[name] = .done
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let part = inner[next]
                switch marks[part] {
                case .open:
                    let circle = path.map(\.name.role).drop { $0 != part.role }.joined(separator: ", ")
                    throw entry.object.failure(
                        "composites", "go in a circle: \(circle), \(part.role); remove one of them from another")
                case .done: break
                case nil:
                    marks[part] = .open
                    path.append((part, 0))
                }
            }
        }
    }

    /// The role and all roles that it includes.
    func including(_ name: Name) -> Set<Name> {
        var found: Set<Name> = [name]
        var rest = [name]
        while let next = rest.popLast() {
            for part in parts[next] ?? [] where found.insert(part).inserted { rest.append(part) }
        }
        return found
    }

    func contains(_ name: Name) -> Bool { parts[name] != nil }

    /// True for roles that every realm or client of Keycloak has.
    static func isOwn(_ name: Name, of realm: String) -> Bool {
        if let client = name.client {
            return KeycloakRealm.ownClients.contains(client) || client.hasSuffix("-realm")
                || name.role == "uma_protection"
        }
        return ["offline_access", "uma_authorization", "default-roles-\(realm.lowercased())"].contains(name.role)
    }
}

/// Groups by their paths, with the roles that each gives, those of the groups around it included.
struct KeycloakGroups {
    private(set) var roles: [String: Set<KeycloakRoles.Name>] = [:]
    private(set) var objects: [ForeignObject] = []

    init(_ realm: ForeignObject) throws(ForeignFailure) {
        for group in try realm.subjects("groups", "group", named: "path") { try add(group, above: "", with: []) }
    }

    private mutating func add(
        _ group: ForeignObject, above: String, with inherited: Set<KeycloakRoles.Name>
    ) throws(ForeignFailure) {
        let name = try group.text("name") ?? ""
        let place = try group.text("path") ?? "\(above)/\(name)"
        guard place.hasPrefix("\(above)/"), roles[place] == nil else {
            throw group.failure(
                "path", "is \(place), which is another group's or not below \(above)/; a group cannot contain itself")
        }
        var given = inherited
        for role in try group.texts("realmRoles") ?? [] { given.insert(KeycloakRoles.Name(client: nil, role: role)) }
        if let clients = try group.object("clientRoles") {
            for client in clients.names {
                for role in try clients.texts(client) ?? [] {
                    given.insert(KeycloakRoles.Name(client: client, role: role))
                }
            }
        }
        roles[place] = given
        objects.append(group)
        for inner in try group.subjects("subGroups", "group", named: "path") {
            try add(inner, above: place, with: given)
        }
    }
}
