import Administration
import AuthorizationCore
import Configuration
@testable import Flows
import GuardianWire
import JOSE
import Localization
import OAuthWire
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Logins that are under way when the user's access ends")
struct EndedAccessTests {
    private static let secret = Array("12345678901234567890".utf8)
    private static let strict = Samples.tenant { $0.settings.multiFactor = .always }

    private func reset(_ fixture: LoginFixture, to password: String = "a new long password") async throws {
        try await fixture.recover.request(
            email: "ann@example.org", language: .english, context: fixture.context())
        let text = try #require(try await fixture.mails().last?["text"]?.stringValue)
        let link = try #require(text.split(separator: "\n").first { $0.contains("?ticket=") })
        try await fixture.recover.reset(
            ticket: link.split(separator: "=").last.map(String.init) ?? "", password: password,
            context: fixture.context())
    }

    private func code(_ fixture: LoginFixture) throws -> String {
        let password = try #require(OneTimePassword(secret: SecretBytes(Self.secret)))
        return password.code(
            counter: OneTimePassword.counter(at: fixture.now, period: 30), hashing: Samples.hashing)
    }

    private func enroll(_ fixture: LoginFixture, with uri: EnrollmentURI, _ identifier: String) async throws {
        _ = try await fixture.enroll.enroll(
            EnrollmentRequest(
                identifier: identifier, name: "Phone", pushCredentials: nil,
                publicKey: try Keys.signer(.es256).publicKey),
            ticket: #require(EnrollmentTicketAuthorization(ticket: uri.transactionID)), context: fixture.fixture.context
        )
    }

    @Test("A new password sends a login by the old one back to its first step, and ends its QR code")
    func enrolment() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        let thief = Visitor()
        let page = try await fixture.enter(thief).page
        #expect(page.step == .enrollDevice)
        let (uri, shown) = try await fixture.firstDevice.enrollment(page)
        try await reset(fixture)
        let failure = try await deviceFailure { try await enroll(fixture, with: uri, "THIEF") }
        #expect(failure.code == .enrollmentTransactionNotFound)
        #expect(try await fixture.open(shown.id, thief).step == .logIn)
        // With the new password the login goes on in the same tab.
        #expect(
            try await fixture.logIn(shown.id, thief, password: "a new long password").page.step == .enrollDevice)
    }

    @Test("Two logins show a QR code each: one enrols a phone, and the other then asks for that phone")
    func secondPhone() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        let (owner, thief) = (Visitor(), Visitor())
        let page = try await fixture.enter(thief).page
        let stolen = try await fixture.firstDevice.enrollment(page).uri
        let own = try await fixture.firstDevice.enrollment(try await fixture.enter(owner).page).uri
        try await enroll(fixture, with: own, "OWN")
        let failure = try await deviceFailure { try await enroll(fixture, with: stolen, "THIEF") }
        #expect(failure.code == .enrollmentTransactionNotFound)
        #expect(
            try await fixture.open(page.id, thief).step
                == .multiFactor(SecondFactors(push: true, oneTimePassword: true, hasFactor: true)))
    }

    @Test("A new password also ends a login at the second factor, whatever the code or the phone's answer")
    func secondFactor() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict, ann: { $0.emailVerified = true })
        try await fixture.enrol(secret: Self.secret)
        let thief = Visitor()
        let page = try await fixture.enter(thief).page
        let waiting = try await fixture.open(page.id, thief)
        #expect(waiting.step == .multiFactor(SecondFactors(push: true, oneTimePassword: true, hasFactor: true)))
        try await reset(fixture)
        // As if the page was opened before, and its form sent after.
        let answer = try await fixture.codes.logIn(waiting, code: try code(fixture))
        #expect(try answer.page.step == .logIn)
        #expect(try await fixture.open(page.id, thief).step == .logIn)
        #expect(try await fixture.count(.sessions) == 0)
    }

    @Test("A second factor for a session that ended meanwhile makes no session")
    func stepUp() async throws {
        var fixture = try await LoginFixture(ann: { $0.emailVerified = true })
        try await fixture.enrol(secret: Self.secret)
        let visitor = Visitor()
        _ = try await fixture.enter(visitor).response
        fixture.settings { $0.multiFactor = .always }
        let page = try await fixture.authorize(visitor).page
        try await reset(fixture)
        #expect(try await fixture.codes.logIn(page, code: try code(fixture)).sessionCookie == nil)
        #expect(try await fixture.open(page.id, visitor).step == .logIn)
        #expect(try await fixture.count(.sessions) == 0)
    }

    @Test(
        "A new password by mail removes a phone that was enrolled during a login, and notifies the owner",
        arguments: Language.allCases)
    func removedPhone(language: Language) async throws {
        let fixture = try await LoginFixture(tenant: Self.strict, ann: { $0.language = language })
        let uri = try await fixture.firstDevice.enrollment(try await fixture.enter(Visitor()).page).uri
        try await enroll(fixture, with: uri, "THIEF")
        try await reset(fixture)
        #expect(
            try await fixture.store.approver(.id(UserID("auth0|ann")), tenant: fixture.tenant.id)?.devices.isEmpty
                == true)
        #expect(try await fixture.log("gd_unenroll").map(\.user) == ["auth0|ann"])
        let mail = try #require(try await fixture.mails().last)
        #expect(mail["to"] == "ann@example.org")
        let text = mail["text"]?.stringValue ?? ""
        #expect(text.contains("- \(language.texts.mail.removedPhone("\u{2068}Phone\u{2069}"))"), "\(text)")
    }

    @Test("A phone enrolled by an operator's ticket stays, and so do all phones of a user with a verified address")
    func keptPhone() async throws {
        for isVerified in [false, true] {
            let fixture = try await LoginFixture(
                tenant: Self.strict, phone: !isVerified, ann: { $0.emailVerified = isVerified })
            if isVerified {
                let page = try await fixture.enter(Visitor()).page
                try await enroll(fixture, with: try await fixture.firstDevice.enrollment(page).uri, "OWN")
            }
            try await reset(fixture)
            #expect(
                try await fixture.store.approver(.id(UserID("auth0|ann")), tenant: fixture.tenant.id)?.devices.count
                    == 1)
            #expect(try await fixture.log("gd_unenroll").isEmpty)
            #expect(try await fixture.mails().count == 1, "the one with the link")
        }
    }

    /// Replaces the password during a comparison.
    private struct SlowPasswords: PasswordHasher {
        let passwords = PlainPasswords()
        let meanwhile: @Sendable () async throws -> Void

        func hash(_ form: Password.Form) async throws -> String { try await passwords.hash(form) }

        func verify(_ form: Password.Form, against hash: String) async throws -> Bool {
            let fits = try await passwords.verify(form, against: hash)
            try await meanwhile()
            return fits
        }

        func needsRehash(_ hash: String) -> Bool { passwords.needsRehash(hash) }
    }

    @Test("A password that is replaced during its comparison logs nobody in")
    func race() async throws {
        let fixture = try await LoginFixture()
        let visitor = Visitor()
        let slow = PasswordLogin(
            store: fixture.store, transactions: fixture.transactions, hashing: Samples.hashing,
            passwords: SlowPasswords { try await reset(fixture) }, unknownUserHash: "hash of nothing",
            moving: fixture.moving, mail: MailComposer(sealer: Samples.sealer), refusals: fixture.fixture.refusals)
        let page = try await fixture.authorize(visitor).page
        let answer = try await slow.logIn(
            page, name: "ann@example.org", password: LoginFixture.password)
        #expect(try answer.page.step == .logIn)
        #expect(try await fixture.count(.sessions) == 0)
        #expect(
            try await fixture.logIn(page.id, visitor, password: "a new long password").response.parameters["code"]
                != nil)
    }

    @Test("A block ends logins for good, even after it is lifted")
    func blocked() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        let thief = Visitor()
        let page = try await fixture.enter(thief).page
        try await fixture.fixture.configurationStore.change { transaction in
            try transaction.endAccess(of: UserID("auth0|ann"), in: TenantID("dev"), now: Samples.start)
        }
        #expect(try await fixture.open(page.id, thief).step == .logIn)
    }
}
