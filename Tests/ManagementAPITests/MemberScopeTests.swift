import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JOSE
import JSONSchema
import OAuthWire
import Primitives
import TestSupport
import Testing

/// Body members with credentials or rights, as the OpenAPI document lists them.
@Suite("Management API: scopes of body members")
struct MemberScopeTests {
    private struct Place {
        let method: HTTPMethod
        let path: String
        let schema: JSONValue
        let example: JSONObject
        let rules: [(path: [String], sets: [[String]])]

        var name: String { "\(method) \(path)" }
    }

    private func places() async throws -> [Place] {
        try await ManagementFixture.paths.filter { $0.name.hasPrefix("/api/v2/") }.flatMap { path, item in
            (item.objectValue ?? [:]).compactMap { method, operation in
                guard let content = operation["requestBody"]?["content"]?["application/json"] else { return nil }
                return Place(
                    method: HTTPMethod(method.uppercased()),
                    path: String(path.dropFirst("/api/v2".count)).replacing("{", with: "x").replacing("}", with: "x"),
                    schema: content["schema"] ?? [:], example: content["example"]?.objectValue ?? [:],
                    rules: (operation["x-member-scopes"]?.arrayValue ?? []).map { rule in
                        (
                            rule["path"]?.stringsValue ?? [],
                            (rule["scopes"]?.arrayValue ?? []).compactMap(\.stringsValue)
                        )
                    })
            }
        }
    }

    /// Words in names of members with credentials, secrets or rights.
    private static let telling = [
        "secret", "password", "pass", "credential", "jwk", "pem", "p12", "certificate", "private", "api_key",
        "server_key", "auth_method", "authentication_methods", "subject_dn", "permission", "roles", "scope",
        "multi_factor", "push_enabled", "options", "mobile",
    ]

    private static func members(_ schema: JSONValue, below path: [String] = []) -> [[String]] {
        let own = (schema["properties"]?.objectValue ?? [:]).flatMap { name, member in
            [path + [name]] + members(member, below: path + [name])
        }
        let items = schema["items"].map { members($0, below: path) } ?? []
        let alternatives = (schema["anyOf"]?.arrayValue ?? []).flatMap { members($0, below: path) }
        return own + items + alternatives
    }

    @Test("Every member whose name suggests a secret, credential or right declares its scopes")
    func declared() async throws {
        var count = 0
        for place in try await places() {
            let declared = place.rules.map(\.path)
            for path in Self.members(place.schema) {
                guard let name = path.last, Self.telling.contains(where: name.contains) else { continue }
                count += 1
                #expect(
                    declared.contains { path.starts(with: $0) },
                    "\(place.name): \(path.joined(separator: ".")) names no scope: declare it with Member.needing")
            }
        }
        #expect(count > 30)
    }

    @Test("Every member for client authentication declares its scopes")
    func proofs() async throws {
        let update = try (try await places().first { $0.name == "PATCH /clients/xidx" })
            .orThrow("no operation")
        let plain = Samples.client("c").document
        let key = try Samples.clientSigner("c").publicKey
        let clients = [
            Samples.client("c") { $0.authenticationMethod = .none }, try Samples.signingClient("c"),
            Samples.client("c") { $0.jwks = JWKSet(keys: [key]) },
            Samples.client("c") { $0.jwksURI = EndpointURL("https://c.example/keys") },
            Samples.client("c") { $0.bindsTokensToCertificate = true },
        ]
        var names: Set<String> = ["client_secret"]
        for client in clients { names.formUnion(client.document.differences(from: plain)) }
        // Has its own operations and scopes, and is refused here.
        names.remove("unused_credentials")
        #expect(names.count >= 6, "\(names)")
        for name in names { #expect(update.rules.contains { $0.path == [name] }, "\(name)") }
    }

    /// A value that matches the schema and has the member at a path.
    private static func value(_ schema: JSONValue, with path: ArraySlice<String>) -> JSONValue {
        guard let name = path.first else { return value(schema) }
        if let items = schema["items"] { return [value(items, with: path)] }
        var object = value(schema).objectValue ?? [:]
        object[name] = value(schema["properties"]?[name] ?? [:], with: path.dropFirst())
        return .object(object)
    }

    /// A value that matches the schema.
    private static func value(_ schema: JSONValue) -> JSONValue {
        if let first = schema["enum"]?.arrayValue?.first { return first }
        if let first = schema["anyOf"]?.arrayValue?.first { return value(first) }
        let type = schema["type"]?.stringValue ?? schema["type"]?.arrayValue?.first?.stringValue
        switch type {
        case "string":
            if schema["pattern"] != nil { return "+41791234567" }
            return .string(String(repeating: "x", count: max(schema["minLength"]?.intValue ?? 1, 1)))
        case "boolean": return true
        case "integer", "number": return schema["minimum"] ?? 1
        case "array":
            let count = schema["minItems"]?.intValue ?? 0
            return .array((0..<count).map { _ in value(schema["items"] ?? [:]) })
        default:
            var object = JSONObject()
            for name in schema["required"]?.stringsValue ?? [] {
                object[name] = schema["properties"]?[name].map(value) ?? .null
            }
            return .object(object)
        }
    }

    @Test("Every such member × every missing scope: 403 that names the scope, also for null, and nothing changes")
    func missing() async throws {
        let fixture = try await ManagementFixture()
        let all = Set(ResourceServer.managementScopes)
        let before = try await fixture.server.dump()
        var desks: [Set<String>: ManagementFixture] = [:]
        var count = 0
        for place in try await places() {
            for rule in place.rules {
                let name = try (rule.path.first).orThrow("the whole body")
                let schema = try (place.schema["properties"]?[name]).orThrow("\(place.name) \(name)")
                let isClearable = schema["type"]?.arrayValue?.contains("null") ?? false
                for missing in AuthorizationMatrixTests.choices(rule.sets) {
                    let held = all.subtracting(missing)
                    var poorer = desks[held]
                    if poorer == nil { poorer = try await fixture.with(scopes: held.sorted()) }
                    desks[held] = poorer
                    for value in [Self.value(schema, with: rule.path.dropFirst())] + (isClearable ? [.null] : []) {
                        count += 1
                        var body = place.example
                        for other in place.rules { body[other.path.first ?? ""] = nil }
                        for required in place.schema["required"]?.stringsValue ?? [] where body[required] == nil {
                            body[required] = place.schema["properties"]?[required].map(Self.value)
                        }
                        body[name] = value
                        let answer = try await poorer.orThrow("no token").send(place.method, place.path, .object(body))
                        #expect(answer.status == 403, "\(place.name) \(name) without \(missing): \(answer.text)")
                        #expect(answer.code == "insufficient_scope")
                        for scope in missing { #expect(answer.message.contains(scope), "\(answer.message)") }
                    }
                }
            }
        }
        #expect(count > 50)
        #expect(try await fixture.server.dump() == before)
    }

    @Test("Every declared scope exists, and the member's description names it")
    func scopesExist() async throws {
        let known = Set(ResourceServer.managementScopes)
        for place in try await places() {
            for rule in place.rules {
                #expect(Set(rule.sets.joined()).isSubset(of: known), "\(place.name) \(rule)")
                let member = rule.path.reduce(place.schema) { schema, name in
                    (schema["items"] ?? schema)["properties"]?[name] ?? .null
                }
                let description = member["description"]?.stringValue
                for scope in rule.sets.joined() {
                    #expect(description?.contains(scope) == true, "\(place.name) \(rule)")
                }
            }
        }
    }
}
