import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Pages for people with usernames")
struct UsernamePageTests {
    private func fixture(hasUsernames: Bool) async throws -> AttackFixture {
        try await AttackFixture { setup in
            var database = LoginConnection.defaultDatabase
            database.kind = .database(allowsSignUp: true, hasUsernames: hasUsernames)
            setup.connections = [database]
            setup.users.append(Samples.user("auth0|hanna") { $0.username = "hanna" })
            setup.passwords[UserID("auth0|hanna")] = AttackFixture.password
        }
    }

    @Test("A person without an address logs in by username", arguments: [true, false])
    func enter(hasUsernames: Bool) async throws {
        let fixture = try await fixture(hasUsernames: hasUsernames)
        let page = try await fixture.logIn(fixture.browser(), as: "Hanna")
        let tokens = await fixture.redeem(try page.parameters["code"].orThrow("no code: \(page.text)"))
        #expect(try await fixture.claims(tokens["id_token"])["sub"] == "auth0|hanna")
    }

    @Test("The label names usernames if the database has them, in the page's language")
    func label() async throws {
        let fixture = try await fixture(hasUsernames: true)
        for (language, label, problem) in [
            ("en", "E-mail address or username", "Wrong e-mail address, username or password."),
            (
                "fr", "Adresse e-mail ou nom d’utilisateur",
                "Adresse e-mail, nom d’utilisateur ou mot de passe incorrect."
            ),
            ("de", "E-Mail-Adresse oder Benutzername", "E-Mail-Adresse, Benutzername oder Passwort ist falsch."),
        ] {
            let browser = fixture.browser(fields: ["Accept-Language": language])
            let page = try await browser.open(AttackFixture.authorize())
            #expect(page.text.contains(label), "\(page.text)")
            let refused = try await browser.send(page.form("/u/login"), ["username": "nobody", "password": "guess"])
            #expect(refused.text.contains(problem), "\(refused.text)")
        }
        let plain = try await self.fixture(hasUsernames: false)
        let page = try await plain.browser().open(AttackFixture.authorize())
        #expect(!page.text.contains("username"), "\(page.text)")
    }

    @Test("A hint with a username fills the login page's field, and not that of the sign-up")
    func hint() async throws {
        let fixture = try await fixture(hasUsernames: true)
        let login = try await fixture.browser().open(AttackFixture.authorize(["login_hint": "hanna"]))
        #expect(login.answer.text.contains(#"value="hanna""#), "\(login.answer.text)")
        let signUp = try await fixture.browser().open(
            AttackFixture.authorize(["login_hint": "hanna", "screen_hint": "signup"]))
        #expect(!signUp.answer.text.contains("hanna"))
    }
}
