import AuthorizationCore
import Configuration
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Management API: nobody gets a scope from somebody who lacks it")
struct PersonElevationTests {
    private static let bob = "/users/auth0%7Cbob"

    private static func permissions(_ scopes: String...) -> JSONValue {
        [
            "permissions": .array(
                scopes.map {
                    ["resource_server_identifier": .string(ManagementFixture.audience), "permission_name": .string($0)]
                })
        ]
    }

    private static let few = [
        "read:users", "update:users", "create:users", "update:roles", "create:roles", "delete:roles",
        "create:role_members", "delete:role_members",
    ]

    @Test("A role with more scopes is given to nobody, by any way", arguments: [few, ["create:role_members"]])
    func roles(scopes: [String]) async throws {
        let fixture = try await StrongerPersonFixture()
        let poor = try await fixture.management.with(scopes: scopes)
        let before = try await fixture.management.server.dump()
        for answer in [
            await poor.post("\(Self.bob)/roles", ["roles": ["rol_chief"]]),
            await poor.post("\(Self.bob)/roles", ["roles": ["rol_other", "rol_chief"]]),
            await poor.post("/roles/rol_chief/users", ["users": ["auth0|bob"]]),
        ] { #expect(answer.status == 403 && answer.code == "insufficient_scope", "\(answer.text)") }
        #expect(try await fixture.management.server.dump() == before)
        #expect(await poor.post("\(Self.bob)/roles", ["roles": ["rol_other"]]).status == 204)
    }

    @Test("Scopes of this API that the token lacks are added to no role and no user; its own are")
    func permissions() async throws {
        let fixture = try await StrongerPersonFixture()
        let poor = try await fixture.management.with(scopes: Self.few)
        for path in ["/roles/rol_plain/permissions", "/roles/rol_other/permissions", "\(Self.bob)/permissions"] {
            let before = try await fixture.management.server.dump()
            let refused = await poor.post(path, Self.permissions("read:users", "delete:users"))
            #expect(refused.status == 403 && refused.message.contains("delete:users"), "\(refused.text)")
            #expect(try await fixture.management.server.dump() == before)
            let done = await poor.post(path, Self.permissions("read:users", "update:users"))
            #expect((200..<300).contains(done.status), "\(done.text)")
        }
        let unknown = await fixture.management.post("\(Self.bob)/permissions", Self.permissions("read:nothing"))
        #expect(unknown.status == 400 && unknown.text.contains("is no scope of"), "\(unknown.text)")
    }

    @Test("A role that permits more is neither weakened nor strengthened, renamed nor deleted")
    func strongRole() async throws {
        let fixture = try await StrongerPersonFixture()
        let poor = try await fixture.management.with(scopes: Self.few)
        let before = try await fixture.management.server.dump()
        for answer in [
            await poor.patch("/roles/rol_chief", ["name": "Gone"]), await poor.delete("/roles/rol_chief"),
            await poor.delete("/roles/rol_chief/permissions", Self.permissions("delete:users")),
            await poor.post("/roles/rol_chief/permissions", Self.permissions("read:users")),
            await poor.delete("/users/auth0%7Cann/roles", ["roles": ["rol_chief"]]),
        ] { #expect(answer.status == 403 && answer.code == "insufficient_scope", "\(answer.text)") }
        #expect(try await fixture.management.server.dump() == before)
    }

    @Test("Equal scopes are enough; a direct permission of a user counts like a role's")
    func equal() async throws {
        let fixture = try await StrongerPersonFixture(scopes: ["read:users", "update:users"])
        let ann = "/users/auth0%7Cann"
        let half = try await fixture.management.with(scopes: ["update:users"])
        #expect(await half.patch(ann, ["name": "Eve"]).code == "insufficient_scope")
        let equal = try await fixture.management.with(scopes: ["read:users", "update:users"])
        #expect(await equal.patch(ann, ["name": "Ann"]).status == 200)
        #expect(
            await fixture.management.post("\(Self.bob)/permissions", Self.permissions("delete:users")).status == 201)
        #expect(await equal.patch(Self.bob, ["password": "wide river under snow"]).code == "insufficient_scope")
        #expect(await fixture.management.patch(Self.bob, ["name": "Bob"]).status == 200)
    }

    @Test("An account is not taken from a user who may do more by linking it to another")
    func linked() async throws {
        let fixture = try await StrongerPersonFixture()
        let made = await fixture.management.post("/users", ["connection": "work", "user_id": "chief"])
        #expect(made.status == 201, "\(made.text)")
        let given = await fixture.management.post("/users/work%7Cchief/roles", ["roles": ["rol_chief"]])
        #expect(given.status == 204)
        let before = try await fixture.management.server.dump()
        let poor = try await fixture.management.with(scopes: ["update:users", "create:users"])
        let refused = await poor.post("\(Self.bob)/identities", ["provider": "work", "user_id": "chief"])
        #expect(refused.code == "insufficient_scope", "\(refused.text)")
        #expect(try await fixture.management.server.dump() == before)
    }

    @Test("A new user has no rights, even if the body names some")
    func created() async throws {
        let fixture = try await StrongerPersonFixture()
        let poor = try await fixture.management.with(scopes: Self.few)
        let bare: JSONObject = ["connection": "Username-Password-Authentication", "email": "eve@example.org"]
        for more: JSONObject in [
            ["roles": ["rol_chief"]], Self.permissions("delete:users").objectValue ?? [:],
        ] {
            let answer = await poor.post("/users", .object(bare.patched(with: more)))
            #expect(answer.status == 400, "\(answer.text)")
        }
    }

    @Test("Tokens of a client are revoked for all users at once by the client's name")
    func clientTokens() async throws {
        let fixture = try await StrongerPersonFixture()
        let poor = try await fixture.management.with(scopes: ["delete:refresh_tokens"])
        #expect(await poor.post("/refresh-tokens/revoke", ["client_id": "app"]).status == 204)
        #expect(await fixture.management.get("/refresh-tokens/\(fixture.ann.token)").status == 404)
    }
}
