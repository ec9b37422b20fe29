import AuthorizationCore
import Configuration
import JSONSchema
import OAuthWire
import Primitives
import SearchQuery

/// Wire format of clients.
enum ClientShapes {
    private static let secret = Member("client_secret", .text(32...255), "At least 32 bytes, generated at random")

    /// The creator of a client gets its secret in any case. Credentials that the creator chooses may belong to another
    /// party, so they require further scopes.
    static let create = Shape.object(
        Client.fields.members(.create) + [secret.clearable.protecting(.identity, ["update:client_keys"])], isOpen: true
    ).taking(withoutEffect: Auth0Members.clients.all)
    /// Changing a client's credentials suffices to impersonate the client.
    static let update = Shape.object(
        Client.fields.members(.update) + [secret.protecting(.identity, ["update:client_keys"])], isOpen: true
    ).taking(withoutEffect: Auth0Members.clients.all)

    static let client = Shape.object(
        [
            .required("client_id", .text()), Member("tenant", .text()), Member("global", .boolean),
            Member("client_secret", .text(), "Only returned by the request that created it"),
        ] + Client.fields.members(.whole), isOpen: true)

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
    static let searched = Set(Client.fields.members(.whole).map(\.name) + ["client_id", "external_client_id", grants])

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
