import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Management API: blocks after too many failed attempts")
struct UserBlockTests {
    private static let email = "ann@example.org"
    private static let password = "a long pass phrase"
    private static let byIdentifier = "/user-blocks?identifier=ann%40example.org"
    private static let byID = "/user-blocks/auth0%7Cann"

    private static let request = FormFields([
        ("response_type", "code"), ("client_id", "app"), ("redirect_uri", Samples.callback), ("scope", "openid"),
        ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"), ("code_challenge_method", "S256"),
    ])

    private func fixture(_ change: (inout InProcessServer.Setup) throws -> Void = { _ in }) async throws
        -> ManagementFixture
    {
        try await ManagementFixture { setup in
            setup.clients.append(Samples.app())
            setup.users[0].email = EmailAddress(parsing: Self.email)
            setup.passwords[setup.users[0].id] = Self.password
            setup.connections = [.defaultDatabase]
            setup.tenant.settings.bruteForceProtection.attemptsPerAddress = 2
            setup.tenant.settings.bruteForceProtection.attemptsPerAccount = 5
            try change(&setup)
        }
    }

    /// Attempts to log in and returns the status of the last attempt.
    @discardableResult
    private func logIn(
        _ fixture: ManagementFixture, _ password: String, times: Int = 1, from address: String, email: String = email
    ) async throws -> Int {
        let browser = InProcessBrowser(fixture.server, address: address)
        var page = try await browser.open("/authorize?\(Self.request.encoded)")
        for _ in 0..<times {
            page = try await browser.send(page.form("/u/login"), ["username": email, "password": password])
        }
        return page.answer.status
    }

    private static func block(_ address: String?, email: String = email) -> JSONValue {
        var block: JSONObject = [
            "identifier": .string(email), "connection": "Username-Password-Authentication", "factor": "password",
        ]
        block["ip"] = address.map(JSONValue.string)
        return .object(block)
    }

    @Test("Blocks are listed by id and by identifier, and lifted by either", arguments: [byID, byIdentifier])
    func lift(path: String) async throws {
        let fixture = try await fixture()
        #expect(await fixture.get(path).json == ["blocked_for": []])
        try await logIn(fixture, "wrong", times: 2, from: "192.0.2.1")
        try await logIn(fixture, "wrong", times: 2, from: "192.0.2.2")
        for each in [Self.byID, Self.byIdentifier, Self.byIdentifier + "&consider_brute_force_enablement=true"] {
            #expect(
                await fixture.get(each).json == ["blocked_for": [Self.block("192.0.2.1"), Self.block("192.0.2.2")]])
        }
        #expect(try await logIn(fixture, Self.password, from: "192.0.2.1") == 429)
        let answer = await fixture.delete(path)
        #expect(answer.status == 204)
        #expect(answer.text.isEmpty)
        #expect(await fixture.get(path).json == ["blocked_for": []])
        #expect(try await logIn(fixture, Self.password, from: "192.0.2.1") == 303)
        #expect(await fixture.delete(path).status == 204, "again is no error")
        let logs = await fixture.get("/users/auth0%7Cann/logs").json
        #expect(logs.arrayValue?.filter { $0["type"] == "sapi" }.count == 1)
    }

    @Test("A block for all addresses has no ip")
    func everywhere() async throws {
        let fixture = try await fixture()
        for address in 1...5 { try await logIn(fixture, "wrong", from: "192.0.2.\(address)") }
        #expect(await fixture.get(Self.byID).json == ["blocked_for": [Self.block(nil)]])
        #expect(try await logIn(fixture, Self.password, from: "192.0.2.9") == 429)
        #expect(await fixture.delete(Self.byID).status == 204)
        #expect(try await logIn(fixture, Self.password, from: "192.0.2.9") == 303)
    }

    @Test("Unknown identifiers have blocks, too; an id must belong to a user of the tenant")
    func nobody() async throws {
        let fixture = try await fixture()
        try await logIn(fixture, "wrong", times: 2, from: "192.0.2.1", email: "who@example.org")
        let path = "/user-blocks?identifier=who%40example.org"
        #expect(
            await fixture.get(path).json == ["blocked_for": [Self.block("192.0.2.1", email: "who@example.org")]])
        #expect(await fixture.delete(path).status == 204)
        #expect(await fixture.get(path).json == ["blocked_for": []])
        #expect(await fixture.get("/user-blocks").status == 400)
        #expect(await fixture.delete("/user-blocks?identifier=").status == 400)
        for method in [HTTPMethod.get, .delete] {
            #expect(await fixture.send(method, "/user-blocks/auth0%7Czoe").code == "inexistent_user")
        }
    }

    @Test("A user whom an administrator blocked stays blocked")
    func administrators() async throws {
        let fixture = try await fixture()
        #expect(await fixture.patch("/users/auth0%7Cann", ["blocked": true]).status == 200)
        #expect(await fixture.get(Self.byID).json == ["blocked_for": []])
        #expect(await fixture.delete(Self.byID).status == 204)
        #expect(await fixture.get("/users/auth0%7Cann").json["blocked"] == true)
    }
}
