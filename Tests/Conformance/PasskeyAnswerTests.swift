import ApprovalWire
import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@Suite("Passkeys: answers")
struct PasskeyAnswerTests {
    private func expect(
        _ answer: HTTPAnswer, _ code: String, _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == 403, comment, sourceLocation: sourceLocation)
        #expect(answer["errorCode"]?.stringValue == code, comment, sourceLocation: sourceLocation)
    }

    @Test(
        "WebAuthn 7.2: an allowing answer has an assertion over the digest, and its receipt proves it without a server")
    func allowed() async throws {
        let fixture = try await PasskeyFixture()
        let id = try await fixture.client.started()
        #expect(try await fixture.decide(try await fixture.phone.notification(of: id)).status == 204)
        let receipt = await fixture.server.send(try fixture.phone.receiptRequest(id)).text
        let keys = try JWKSet(await fixture.server.send(.get("/.well-known/jwks.json")).json)
        let verified = try ReceiptVerifier(keys: keys, verifier: OpenSSLVerifier(), hashing: Samples.hashing)
            .verify(receipt)
        #expect(verified.claims.evidence.level == .userVerified)
        #expect(verified.claims.evidence.passkey?.relyingParty == InProcessServer.host)
        #expect(try await fixture.client.poll(id).status == 200)
        let entry = try await fixture.server.database.auditLog().first { $0.kind == "gd_auth_succeed" }
        #expect(entry?.details.contains(#""evidence":"user-verified""#) == true)
    }

    @Test("Without an assertion nothing is allowed; a rejection needs none, and a wrong one beside it does not matter")
    func missing() async throws {
        let fixture = try await PasskeyFixture()
        let notification = try await fixture.started()
        expect(try await fixture.decide(notification) { _ in nil }, "passkey_required")
        #expect(try await fixture.refusals("gd_auth_failed") == ["passkey_required"])
        #expect(
            try await fixture.decide(notification, accepted: false) { _ in
                try fixture.authenticator.assertion([1])
            }.status == 204)
    }

    @Test(
        "WebAuthn 7.2: another type, challenge, origin, host, passkey or signature, and an unverified user, allow nothing"
    )
    func refused() async throws {
        let fixture = try await PasskeyFixture()
        let notification = try await fixture.started()
        let changes: [(inout SoftwareAuthenticator) -> Void] = [
            { $0.origin = "https://evil.example" }, { $0.origin = "https://\(InProcessServer.customHost)" },
            { $0.relyingParty = InProcessServer.customHost }, { $0.flags = 0x01 }, { $0.flags = 0x04 },
            { $0.credentialID[0] ^= 1 }, { $0.clientDataMembers = ["crossOrigin": true] },
            { $0.clientDataMembers = ["challenge": "AAAA"] },
        ]
        for (index, change) in changes.enumerated() {
            var authenticator = fixture.authenticator
            change(&authenticator)
            expect(try await fixture.decide(notification, by: authenticator), "invalid_passkey", "\(index)")
        }
        var other = try SoftwareAuthenticator(host: InProcessServer.host, name: "other")
        expect(try await fixture.decide(notification, by: other), "invalid_passkey", "a foreign credential")
        other.credentialID = fixture.authenticator.credentialID
        expect(try await fixture.decide(notification, by: other), "invalid_passkey", "a foreign key")
        let damages: [(inout PasskeyAssertion) -> Void] = [
            { $0.signature[8] ^= 1 }, { $0.signature.removeLast() }, { $0.authenticatorData.removeLast() },
            { $0.authenticatorData.append(0) }, { $0.clientDataJSON.append(0x20) }, { $0.clientDataJSON = [0x7B] },
            { $0.authenticatorData = [0] }, { $0.signature = [0x30, 0] },
        ]
        for (index, damage) in damages.enumerated() {
            let answer = try await fixture.decide(notification) { digest in
                var assertion = try fixture.authenticator.assertion(digest)
                damage(&assertion)
                return assertion
            }
            expect(answer, "invalid_passkey", "\(index)")
        }
        expect(
            try await fixture.decide(notification) { try fixture.authenticator.assertion($0, type: "webauthn.create") },
            "invalid_passkey")
        let codes = try await fixture.refusals("gd_auth_failed")
        #expect(Set(codes) == ["invalid_passkey"])
        #expect(try await fixture.decide(notification).status == 204, "the request is still pending")
    }

    @Test("An assertion belongs to one request: another one's is refused, and so is the same again")
    func replayed() async throws {
        let fixture = try await PasskeyFixture()
        let (first, second) = (try await fixture.started(), try await fixture.started())
        var used: PasskeyAssertion?
        #expect(
            try await fixture.decide(first) { digest in
                used = try fixture.authenticator.assertion(digest)
                return used
            }.status == 204)
        let kept = used
        expect(try await fixture.decide(second) { _ in kept }, "invalid_passkey")
        #expect(try await fixture.decide(first) { _ in kept }.status == 404, "it was decided")
        #expect(try await fixture.decide(second).status == 204)
    }

    @Test("WebAuthn 7.2 step 21: a signature count must grow, unless the authenticator counts none")
    func counts() async throws {
        var fixture = try await PasskeyFixture(signCount: 5)
        for count in [UInt32(5), 4, 0] {
            fixture.authenticator.signCount = count
            expect(try await fixture.decide(try await fixture.started()), "invalid_passkey", "\(count)")
        }
        fixture.authenticator.signCount = 6
        #expect(try await fixture.decide(try await fixture.started()).status == 204)
        expect(try await fixture.decide(try await fixture.started()), "invalid_passkey")
        let uncounted = try await PasskeyFixture()
        for _ in 0..<2 { #expect(try await uncounted.decide(try await uncounted.started()).status == 204) }
    }

    @Test("The answer signs the digest, too: an assertion alone does not say which phone showed the request")
    func digest() async throws {
        for evidence in [EvidenceDemand.passkey, nil] {
            let fixture = try await PasskeyFixture { $0.tenant.settings.evidence = evidence }
            let answer = try await fixture.decide(try await fixture.started(), signsDigest: false) {
                try fixture.authenticator.assertion($0)
            }
            #expect(answer.status == 401)
        }
    }

    @Test("An assertion that nothing demands is checked, and proves as much")
    func voluntary() async throws {
        let fixture = try await PasskeyFixture { _ in }
        let notification = try await fixture.started()
        expect(
            try await fixture.decide(notification) { _ in try fixture.authenticator.assertion([1]) }, "invalid_passkey")
        #expect(try await fixture.decide(notification).status == 204)
        let entry = try await fixture.server.database.auditLog().first { $0.kind == "gd_auth_succeed" }
        #expect(entry?.details.contains(#""evidence":"user-verified""#) == true)
    }
}
