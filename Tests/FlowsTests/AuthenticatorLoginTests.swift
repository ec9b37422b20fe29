import AuthorizationCore
import Configuration
@testable import Flows
import OpenSSLCrypto
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Logins with an authenticator app of another server")
struct AuthenticatorLoginTests {
    private static let secret = Array("aB3dE6gH9jK2mN5pQ8sT".utf8)
    private static let user = UserID("auth0|ann")

    /// Ann has eight digits of SHA-256 a minute, and no phone.
    private func fixture(_ policy: MultiFactorPolicy) async throws -> LoginFixture {
        let fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: policy))
        try await give(fixture)
        return fixture
    }

    private func give(_ fixture: LoginFixture) async throws {
        let password = try TimedPassword(
            secret: SecretBytes(Self.secret), algorithm: .sha256, digits: 8, period: 60)
        let new = try NewAuthenticator(
            ForeignAuthenticator(password), of: Self.user, tenant: fixture.tenant.id, at: fixture.now, Samples.sealer,
            SystemRandom())
        try await fixture.fixture.configurationStore.change { try $0.add(new, in: fixture.tenant.id) }
    }

    private func code(_ fixture: LoginFixture, step offset: Int = 0) throws -> String {
        let password = try #require(
            OneTimePassword(secret: SecretBytes(Self.secret), algorithm: .sha256, digits: 8))
        let counter = OneTimePassword.counter(at: fixture.now + .seconds(60 * offset), period: 60)
        return password.code(counter: counter, hashing: Samples.hashing)
    }

    @Test("It is asked for, and nobody enrols past it", arguments: [MultiFactorPolicy.whenEnrolled, .always])
    func logIn(policy: MultiFactorPolicy) async throws {
        let fixture = try await fixture(policy)
        let visitor = Visitor()
        let page = try await fixture.pending(visitor)
        #expect(page.step == .multiFactor(SecondFactors(push: false, oneTimePassword: true, hasFactor: true)))
        await #expect(throws: InteractionFailure.self) { _ = try await fixture.firstDevice.enrollment(page) }
        let code = try code(fixture)
        let answer = visitor.take(try await fixture.codes.logIn(page, code: code))
        #expect(try await fixture.code(answer.response).access.methods == ["pwd", "otp", "mfa"])
        let again = try await fixture.pending(Visitor())
        let replayed = try await interactionFailure { _ = try await fixture.codes.logIn(again, code: code) }
        #expect(replayed.reason == .wrongCode)
    }

    @Test("RFC 6238 clause 5.2: two steps away, or with fewer digits, a code is wrong")
    func wrong() async throws {
        let fixture = try await fixture(.whenEnrolled)
        for code in [try code(fixture, step: 2), String(try code(fixture).suffix(6))] {
            let page = try await fixture.pending(Visitor())
            let failure = try await interactionFailure { _ = try await fixture.codes.logIn(page, code: code) }
            #expect(failure.reason == .wrongCode)
        }
    }

    @Test("RFC 6238 clause 5.2: a code counts once, also if two entries have the same secret")
    func doubled() async throws {
        let fixture = try await fixture(.whenEnrolled)
        try await give(fixture)
        let code = try code(fixture)
        let page = try await fixture.pending(Visitor())
        _ = try await fixture.codes.logIn(page, code: code)
        let again = try await fixture.pending(Visitor())
        let failure = try await interactionFailure { _ = try await fixture.codes.logIn(again, code: code) }
        #expect(failure.reason == .wrongCode)
    }

    @Test("A secret that somebody with the database moved to another person makes no code")
    func moved() async throws {
        let fixture = try await fixture(.whenEnrolled)
        let kept = try await fixture.store.oneTimePasswords(of: Self.user, tenant: fixture.tenant.id)
        let first = try #require(kept.first)
        #expect(try first.password(of: Self.user, tenant: fixture.tenant.id, Samples.sealer) != nil)
        #expect(throws: (any Error).self) {
            try first.password(of: UserID("auth0|bob"), tenant: fixture.tenant.id, Samples.sealer)
        }
    }

    @Test("Foreign factors are read strictly")
    func foreign() throws {
        func problem(_ factors: JSONValue) -> String {
            do throws(ForeignAuthenticator.Problem) {
                return "\(try ForeignAuthenticator.list(factors).count) taken"
            } catch {
                return error.isUnsupported ? "unsupported \(error.path)" : error.path
            }
        }
        let secret: JSONValue = "JBSWY3DPEHPK3PXP"
        #expect(problem([["totp": ["secret": secret]], ["totp": ["secret": secret, "digits": 8]]]) == "2 taken")
        #expect(problem([]) == "0 taken")
        #expect(problem([["totp": ["secret": secret]], ["totp": ["secret": secret, "name": "again"]]]) == "1 taken")
        #expect(problem("none") == "")
        #expect(problem(.array(Array(repeating: ["totp": ["secret": secret]], count: 6))) == "")
        #expect(problem([["email": ["value": "a@example.org"]]]) == "unsupported [0].email")
        #expect(problem([["push": [:]]]) == "unsupported [0]")
        #expect(problem([["totp": ["secret": secret], "phone": [:]]]) == "[0]")
        #expect(problem([["totp": ["secret": secret, "hidden": 1]]]) == "[0].totp")
        for unfit: JSONValue in ["", "JBSW", "no base 32!", .string(String(repeating: "A", count: 300))] {
            #expect(problem([["totp": ["secret": unfit]]]) == "[0].totp", "\(unfit)")
        }
        for (name, value) in [
            ("algorithm", "md5"), ("algorithm", 1), ("digits", "6"), ("period", true), ("name", ""), ("name", 1),
            ("name", "a\u{0}"),
        ] as [(String, JSONValue)] {
            var totp: JSONObject = ["secret": secret]
            totp[name] = value
            #expect(problem([["totp": .object(totp)]]) == "[0].totp.\(name)", "\(name)")
        }
        for (name, value) in [("digits", 9), ("digits", 5), ("period", 14), ("period", 121), ("algorithm", "sha384")]
            as [(String, JSONValue)]
        {
            var totp: JSONObject = ["secret": secret]
            totp[name] = value
            #expect(problem([["totp": .object(totp)]]) == "[0].totp", "\(name)")
        }
    }

    @Test("The stored form gives the same codes back")
    func stored() throws {
        let made = try TimedPassword(secret: SecretBytes(Self.secret), algorithm: .sha512, digits: 7, period: 120)
        let read = try #require(TimedPassword(stored: SecretBytes(made.stored)))
        #expect(read.stored == made.stored)
        for cut in [0, 4, 13] { #expect(TimedPassword(stored: SecretBytes(Array(made.stored.prefix(cut)))) == nil) }
    }
}
