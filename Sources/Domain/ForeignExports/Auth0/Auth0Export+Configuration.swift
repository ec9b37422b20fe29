import AuthorizationCore
import Configuration
import Primitives

extension Auth0Export {
    /// The export in this server's terms, with the users of the tenant's database.
    package func configuration(
        users: Auth0Users = Auth0Users(users: [], hashes: [])
    ) throws -> ForeignConfiguration {
        var configuration = ForeignConfiguration(
            ledger,
            secretAdvice: "export with secrets, give it by --keywords, or connect the provider in the dashboard")
        try tenant(&configuration)
        let ids = try clients(&configuration)
        for object in contents.apis { try api(object, &configuration) }
        for object in contents.grants { try grant(object, ids, &configuration) }
        for object in contents.roles { try role(object, &configuration) }
        for object in contents.connections { try connection(object, ids, &configuration) }
        try databases(ids, &configuration)
        try mails(&configuration)
        try factors(&configuration)
        if users.isEmpty {
            ledger.absent(
                MoveReport.Subject(kind: "users", name: "all", file: "the export"), "",
                "the deploy CLI exports no users: --users takes those of an export job, and --hashes the hashes of their "
                    + "passwords, which Auth0's support gives on request (docs/moving.md)", isIdle: false)
        }
        try users.add(to: &configuration, of: databaseName)
        configuration.nameUsers()
        ledger.absent(
            MoveReport.Subject(kind: "signing keys", name: "all", file: "the export"), "",
            "keys are new: applications and APIs read the key set of the new issuer, and old tokens end", isIdle: false)
        return configuration
    }

    /// Auth0's Management API is this server's.
    private func audience(_ identifier: String) -> String {
        identifier.hasSuffix(".auth0.com/api/v2/") ? "https://\(host)/api/v2/" : identifier
    }

    // MARK: clients

    /// Ids here by the names that other objects use.
    private func clients(_ configuration: inout ForeignConfiguration) throws -> [String: String] {
        var ids: [String: String] = [:]
        var places: [String: String] = [:]
        for client in contents.clients {
            let id = client.idHere
            guard let document = try client.document() else { continue }
            if let other = places[id] {
                throw ForeignFailure(
                    file: client.subject.file, path: "name",
                    "gives the client_id \(id), as \(other) does; export with AUTH0_EXPORT_IDENTIFIERS=true")
            }
            places[id] = client.subject.file
            ids[client.name] = id
            ids[id] = id
            configuration.clients.append(ForeignConfiguration.Part(document: document, subject: client.subject))
            client.came()
        }
        return ids
    }

    private func clients(
        _ object: ForeignObject, _ member: String, _ ids: [String: String]
    ) throws -> [String]? {
        guard let names = try object.texts(member) else { return nil }
        for name in names where ids[name] == nil {
            object.account.differs(
                member, was: name, here: "left out", "the export has no such client; add it by its id")
        }
        return names.compactMap { ids[$0] }.sorted()
    }

    private func grant(
        _ object: ForeignObject, _ ids: [String: String], _ configuration: inout ForeignConfiguration
    ) throws {
        let name = try object.required("client_id")
        guard let id = ids[name], let index = configuration.clients.firstIndex(where: { $0.text("client_id") == id })
        else {
            return object.account.stays("the export has no client \(name); grant it with countersign client grant")
        }
        var grant: JSONObject = ["audience": .string(audience(try object.required("audience")))]
        if try object.flag("allow_all_scopes") != true {
            grant["scope"] = JSONValue(try object.texts("scope") ?? [])
        }
        grant["subject_type"] = try object.text("subject_type").map(JSONValue.string) ?? "client"
        grant["authorization_details_types"] = try object.texts("authorization_details_types").map { JSONValue($0) }
        object.finish()
        var document = configuration.clients[index].document
        document["client_grants"] = .array((document["client_grants"]?.arrayValue ?? []) + [.object(grant)])
        document["limited_to_grants"] = false
        configuration.clients[index].document = document
        object.account.came(as: "grant of client \(id)")
        configuration.grants.append(
            ForeignConfiguration.Grants(
                client: id, audiences: [grant["audience"]?.stringValue ?? ""], subject: object.account.subject))
    }

    // MARK: APIs and roles

    private func api(_ object: ForeignObject, _ configuration: inout ForeignConfiguration) throws {
        let identifier = try object.required("identifier")
        if try object.flag("is_system") == true || audience(identifier) != identifier
            || identifier.hasSuffix(".auth0.com/me/")
        {
            return object.account.stays("it is Auth0's own API; the Management API is here without being named")
        }
        var document: JSONObject = ["identifier": .string(identifier)]
        for member in ["name", "token_dialect", "consent_policy"] {
            document[member] = try object.text(member).flatMap { $0.isEmpty ? nil : .string($0) }
        }
        document["token_lifetime"] = try object.number("token_lifetime").map { .number(JSONNumber($0)) }
        for member in [
            "allow_offline_access", "enforce_policies", "skip_consent_for_verifiable_first_party_clients",
        ] {
            document[member] = try object.flag(member).map(JSONValue.bool)
        }
        if let algorithm = try object.text("signing_alg") {
            if algorithm == "HS256" {
                object.differs("signing_alg", was: algorithm, here: "RS256", "the API verifies tokens by the key set")
            } else {
                document["signing_alg"] = .string(algorithm)
            }
        }
        object.absent("signing_secret", "tokens are signed by keys of the key set alone")
        document["scopes"] = .array(
            try object.objects("scopes").map { scope in
                var entry: JSONObject = ["value": .string(try scope.required("value"))]
                entry["description"] = try scope.text("description").flatMap { $0.isEmpty ? nil : .string($0) }
                scope.finish()
                return .object(entry)
            })
        document["authorization_details"] = .array(
            try object.objects("authorization_details").map { type in
                let name = try type.required("type")
                type.finish()
                return ["type": .string(name)]
            })
        if let subjects = try object.object("subject_type_authorization") {
            var policies: JSONObject = [:]
            for name in ["user", "client"] {
                guard let entry = try subjects.object(name) else { continue }
                policies[name] = try entry.text("policy").map { ["policy": .string($0)] }
                entry.finish()
            }
            subjects.finish()
            document["subject_type_authorization"] = .object(policies)
        }
        object.absent("token_encryption", "access tokens are signed and not encrypted")
        object.absent("proof_of_possession", "bind tokens to a certificate: tls_client_certificate_bound_access_tokens")
        object.finish()
        configuration.apis.append(ForeignConfiguration.Part(document: document, subject: object.account.subject))
        object.account.came(as: "API \(identifier)")
    }

    private func role(_ object: ForeignObject, _ configuration: inout ForeignConfiguration) throws {
        let name = try object.required("name")
        let id = try object.text("id") ?? Names.id(name)
        var document: JSONObject = ["id": .string(id), "name": .string(name)]
        document["description"] = try object.text("description").flatMap { $0.isEmpty ? nil : .string($0) }
        document["permissions"] = .array(
            try object.objects("permissions").map { permission in
                let entry: JSONValue = [
                    "resource_server_identifier": .string(
                        audience(try permission.required("resource_server_identifier"))),
                    "permission_name": .string(try permission.required("permission_name")),
                ]
                permission.finish()
                return entry
            })
        object.finish()
        if let other = configuration.roles.first(where: { $0.text("id") == id }) {
            throw object.failure("name", "gives the id \(id), as \(other.subject.file) does; export with identifiers")
        }
        configuration.roles.append(ForeignConfiguration.Part(document: document, subject: object.account.subject))
        object.account.came(as: "role \(id)")
    }

    // MARK: connections

    private func connection(
        _ object: ForeignObject, _ ids: [String: String], _ configuration: inout ForeignConfiguration
    ) throws {
        let (name, strategy) = (try object.required("name"), try object.required("strategy"))
        let options = try object.object("options")
        guard let options, let kind = Auth0Strategy(strategy),
            let settings = try kind.options(options)
        else {
            return object.account.stays(Auth0Strategy.instead[strategy] ?? Auth0Strategy.others)
        }
        var document: JSONObject = [
            "name": .string(name), "strategy": .string(kind.strategy), "options": .object(settings),
        ]
        let title = try object.text("display_name").flatMap { $0.isEmpty ? nil : $0 }
        document["display_name"] = (title ?? Names.provider(strategy, of: name)).map(JSONValue.string)
        document["enabled_clients"] = try clients(object, "enabled_clients", ids).map { JSONValue($0) }
        if let metadata = object.value("metadata") { document["additional"] = ["metadata": metadata] }
        if kind.strategy != strategy {
            object.differs(
                "strategy", was: strategy, here: "oidc",
                "the provider must allow the redirect URI https://\(host)/login/callback")
        }
        options.finish()
        object.finish()
        configuration.connections.append(
            ForeignConfiguration.Part(document: document, subject: object.account.subject))
        object.account.came(as: "connection \(name)")
    }

    /// The database that becomes the tenant's. Nil for an export without any.
    private var databaseName: String? {
        get throws {
            let preferred = try contents.tenant?.text("default_directory") ?? LoginConnection.defaultDatabaseName
            let names = contents.databases.map(\.account.subject.name)
            return names.contains(preferred) ? preferred : names.first
        }
    }

    /// True if people of the database have usernames, by Auth0's older switch or its newer attributes.
    private func hasUsernames(_ options: ForeignObject) throws -> Bool {
        let isRequired = try options.flag("requires_username") ?? false
        guard let attributes = try options.object("attributes") else { return isRequired }
        let username = try attributes.object("username")
        let identifier = try username?.object("identifier")
        let isActive = try identifier?.flag("active") ?? false
        identifier?.finish()
        username?.finish("who signs up gets no username; an administrator gives it")
        attributes.finish("people have an address, a username or both")
        return isRequired || isActive
    }

    private func databases(_ ids: [String: String], _ configuration: inout ForeignConfiguration) throws {
        let names = contents.databases.map(\.account.subject.name)
        let chosen = try names.firstIndex(of: databaseName ?? "") ?? names.startIndex
        for (index, object) in contents.databases.enumerated() {
            let name = try object.required("name")
            guard index == chosen else {
                object.account.stays(
                    "a tenant has one database, here \(names[chosen]); import its users too, or make a second tenant")
                continue
            }
            _ = try object.text("strategy")
            var document: JSONObject = ["name": .string(name), "strategy": "auth0"]
            document["display_name"] = try object.text("display_name").flatMap { $0.isEmpty ? nil : .string($0) }
            document["enabled_clients"] = try clients(object, "enabled_clients", ids).map { JSONValue($0) }
            if let metadata = object.value("metadata") { document["additional"] = ["metadata": metadata] }
            if let options = try object.object("options") {
                var settings: JSONObject = [:]
                settings["disable_signup"] = try options.flag("disable_signup").map(JSONValue.bool)
                settings["requires_username"] = try hasUsernames(options) ? true : nil
                if !settings.isEmpty { document["options"] = .object(settings) }
                if let rules = try options.object("password_complexity_options") {
                    if let length = try rules.number("min_length") {
                        configuration.set("password_minimum_length", to: length.clamped(8...64))
                        if !(8...64).contains(length) {
                            rules.differs(
                                "min_length", was: "\(length)", here: "\(length.clamped(8...64))",
                                "new passwords have 8 to 64 characters at least")
                        }
                    }
                    rules.finish("new passwords are checked by their length and against common ones")
                }
                options.absent("passwordPolicy", "new passwords are checked by their length and against common ones")
                options.absent(
                    "customScripts",
                    "no code runs here; people move by countersign user import, or at their first login by an endpoint of "
                        + "yours (docs/moving.md)")
                options.absent("import_mode", "an endpoint of yours moves people at their first login (docs/moving.md)")
                options.finish()
            }
            object.finish()
            configuration.connections.append(
                ForeignConfiguration.Part(document: document, subject: object.account.subject))
            object.account.came(as: "connection \(name)")
        }
    }
}

extension Names {
    private static let providers = [
        "google-oauth2": "Google", "google": "Google", "github": "GitHub", "gitlab": "GitLab", "okta": "Okta",
    ]

    /// The name for people of a provider whose connection has no name of its own. Nil for others.
    static func provider(_ strategy: String, of connection: String) -> String? {
        strategy == connection ? providers[strategy] : nil
    }
}

extension Auth0Client {
    func came() { object.account.came(as: "client \(idHere)") }
}

/// Strategies of connections that have a counterpart.
struct Auth0Strategy {
    /// The name here.
    let strategy: String
    /// Issuer of a provider that Auth0 knows by name.
    private let issuer: String?

    init?(_ name: String) {
        switch name {
        case "oidc", "okta": (strategy, issuer) = ("oidc", nil)
        case "google-oauth2": (strategy, issuer) = ("oidc", "https://accounts.google.com")
        case "github": (strategy, issuer) = ("github", nil)
        default: return nil
        }
    }

    /// Options here. Nil if something is missing without which nobody logs in.
    func options(_ object: ForeignObject) throws -> JSONObject? {
        var options: JSONObject = [:]
        guard let client = try object.text("client_id"), !client.isEmpty else { return nil }
        options["client_id"] = .string(client)
        options["client_secret"] = try object.secret("client_secret").map(JSONValue.string)
        if strategy == "github" {
            return options
        }
        if let issuer {
            options["issuer"] = .string(issuer)
        } else {
            options["issuer"] = try object.text("issuer").map(JSONValue.string)
            let document = try object.text("discovery_url")
            if options["issuer"] == nil { options["discovery_url"] = document.map(JSONValue.string) }
            if options["issuer"] == nil, options["discovery_url"] == nil { return nil }
        }
        let scope = object.value("scope").flatMap { $0.stringValue ?? $0.stringsValue?.joined(separator: " ") }
        if let scope, scope.split(separator: " ").contains("openid") { options["scope"] = .string(scope) }
        if let method = try object.text("token_endpoint_auth_method") {
            if method.hasPrefix("client_secret_") {
                options["token_endpoint_auth_method"] = .string(method)
            } else {
                object.differs(
                    "token_endpoint_auth_method", was: method, here: "a secret", "the provider must give one")
            }
        }
        object.absent("attribute_map", "names of members are in the connection's attribute_map; set them there")
        return options
    }

    static let instead = [
        "samlp": "SAML is not spoken; put a provider of OpenID Connect between, and connect it as oidc",
        "adfs": "WS-Federation is not spoken; ADFS 2016 and newer speak OpenID Connect: connect it as oidc",
        "waad": "connect Entra ID as oidc, with the issuer https://login.microsoftonline.com/TENANT/v2.0",
        "google-apps": "connect Google as oidc, with the issuer https://accounts.google.com",
        "ad": "no directory is read; put a provider of OpenID Connect before it, and connect it as oidc",
        "email": "no codes are mailed to log in; people have passwords, passkeys and phones",
        "sms": "no text messages are sent; people have passwords, passkeys and phones",
        "oauth2": "profiles are read by a script there; make a connection oauth2 with the userinfo_url",
    ]
    static let others = "connect the provider as oidc or oauth2, if it has OpenID Connect or a userinfo address"
}
