import Audit
import AuthorizationCore
@testable import Flows
import GuardianWire
import JOSE
import OAuthWire
import OpenSSLCrypto
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Fetching the consent")
struct ConsentTests {
    private static let now = Samples.start.seconds
    private static let hash = "ath must be the transaction token's SHA-256 in base64url"
    private static let url =
        "htu must be https://dev.example/rich-consents/ and the consent's id, as in this request"

    /// Parts of the proof that a test may break.
    struct Proof: Sendable {
        var claims: JSONObject = [:]
        var type: String? = DPoPProof.type
        var key = "a"
        var algorithm = JWSAlgorithm.es256
        /// The `jwk` of the header. Nil takes the signer's.
        var jwk: JSONValue?
        /// Consent that the path names. Nil means the request's own.
        var path: ConsentID?
    }

    struct Break: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Advice to a device that signed the proof.
        let says: String?
        let change: @Sendable (inout Proof) throws -> Void

        init(_ name: String, says: String? = nil, _ change: @escaping @Sendable (inout Proof) throws -> Void) {
            testDescription = name
            self.says = says
            self.change = change
        }
    }

    private func fetch(
        _ fixture: FlowFixture, _ id: String, token: String? = nil,
        _ change: (inout Proof) throws -> Void = { _ in }
    ) async throws -> ConsentRecord {
        let token = token ?? fixture.token(id)
        var proof = Proof()
        proof.claims = [
            "htu": .string("https://dev.example/rich-consents/\(fixture.consent(id))"), "htm": "GET",
            "ath": .string(Base64URL.encode(Samples.hashing.sha256(Array(token.utf8)))), "jti": "0F1E",
            "iat": JSONValue(fixture.clock.now.seconds),
        ]
        try change(&proof)
        let signer = try Keys.signer(proof.algorithm, proof.key)
        let signed = try JWS.sign(
            JSONWriter.bytes(.object(proof.claims)), type: proof.type,
            extra: ["jwk": proof.jwk ?? signer.publicKey.json], with: signer)
        return try await FetchConsent(
            store: fixture.consentStore, secrets: fixture.secrets, vault: fixture.vault, verifier: fixture.verifier,
            budgets: fixture.budgets, refusals: fixture.refusals
        ).fetch(
            proof.path ?? fixture.consent(id), transactionToken: token, proof: signed, context: fixture.context)
    }

    @Test(
        "The record shows the client, the requested access and each scope's description",
        arguments: [JWSAlgorithm.es256, .rs256])
    func record(algorithm: JWSAlgorithm) async throws {
        let fixture = try await FlowFixture(phone: false)
        try await fixture.enrol(Samples.device(key: Keys.signer(algorithm).publicKey))
        let id = try await fixture.start([
            "audience": Samples.api, "scope": "openid pay:send",
            "authorization_details": #"[{"type":"payment","amount":12.50}]"#,
        ]).authReqID
        let record = try await fetch(fixture, id) { $0.algorithm = algorithm }
        #expect(record.id == fixture.consent(id).rawValue)
        #expect(record.requestedDetails.audience == Samples.api)
        #expect(record.requestedDetails.scope == ["openid", "pay:send"])
        #expect(record.requestedDetails.bindingMessage == "TX-4711")
        #expect(record.requestedDetails.scopeDescriptions == ["pay:send": "Pay in your name"])
        let details = try #require(record.requestedDetails.authorizationDetails)
        #expect(details.map { JSONWriter.string(.object($0)) } == [#"{"type":"payment","amount":12.50}"#])
        #expect(record.requestedDetails.authorizationDetailsID?.utf8.count == 22)
        #expect(record.client == ConsentRecord.Client(clientID: "agent", name: "Client agent"))
        #expect(record.createdAt == fixture.clock.now)
        #expect(record.expiresAt == fixture.clock.now + .seconds(300))
        let log = try await fixture.made.database.auditLog("rich_consents_access")
        #expect(log.map(\.device) == ["dev_one"])
        #expect(log.map(\.remoteAddress) == [FlowFixture.remote])
    }

    @Test("Equal details have equal ids, different details different ones")
    func detailsID() async throws {
        let fixture = try await FlowFixture()
        var ids: [String?] = []
        for amount in [1, 1, 2] {
            let id = try await fixture.start([
                "audience": Samples.api, "authorization_details": #"[{"type":"payment","amount":\#(amount)}]"#,
            ]).authReqID
            let record = try await fetch(fixture, id) { $0.claims["jti"] = .string(id) }
            ids.append(record.requestedDetails.authorizationDetailsID)
        }
        #expect(ids[0] == ids[1])
        #expect(ids[0] != ids[2])
    }

    @Test(
        "RFC 9449 4.3: each check of the proof refuses its own fault, and advises only the signer",
        arguments: [
            Break("typ of RFC 9449 missing", says: "typ must be dpop+jwt") { $0.type = nil },
            Break("typ of an answer", says: "typ must be dpop+jwt") { $0.type = "JWT" },
            Break("signed by another key, which the header has") { $0.key = "thief" },
            Break("signed by another key under the enrolled one's name") { proof in
                proof.key = "thief"
                proof.jwk = try Keys.signer(.es256).publicKey.json
            },
            Break("jwk is no key") { $0.jwk = "key" },
            Break("jwk with a private member") { proof in
                guard case .object(var key) = try Keys.signer(.es256).publicKey.json else { return }
                key["d"] = "AAAA"
                proof.jwk = .object(key)
            },
            Break("htm is POST", says: "htm must be GET") { $0.claims["htm"] = "POST" },
            Break("htm missing", says: "MFA-DPoP.htm is required") { $0.claims["htm"] = nil },
            Break("htu is another consent", says: Self.url) {
                $0.claims["htu"] = "https://dev.example/rich-consents/cns_AAAA"
            },
            Break("htu is another host", says: Self.url) { proof in
                let url = proof.claims["htu"]?.stringValue ?? ""
                proof.claims["htu"] = .string(url.replacing("dev.example", with: "evil.example"))
            },
            Break("htu is not HTTPS", says: Self.url) { proof in
                let url = proof.claims["htu"]?.stringValue ?? ""
                proof.claims["htu"] = .string(url.replacing("https:", with: "http:"))
            },
            Break("htu missing", says: "MFA-DPoP.htu is required") { $0.claims["htu"] = nil },
            Break("ath of another token", says: Self.hash) {
                $0.claims["ath"] = .string(Base64URL.encode(Samples.hashing.sha256([1])))
            },
            Break("ath missing", says: "MFA-DPoP.ath is required") { $0.claims["ath"] = nil },
            Break("iat a minute ago", says: clockAdvice("iat", -60)) { $0.claims["iat"] = JSONValue(now - 60) },
            Break("iat in a minute", says: clockAdvice("iat", 60)) { $0.claims["iat"] = JSONValue(now + 60) },
            Break("iat missing", says: "MFA-DPoP.iat is required") { $0.claims["iat"] = nil },
            Break("jti missing", says: "MFA-DPoP.jti is required") { $0.claims["jti"] = nil },
            Break("jti without end", says: "jti must have at most 256 bytes") {
                $0.claims["jti"] = .string(String(repeating: "x", count: 1000))
            },
        ])
    func refused(broken: Break) async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        let failure = try await deviceFailure { _ = try await fetch(fixture, id, broken.change) }
        #expect(failure.code == .invalidDPoPAssertion)
        let reason = broken.says.map { ": \($0)" } ?? ""
        #expect(failure.message == "The MFA-DPoP proof is not valid for this request\(reason)")
        #expect(try await fixture.made.database.auditLog("rich_consents_access").isEmpty)
        _ = try await fetch(fixture, id)
    }

    @Test(
        "Spellings of one meaning are accepted",
        arguments: [
            Break("fractional iat") { $0.claims["iat"] = JSONNumber(Double(now) + 0.123).map(JSONValue.number) },
            Break("a clock 59 s ahead") { $0.claims["iat"] = JSONValue(now + 59) },
            Break("a clock 59 s behind") { $0.claims["iat"] = JSONValue(now - 59) },
            Break("host in capitals, default port") { proof in
                let url = proof.claims["htu"]?.stringValue ?? ""
                proof.claims["htu"] = .string(url.replacing("https://dev.example", with: "HTTPS://DEV.example:443"))
            },
            Break("jwk with other annotations") { proof in
                guard case .object(var key) = try Keys.signer(.es256).publicKey.json else { return }
                key["kid"] = "mine"
                key["use"] = nil
                key["alg"] = nil
                proof.jwk = .object(key)
            },
        ])
    func accepted(variant: Break) async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        await #expect(throws: Never.self) { try await fetch(fixture, id, variant.change) }
    }

    @Test("A device uses a proof once, and may use its jti again after the proof has expired")
    func replay() async throws {
        let fixture = try await FlowFixture()
        let second = try Keys.signer(.es256, "second")
        try await fixture.enrol(Samples.device("dev_two", identifier: "PHONE-2", key: second.publicKey))
        let id = try await fixture.start().authReqID
        _ = try await fetch(fixture, id)
        let failure = try await deviceFailure { _ = try await fetch(fixture, id) }
        #expect(failure.code == .invalidDPoPAssertion)
        #expect(failure.message.hasSuffix(": jti was used before; make a proof for each request"))
        _ = try await fetch(fixture, id) { $0.claims["jti"] = "other" }
        _ = try await fetch(fixture, id, token: fixture.token(id, device: "dev_two")) {
            $0.key = "second"
        }
        fixture.clock.advance(by: .seconds(60))
        _ = try await fetch(fixture, id)
    }

    @Test("A used proof is kept for as long as it would be valid, whatever the phone's clock")
    func replayWhileValid() async throws {
        for skew in [-59, 0, 59] {
            let fixture = try await FlowFixture()
            let id = try await fixture.start().authReqID
            let iat = fixture.clock.now.seconds + Int64(skew)
            func fetch(_ identifier: String, issuedAt: Int64) async throws {
                _ = try await self.fetch(fixture, id) { proof in
                    proof.claims["jti"] = .string(identifier)
                    proof.claims["iat"] = JSONValue(issuedAt)
                }
            }
            try await fetch("first", issuedAt: iat)
            while fixture.clock.now.seconds < iat + 60 {
                try await fixture.made.store.sweepUsedTokens(endedBefore: fixture.clock.now)
                let failure = try await deviceFailure { try await fetch("first", issuedAt: iat) }
                #expect(failure.code == .invalidDPoPAssertion)
                fixture.clock.advance(by: .seconds(10))
            }
            try await fetch("second", issuedAt: fixture.clock.now.seconds + Int64(skew))
        }
    }

    @Test("A device's readings of one request leave one entry, and another device has its own")
    func oneEntry() async throws {
        let fixture = try await FlowFixture()
        let second = try Keys.signer(.es256, "second")
        try await fixture.enrol(Samples.device("dev_two", identifier: "PHONE-2", key: second.publicKey))
        let id = try await fixture.start().authReqID
        for number in 0..<10 { _ = try await fetch(fixture, id) { $0.claims["jti"] = .string("\(number)") } }
        try await fixture.allow(id)
        _ = try await fetch(fixture, id) { $0.claims["jti"] = "decided" }
        _ = try await fetch(fixture, id, token: fixture.token(id, device: "dev_two")) { $0.key = "second" }
        let log = try await fixture.made.database.auditLog("rich_consents_access")
        #expect(log.map(\.device) == ["dev_one", "dev_two"])
    }

    @Test("RFC 9449 11.1: a clock that jumps a day forward and back admits no used proof again")
    func replayAcrossJumps() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start(["requested_expiry": "300"]).authReqID
        _ = try await fetch(fixture, id) { $0.claims["jti"] = "kept" }
        fixture.clock.jump(by: .seconds(90_000))
        // The request has expired by this clock, so another one is read.
        let other = try await fixture.start().authReqID
        _ = try await fetch(fixture, other) { $0.claims["jti"] = "other" }
        fixture.clock.jump(by: .seconds(-90_000))
        let failure = try await deviceFailure { _ = try await fetch(fixture, id) { $0.claims["jti"] = "kept" } }
        #expect(failure.code == .invalidDPoPAssertion)
    }

    @Test("A transaction token opens only its own consent")
    func otherConsent() async throws {
        let fixture = try await FlowFixture()
        let mine = try await fixture.start().authReqID
        let other = try await fixture.start().authReqID
        let failure = try await deviceFailure {
            _ = try await fetch(fixture, mine) { proof in
                proof.path = fixture.consent(other)
                proof.claims["htu"] = .string("https://dev.example/rich-consents/\(fixture.consent(other))")
            }
        }
        #expect(failure.code == .consentNotFound)
        #expect(try await deviceFailure { _ = try await fetch(fixture, mine, token: "x.y.z") }.code == .invalidToken)
    }

    @Test("An expired request and a removed device show nothing")
    func gone() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start(["requested_expiry": "60"]).authReqID
        fixture.clock.advance(by: .seconds(60))
        #expect(try await deviceFailure { _ = try await fetch(fixture, id) }.code == .transactionExpired)
        let next = try await fixture.start().authReqID
        _ = try await fixture.enrollmentStore.remove(
            DeviceID("dev_one"), tenant: fixture.tenant.id,
            event: AuditEvent(.unenrolled, tenant: fixture.tenant.id, at: fixture.clock.now))
        #expect(try await deviceFailure { _ = try await fetch(fixture, next) }.code == .enrollmentNotFound)
    }
}
