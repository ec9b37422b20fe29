import Administration
import AuthorizationCore
import Configuration
@testable import Flows
import Localization
import OAuthWire
import Persistence
import Primitives
import TestSupport
import Testing

/// The places at which an e-mail address enters. `RepositoryTests` compares the files with the code's.
@Suite("E-mail addresses enter by one rule")
struct EmailDoorTests {
    /// Texts with the address that each is. Nil for texts that are none.
    static let texts: [(text: String, address: String?)] = [
        ("eve@example.org", "eve@example.org"), ("Eve+x@Sub.Example.ORG", "eve+x@sub.example.org"),
        (" eve@example.org ", "eve@example.org"), ("eve@xn--bcher-kva.example", "eve@xn--bcher-kva.example"),
        ("eve@bücher.example", "eve@xn--bcher-kva.example"), ("eve@BU\u{308}CHER.example", "eve@xn--bcher-kva.example"),
        ("a@corp.example,evil@example.org", nil), ("a@b@example.org", nil), ("<a@example.org>", nil),
        ("a\u{202E}@example.org", nil), ("a@exam\u{200B}ple.org", nil), ("a@example..org", nil), ("a@example", nil),
        ("\"a b\"@example.org", nil), ("zoë@example.org", nil), ("a@[127.0.0.1]", nil), ("\u{212A}im@example.org", nil),
        ("eve@example.\u{212A}im", nil), ("a@example.org\r\nBcc: b@example.org", nil), ("@example.org", nil),
        ("a@", nil),
    ]

    @Test("Accounts: sign-up, login and a forgotten password", arguments: texts)
    func accounts(text: String, expected: String?) async throws {
        let fixture = try await LoginFixture()
        let visitor = Visitor()
        func page() async throws -> LoginTransaction {
            try await fixture.authorize(visitor, ["screen_hint": "signup"]).page
        }
        let doors: [() async throws -> Void] = [
            {
                _ = try await fixture.signUp.signUp(
                    try await page(), email: text, password: "battery staple", name: nil, language: .english)
            },
            { _ = try await fixture.logIn(try await page().id, visitor, email: text, password: "battery staple") },
            { try await fixture.recover.request(email: text, language: .english, context: fixture.context()) },
        ]
        for enter in doors {
            guard expected == nil else {
                try await enter()
                continue
            }
            let failure = try await interactionFailure { try await enter() }
            #expect(failure.reason == .email)
        }
        if let address = expected.flatMap({ EmailAddress(parsing: $0) }) {
            let user = try #require(try await fixture.store.account(email: address, tenant: fixture.tenant.id)).user
            #expect(user.email == address && user.name == expected)
        }
        #expect(
            try await fixture.mails().compactMap { $0["to"]?.stringValue } == [expected, expected].compactMap(\.self))
    }

    @Test("Providers: a profile's claim, and a list of addresses", arguments: texts)
    func upstream(text: String, expected: String?) throws {
        let upstream = UpstreamProvider(
            dialect: .github(
                url: try #require(EndpointURL("https://idp.example")),
                apiURL: try #require(EndpointURL("https://idp.example"))),
            clientID: "c", sealedSecret: [], scope: "")
        var profile = try UpstreamProfile(
            [
                upstream.upstreamName(of: .subject): "u-1", upstream.upstreamName(of: .email): .string(text),
                upstream.upstreamName(of: .emailVerified): true,
            ], of: upstream)
        #expect(profile.email?.description == expected)
        #expect(profile.emailVerified == (expected != nil))
        profile.email = nil
        profile.take(emails: [["email": .string(text), "primary": true, "verified": true]])
        #expect(profile.email?.description == expected)
        var user = Samples.user("idp|u-1")
        (user.email, user.emailVerified) = (nil, false)
        profile.apply(to: &user)
        #expect(user.email?.description == expected)
        #expect(user.emailVerified == (expected != nil))
    }

    @Test("Old servers: the address of an answer", arguments: texts)
    func oldServer(text: String, expected: String?) throws {
        let answer: JSONValue = ["user_id": "1", "email": .string(text)]
        let email = try #require(EmailAddress(parsing: expected ?? "a@example.org"))
        let user = try? OldUser(answer, of: email, taking: [], now: Samples.start).user
        #expect(user?.email?.description == expected)
    }

    @Test("Documents: users in a file and in the Management API, and a mail server's sender", arguments: texts)
    func documents(text: String, expected: String?) throws {
        let now = Timestamp(seconds: 1_767_225_600)
        let user = try? DocumentFields.entity(["user_id": "auth0|u", "email": .string(text)]) { User($0, now: now) }
        #expect(user?.email?.description == expected)
        let relay = try? EmailProvider.smtp.relay(
            [MailSettings.senderMember: .string(text)], ["smtp_host": "mail.example", "smtp_port": 587])
        #expect(relay?.from.description == expected)
        #expect(MailRenderer.Sender(text).address?.description == (text.hasPrefix("<") ? "a@example.org" : expected))
    }

    @Test("Requests: login_hint as RFC 9493's email, and bare", arguments: texts)
    func hints(text: String, expected: String?) throws {
        let tenant = Samples.tenant()
        let wanted = expected.flatMap { EmailAddress(parsing: $0) }.map { UserReference.email($0) }
        let object = JSONWriter.string(["format": "email", "email": .string(text)])
        #expect((try? UserReference(LoginHint(parsing: object), at: tenant)) == wanted)
        #expect((try? UserReference(LoginHint(parsing: text), at: tenant)) == wanted)
    }
}
