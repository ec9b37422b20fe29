import AuthorizationCore
import Configuration
import JSONSchema
import Primitives

/// Wire format of APIs.
enum ResourceServerShapes {
    static let create = Shape.object(ResourceServer.fields.members(.create), isOpen: true)
        .taking(withoutEffect: Auth0Members.resourceServers.all)
    static let update = Shape.object(ResourceServer.fields.members(.update), isOpen: true)
        .taking(withoutEffect: Auth0Members.resourceServers.all)
    static let resourceServer = Shape.object(
        [.required("id", .text()), .required("is_system", .boolean)] + ResourceServer.fields.members(.whole),
        isOpen: true)

    static let createExample: JSONValue = [
        "identifier": "https://pay.example.com/", "name": "Payments",
        "scopes": [["value": "pay:send", "description": "Pay in your name"]],
        "authorization_details": [["type": "payment"]],
    ]

    static let example: JSONValue = [
        "id": "65f0c1d2e3a4b5c6d7e8f901", "is_system": false, "identifier": "https://pay.example.com/",
        "name": "Payments", "scopes": [["value": "pay:send", "description": "Pay in your name"]],
        "authorization_details": [["type": "payment", "evidence": "signed-digest"]], "approval_in_tokens": true,
        "signing_alg": "RS256", "token_lifetime": 86400,
        "token_dialect": "access_token", "enforce_policies": false, "allow_offline_access": false,
        "skip_consent_for_verifiable_first_party_clients": false,
        "subject_type_authorization": ["user": ["policy": "allow_all"], "client": ["policy": "require_client_grant"]],
    ]

    static func json(_ api: ResourceServer, id: String) -> JSONObject {
        let members: JSONObject = ["id": .string(id), "is_system": .bool(api.isSystem)]
        return members.completed(with: api.flatDocument)
    }
}
