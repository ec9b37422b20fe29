import APIDescription
import Administration
import AuthorizationCore
import Configuration
import JOSE
import Primitives

/// Wire format of APIs.
enum ResourceServerShapes {
    private static let members: [Member] = [
        Member("name", .text(1...255), "What people call it"),
        Member(
            "signing_alg", .choice(signingAlgorithms.map(\.rawValue)), "How access tokens are signed; RS256 unless told"
        ),
        Member("token_lifetime", .integer(1...ResourceServer.maximumTokenLifetime), "Of access tokens, in seconds"),
        Member(
            "token_dialect", .choice(ResourceServer.TokenDialect.allCases.map(\.rawValue)),
            "The claims of access tokens"),
        Member("enforce_policies", .boolean, "Whether users get only the scopes that their roles permit"),
        Member("allow_offline_access", .boolean, "Whether there are refresh tokens"),
        Member(
            "skip_consent_for_verifiable_first_party_clients", .boolean,
            "Whether first-party clients go without the user's consent in the browser; false unless told"),
        Member(
            "authorization_details",
            .list(
                .object([
                    .required("type", .text(1...255)),
                    Member("schema", .anyObject.orNull, "A JSON Schema that details of the type have to fit"),
                ]), 0...100), "Types of authorization details (RFC 9396)"),
        Member(
            "consent_policy", .choice(["standard", "transactional-authorization-with-mfa"]),
            "The latter excludes requests through the back channel"),
        Member(
            "subject_type_authorization",
            .object(
                [
                    Member("user", policy(ResourceServer.UserPolicy.allCases.map(\.rawValue))),
                    Member("client", policy(ResourceServer.ClientPolicy.allCases.map(\.rawValue))),
                ], isOpen: true), "Which clients may have tokens in users' names and for themselves"),
    ]

    private static func policy(_ words: [String]) -> Shape { .object([Member("policy", .choice(words))], isOpen: true) }

    private static let identifier = Member.required("identifier", .text(1...600), "The audience of tokens")

    private static let scopes = Member(
        "scopes",
        .list(.object([.required("value", .text(1...255)), Member("description", .text(0...1000).orNull)]), 0...1000),
        "What tokens can be good for")

    static let create = Shape.object(
        [identifier, scopes.clearable.needing(["create:resource_servers"])] + members.map(\.clearable), isOpen: true)
    static let update = Shape.object(
        [identifier.optional, scopes.clearable.needing(["update:resource_servers"])] + members.map(\.clearable),
        isOpen: true)

    static let resourceServer = Shape.object(
        [.required("id", .text()), identifier, .required("is_system", .boolean)]
            + ([scopes] + members).map(\.clearable),
        isOpen: true)

    static let createExample: JSONValue = [
        "identifier": "https://pay.example.com/", "name": "Payments",
        "scopes": [["value": "pay:send", "description": "Pay in your name"]],
        "authorization_details": [["type": "payment"]],
    ]

    static let example: JSONValue = [
        "id": "65f0c1d2e3a4b5c6d7e8f901", "is_system": false, "identifier": "https://pay.example.com/",
        "name": "Payments", "scopes": [["value": "pay:send", "description": "Pay in your name"]],
        "authorization_details": [["type": "payment"]], "signing_alg": "RS256", "token_lifetime": 86400,
        "token_dialect": "access_token", "enforce_policies": false, "allow_offline_access": false,
        "skip_consent_for_verifiable_first_party_clients": false,
        "subject_type_authorization": [
            "user": ["policy": "allow_all"], "client": ["policy": "require_client_grant"],
        ],
    ]

    static func json(_ api: ResourceServer, id: String) -> JSONObject {
        let members: JSONObject = ["id": .string(id), "is_system": .bool(api.isSystem)]
        return members.completed(with: api.flatDocument)
    }
}
