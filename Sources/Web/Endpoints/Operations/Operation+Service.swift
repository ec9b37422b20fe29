import APIDescription
import JSONSchema
import Primitives
import Routing

/// Operations of metadata and probes.
extension Operation {
    private static func metadata(_ id: String, _ summary: String, _ details: String, _ shape: Shape) -> Operation {
        Operation(
            id, summary, tag: "Metadata", details: details,
            answers: [Answer(200, "May be cached", shape), Answer(304, "Unchanged")]
                + refusals("OAuthError", [400, 404]))
    }

    private static let configurationShape = Shape.object(
        [.required("issuer", .text()), .required("token_endpoint", .text()), .required("jwks_uri", .text())],
        isOpen: true)

    static let openIDConfiguration = metadata(
        "openid_configuration", "Show endpoints and features", "OIDC Discovery 1.0.", configurationShape)
    static let authorizationServerMetadata = metadata(
        "authorization_server_metadata", "Show endpoints and features", "RFC 8414.", configurationShape)
    static let keySet = metadata(
        "jwks", "Show the keys that tokens are signed with", "RFC 7517: the next, current and previous keys.",
        .object([.required("keys", .list(.anyObject))]))
    static let openAPI = metadata("openapi", "Show this document", "OpenAPI 3.1.", .anyObject)

    /// `id` differs by path.
    static func appleAssociation(_ id: String) -> Operation {
        metadata(
            id, "Show which iOS apps open links of this host", "Apple's format, with the apps of all clients.",
            .anyObject)
    }
    static let assetLinks = metadata(
        "asset_links", "Show which Android apps open links of this host",
        "Digital Asset Links, with the apps of all clients.", .list(.anyObject))

    private static let status = Shape.object([.required("status", .text())])

    static let health = Operation(
        "health", "Check that the process runs", tag: "Probes",
        answers: [Answer(200, "It runs", status, example: ["status": "ok"])])
    static let readiness = Operation(
        "readiness", "Check that the store answers", tag: "Probes",
        answers: [
            Answer(200, "It answers", status, example: ["status": "ready"]),
            Answer(503, "The store does not answer", status, example: ["status": "unavailable"]),
        ])
}
