package import AuthorizationCore
import JSONSchema
import OAuthWire
package import Primitives

/// Kinds of connections under Auth0's names.
package enum ConnectionStrategy: String, CaseIterable, Sendable {
    case database = "auth0"
    case openIDConnect = "oidc"
    case oauth2
    case github
}

extension LoginConnection: Described {
    /// Members of a connection's document. `options` depend on the strategy.
    package static let fields = Fields<LoginConnection> {
        Field.key(
            "name", .text(1...128),
            "Letters, digits and, between them, hyphens: the value of `connection` in authorization requests, and the "
                + "first part of the `sub` of a provider's users (`github|583231`); unique in the tenant"
        ) { $0.name }
        Field.key(
            "strategy",
            FieldType<ConnectionStrategy>.choice.mapped({ $0.rawValue }, { ConnectionStrategy(rawValue: $0) }),
            "`auth0` is the database of users with passwords, at most one per tenant"
        ) { $0.strategy.rawValue }
        Field("display_name", protects: .nothing, .text(), \.displayName, "Shown on the login page").preset("the name")
        Field(
            "enabled_clients", protects: .nothing,
            FieldType<[String]>.texts(1...128).mapped(
                { Set($0.map { ClientID($0) }) }, { $0.map(\.rawValue).sorted() }), \.enabledClients,
            "Ids of the clients that may use it"
        ).shaped(.list(.text(1...128), 0...10_000, unique: true)).preset("every client")
        Field.kept("metadata", .anyObject, "Data of programs that manage connections")
        Field(
            "options", protects: .identity(create: ["create:connections"], update: ["update:connections"]), .anyObject,
            words: "object, see below",
            "As in the file of `apply`. A secret is never returned, and is required when an address, `client_id` or "
                + "`token_endpoint_auth_method` changes",
            write: { connection, document in
                switch connection.kind {
                case .database(let allowsSignUp, let hasUsernames, let server):
                    var options: JSONObject = ["disable_signup": .bool(!allowsSignUp)]
                    options["requires_username"] = hasUsernames ? true : nil
                    options["old_server"] = server.map { .object($0.document) }
                    document["options"] = .object(options)
                case .upstream(let provider): document["options"] = .object(provider.document)
                }
            }
        ).preset("every default")
        Field("additional", protects: .nothing, .additional, \.additional, "Further members, which have no effect")
            .fileOnly
    }

    /// Reads a connection and sets `sealedSecret`. In an `apply` file, the options may have a secret, which `readSecret`
    /// reads by its name from the object that has it. Stored documents have none.
    package init?(
        _ fields: DocumentFields, sealedSecret: [UInt8], readSecret: (DocumentFields, String) -> Void = { _, _ in }
    ) {
        let name = fields.requiredString("name", limit: 128)
        if let name, !Self.isName(name) {
            fields.problem("name", "may hold letters, digits and, between them, hyphens")
        }
        if fields.value("strategy") == nil { fields.problem("strategy", "is required") }
        let strategy = fields.choice("strategy", of: ConnectionStrategy.self)
        self.init(name: name ?? "", displayName: name ?? "", kind: .database(allowsSignUp: true))
        Self.fields.read(fields, into: &self)
        guard name != nil, let strategy else {
            // Options need name and strategy to be checked.
            _ = fields.value("options")
            return nil
        }
        // Subjects of such a connection would look like the database's.
        if strategy != .database, name == "auth0" { fields.problem("name", "auth0 names the users of the database") }
        // Missing options count as empty, so that each required one is reported.
        let given = fields.value("options") ?? [:]
        guard
            let options = DocumentFields(
                given, path: fields.child("options"), problems: fields.problems, place: fields.place(of: "options"))
        else { return nil }
        if strategy != .database { readSecret(options, Self.providersSecret) }
        let kind = Kind(options, strategy: strategy, sealedSecret: sealedSecret, readSecret)
        options.finish()
        guard let kind else { return nil }
        self.kind = kind
    }

    fileprivate var strategy: ConnectionStrategy {
        switch upstream?.dialect {
        case nil: .database
        case .openIDConnect: .openIDConnect
        case .oauth2: .oauth2
        case .github: .github
        }
    }

    private static func isName(_ text: String) -> Bool {
        text.first != "-" && text.last != "-"
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
                default: false
                }
            }
    }
}

extension LoginConnection.Kind {
    fileprivate init?(
        _ options: DocumentFields, strategy: ConnectionStrategy, sealedSecret: [UInt8],
        _ readSecret: (DocumentFields, String) -> Void
    ) {
        if strategy == .database {
            let allowsSignUp = options.flag("disable_signup") != true
            let hasUsernames = options.flag("requires_username") == true
            guard let server = options.object("old_server") else {
                self = .database(allowsSignUp: allowsSignUp, hasUsernames: hasUsernames)
                return
            }
            readSecret(server, LoginConnection.oldServersSecret)
            let read = OldServer(server, sealedSecret: sealedSecret)
            server.finish()
            guard let read else { return nil }
            self = .database(allowsSignUp: allowsSignUp, hasUsernames: hasUsernames, oldServer: read)
            return
        }
        let clientID = options.requiredString("client_id")
        let scope = options.scope("scope")
        let method: UpstreamProvider.AuthenticationMethod? =
            strategy == .github ? nil : options.choice("token_endpoint_auth_method")
        let attributes = strategy == .github ? [:] : Self.attributes(options, strategy: strategy)
        guard let clientID, let dialect = Self.dialect(options, strategy: strategy, scope: scope) else { return nil }
        self = .upstream(
            UpstreamProvider(
                dialect: dialect, clientID: clientID, sealedSecret: sealedSecret, authenticationMethod: method,
                scope: scope ?? Self.defaultScope(strategy), attributes: attributes))
    }

    private static func defaultScope(_ strategy: ConnectionStrategy) -> String {
        switch strategy {
        case .openIDConnect: "openid profile email"
        case .github: "read:user user:email"
        case .oauth2, .database: ""
        }
    }

    private static func dialect(
        _ options: DocumentFields, strategy: ConnectionStrategy, scope: String?
    ) -> UpstreamProvider.Dialect? {
        switch strategy {
        case .database: return nil
        case .openIDConnect:
            if let scope, !scope.split(separator: " ").contains("openid") {
                options.problem("scope", "must contain openid")
            }
            return options.issuer().map { .openIDConnect(issuer: $0) }
        case .oauth2:
            let authorization = options.url("authorization_url")
            let token = options.url("token_url")
            let userInfo = options.url("userinfo_url")
            let emails = options.value("emails_url") == nil ? nil : options.url("emails_url")
            guard let authorization, let token, let userInfo else { return nil }
            return .oauth2(
                OAuth2Endpoints(authorization: authorization, token: token, userInfo: userInfo, emails: emails))
        case .github:
            let url = options.baseURL("url", default: "https://github.com")
            // An Enterprise Server serves its API below its own URL.
            let ownAPI = url?.description == "https://github.com" ? nil : url?.appending(path: "api/v3").description
            let api = options.baseURL("api_url", default: ownAPI ?? "https://api.github.com")
            guard let url, let api else { return nil }
            return .github(url: url, apiURL: api)
        }
    }

    private static func attributes(
        _ options: DocumentFields, strategy: ConnectionStrategy
    ) -> [UpstreamProvider.Attribute: String] {
        guard let map = options.object("attribute_map") else { return [:] }
        var attributes: [UpstreamProvider.Attribute: String] = [:]
        // OIDC Core 5.3.2: userinfo is trusted only for its `sub`, so no other member can replace it.
        for attribute in UpstreamProvider.Attribute.allCases
        where strategy != .openIDConnect || attribute != .subject {
            attributes[attribute] = map.string(attribute.rawValue)
        }
        map.finish()
        return attributes
    }
}

extension DocumentFields {
    /// A valid `EndpointURL`. Required without a default.
    fileprivate func url(_ name: String, default preset: String? = nil) -> EndpointURL? {
        let given = preset == nil ? requiredString(name, limit: 2048) : string(name, limit: 2048)
        guard let text = given ?? (value(name) == nil ? preset : nil) else { return nil }
        guard let url = EndpointURL(text) else {
            problem(name, "must be an https URL, or an http URL of this machine, without user name and fragment")
            return nil
        }
        return url
    }

    /// Scopes as one text, or as a list, as Auth0 has for some providers.
    fileprivate func scope(_ name: String) -> String? {
        guard value(name)?.arrayValue != nil else { return string(name, limit: 1000) }
        return strings(name, limit: 1000)?.joined(separator: " ")
    }

    /// The `issuer`, or the issuer of the `discovery_url` (OIDC Discovery 4.1). The derived issuer has no slash at its
    /// end, which the URL does not show.
    fileprivate func issuer() -> EndpointURL? {
        guard let document = value("discovery_url") else { return baseURL("issuer") }
        let suffix = EndpointPath.openIDConfiguration.rawValue
        guard let text = document.stringValue, text.hasSuffix(suffix) else {
            problem("discovery_url", "must end with \(suffix)")
            return nil
        }
        let derived = String(text.dropLast(suffix.count))
        let issuer = baseURL("issuer", default: derived)
        if let named = issuer?.description, named != derived, named != derived + "/" {
            problem("discovery_url", "is not the document of the issuer \(named)")
        }
        return issuer
    }

    /// A URL to append paths to.
    fileprivate func baseURL(_ name: String, default preset: String? = nil) -> EndpointURL? {
        let url = url(name, default: preset)
        if url?.hasQuery == true { problem(name, "must have no query") }
        return url
    }
}

extension UpstreamProvider {
    fileprivate var document: JSONObject {
        var document: JSONObject = ["client_id": .string(clientID)]
        switch dialect {
        case .openIDConnect(let issuer): document["issuer"] = .string(issuer.description)
        case .oauth2(let endpoints):
            document["authorization_url"] = .string(endpoints.authorization.description)
            document["token_url"] = .string(endpoints.token.description)
            document["userinfo_url"] = .string(endpoints.userInfo.description)
            document["emails_url"] = endpoints.emails.map { .string($0.description) }
        case .github(let url, let apiURL):
            document["url"] = .string(url.description)
            document["api_url"] = .string(apiURL.description)
        }
        if !scope.isEmpty { document["scope"] = .string(scope) }
        document["token_endpoint_auth_method"] = authenticationMethod.map { .string($0.rawValue) }
        if !attributes.isEmpty {
            var map = JSONObject()
            for attribute in Attribute.allCases {
                map[attribute.rawValue] = attributes[attribute].map(JSONValue.string)
            }
            document["attribute_map"] = .object(map)
        }
        return document
    }
}

extension OldServer {
    fileprivate init?(_ fields: DocumentFields, sealedSecret: [UInt8]) {
        let timeout = fields.integer("timeout", Self.timeouts) ?? Self.defaultTimeout
        let names = fields.strings("members")
        let unknown = names?.first { Member(rawValue: $0) == nil }
        if let unknown {
            let known = Member.allCases.map(\.rawValue).joined(separator: ", ")
            fields.problem("members", "has \(unknown), which is none of \(known)")
        }
        guard let endpoint = fields.url("url"), unknown == nil else { return nil }
        self.init(
            endpoint: endpoint, sealedSecret: sealedSecret, timeout: timeout,
            members: Set(names?.compactMap(Member.init(rawValue:)) ?? Member.allCases))
    }

    fileprivate var document: JSONObject {
        [
            "url": .string(endpoint.description), "timeout": .number(JSONNumber(timeout)),
            "members": JSONValue(Member.allCases.filter(members.contains).map(\.rawValue)),
        ]
    }
}

extension LoginConnection {
    fileprivate static let providersSecret = "client_secret"
    fileprivate static let oldServersSecret = "secret"

    private static let providersSecretPath = ["options", providersSecret]
    private static let oldServersSecretPath = ["options", "old_server", oldServersSecret]

    /// Places of secrets in documents.
    package static let secretPaths = [providersSecretPath, oldServersSecretPath]

    /// Place of the secret in a document. Nil for a connection without one.
    package var secretPath: String? {
        if upstream != nil { return Self.providersSecretPath.joined(separator: ".") }
        return oldServer.map { _ in Self.oldServersSecretPath.joined(separator: ".") }
    }

    /// Why a new secret cannot be used. Nil means that it can.
    package func problem(withSecret secret: SecretBytes) -> String? {
        if secret.count == 0 { return "must not be empty" }
        return oldServer == nil || secret.count >= OldServer.secretMinimum
            ? nil : "must have at least \(OldServer.secretMinimum) bytes; generate it at random"
    }

    /// Why the stored secret cannot be used for the new connection. Nil means that it can.
    package func missingSecret(over old: LoginConnection?) -> String? {
        if let server = oldServer {
            guard let known = old?.oldServer else { return "is required for a new server" }
            return server.endpoint == known.endpoint
                ? nil : "is required when url changes: the stored secret is never sent elsewhere"
        }
        guard let provider = upstream else { return nil }
        guard let known = old?.upstream else { return "is required for a new connection" }
        if provider.sendsSecret(as: known) { return nil }
        return "is required when an address, client_id or token_endpoint_auth_method changes: "
            + "the stored secret is never sent elsewhere"
    }
}

extension UpstreamProvider {
    /// True if both send the secret to the same places, for the same client, in the same way.
    fileprivate func sendsSecret(as other: UpstreamProvider) -> Bool {
        dialect == other.dialect && clientID == other.clientID && authenticationMethod == other.authenticationMethod
    }
}

extension LoginConnection: StoredEntity {
    package static let storedKind = TenantDocument.Kind.connection
    package var storedID: String { name }
    package var stored: TenantDocument {
        TenantDocument(.connection, id: name, document: document, sealedSecrets: sealedSecret ?? [])
    }

    package init?(_ fields: DocumentFields, of stored: TenantDocument) {
        self.init(fields, sealedSecret: stored.sealedSecrets)
    }
}
