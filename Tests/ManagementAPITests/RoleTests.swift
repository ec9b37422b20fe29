import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Management API: roles")
struct RoleTests {
    private func created(_ fixture: ManagementFixture, _ name: String = "Payments") async throws -> String {
        let answer = await fixture.post("/roles", ["name": .string(name), "description": "May pay"])
        #expect(answer.status == 200, "\(answer.text)")
        return try (answer["id"]?.stringValue).orThrow("no id: \(answer.text)")
    }

    @Test("a role is created, shown, changed, listed and removed")
    func life() async throws {
        let fixture = try await ManagementFixture()
        let id = try await created(fixture)
        #expect(id.hasPrefix("rol_") && id.count == 20)
        #expect(
            await fixture.get("/roles/\(id)").json == ["id": .string(id), "name": "Payments", "description": "May pay"])
        #expect(await fixture.get("/roles/\(id)?fields=name").json == ["name": "Payments"])
        #expect(await fixture.patch("/roles/\(id)", ["description": nil])["description"] == "")
        _ = try await created(fixture, "Reading")
        #expect(await fixture.get("/roles?name_filter=PAY").json.arrayValue?.count == 1)
        let listed = await fixture.get("/roles?include_totals=true&per_page=1&page=1").json
        #expect(listed["total"] == 2)
        #expect(listed["start"] == 1)
        #expect(listed["length"] == 1)
        #expect(listed["roles"]?[0]?["name"] == "Reading")
        #expect(await fixture.delete("/roles/\(id)").status == 200)
        #expect(await fixture.get("/roles/\(id)").code == "inexistent_role")
    }

    @Test("checkpoints visit every element of a list once")
    func checkpoints() async throws {
        let fixture = try await ManagementFixture()
        for number in 0..<5 { _ = try await created(fixture, "Role \(number)") }
        var names: [String] = []
        var next: String? = ""
        while let from = next {
            let page = await fixture.get("/roles?take=2" + (from.isEmpty ? "" : "&from=\(from)")).json
            names += (page["roles"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
            next = page["next"]?.stringValue
        }
        #expect(names.sorted() == (0..<5).map { "Role \($0)" })
    }

    @Test("two roles with one name: 409")
    func conflict() async throws {
        let fixture = try await ManagementFixture()
        let first = try await created(fixture)
        let second = try await created(fixture, "Other")
        let answer = await fixture.post("/roles", ["name": "Payments"])
        #expect(answer.status == 409)
        #expect(
            answer.json == [
                "statusCode": 409, "error": "Conflict", "message": "A role with the same name already exists",
                "errorCode": "role_conflict",
            ])
        #expect(await fixture.patch("/roles/\(second)", ["name": "Payments"]).status == 409)
        #expect(await fixture.patch("/roles/\(first)", ["name": "Payments"]).status == 200)
    }

    private static let wrongBodies: [(body: JSONValue, property: String)] = [
        ([:], "name"), (["name": 5], "name"), (["name": ""], "name"), (["name": "a", "nmae": 1], "nmae"), ([], ""),
    ]

    @Test(
        "a body that is not JSON is refused with the reason",
        arguments: [
            ("{nope", "is not valid JSON at byte 1: "), (#"{"name":"a","name":"b"}"#, "repeats the member name"),
            (String(repeating: "[", count: 40), "is nested more than 32 levels deep"),
        ])
    func noJSON(body: String, words: String) async throws {
        let fixture = try await ManagementFixture()
        let answer = await fixture.send(.post, "/roles", text: body)
        #expect(answer.code == "invalid_body")
        #expect(answer.message.hasPrefix("Payload validation error: 'The body \(words)"), "\(answer.message)")
    }

    @Test(
        "RFC 3986 2.1: invalid percent-encoding and repeated single-value parameters are refused",
        arguments: ["/roles?page=0&page=1", "/users?q=a&q=b", "/users?q=%zz", "/users?q=%C3", "/roles?name_filter=%"])
    func wrongQuery(path: String) async throws {
        #expect(await (try ManagementFixture()).get(path).code == "invalid_query_string")
    }

    @Test("per_page=0 returns only the total", arguments: ["roles", "users", "clients", "logs"])
    func count(collection: String) async throws {
        let fixture = try await ManagementFixture()
        _ = await fixture.post("/roles", ["name": "One"])
        let answer = await fixture.get("/\(collection)?per_page=0&include_totals=true").json
        #expect(answer[collection] == [], "\(answer)")
        #expect((answer["total"]?.intValue ?? 0) > 0 && answer["length"] == 0)
    }

    @Test(
        "deleting a missing object succeeds",
        arguments: [
            ("/roles/rol_none", 200), ("/clients/none", 204), ("/clients/operator/credentials/none", 204),
            ("/client-grants/none", 204), ("/resource-servers/none", 204), ("/connections/con_none", 202),
            ("/custom-domains/none", 204), ("/emails/provider", 204), ("/sessions/none", 202),
            ("/refresh-tokens/none", 202), ("/users/none", 204), ("/grants/none", 204),
            ("/guardian/enrollments/none", 204), ("/users/auth0%7Cann/authentication-methods/none", 204),
        ])
    func gone(path: String, status: Int) async throws {
        let answer = await (try ManagementFixture()).delete(path)
        #expect(answer.status == status, "\(answer.text)")
    }

    @Test("an error about the whole body names no property")
    func wholeBody() async throws {
        let fixture = try await ManagementFixture()
        let padding = JSONValue.string(String(repeating: "x", count: 40_000))
        let answer = await fixture.post(
            "/resource-servers", ["identifier": "https://big.example/", "access_token": padding])
        #expect(answer.code == "invalid_body")
        #expect(!answer.message.contains("on property"), "\(answer.message)")
    }

    @Test("errors in a body name the property", arguments: wrongBodies)
    func invalid(body: JSONValue, property: String) async throws {
        let fixture = try await ManagementFixture()
        let answer = await fixture.post("/roles", body)
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_body")
        #expect(answer.message.hasPrefix("Payload validation error: '"), "\(answer.message)")
        #expect(property.isEmpty || answer.message.contains(property), "\(answer.message)")
    }

    @Test("permissions must be scopes of an API, and apply to users with the role")
    func permissions() async throws {
        let fixture = try await ManagementFixture()
        let id = try await created(fixture)
        let wrong = await fixture.post(
            "/roles/\(id)/permissions",
            ["permissions": [["resource_server_identifier": .string(Samples.api), "permission_name": "fly"]]])
        #expect(wrong.status == 400)
        let body: JSONValue = [
            "permissions": [["resource_server_identifier": .string(Samples.api), "permission_name": "pay:read"]]
        ]
        let unreadable: JSONValue = [
            "permissions": [["resource_server_identifier": .string(Samples.api), "permission_name": "pay:\u{1}"]]
        ]
        let refused = await fixture.post("/roles/\(id)/permissions", unreadable)
        #expect(refused.code == "invalid_body", "\(refused.text)")
        #expect(refused.message.contains("permissions[0].permission_name"), "\(refused.message)")
        #expect(await fixture.post("/roles/\(id)/permissions", body).status == 201)
        #expect(await fixture.get("/roles/\(id)/permissions").json[0]?["permission_name"] == "pay:read")
        #expect(await fixture.post("/roles/\(id)/users", ["users": ["auth0|ann"]]).status == 200)
        #expect(await fixture.get("/roles/\(id)/users").json[0]?["user_id"] == "auth0|ann")
        let entry = try fixture.server.entry
        var ann = User(id: UserID("auth0|ann"), createdAt: Samples.start)
        ann.roles = [RoleID(id)]
        #expect(entry.permissions(of: ann, at: Samples.api) == ["pay:read"])
        #expect(await fixture.delete("/roles/\(id)/permissions", body).status == 204)
        #expect(try fixture.server.entry.permissions(of: ann, at: Samples.api).isEmpty)
        #expect(await fixture.delete("/roles/\(id)").status == 200)
        #expect(await fixture.post("/roles/\(id)/users", ["users": ["auth0|ann"]]).status == 404)
    }

    @Test("every change is in the audit log")
    func audit() async throws {
        let fixture = try await ManagementFixture()
        let id = try await created(fixture)
        #expect(try await fixture.server.auditText().contains(id))
        #expect(try await fixture.server.auditKinds().last == "sapi")
    }
}
