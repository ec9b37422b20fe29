import AuthorizationCore
import GuardianWire
import HTTPModel
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Passkeys: the person's page")
struct PasskeyPageTests {
    private static let path = "/account/passkeys"
    private static let typed = ["username": AttackFixture.ann, "password": AttackFixture.password]

    /// A browser at the page, with a recent login.
    private func visit(_ fixture: AttackFixture) async throws -> (InProcessBrowser, InProcessBrowser.Page) {
        let browser = fixture.browser()
        let login = try await browser.open(Self.path)
        return (browser, try await browser.send(login.form("/u/login"), Self.typed))
    }

    /// The form that the page's script sends, and its element.
    private func script(
        _ page: InProcessBrowser.Page
    ) throws -> (form: InProcessBrowser.Form, input: Markup.Element) {
        try page.passkeyForm().map { ($0.form, $0.element) }.orThrow("no script's form at \(page.url): \(page.text)")
    }

    private func registration(
        _ authenticator: SoftwareAuthenticator, for page: InProcessBrowser.Page, challenge: [UInt8]? = nil
    ) throws -> String {
        let own = try page.passkeyChallenge
        return String(decoding: try authenticator.registration(challenge ?? own).json, as: UTF8.self)
    }

    private func passkeys(_ fixture: AttackFixture) async throws -> [OwnedPasskey] {
        try await fixture.server.storage.store.passkeys(of: InProcessServer.ann, tenant: TenantID("dev"))
    }

    @Test("A person adds a passkey, which logs in, and removes it; each change is told by mail and in the log")
    func changed() async throws {
        let fixture = try await AttackFixture { $0.users[0].emailVerified = true }
        let (browser, page) = try await visit(fixture)
        #expect(page.path == Self.path && page.text.contains("You have no passkey."))
        var authenticator = try SoftwareAuthenticator(host: InProcessServer.host)
        let (form, input) = try script(page)
        authenticator.userHandle = try Base64URL.decode(input["data-user"] ?? "").orThrow("no base64url")
        let added = try await browser.send(
            form, ["passkey": try registration(authenticator, for: page), "name": " Laptop "])
        #expect(added.path == Self.path && added.text.contains("Laptop"), "\(added.text)")
        let stored = try #require(try await passkeys(fixture).first)
        #expect(stored.name == "Laptop" && stored.logsIn && stored.device == nil)
        #expect(try script(added).input["data-known"] == Base64URL.encode(authenticator.credentialID))

        let visitor = fixture.browser()
        let login = try await visitor.open(AttackFixture.authorize())
        let challenge = try login.passkeyChallenge
        let answer = String(decoding: try authenticator.loginAnswer(challenge).json, as: UTF8.self)
        #expect(try await visitor.send(try script(login).form, ["passkey": answer]).isAway)

        let removal = try #require(added.forms.first { $0.fields["item"] != nil })
        let removed = try await browser.send(removal, ["decision": "remove"])
        #expect(removed.text.contains("You have no passkey."))
        #expect(try await passkeys(fixture).isEmpty)
        #expect(try await fixture.server.database.auditLog("passkey_registered").count == 1)
        #expect(try await fixture.server.database.auditLog("passkey_removed").count == 1)
        #expect(try await fixture.server.database.count("delivery") == 2)
    }

    @Test("A lost passkey is replaced by another, with which the phone allows")
    func replaced() async throws {
        let fixture = try await AttackFixture()
        let phone = try await InProcessPhone(capabilities: [.signedDigest, .passkeys], in: fixture.server)
        try await fixture.server.keepPasskey(of: phone.id)
        let lost = try #require(try await passkeys(fixture).first)
        try await fixture.server.removePasskey(lost.passkey.id)
        let options = try await fixture.server.passkeyOptions(of: phone)
        #expect(options.credentialIDs.isEmpty && options.mayRegister)
        let challenge = try Base64URL.decode(options.challenge).orThrow("no base64url")
        let authenticator = try SoftwareAuthenticator(host: InProcessServer.host, name: "new")
        #expect(try await fixture.server.register(authenticator.registration(challenge), of: phone).status == 204)
    }

    @Test("A passkey that a phone made logs in once its person says so on the page")
    func allowed() async throws {
        let fixture = try await AttackFixture()
        let (browser, first) = try await visit(fixture)
        let phone = try await InProcessPhone(capabilities: [.signedDigest, .passkeys], in: fixture.server)
        try await fixture.server.keepPasskey(of: phone.id)
        #expect(first.path == Self.path)
        // The phone is a second factor now, which the page asks for.
        let push = try await browser.open(Self.path)
        #expect(push.path == "/u/mfa-push", "\(push.url)")
        #expect(try await passkeys(fixture).map(\.logsIn) == [false])
        let notification = try #require(try await phone.notifications().last)
        let digest = try await phone.shownDigest(notification)
        let response = try phone.response(to: notification, accepted: true, ["request_digest": .string(digest)])
        let body = ResolveTransactionRequest(challengeResponse: response)
        let decided = await fixture.server.send(
            .json(
                .post, "/appliance-mfa/api/resolve-transaction", try JSONReader.parse(body.json), host: phone.host,
                fields: ["Authorization": "Bearer \(notification.transactionToken)"]))
        #expect(decided.status == 204, "\(decided.text)")
        let page = try await browser.send(push.form("/u/mfa-push"))
        #expect(page.path == Self.path, "\(page.url) \(page.text)")
        let form = try #require(page.forms.first { $0.fields["item"] != nil })
        _ = try await browser.send(form, ["decision": "use-for-login"])
        #expect(try await passkeys(fixture).map(\.logsIn) == [true])
    }

    @Test("The account offers a passkey to a person without one, and the page renames it and leads back")
    func renamed() async throws {
        let fixture = try await AttackFixture()
        let (browser, page) = try await visit(fixture)
        let offer = "Log in without a password next time."
        #expect(page.links.contains("/account"))
        #expect(try await browser.open("/account").text.contains(offer))
        try await fixture.server.keepPasskey(of: nil)
        #expect(try await !browser.open("/account").text.contains(offer))
        let form = try #require(try await browser.open(Self.path).forms.first { $0.fields["item"] != nil })
        let renamed = try await browser.send(form, ["decision": "rename", "name": " Laptop "])
        #expect(renamed.path == Self.path && renamed.text.contains("Laptop"), "\(renamed.text)")
        _ = try await browser.send(form, ["decision": "rename", "name": " "])
        #expect(try await passkeys(fixture).map(\.name) == ["Laptop"])
        #expect(try await fixture.server.database.auditLog("account_changed").count == 1)
        #expect(try await fixture.server.database.count("delivery") == 0)
        let other = try await AttackFixture { $0.tenant.settings.passkeyLogin = false }
        let (without, _) = try await visit(other)
        #expect(try await !without.open("/account").text.contains(offer))
    }

    @Test("A login that is not recent, another session's challenge and another site's form change nothing")
    func refused() async throws {
        let fixture = try await AttackFixture()
        let (browser, page) = try await visit(fixture)
        let (_, elsewhere) = try await visit(fixture)
        let authenticator = try SoftwareAuthenticator(host: InProcessServer.host)
        let form = try script(page).form
        let foreign = try elsewhere.passkeyChallenge
        let refused = try await browser.send(
            form, ["passkey": try registration(authenticator, for: page, challenge: foreign)])
        #expect(refused.answer.status == 400 && refused.text.contains("No passkey was added."))
        let good = try registration(authenticator, for: page)
        #expect(try await browser.send(form, ["passkey": good], origin: "https://evil.example").answer.status == 400)
        #expect(try await browser.send(form, ["passkey": good, "csrf": "x"]).answer.status == 400)
        var other = authenticator
        other.origin = "https://evil.example"
        #expect(try await browser.send(form, ["passkey": try registration(other, for: page)]).answer.status == 400)
        fixture.server.clock.advance(by: .seconds(3600))
        #expect(try await browser.send(form, ["passkey": good]).path == "/u/login")
        #expect(try await passkeys(fixture).isEmpty)
    }
}
