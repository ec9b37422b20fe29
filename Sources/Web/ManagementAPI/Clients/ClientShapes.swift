import APIDescription
import Administration
import AuthorizationCore
import Configuration
import JOSE
import OAuthWire
import Primitives
import SearchQuery

/// Wire format of clients.
enum ClientShapes {
    private static let members: [Member] = [
        Member("name", .text(1...255), "Shown to the person who decides"),
        Member("description", .text(0...140)),
        Member("app_type", .choice(["native", "spa", "regular_web", "non_interactive"])),
        Member("is_first_party", .boolean, "Only first-party clients may ask users through their phones"),
        Member("oidc_conformant", .boolean, "Stored; every client is conformant"),
        Member(
            "grant_types", .list(.text(1...255), 0...50),
            "Of \(GrantType.allCases.map(\.rawValue).joined(separator: ", "))"),
        Member("callbacks", .list(.text(1...2048), 0...500), "Where codes may be sent"),
        Member("allowed_logout_urls", .list(.text(1...2048), 0...500), "Where a browser may go after logging out"),
        Member("web_origins", .list(.text(1...2048), 0...500), "Where scripts of the client run: their origins"),
        Member("allowed_origins", .list(.text(1...2048), 0...500), "The same; origins of callbacks need no mention"),
        Member("logo_uri", .text(0...2048), "Shown on the consent page"),
        Member("initiate_login_uri", .text(0...2048), "An https URL where the client begins a login (OIDC Core 4)"),
        Member(
            "jwt_configuration",
            .object(
                [
                    Member("alg", .choice(signingAlgorithms.map(\.rawValue)), "How ID tokens are signed").clearable,
                    Member("lifetime_in_seconds", .integer(1...2_592_000), "Of ID tokens").clearable,
                ], isOpen: true), "Of ID tokens"),
        Member("refresh_token", .anyObject, "How refresh tokens behave"),
        Member("require_pushed_authorization_requests", .boolean, "Refuses requests that were not pushed (RFC 9126)"),
        Member("require_proof_key", .boolean, "Requires PKCE of a confidential client; public ones always need it"),
        Member("oidc_logout", .anyObject, "Who is told of the end of sessions"),
        Member(
            "async_approval_notification_channels",
            .list(.choice(Client.NotificationChannel.allCases.map(\.rawValue)), 1...2, unique: true),
            "How users are told of requests, in the order that is tried; push where there is none"),
        Member("allow_long_push", .boolean, "Allows requests of over 300 seconds by push"),
        Member("client_metadata", .anyObject, "Texts of the operator's own"),
    ]

    /// Listed apps can intercept links of the tenant's host, with their codes, from another client's app. They require
    /// the same scopes as replacing that client's credentials.
    private static let apps = Member(
        "mobile", mobile, "Apps on phones that links of this host open. Published for first-party clients")
    private static let mobile = Shape.object(
        [
            Member(
                "ios",
                .object(
                    [
                        Member("team_id", .text(10...10)).clearable,
                        Member("app_bundle_identifier", .text(1...155)).clearable,
                    ], isOpen: true)
            ).clearable,
            Member(
                "android",
                .object(
                    [
                        Member("app_package_name", .text(3...223)).clearable,
                        Member(
                            "sha256_cert_fingerprints", .list(.text(64...95), 1...20),
                            "Of the certificates that the app may be signed with, with colons or without"
                        ).clearable,
                        Member("keystore_hash", .text(64...95), "One fingerprint, as earlier versions have it")
                            .clearable,
                    ], isOpen: true)
            ).clearable,
        ], isOpen: true)

    private static let name = Member.required("name", .text(1...255))
    private static let method = Member(
        "token_endpoint_auth_method", .choice(Client.AuthenticationMethod.allCases.map(\.rawValue)),
        "How the client proves itself")
    private static let methods = Member(
        "client_authentication_methods", .anyObject,
        "Credentials of private_key_jwt, tls_client_auth or self_signed_tls_client_auth, by id or described")
    private static let secret = Member("client_secret", .text(32...255), "At least 32 bytes, generated at random")
    private static let published = [
        Member("jwks", .anyObject, "Public keys of private_key_jwt, or certificates, as a JWK set"),
        Member("jwks_uri", .text(1...2048), "Where the client publishes the same"),
        Member(
            "tls_client_certificate_bound_access_tokens", .boolean,
            "Binds access tokens to the certificate that the client showed (RFC 8705)"),
    ]

    /// The creator of a client gets its secret in any case. Credentials that the creator chooses may belong to another
    /// party, so they require further scopes.
    private static let newProof: [Member] =
        [
            method.clearable.needing(["create:clients"]),
            methods.clearable.needing(["create:client_credentials"], ["update:client_keys"]),
        ] + ([secret, apps] + published).map { $0.clearable.needing(["update:client_keys"]) }

    /// Changing a client's credentials suffices to impersonate the client.
    private static let proof: [Member] =
        [methods.clearable.needing(["update:client_credentials"], ["update:client_keys"])]
        + ([method, apps] + published).map { $0.clearable.needing(["update:client_keys"]) }
        + [secret.needing(["update:client_keys"])]

    static let create = Shape.object([name] + members.dropFirst().map(\.clearable) + newProof, isOpen: true)
    static let update = Shape.object([name.optional] + members.dropFirst().map(\.clearable) + proof, isOpen: true)

    static let client = Shape.object(
        [
            .required("client_id", .text()), Member("tenant", .text()), Member("global", .boolean),
            Member("client_secret", .text(), "Only where it was made just now"),
        ] + (members + [apps, method, methods] + published).map(\.clearable), isOpen: true)

    static let createExample: JSONValue = [
        "name": "Shopping agent", "grant_types": [.string(GrantType.ciba.rawValue)],
        "async_approval_notification_channels": ["guardian-push"],
    ]

    static let updateExample: JSONValue = [
        "grant_types": ["authorization_code", "refresh_token", .string(GrantType.ciba.rawValue)],
        "oidc_conformant": true, "async_approval_notification_channels": ["guardian-push", "email"],
    ]

    static let example: JSONValue = [
        "tenant": "dev", "global": false, "client_id": "mfrggzdfmztwq2lknnwg23tpobyxe43u", "name": "Shopping agent",
        "is_first_party": true, "oidc_conformant": true, "grant_types": [.string(GrantType.ciba.rawValue)],
        "token_endpoint_auth_method": "client_secret_post",
        "jwt_configuration": ["alg": "RS256", "lifetime_in_seconds": 36000],
        "async_approval_notification_channels": ["guardian-push"],
    ]

    static func json(_ client: Client, secret: SecretBytes? = nil, _ tenant: Tenant) -> JSONObject {
        var json: JSONObject = [
            "tenant": .string(tenant.id.rawValue), "global": false, "client_id": .string(client.id.rawValue),
        ]
        json["client_secret"] = secret.map { .string(String(decoding: $0.bytes, as: UTF8.self)) }
        var document = client.flatDocument
        // Grants have their own operations.
        document["client_grants"] = nil
        document["limited_to_grants"] = nil
        // Credentials do, too. Only their ids are listed.
        document["unused_credentials"] = nil
        if !client.credentials.isEmpty {
            document["token_endpoint_auth_method"] = nil
            let named = client.credentials.map { JSONValue.object(["id": .string($0.id.rawValue)]) }
            document["client_authentication_methods"] = [
                client.authenticationMethod.rawValue: ["credentials": .array(named)]
            ]
        }
        let policy = RefreshTokenShape.json(of: client, tenant)
        document["refresh_token"] = .object(policy.completed(with: document["refresh_token"]?.objectValue ?? [:]))
        for name in ["callbacks", "allowed_logout_urls"] where document[name] == nil { document[name] = [] }
        return json.completed(with: document)
    }

    /// Name of a client's grants in search queries.
    static let grants = "client_grant"

    /// Searchable members of clients.
    static let searched = Set(
        (members + [apps, method, methods]).map(\.name) + ["client_id", "external_client_id", grants])

    static let queryDetails = """
        As in user searches, of the members of clients: app_type:(spa OR native) AND is_first_party:true; members of \
        \(grants) are those of the client's grants. \(QuerySyntax.lengthLimit) bytes at most
        """

    static func grants(of client: Client) -> JSONValue { .array(client.grants.map { .object($0.flatDocument) }) }

    static func summary(of json: JSONObject) -> JSONObject {
        Projection(
            names: ["client_id", "name", "app_type", "description", "logo_uri", "is_first_party"], includes: true
        ).apply(to: json)
    }
}

/// `refresh_token` of a client, with the effective values of settings that the client leaves out.
enum RefreshTokenShape {
    static func json(of client: Client, _ tenant: Tenant) -> JSONObject {
        let policy = client.refreshTokens
        let lifetime = policy.lifetime ?? tenant.settings.refreshTokenLifetime
        let isEndless = lifetime == RefreshTokenPolicy.longestLifetime
        var json: JSONObject = [
            "rotation_type": client.rotatesRefreshTokens ? "rotating" : "non-rotating",
            "expiration_type": isEndless && policy.idleLifetime == nil ? "non-expiring" : "expiring",
            "leeway": .number(JSONNumber(policy.leeway)), "token_lifetime": .number(JSONNumber(lifetime)),
            "infinite_token_lifetime": .bool(isEndless),
            "infinite_idle_token_lifetime": .bool(policy.idleLifetime == nil),
        ]
        json["idle_token_lifetime"] = policy.idleLifetime.map { .number(JSONNumber($0)) }
        return json
    }
}
