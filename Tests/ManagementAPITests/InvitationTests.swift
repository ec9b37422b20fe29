import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Management API: invitations of people without a phone")
struct InvitationTests {
    private static let path = "/guardian/enrollments/invitations"
    private static let scopes = ["create:guardian_enrollment_tickets", "read:users"]

    /// Ann is an administrator, and both have a verified address and no phone.
    private func fixture() async throws -> ManagementFixture {
        try await ManagementFixture { setup in
            let role = RoleID("rol_chief")
            let permissions = ResourceServer.managementScopes.map {
                Role.Permission(resourceServer: ManagementFixture.audience, scope: $0)
            }
            setup.roles = [Role(id: role, name: "Chief", description: "", permissions: Set(permissions))]
            for (index, name) in ["ann", "bob"].enumerated() {
                setup.users[index].email = EmailAddress(parsing: "\(name)@example.org")
                setup.users[index].emailVerified = true
            }
            setup.users[0].roles = [role]
        }
    }

    private func invite(_ user: String, trial: Bool = false, _ fixture: ManagementFixture) async -> HTTPAnswer {
        await fixture.post(Self.path, ["user_id": .string(user), "dry_run": .bool(trial)])
    }

    @Test("A person is mailed one link, a trial mails none, and the answer says why not")
    func outcomes() async throws {
        let fixture = try await fixture()
        let before = try await fixture.server.dump()
        #expect(await invite("auth0|bob", trial: true, fixture)["outcome"] == "invited")
        #expect(try await fixture.server.dump() == before)
        let made = await invite("auth0|bob", fixture)
        #expect(made.status == 200 && made["outcome"] == "invited", "\(made.text)")
        // The link is the recipient's alone.
        #expect(made.json.objectValue?.count == 1)
        #expect(await invite("auth0|bob", fixture)["outcome"] == "open_invitation")
        #expect(await fixture.patch("/users/auth0%7Cbob", ["blocked": true]).status == 200)
        #expect(await invite("auth0|bob", fixture)["outcome"] == "blocked")
        #expect(await fixture.patch("/users/auth0%7Cann", ["email_verified": false]).status == 200)
        #expect(await invite("auth0|ann", fixture)["outcome"] == "no_verified_address")
        let app: JSONValue = ["type": "totp", "totp_secret": "JBSWY3DPEHPK3PXP"]
        #expect(await fixture.post("/users/auth0%7Cann/authentication-methods", app).status == 201)
        #expect(await invite("auth0|ann", fixture)["outcome"] == "has_authenticator")
        _ = try await InProcessPhone(UserID("auth0|ann"), in: fixture.server)
        #expect(await invite("auth0|ann", fixture)["outcome"] == "has_phone")
        #expect(await invite("auth0|nobody", fixture).status == 404)
        let wrong = await fixture.post(Self.path, ["user_id": "auth0|bob", "email": "eve@example.org"])
        #expect(wrong.code == "invalid_body", "\(wrong.text)")
    }

    @Test("It needs the scope for tickets and the one for users, and invites nobody who may do more")
    func rights() async throws {
        let fixture = try await fixture()
        for missing in Self.scopes {
            let poorer = try await fixture.with(scopes: Self.scopes.filter { $0 != missing })
            #expect(await invite("auth0|bob", poorer).status == 403)
        }
        let own = try await fixture.with(scopes: Self.scopes)
        let refused = await invite("auth0|ann", own)
        #expect(refused.status == 403 && refused.code == "insufficient_scope", "\(refused.text)")
        #expect(await invite("auth0|bob", own)["outcome"] == "invited")
    }
}
