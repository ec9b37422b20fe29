import AuthorizationCore
import GuardianWire
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Passkeys: registration")
struct PasskeyRegistrationTests {
    @Test("WebAuthn 7.1: a phone gets values for its browser, and registers what that made", arguments: [false, true])
    func registered(isSelfAttested: Bool) async throws {
        let fixture = try await PasskeyFixture(isRegistered: false)
        let options = try await fixture.options()
        #expect(options.relyingParty == InProcessServer.host)
        #expect(options.userName == "auth0|ann")
        #expect(Base64URL.decode(options.userID)?.count == 32)
        #expect(options.credentialIDs.isEmpty && options.mayRegister)
        #expect(try await fixture.register(fixture.authenticator, isSelfAttested: isSelfAttested).status == 204)
        let after = try await fixture.options()
        #expect(after.credentialIDs == [fixture.authenticator.credentialID] && !after.mayRegister)
        #expect(after.userID == options.userID, "WebAuthn 4: one user handle for a person")
        #expect(try await fixture.server.database.auditLog().contains { $0.kind == "passkey_registered" })
    }

    @Test("A new passkey is told to its person by mail")
    func mailed() async throws {
        let fixture = try await PasskeyFixture(isRegistered: false) {
            $0.users[0].email = "ann@example.org"
            $0.users[0].emailVerified = true
        }
        #expect(try await fixture.server.database.count("delivery") == 0)
        #expect(try await fixture.register(fixture.authenticator).status == 204)
        #expect(try await fixture.server.database.count("delivery") == 1)
    }

    @Test("A challenge registers once, even after its passkey is gone")
    func challengeUsed() async throws {
        let fixture = try await PasskeyFixture(isRegistered: false)
        let registration = try fixture.authenticator.registration(try await fixture.challenge())
        #expect(try await fixture.register(registration).status == 204)
        try await fixture.server.removePasskey(fixture.authenticator.credentialID)
        #expect(try await fixture.options().mayRegister)
        #expect(try await fixture.register(registration).status == 409)
        fixture.server.clock.advance(by: .seconds(1))
        #expect(try await fixture.register(fixture.authenticator).status == 204)
    }

    @Test("A second phone of a person registers none beside the first passkey, which confirms there, too")
    func secondPhone() async throws {
        let fixture = try await PasskeyFixture()
        let second = try await InProcessPhone(
            identifier: "PHONE-2", capabilities: [.signedDigest, .passkeys], in: fixture.server)
        let options = try await fixture.server.passkeyOptions(of: second)
        #expect(options.credentialIDs == [fixture.authenticator.credentialID] && !options.mayRegister)
        let other = try SoftwareAuthenticator(host: InProcessServer.host, name: "other")
        let challenge = try Base64URL.decode(options.challenge).orThrow("no base64url")
        #expect(try await fixture.server.register(other.registration(challenge), of: second).status == 409)
    }

    @Test("A tenant may let nobody make a passkey with a phone's key alone")
    func accountOnly() async throws {
        let fixture = try await PasskeyFixture(isRegistered: false) {
            $0.tenant.settings.passkeyRegistration = .account
        }
        #expect(try await !fixture.options().mayRegister)
        #expect(try await fixture.register(fixture.authenticator).status == 409)
        #expect(try await fixture.options().credentialIDs.isEmpty)
    }

    @Test("A registered passkey stays: the device's key alone replaces none")
    func replaced() async throws {
        let fixture = try await PasskeyFixture()
        let other = try SoftwareAuthenticator(host: InProcessServer.host, name: "other")
        let answer = try await fixture.register(other)
        #expect(answer.status == 409)
        #expect(answer["errorCode"] == "passkey_registered")
        #expect(try await fixture.refusals("gd_webauthn_enrollment_failed") == ["passkey_registered"])
        #expect(try await fixture.options().credentialIDs == [fixture.authenticator.credentialID])
    }

    @Test("WebAuthn 7.1: another type, challenge, origin or host, and an unverified user, register nothing")
    func refused() async throws {
        let fixture = try await PasskeyFixture(isRegistered: false)
        func expectRefused(_ answer: HTTPAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(answer.status == 403, "\(answer.text)", sourceLocation: sourceLocation)
            #expect(answer["errorCode"] == "invalid_passkey", sourceLocation: sourceLocation)
        }
        let changes: [(inout SoftwareAuthenticator) -> Void] = [
            { $0.origin = "https://evil.example" }, { $0.origin = "http://\(InProcessServer.host)" },
            { $0.origin = "https://\(InProcessServer.host):444" },
            { $0.origin = "https://\(InProcessServer.otherHost)" },
            { $0.origin = "https://\(InProcessServer.customHost)" }, { $0.relyingParty = InProcessServer.otherHost },
            { $0.flags = 0x01 }, { $0.flags = 0x04 }, { $0.clientDataMembers = ["crossOrigin": true] },
            { $0.clientDataMembers = ["challenge": "AAAA"] }, { $0.clientDataMembers = ["challenge": ""] },
            { $0.clientDataMembers = ["origin": 1] },
            // A point beside the curve.
            { $0.coseKey[$0.coseKey.count - 1] ^= 1 },
        ]
        for change in changes {
            var authenticator = fixture.authenticator
            change(&authenticator)
            expectRefused(try await fixture.register(authenticator))
        }
        expectRefused(try await fixture.register(fixture.authenticator, type: "webauthn.get"))
        let old = try await fixture.challenge()
        fixture.server.clock.advance(by: .seconds(300))
        expectRefused(try await fixture.register(try fixture.authenticator.registration(old)))
        fixture.server.clock.advance(by: .seconds(60))
        let other = try await InProcessPhone(identifier: "OTHER", in: fixture.server)
        let options = try await fixture.server.passkeyOptions(of: other)
        let foreign = try Base64URL.decode(options.challenge).orThrow("no base64url")
        expectRefused(try await fixture.register(try fixture.authenticator.registration(foreign)))
        #expect(try await fixture.options().credentialIDs.isEmpty)
        let codes = try await fixture.refusals("gd_webauthn_enrollment_failed")
        #expect(Set(codes) == ["invalid_passkey"])
        #expect(try await fixture.register(fixture.authenticator).status == 204)
    }

    @Test("Damaged bytes are refused as such")
    func damaged() async throws {
        let fixture = try await PasskeyFixture(isRegistered: false)
        var registration = try fixture.authenticator.registration(try await fixture.challenge())
        let whole = registration.attestationObject
        for bytes in [
            Array(whole.dropLast()), [0xFF], Array(whole.dropFirst()), [0x5B] + [UInt8](repeating: 0xFF, count: 8),
        ] {
            registration.attestationObject = bytes
            #expect(try await fixture.register(registration).status == 403)
        }
        registration.attestationObject = [UInt8](repeating: 0, count: PasskeyAssertion.memberLimit + 1)
        #expect(try await fixture.register(registration).status == 400)
        registration = PasskeyRegistration(clientDataJSON: [0x7B], attestationObject: whole)
        #expect(try await fixture.register(registration).status == 403)
    }
}
