import AuthorizationCore
import GuardianWire
import HTTPModel
import Primitives
import SQL
import TestSupport
import Testing

/// A login server whose Ann has a passkey that logs her in.
private struct Fixture {
    let attack: AttackFixture
    let phone: InProcessPhone
    var authenticator: SoftwareAuthenticator
    var server: InProcessServer { attack.server }

    init(
        logsIn: Bool = true, signCount: UInt32 = 0, _ change: (inout InProcessServer.Setup) throws -> Void = { _ in }
    ) async throws {
        attack = try await AttackFixture(change)
        phone = try await InProcessPhone(capabilities: [.signedDigest, .passkeys], in: attack.server)
        authenticator = try SoftwareAuthenticator(host: InProcessServer.host)
        authenticator.signCount = signCount
        let options = try await attack.server.passkeyOptions(of: phone)
        authenticator.userHandle = try Base64URL.decode(options.userID).orThrow("no base64url")
        let challenge = try Base64URL.decode(options.challenge).orThrow("no base64url")
        #expect(try await attack.server.register(authenticator.registration(challenge), of: phone).status == 204)
        if logsIn { try await attack.server.letLogIn(authenticator.credentialID) }
    }

    /// A browser at the login page.
    func visit(_ changes: [String: String?] = [:]) async throws -> (InProcessBrowser, InProcessBrowser.Page) {
        let browser = attack.browser()
        return (browser, try await browser.open(AttackFixture.authorize(changes)))
    }
}

extension InProcessBrowser {
    fileprivate func send(_ answer: PasskeyLoginAnswer, at page: Page) async throws -> Page {
        let form = try page.passkeyForm().orThrow("no passkeys at \(page.url)").form
        return try await send(form, ["passkey": String(decoding: answer.json, as: UTF8.self)])
    }
}

@Suite("Passkeys: logins")
struct PasskeyLoginTests {
    private static let refused = "This passkey did not log you in."

    private func expectRefused(
        _ page: InProcessBrowser.Page, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(page.answer.status == 400, comment, sourceLocation: sourceLocation)
        #expect(page.text.contains(Self.refused), comment, sourceLocation: sourceLocation)
    }

    @Test("RFC 8176: a passkey logs in with two factors at once, and no other is asked for")
    func loggedIn() async throws {
        let fixture = try await Fixture { $0.tenant.settings.multiFactor = .always }
        let (browser, page) = try await fixture.visit()
        let back = try await browser.send(try fixture.authenticator.loginAnswer(page.passkeyChallenge), at: page)
        let tokens = await fixture.attack.redeem(try back.parameters["code"].orThrow("no code at \(back.url)"))
        let claims = try await fixture.attack.claims(tokens["id_token"])
        #expect(claims["sub"] == "auth0|ann")
        #expect(claims["amr"] == ["pop", "user", "mfa"])
        #expect(claims["acr"] == "http://schemas.openid.net/pape/policies/2007/06/multi-factor")
        let entry = try await fixture.server.database.auditLog("s").first
        #expect(entry?.user == "auth0|ann" && entry?.details.contains(#""amr":["pop","user","mfa"]"#) == true)
    }

    @Test(
        "WebAuthn 5.1.4: the page offers passkeys in its field, by a script of this server, and tells none of anybody")
    func offered() async throws {
        let fixture = try await Fixture()
        let (_, page) = try await fixture.visit(["login_hint": AttackFixture.ann])
        let root = try Markup.read(page.answer.body)
        #expect(root.all("input").first { $0["name"] == "username" }?["autocomplete"] == "username webauthn")
        let form = try #require(root.all("form").first { $0["id"] == "passkey" })
        #expect(form["hidden"] != nil, "without scripts nothing changes")
        #expect(
            Set(form.attributes.map(\.name).filter { $0.hasPrefix("data-") })
                == ["data-challenge", "data-host", "data-waits"])
        #expect(form["data-host"] == InProcessServer.host)
        let script = try #require(root.all("script").first)
        #expect(script["src"]?.hasPrefix("/assets/passkey-") == true && script.text.isEmpty)
        #expect(page.answer.fields["Content-Security-Policy"]?.contains("script-src 'self';") == true)
        #expect(!page.answer.text.contains(Base64URL.encode(fixture.authenticator.credentialID)))
    }

    @Test(
        "WebAuthn 7.2: another type, challenge, origin, host, passkey, person or signature, and an unverified user, log nobody in"
    )
    func refused() async throws {
        let fixture = try await Fixture(signCount: 5)
        let (browser, page) = try await fixture.visit()
        let challenge = try page.passkeyChallenge
        let changes: [(inout SoftwareAuthenticator) -> Void] = [
            { $0.origin = "https://evil.example" }, { $0.origin = "https://\(InProcessServer.customHost)" },
            { $0.origin = "http://\(InProcessServer.host)" }, { $0.origin = "https://\(InProcessServer.host):444" },
            { $0.relyingParty = InProcessServer.customHost }, { $0.flags = 0x01 }, { $0.flags = 0x04 },
            { $0.credentialID[0] ^= 1 }, { $0.userHandle[0] ^= 1 }, { $0.userHandle = [1] },
            { $0.clientDataMembers = ["crossOrigin": true] }, { $0.clientDataMembers = ["challenge": "AAAA"] },
            { $0.signCount = 4 }, { $0.signCount = 5 }, { $0.signCount = 0 },
        ]
        var last = page
        for (index, change) in changes.enumerated() {
            var authenticator = fixture.authenticator
            authenticator.signCount = 6
            change(&authenticator)
            last = try await browser.send(authenticator.loginAnswer(challenge), at: page)
            expectRefused(last, "\(index)")
        }
        expectRefused(
            try await browser.send(fixture.authenticator.loginAnswer(challenge, type: "webauthn.create"), at: page))
        var other = try SoftwareAuthenticator(host: InProcessServer.host, name: "other")
        (other.credentialID, other.userHandle) = (fixture.authenticator.credentialID, fixture.authenticator.userHandle)
        expectRefused(try await browser.send(other.loginAnswer(challenge), at: page), "a foreign key")
        let form = try #require(try page.passkeyForm()).form
        for text in ["{", "[]", "{}", #"{"credential_id":1}"#] {
            expectRefused(try await browser.send(form, ["passkey": text]))
        }
        let element = try #require(try last.passkeyForm()).element
        #expect(element["data-waits"] == nil, "a page that refused a passkey asks for none by itself")
        #expect(!browser.cookies.contains { $0.name == "__Host-countersign" })
        let entries = try await fixture.server.database.auditLog("f")
        #expect(!entries.isEmpty && entries.allSatisfy { $0.details.contains("passkey: ") })
        var right = fixture.authenticator
        right.signCount = 6
        #expect(try await browser.send(right.loginAnswer(challenge), at: page).isAway)
    }

    @Test("WebAuthn 13.4.3: a challenge is of one login in one browser, and logs in once")
    func replayed() async throws {
        let fixture = try await Fixture()
        let (browser, page) = try await fixture.visit()
        let second = try await browser.open(AttackFixture.authorize())
        let (stranger, elsewhere) = try await fixture.visit()
        let answer = try fixture.authenticator.loginAnswer(page.passkeyChallenge)
        expectRefused(try await browser.send(answer, at: second), "another login of the browser")
        expectRefused(try await stranger.send(answer, at: elsewhere), "another browser")
        #expect(try await browser.send(answer, at: page).isAway)
        let again = try await fixture.attack.browser().send(answer, at: page)
        #expect(!again.isAway && !again.text.contains(Self.refused), "its login is over")
        expectRefused(
            try await stranger.send(
                try fixture.authenticator.loginAnswer(try second.passkeyChallenge), at: elsewhere))
    }

    @Test("The key of a phone alone makes no passkey that logs in, and the tenant can turn such logins off")
    func notAllowed() async throws {
        let fixture = try await Fixture(logsIn: false)
        let (browser, page) = try await fixture.visit()
        expectRefused(try await browser.send(fixture.authenticator.loginAnswer(page.passkeyChallenge), at: page))
        let off = try await Fixture { $0.tenant.settings.passkeyLogin = false }
        let (visitor, plain) = try await off.visit()
        let root = try Markup.read(plain.answer.body)
        #expect(try plain.passkeyForm() == nil)
        #expect(root.all("script").isEmpty)
        #expect(root.all("input").first { $0["name"] == "username" }?["autocomplete"] == "username")
        var form = try plain.form
        form.fields["passkey"] = String(
            decoding: try off.authenticator.loginAnswer(try page.passkeyChallenge).json, as: UTF8.self)
        #expect(try await !visitor.send(form).isAway)
    }

    @Test("A blocked person's passkey and that of a removed phone log nobody in")
    func ended() async throws {
        let fixture = try await Fixture()
        let (browser, page) = try await fixture.visit()
        try await fixture.server.database.write {
            try $0.execute(#"UPDATE "user" SET blocked = 1 WHERE id = 'auth0|ann'"#)
        }
        let blocked = try await browser.send(fixture.authenticator.loginAnswer(page.passkeyChallenge), at: page)
        #expect(!blocked.isAway && blocked.text.contains("blocked"))
        try await fixture.server.database.write {
            try $0.execute(#"UPDATE "user" SET blocked = 0 WHERE id = 'auth0|ann'"#)
            try $0.execute("DELETE FROM device")
        }
        expectRefused(try await browser.send(fixture.authenticator.loginAnswer(page.passkeyChallenge), at: page))
    }

    @Test("A passkey is of one tenant and of one host")
    func elsewhere() async throws {
        let fixture = try await Fixture()
        let browser = fixture.attack.browser(host: InProcessServer.customHost)
        let page = try await browser.open(
            AttackFixture.authorize())
        var authenticator = fixture.authenticator
        func refusal() async throws -> InProcessBrowser.Page {
            let form = try #require(try page.passkeyForm()).form
            let answer = try authenticator.loginAnswer(try page.passkeyChallenge)
            return try await browser.send(
                form, ["passkey": String(decoding: answer.json, as: UTF8.self)],
                origin: "https://\(InProcessServer.customHost)")
        }
        expectRefused(try await refusal())
        authenticator.origin = "https://\(InProcessServer.customHost)"
        expectRefused(try await refusal())
        authenticator.relyingParty = InProcessServer.customHost
        expectRefused(try await refusal())

        // Zoe of the other tenant has a passkey of the same authenticator, and a challenge of this one.
        let (visitor, here) = try await fixture.visit()
        let zoe = try await InProcessPhone(
            UserID("auth0|zoe"), host: InProcessServer.otherHost, capabilities: [.signedDigest, .passkeys],
            in: fixture.server)
        var other = try SoftwareAuthenticator(host: InProcessServer.otherHost, name: "zoe")
        let options = try await fixture.server.passkeyOptions(of: zoe)
        let challenge = try Base64URL.decode(options.challenge).orThrow("no base64url")
        #expect(try await fixture.server.register(other.registration(challenge), of: zoe).status == 204)
        other.userHandle = try Base64URL.decode(options.userID).orThrow("no base64url")
        expectRefused(try await visitor.send(other.loginAnswer(here.passkeyChallenge), at: here))
    }

    @Test("Refused passkeys are counted for their address, and keep nobody from logging in elsewhere")
    func limited() async throws {
        let fixture = try await Fixture { $0.tenant.settings.bruteForceProtection.attemptsPerAddressInAll = 2 }
        let (browser, page) = try await fixture.visit()
        var wrong = fixture.authenticator
        wrong.userHandle = [1]
        for _ in 0..<2 { expectRefused(try await browser.send(wrong.loginAnswer(page.passkeyChallenge), at: page)) }
        let limited = try await browser.send(fixture.authenticator.loginAnswer(page.passkeyChallenge), at: page)
        #expect(!limited.isAway && !limited.text.contains(Self.refused) && limited.answer.fields["Retry-After"] != nil)
        let elsewhere = fixture.attack.browser(address: "203.0.113.9")
        let free = try await elsewhere.open(AttackFixture.authorize())
        #expect(try await elsewhere.send(fixture.authenticator.loginAnswer(free.passkeyChallenge), at: free).isAway)
    }

    @Test("An API that has each transaction confirmed on the phone asks for it after a passkey, too")
    func confirmedEachTime() async throws {
        let fixture = try await Fixture {
            $0.apis = [try Samples.resourceServer { $0.requiresTransactionalMFA = true }]
        }
        let (browser, page) = try await fixture.visit(["audience": Samples.api])
        let next = try await browser.send(fixture.authenticator.loginAnswer(page.passkeyChallenge), at: page)
        #expect(next.path == "/u/mfa-push")
    }
}
