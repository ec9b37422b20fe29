package import AuthorizationCore
package import JOSE
import JSONSchema
import OAuthWire
import Primitives

extension Client: Described {
    /// Auth0's type of an application. The Management API chooses defaults by it.
    package enum ApplicationType: String, CaseIterable, Sendable {
        case native, spa
        case regularWeb = "regular_web"
        case nonInteractive = "non_interactive"
    }

    /// Fields of a client's document, without the secret.
    package static let fields = Fields<Client> {
        Field.key("client_id", .text(1...128), "Unique in the tenant") { $0.id.rawValue }.fileOnly
        Field.key("name", .text(), "Shown to the user") { $0.name }.option
        Field.kept("description", .text(0...140), "For people who manage clients")
        Field(
            "client_secret", protects: .identity("update:client_keys"), .anything,
            words: "a secret (see below) of 32 bytes or more",
            "Generated at random; stored as a SHA-256 hash"
        ).fileOnly.preset("the stored one; required for a new client with a secret, and not allowed for other clients")
        Field(
            "token_endpoint_auth_method",
            protects: .identity(create: ["create:clients"], update: ["update:client_keys"]), .choice,
            \.authenticationMethod,
            "How the client authenticates: with its secret, either way; with a key or a certificate; or not at all, as "
                + "a public client, such as an app on a phone, which cannot keep a secret"
        ).preset("the method in `client_authentication_methods`, or `client_secret_post`").option
        Field(
            "client_authentication_methods",
            protects: .identity(
                create: ["create:client_credentials", "update:client_keys"],
                update: ["update:client_credentials", "update:client_keys"]), .anyObject, words: "object",
            "Credentials for `private_key_jwt`, `tls_client_auth` or `self_signed_tls_client_auth`, described or, in the "
                + "Management API, named by id",
            read: { fields, client, _ in client.readCredentials(fields) },
            write: { client, document in client.writeCredentials(&document) }
        )
        Field(
            "jwks_uri", protects: .identity("update:client_keys"), .endpoint, \.jwksURI,
            "URL of the client's public keys or certificates")
        Field(
            "jwks", protects: .identity("update:client_keys"), .keySet, \.jwks,
            "The same keys as a JWK set, instead of `jwks_uri`; keys for other purposes than signatures are ignored")
        Field(
            "tls_client_certificate_bound_access_tokens", protects: .identity("update:client_keys"),
            .flag.omitted { !$0 }, \.bindsTokensToCertificate,
            "Bind access tokens to the certificate used to request them (RFC 8705), with any method; a public client's "
                + "refresh tokens too"
        ).preset("`false`")
        Field(
            "grant_types", protects: .nothing,
            FieldType<[GrantType]>.choices().mapped({ Set($0) }, { $0.sorted { $0.rawValue < $1.rawValue } }),
            \.grantTypes, "`client_credentials` and `\(GrantType.ciba.rawValue)` require a confidential client"
        ).shaped(.list(.text(1...255), 0...50))
        Field(
            "app_type", protects: .nothing,
            FieldType<ApplicationType>.choice.mapped({ $0.rawValue }, { ApplicationType(rawValue: $0) }),
            \.applicationType, "Type of the application; the Management API chooses defaults of other members by it"
        ).option
        Field(
            "callbacks", protects: .identity(update: ["update:client_keys"]), .redirects(0...500), \.redirectURIs,
            "Redirect URIs, compared exactly except for the port of `http://127.0.0.1`, `http://[::1]` and "
                + "`http://localhost`: `https`, `http` on this machine only, or an app's private-use scheme; at least one "
                + "for `authorization_code`")
        Field(
            "allowed_logout_urls", protects: .nothing, .redirectTexts(0...500), \.allowedLogoutURLs,
            "Redirect URIs after a logout, compared exactly")
        Field(
            "web_origins", protects: .identity(update: ["update:client_keys"]), .origins, \.webOrigins,
            "Origins of the client's scripts in browsers, such as `https://app.example.com`: `https`, `http` on this "
                + "machine only, or an app's private-use scheme. They may also get responses as messages"
        ).preset("only the origins of `callbacks`, and no messages")
        Field("allowed_origins", protects: .nothing, .origins, \.allowedOrigins, "Such origins that get no messages")
            .preset("only the origins of `callbacks`")
        Field(
            "mobile", protects: .identity("update:client_keys"), .apps, \.mobile,
            "Apps that open links of the tenant's hosts; published for first-party clients"
        )
        Field(
            "require_pushed_authorization_requests", protects: .identity(update: ["update:client_keys"]),
            .flag.omitted { !$0 }, \.requiresPushedAuthorizationRequests,
            "Refuse authorization requests unless they were pushed (RFC 9126)"
        ).preset("`false`")
        Field(
            "require_proof_key", protects: .identity(update: ["update:client_keys"]), .flag.omitted { !$0 },
            \.requiresProofKey,
            "Require PKCE (RFC 7636) from a confidential client; public clients always need it"
        ).preset("`false`")
        Field.group(
            "oidc_logout", protects: .nothing,
            Fields {
                Field(
                    "backchannel_logout_urls", protects: .nothing, .logoutURLs, \.backchannelLogoutURL,
                    "URL that is notified of the end of sessions")
            }
        ).shaped(.anyObject)
        Field("logo_uri", protects: .nothing, .secureURL, \.logoURL, "Image for the consent page")
        Field(
            "initiate_login_uri", protects: .nothing, .secureURL, \.initiateLoginURL,
            "URL at which the client starts a login (OIDC Core 4); used after a new password was set")
        Field(
            "refresh_token", protects: .nothing,
            .object(new: RefreshTokenPolicy(), settle: RefreshTokenPolicy.settle)
                .omitted { $0 == RefreshTokenPolicy() }, \.refreshTokens, "Rules for refresh tokens"
        ).shaped(.anyObject).preset("every default")
        Field(
            "is_first_party", protects: .person, .flag, \.isFirstParty,
            "Only first-party clients may use CIBA; other clients need the user's consent in the browser")
        Field(
            "oidc_conformant", protects: .nothing, .flag, \.oidcConformant,
            "Accepted for compatibility; every client is conformant")
        Field(
            "async_approval_notification_channels", protects: .person, .choices(1...3), \.notificationChannels,
            "Channels in the order in which they are tried; with `email`, the person gets a mail with a link to the "
                + "approval page; with `page`, no phone is woken, and the client shows the person `approval_uri`"
        ).preset("push only")
        Field(
            "allow_long_push", protects: .person, .flag, \.allowsLongPush,
            "Allow push requests longer than 300 seconds if e-mail is not enabled")
        Field(
            "matching", protects: .person, .choice, \.matching,
            "Number matching for every CIBA request of the client, as in the settings"
        )
        Field.kept("client_metadata", .anyObject, "Data of programs that manage clients")
        Field(
            "client_grants", protects: .identity("update:client_grants"), .list(.anyObject), words: "list of objects",
            "Usable APIs: APIs of the file, or the Management API `https://HOST\(EndpointPath.management.rawValue)/`",
            rows: ClientGrant.fields.rows(of: nil, "[]."),
            read: { fields, client, _ in
                client.grants = fields.objects("client_grants").compactMap { ClientGrant($0) }
                    .sorted(by: ClientGrant.precedes)
            },
            write: { client, document in
                guard client.isLimitedToGrants || !client.grants.isEmpty else { return }
                document["client_grants"] = .array(client.grants.map { .object($0.document) })
            }
        ).preset("every API; none with `client_credentials`").fileOnly
        Field(
            "limited_to_grants", protects: .identity("update:client_grants"), .boolean,
            "`false` with `client_grants`: for users, the client may also request APIs that allow every client",
            read: { fields, client, _ in
                client.isLimitedToGrants = fields.flag("limited_to_grants") ?? (fields.value("client_grants") != nil)
            },
            write: { if !$0.isLimitedToGrants, !$0.grants.isEmpty { $1["limited_to_grants"] = false } }
        ).preset("`true` with `client_grants`").fileOnly
        Field(
            "unused_credentials", protects: .identity("update:client_credentials"), .list(.anyObject),
            words: "list of objects",
            "Credentials that `client_authentication_methods` does not use; the Management API stores them until they "
                + "are used",
            read: { fields, client, _ in
                client.unusedCredentials = fields.objects("unused_credentials").compactMap { item in
                    defer { item.finish() }
                    return ClientCredential(unused: item)
                }
            },
            write: { client, document in
                if client.unusedCredentials.isEmpty { return }
                document["unused_credentials"] = .array(client.unusedCredentials.map { .object($0.document) })
            }
        ).fileOnly
        Field("additional", protects: .nothing, .additional, \.additional, "Further members, which have no effect")
            .fileOnly
        Field.group(
            "jwt_configuration", protects: .nothing,
            Fields {
                Field("alg", protects: .nothing, .signingAlgorithm, \.idTokenAlgorithm, "Algorithm of ID tokens")
                    .preset("`RS256`")
                Field(
                    "lifetime_in_seconds", protects: .nothing, .integer(1...2_592_000), \.idTokenLifetime,
                    "Lifetime of ID tokens in seconds"
                ).preset("36000")
            })
    }

    /// Reads a client without its secret, and sets `secretHashes`.
    package init?(_ fields: DocumentFields, secretHashes: [[UInt8]]) {
        let id = fields.requiredString("client_id", limit: 128)
        let name = fields.requiredString("name")
        guard let id, let name else { return nil }
        self.init(id: ClientID(id), name: name, secretHashes: secretHashes)
        Self.fields.read(fields, into: &self)
        if jwks != nil, jwksURI != nil { fields.problem("jwks", "must be omitted with jwks_uri") }
        takeStored(fields)
    }

    /// Reads fields that earlier versions stored unread. A value that is invalid today is kept but has no effect.
    private mutating func takeStored(_ fields: DocumentFields) {
        func take<Value>(_ name: String, _ read: (JSONValue) -> Value?) -> Value? {
            guard fields.value(name) == nil, let value = additional[name].flatMap(read) else { return nil }
            additional[name] = nil
            return value
        }
        func origins(_ value: JSONValue) -> [WebOrigin]? {
            let texts = value.stringsValue ?? []
            let origins = texts.compactMap(WebOrigin.init(registering:))
            return origins.count == texts.count ? origins : nil
        }
        if additional.isEmpty { return }
        webOrigins = take("web_origins", origins) ?? webOrigins
        allowedOrigins = take("allowed_origins", origins) ?? allowedOrigins
        initiateLoginURL =
            take("initiate_login_uri") { value in
                value.stringValue.flatMap { $0.hasPrefix("https://") && EndpointURL($0) != nil ? $0 : nil }
            } ?? initiateLoginURL
        mobile =
            take("mobile") { value in
                let problems = Problems()
                let apps = DocumentFields(value, path: "", problems: problems).flatMap(MobileApps.init)
                return problems.list.isEmpty ? apps : nil
            } ?? mobile
    }

    /// Checks fields against each other.
    package func check(path: String, hasSecret: Bool, _ problems: Problems) {
        checkAuthentication(path, hasSecret: hasSecret, problems)
        if OwnPage.Kind(id) != nil {
            problems.add(
                path.isEmpty ? "client_id" : "\(path).client_id",
                "must not be \(id), which stands for a page of this server")
        }
        if isPublic {
            for grant in [GrantType.ciba, .clientCredentials] where grantTypes.contains(grant) {
                problems.add(
                    path.isEmpty ? "grant_types" : "\(path).grant_types",
                    "\(grant.rawValue) needs a confidential client, and token_endpoint_auth_method is none")
            }
        }
    }
}

/// Algorithms that sign tokens here.
package let signingAlgorithms: [JWSAlgorithm] = [.rs256, .ps256, .es256, .edDSA]

extension FieldType where Value == JWSAlgorithm {
    /// One of `signingAlgorithms`.
    static var signingAlgorithm: FieldType {
        let names = signingAlgorithms.map(\.rawValue)
        return .parsed(
            .choice(names), FieldRow.alternatives(names), limit: 255, "must be one of \(names.joined(separator: ", "))"
        ) { text in
            signingAlgorithms.first { $0.rawValue == text }
        } write: {
            $0.rawValue
        }
    }
}

extension FieldType where Value == String {
    /// A list of one URL at most.
    fileprivate static var logoutURLs: FieldType {
        FieldType(.list(.text(1...2048)), "list of one `https` URL, or `http` URL of this machine") { fields, name in
            let urls = fields.strings(name, limit: 2048) ?? []
            if urls.count > 1 { fields.problem(name, "may hold one URL") }
            if let url = urls.first, EndpointURL(url) == nil {
                fields.problem("\(name)[0]", "must be an https URL, or http on 127.0.0.1, [::1] or localhost")
            }
            return urls.first
        } write: {
            [.string($0)]
        }
    }
}

extension FieldType where Value == EndpointURL {
    fileprivate static var endpoint: FieldType {
        .parsed(
            .text(1...2048), "`https` URL, or `http` on 127.0.0.1, [::1] or localhost",
            "must be an https URL without a fragment, or http on 127.0.0.1, [::1] or localhost",
            { EndpointURL($0) }, write: { $0.description })
    }
}

extension FieldType where Value == JWKSet {
    fileprivate static var keySet: FieldType {
        FieldType(.anyObject, "object") { fields, name in
            fields.value(name).flatMap { Client.keys($0, fields) }
        } write: {
            $0.json
        }
    }
}

extension Client: StoredEntity {
    package static let storedKind = TenantDocument.Kind.client
    package var storedID: String { id.rawValue }
    package var stored: TenantDocument {
        TenantDocument(.client, id: storedID, document: document, secretHashes: secretHashes)
    }

    package init?(_ fields: DocumentFields, of stored: TenantDocument) {
        self.init(fields, secretHashes: stored.secretHashes)
    }
}
