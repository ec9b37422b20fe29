import HTTPModel
package import JSONSchema
import OAuthWire
package import Primitives

/// OpenAPI 3.1 document, generated from the declarations of the routes.
package struct OpenAPIDocument: Sendable {
    private static let bearer = "bearer"
    private static let secret = "client"

    private let operations: [PlacedOperation]
    private let components: [(name: String, shape: Shape)]

    /// `components` are the shapes that others reference by name.
    package init(operations: [PlacedOperation], components: [(name: String, shape: Shape)]) {
        self.operations = operations
        self.components = components
    }

    /// `server` is an issuer: an absolute URL with a trailing slash.
    package func json(server: String, version: String) -> JSONObject {
        var paths = JSONObject()
        var scopes: Set<String> = []
        for placed in operations {
            var item = paths[placed.path]?.objectValue ?? [:]
            item[placed.method.rawValue.lowercased()] = .object(Self.json(placed.operation))
            paths[placed.path] = .object(item)
            if case .scopes(let sets) = placed.operation.security { scopes.formUnion(sets.joined()) }
            for rule in placed.operation.memberScopes { scopes.formUnion(rule.sets.joined()) }
        }
        var schemas = JSONObject()
        for (name, shape) in components { schemas[name] = shape.json }
        var scopeTexts = JSONObject()
        for scope in scopes.sorted() { scopeTexts[scope] = .string("") }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Countersign", "version": .string(version),
                "description": "A self-hosted authorization server for CIBA: protocol endpoints and Management API.",
            ],
            "servers": [["url": .string(String(server.dropLast()))]],
            "paths": .object(paths),
            "components": [
                "schemas": .object(schemas),
                "securitySchemes": [
                    Self.bearer: [
                        "type": "oauth2",
                        "flows": [
                            "clientCredentials": [
                                "tokenUrl": .string(EndpointPath.token.url(below: server)),
                                "scopes": .object(scopeTexts),
                            ]
                        ],
                    ],
                    Self.secret: ["type": "http", "scheme": "basic"],
                    "token": ["type": "http", "scheme": "bearer"],
                ],
            ],
        ]
    }

    private static func json(_ operation: Operation) -> JSONObject {
        var json: JSONObject = [
            "operationId": .string(operation.id), "summary": .string(operation.summary),
            "tags": [.string(operation.tag)],
        ]
        json["description"] = operation.details.map(JSONValue.string)
        if !operation.parameters.isEmpty {
            json["parameters"] = .array(
                operation.parameters.map { parameter in
                    [
                        "name": .string(parameter.name), "in": .string(parameter.place.rawValue),
                        "required": .bool(parameter.isRequired), "description": .string(parameter.description),
                        "schema": parameter.shape.json,
                    ]
                })
        }
        if let body = operation.body {
            json["requestBody"] = [
                "required": .bool(body.isRequired), "content": content(body.mediaTypes, body.shape, body.example),
            ]
        }
        var answers = JSONObject()
        for answer in operation.answers {
            var described: JSONObject = ["description": .string(answer.description)]
            if let shape = answer.shape { described["content"] = content([answer.mediaType], shape, answer.example) }
            answers[String(answer.status)] = .object(described)
        }
        json["responses"] = .object(answers)
        json["security"] = security(operation.security)
        let rules = operation.memberScopes
        if !rules.isEmpty {
            // Extension (clause 4.9), because OpenAPI has no such field.
            json["x-member-scopes"] = .array(
                rules.map { rule in
                    [
                        "path": JSONValue(rule.path), "protects": .string(rule.protected.rawValue),
                        "scopes": .array(rule.sets.map { JSONValue($0) }),
                    ]
                })
        }
        return json
    }

    private static func content(_ mediaTypes: [String], _ shape: Shape, _ example: JSONValue?) -> JSONValue {
        var described: JSONObject = ["schema": shape.json]
        described["example"] = example
        var content = JSONObject()
        for type in mediaTypes { content[type] = .object(described) }
        return .object(content)
    }

    private static func security(_ security: Operation.Security) -> JSONValue {
        switch security {
        case .open: []
        // Credentials in the body, or by HTTP Basic.
        case .client: [.object([:]), .object([secret: []])]
        case .scopes(let sets): .array(sets.map { .object([bearer: JSONValue($0)]) })
        case .token: [.object(["token": []])]
        }
    }
}
