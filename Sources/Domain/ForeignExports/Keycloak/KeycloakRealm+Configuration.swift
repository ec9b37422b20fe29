import AuthorizationCore
import Primitives

extension KeycloakRealm {
    /// The realm in this server's terms.
    package func configuration() throws -> ForeignConfiguration {
        var configuration = ForeignConfiguration(
            ledger,
            secretAdvice:
                "kc.sh export has it, and the admin console hides it; write it as clientSecret into the file, "
                + "or connect the provider in the dashboard")
        let title = try object.text("displayName") ?? ""
        configuration.name = title.isEmpty ? name : title
        let rotates = try object.flag("revokeRefreshToken") ?? false
        let lifetime = try object.number("accessTokenLifespan")?.clamped(1...2_592_000)
        try addClients(rotates: rotates, &configuration)
        try addScopes(lifetime, &configuration)
        try addRoles(lifetime, &configuration)
        try addProviders(&configuration)
        try readSettings(&configuration)
        for user in users { try add(user, &configuration) }
        configuration.nameUsers()
        for group in groups.objects {
            group.absent("attributes", "put them in the members' app_metadata")
            group.absent("id", "there are no groups")
            group.finish()
            group.account.differs(
                "path", was: "a group", here: "roles of each member",
                "there are no groups: give and take roles, by countersign role assign")
            group.account.came(as: "roles of members")
        }
        object.finish()
        object.account.came(as: "settings of the tenant")
        describeTokens()
        return configuration
    }

    /// Differences that no member shows.
    private func describeTokens() {
        for (name, was, here, follows) in [
            (
                "iss", "https://HOST/realms/\(name)", "https://HOST/",
                "applications and APIs read the discovery document and the key set of the new issuer"
            ),
            ("sub", "the user's id", "auth0| and that id", "map it where an application keeps it"),
            (
                "refresh tokens", "with every login", "with the scope offline_access",
                "applications request offline_access, with the audience of an API that allows it"
            ),
        ] {
            ledger.differs(
                MoveReport.Subject(kind: "tokens", name: name, file: object.account.subject.file), "", was: was,
                here: here, follows)
        }
    }

    // MARK: clients

    private func addClients(rotates: Bool, _ configuration: inout ForeignConfiguration) throws {
        var ids: Set<String> = []
        for client in clients {
            guard ids.insert(client.id).inserted else {
                throw client.object.failure("clientId", "is \(client.id), as another client's is; remove one of them")
            }
            if let reason = client.reasonToStay {
                client.object.account.stays(reason)
                continue
            }
            configuration.clients.append(
                ForeignConfiguration.Part(
                    document: try client.document(rotates: rotates), subject: client.object.account.subject))
            client.object.account.came(as: "client \(client.id)")
        }
    }

    // MARK: APIs

    private func api(
        _ identifier: String, _ title: String, _ lifetime: Int?, _ scopes: [JSONValue], limits: Bool
    ) -> JSONObject {
        var document: JSONObject = [
            "identifier": .string(identifier), "name": .string(title), "scopes": .array(scopes),
            "token_dialect": "access_token_authz", "enforce_policies": .bool(limits), "allow_offline_access": true,
        ]
        document["token_lifetime"] = lifetime.map { .number(JSONNumber($0)) }
        return document
    }

    /// Scopes of the realm's own become those of one API, which requests without an audience are for.
    private func addScopes(_ lifetime: Int?, _ configuration: inout ForeignConfiguration) throws {
        var values: [JSONValue] = []
        for scope in scopes {
            let value = try scope.required("name")
            guard !Self.ownScopes.contains(value) else {
                scope.account.stays("it is Keycloak's own; OpenID Connect's scopes are here without being named")
                continue
            }
            guard try scope.text("protocol") ?? "openid-connect" == "openid-connect" else {
                scope.account.stays("SAML is not spoken")
                continue
            }
            var entry: JSONObject = ["value": .string(value)]
            let text = try scope.text("description") ?? ""
            if !text.isEmpty { entry["description"] = .string(text) }
            values.append(.object(entry))
            scope.absent(
                "protocolMappers", "tokens have the claims of the user's profile, permissions and app_metadata")
            scope.absent("attributes", "a scope's description is shown for consent")
            scope.absent("id", "the name is the only id")
            scope.finish()
            scope.account.came(as: "scope of API \(name)")
        }
        guard !values.isEmpty else { return }
        let subject = MoveReport.Subject(kind: "client scopes", name: name, file: object.account.subject.file)
        let document = api(name, configuration.name ?? name, lifetime, values, limits: false)
        configuration.apis.append(ForeignConfiguration.Part(document: document, subject: subject))
        configuration.set("default_audience", to: .string(name))
        ledger.differs(
            subject, "", was: "scopes of the realm", here: "API \(name)",
            "access tokens have the audience \(name), unless a request names another")
    }

    // MARK: roles

    /// A client's roles are scopes of an API of its name, and a role here has the scopes of all that it includes.
    private func addRoles(_ lifetime: Int?, _ configuration: inout ForeignConfiguration) throws {
        var scopes: [String: [JSONValue]] = [:]
        var ids: [String: KeycloakRoles.Name] = [:]
        for entry in roles.entries {
            guard !KeycloakRoles.isOwn(entry.name, of: name) else {
                entry.object.account.stays("it is Keycloak's own")
                continue
            }
            if let other = ids.updateValue(entry.name, forKey: entry.name.id) {
                throw entry.object.failure("name", "gives the id \(entry.name.id), as \(other.role) does; rename one")
            }
            let text = entry.description.flatMap { $0.isEmpty || $0.hasPrefix("${") ? nil : $0 }
            if let client = entry.name.client {
                var scope: JSONObject = ["value": .string(entry.name.role)]
                scope["description"] = text.map(JSONValue.string)
                scopes[client, default: []].append(.object(scope))
            }
            configuration.roles.append(
                ForeignConfiguration.Part(document: document(entry, text), subject: entry.object.account.subject))
            finish(entry)
        }
        for (client, values) in scopes.sorted(by: { $0.key < $1.key }) {
            let subject = MoveReport.Subject(kind: "client roles", name: client, file: object.account.subject.file)
            let document = api(client, client, lifetime, values, limits: true)
            if let index = configuration.apis.firstIndex(where: { $0.text("identifier") == client }) {
                let before = configuration.apis[index].document["scopes"]?.arrayValue ?? []
                configuration.apis[index].document["scopes"] = .array(before + values)
            } else {
                configuration.apis.append(ForeignConfiguration.Part(document: document, subject: subject))
            }
            ledger.differs(
                subject, "", was: "resource_access.\(client).roles", here: "API \(client)",
                "a token for the audience \(client) has the roles in permissions and in scope, as far as requested")
        }
    }

    private func document(_ entry: KeycloakRoles.Entry, _ text: String?) -> JSONObject {
        let permissions = roles.including(entry.name).filter { roles.contains($0) }
            .compactMap { name in
                name.client.flatMap { KeycloakRoles.isOwn(name, of: self.name) ? nil : ($0, name.role) }
            }
            .sorted { $0 < $1 }
        let title = entry.name.client.map { "\($0): \(entry.name.role)" } ?? entry.name.role
        var document: JSONObject = [
            "id": .string(entry.name.id), "name": .string(title),
            "permissions": .array(
                permissions.map {
                    ["resource_server_identifier": .string($0), "permission_name": .string($1)]
                }),
        ]
        document["description"] = text.map(JSONValue.string)
        return document
    }

    private func finish(_ entry: KeycloakRoles.Entry) {
        let role = entry.object
        if entry.name.client == nil, !roles.including(entry.name).contains(where: { $0.client != nil }) {
            role.account.differs(
                "name", was: "a name in realm_access.roles", here: "a role without scopes",
                "tokens name no roles: give it scopes with countersign role permit, which come as permissions")
        }
        for own in ["id", "containerId", "clientRole", "composite"] { role.absent(own, "roles have one kind of id") }
        role.absent("attributes", "a role has a name and a description")
        role.finish()
        role.account.came(as: "role \(entry.name.id)")
    }

    // MARK: connections

    private func addProviders(_ configuration: inout ForeignConfiguration) throws {
        let isOpen = try object.flag("registrationAllowed") ?? false
        let subject = MoveReport.Subject(kind: "users", name: "with passwords", file: object.account.subject.file)
        configuration.connections.append(
            ForeignConfiguration.Part(
                document: [
                    "name": .string(LoginConnection.defaultDatabaseName), "strategy": "auth0",
                    "options": ["disable_signup": .bool(!isOpen)],
                ], subject: subject))
        for provider in providers {
            let alias = try provider.required("alias")
            guard let kind = KeycloakProvider(try provider.required("providerId")),
                let config = try provider.object("config"),
                let options = try kind.options(config)
            else {
                provider.account.stays(KeycloakProvider.instead(try provider.text("providerId") ?? ""))
                continue
            }
            guard try provider.flag("enabled") ?? true else {
                provider.account.stays("it was turned off")
                continue
            }
            let name = Names.connection(alias)
            var document: JSONObject = [
                "name": .string(name), "strategy": .string(kind.strategy), "options": .object(options),
            ]
            let title = try provider.text("displayName").flatMap { $0.isEmpty ? nil : $0 }
            let known = Names.provider(try provider.required("providerId"), of: alias)
            document["display_name"] = (title ?? known).map(JSONValue.string)
            config.finish()
            provider.differs(
                "alias", was: alias, here: name,
                "the provider must allow the redirect URI /login/callback of the tenant's host instead of Keycloak's")
            provider.absent("trustEmail", "set link_verified_emails to let a verified address log in as its user")
            provider.finish()
            configuration.connections.append(
                ForeignConfiguration.Part(document: document, subject: provider.account.subject))
            provider.account.came(as: "connection \(name)")
        }
    }
}

extension Names {
    /// Letters, digits and, between them, hyphens.
    static func connection(_ alias: String) -> String {
        let isName = alias.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
            default: false
            }
        }
        return isName && !alias.hasPrefix("-") && !alias.hasSuffix("-") ? alias : id(alias)
    }
}

/// Identity providers that have a counterpart.
struct KeycloakProvider {
    let strategy: String
    private let issuer: String?

    init?(_ name: String) {
        switch name {
        case "oidc", "keycloak-oidc": (strategy, issuer) = ("oidc", nil)
        case "google": (strategy, issuer) = ("oidc", "https://accounts.google.com")
        case "gitlab": (strategy, issuer) = ("oidc", "https://gitlab.com")
        case "github": (strategy, issuer) = ("github", nil)
        default: return nil
        }
    }

    func options(_ config: ForeignObject) throws -> JSONObject? {
        guard let client = try config.text("clientId"), !client.isEmpty else { return nil }
        var options: JSONObject = ["client_id": .string(client)]
        options["client_secret"] = try config.secret("clientSecret").map(JSONValue.string)
        if let scope = try config.text("defaultScope"), !scope.isEmpty {
            let isWhole = strategy == "github" || scope.split(separator: " ").contains("openid")
            options["scope"] = .string(isWhole ? scope : "openid \(scope)")
        }
        if strategy == "github" { return options }
        guard let address = try issuer ?? config.text("issuer"), !address.isEmpty else { return nil }
        options["issuer"] = .string(address)
        for member in ["authorizationUrl", "tokenUrl", "userInfoUrl", "jwksUrl", "logoutUrl"] {
            config.absent(member, "addresses come from the issuer's document")
        }
        if let method = try config.text("clientAuthMethod") {
            if ["client_secret_basic", "client_secret_post"].contains(method) {
                options["token_endpoint_auth_method"] = .string(method)
            } else {
                config.differs("clientAuthMethod", was: method, here: "a secret", "the provider must give one")
            }
        }
        return options
    }

    static func instead(_ name: String) -> String {
        switch name {
        case "saml": "SAML is not spoken; put a provider of OpenID Connect between, and connect it as oidc"
        case "oidc", "keycloak-oidc": "it has no issuer or no client id; connect it as oidc, by its issuer"
        default: "connect the provider as oidc or oauth2, if it has OpenID Connect or a userinfo address"
        }
    }
}
