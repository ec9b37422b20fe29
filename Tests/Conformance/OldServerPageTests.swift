import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Pages while people move from an old server")
struct OldServerPageTests {
    private static let secret = "the secret of the old server, 32 bytes"
    private static let bob = "bob@example.net"

    /// The old server knows Bob alone, and answers `status` to him.
    private func fixture(_ status: Int) async throws -> AttackFixture {
        try await AttackFixture { setup in
            let context = UpstreamProvider.sealingContext(
                tenant: setup.tenant.id, connection: LoginConnection.defaultDatabaseName)
            let server = OldServer(
                endpoint: try EndpointURL("https://old.example/users").orThrow("no URL"),
                sealedSecret: try Samples.sealer.seal(Array(Self.secret.utf8), context: context))
            var database = LoginConnection.defaultDatabase
            database.kind = .database(allowsSignUp: true, oldServer: server)
            setup.connections = [database]
            setup.http = HandlerClient([
                "https://old.example": { request in
                    let email = try? JSONReader.parse(request.body)["email"]
                    let answer: JSONValue = ["user_id": "4711", "email": .string(Self.bob), "name": "Bob"]
                    return Response(
                        status: email == .string(Self.bob) ? status : 404, body: .bytes(JSONWriter.bytes(answer)))
                }
            ])
        }
    }

    @Test("A person whom the old server knows logs in, and is the user of the old id")
    func moved() async throws {
        let fixture = try await fixture(200)
        let page = try await fixture.logIn(fixture.browser(), as: Self.bob)
        let tokens = await fixture.redeem(try page.parameters["code"].orThrow("no code: \(page.text)"))
        #expect(try await fixture.claims(tokens["id_token"])["sub"] == "auth0|4711")
        #expect(try await fixture.server.auditKinds().filter { $0 == "user_moved" }.count == 1)
    }

    @Test("A page says in its language that the old server cannot say now")
    func silent() async throws {
        let fixture = try await fixture(500)
        for (language, text) in [
            ("en", "does not answer at the moment"), ("fr", "ne répond pas pour le moment"),
            ("de", "antwortet im Moment nicht"),
        ] {
            let page = try await fixture.logIn(
                fixture.browser(fields: ["Accept-Language": language]), as: Self.bob)
            expectErrorPage(page)
            #expect(page.text.contains(text), "\(page.text)")
        }
        let browser = fixture.browser()
        let form = try await browser.open("/u/forgot-password").form("/u/forgot-password")
        let forgot = try await browser.send(form, ["email": Self.bob])
        #expect(forgot.text.contains("does not answer at the moment"), "\(forgot.text)")
        let lines = fixture.server.log.lines.joined(separator: "\n")
        #expect(lines.contains("old server") && !lines.contains(Self.secret) && !lines.contains(AttackFixture.password))
    }

    @Test("Unknown addresses look the same to a stranger, here and at the old server")
    func alike() async throws {
        let fixture = try await fixture(401)
        var texts: Set<String> = []
        for email in [Self.bob, "nobody@example.net", AttackFixture.ann] {
            let page = try await fixture.logIn(fixture.browser(), as: email, password: "guess")
            texts.insert(page.text)
        }
        #expect(texts.count == 1, "\(texts)")
    }
}
