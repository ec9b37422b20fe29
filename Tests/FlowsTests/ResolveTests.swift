import Administration
import ApprovalWire
import Audit
import AuthorizationCore
import Configuration
import Flows
import GuardianWire
import JOSE
import OAuthWire
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("A device's answer")
struct ResolveTests {
    @Test("An answer signed with the enrolled key decides", arguments: [JWSAlgorithm.es256, .rs256], [true, false])
    func decides(algorithm: JWSAlgorithm, accepted: Bool) async throws {
        let fixture = try await FlowFixture(phone: false)
        let signer = try Keys.signer(algorithm)
        try await fixture.enrol(Samples.device(key: signer.publicKey))
        try await fixture.enrol(Samples.device("dev_two", identifier: "two"))
        let id = try await fixture.start().authReqID
        let told = fixture.signal.count
        try await fixture.resolve(
            id,
            try fixture.answer(id, accepted: accepted, signer: signer) { claims in
                if !accepted { claims["auth0_guardian_reason"] = "not me" }
            })
        #expect(try await fixture.stored(id).state == (accepted ? .approved : .denied))
        #expect(fixture.signal.count == told + 1, "the other devices are to be told")
        let log = try #require(
            try await fixture.made.database.auditLog("gd_auth_succeed", "gd_auth_rejected").first)
        #expect(log.kind == (accepted ? "gd_auth_succeed" : "gd_auth_rejected"))
        #expect(log.device == "dev_one")
        #expect(log.remoteAddress == FlowFixture.remote)
        let details = try JSONReader.parse(log.details)
        #expect(details["reason"]?.stringValue == (accepted ? nil : "not me"))
        #expect(details["request_digest"]?.stringValue == fixture.digests[id].description)
        #expect(details["evidence"]?.stringValue == "signed-challenge")
    }

    struct Break: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var type: String? = "JWT"
        var key = "a"
        /// Advice to a device that signed the answer.
        var says: String?
        let change: @Sendable (inout JSONObject) -> Void

        init(
            _ name: String, type: String? = "JWT", key: String = "a", says: String? = nil,
            _ change: @escaping @Sendable (inout JSONObject) -> Void = { _ in }
        ) {
            testDescription = name
            self.type = type
            self.key = key
            self.says = says
            self.change = change
        }
    }

    private static let now = Samples.start.seconds
    private static let issuer =
        "iss must be the device's identifier, as it enrolled or changed it, and not the enrolment's id"
    private static let challenge = "sub must be the challenge of this request's notification to this device"
    private static let life = "exp must be at most 31 s after iat"
    private static let audience = "aud must be https://dev.example/appliance-mfa/api/resolve-transaction"

    @Test(
        "Guardian: each check of a signed answer refuses its own fault, and advises only the signer",
        arguments: [
            Break("another key", key: "thief"),
            Break("typ missing", type: nil, says: "typ must be JWT"),
            Break("typ of a proof", type: "dpop+jwt", says: "typ must be JWT"),
            Break("iss is the enrolment", says: Self.issuer) { $0["iss"] = "dev_one" },
            Break("iss missing", says: "challenge_response.iss is required") { $0["iss"] = nil },
            Break("sub is another challenge", says: Self.challenge) { $0["sub"] = "AAAA" },
            Break("sub missing", says: "challenge_response.sub is required") { $0["sub"] = nil },
            Break("aud is another path", says: Self.audience) {
                $0["aud"] = "https://dev.example/appliance-mfa/api/enroll"
            },
            Break("aud is another host", says: Self.audience) {
                $0["aud"] = "https://evil.example/appliance-mfa/api/resolve-transaction"
            },
            Break("aud is not HTTPS", says: Self.audience) {
                $0["aud"] = "http://dev.example/appliance-mfa/api/resolve-transaction"
            },
            Break("aud missing", says: "challenge_response.aud is required") { $0["aud"] = nil },
            Break("exp − iat over 31 s", says: Self.life) { $0["exp"] = JSONValue(now + 32) },
            Break("exp missing", says: "challenge_response.exp is required") { $0["exp"] = nil },
            Break("iat missing", says: "challenge_response.iat is required") { $0["iat"] = nil },
            Break("a clock behind", says: clockAdvice("exp", -60)) { claims in
                claims["iat"] = JSONValue(now - 90)
                claims["exp"] = JSONValue(now - 60)
            },
            Break("a clock ahead", says: clockAdvice("iat", 200)) { claims in
                claims["iat"] = JSONValue(now + 200)
                claims["exp"] = JSONValue(now + 230)
            },
            Break("61 s ahead", says: clockAdvice("iat", 61)) { claims in
                claims["iat"] = JSONValue(now + 61)
                claims["exp"] = JSONValue(now + 91)
            },
            Break("nbf in the future", says: clockAdvice("nbf", 61)) {
                $0["nbf"] = JSONValue(now + 61)
            },
            Break("nbf is no number", says: "nbf must be a NumericDate") { $0["nbf"] = "now" },
            Break("iat is no number", says: "challenge_response.iat must be a NumericDate") { $0["iat"] = "now" },
            Break("method is not push", says: "challenge_response.auth0_guardian_method must be push") {
                $0["auth0_guardian_method"] = "otp"
            },
            Break("accepted is no boolean", says: "challenge_response.auth0_guardian_accepted must be a boolean") {
                $0["auth0_guardian_accepted"] = "true"
            },
            Break("accepted missing", says: "challenge_response.auth0_guardian_accepted is required") {
                $0["auth0_guardian_accepted"] = nil
            },
        ])
    func refused(broken: Break) async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        let answer = try fixture.answer(
            id, signer: Keys.signer(.es256, broken.key), type: broken.type, broken.change)
        let failure = try await deviceFailure { try await fixture.resolve(id, answer) }
        #expect(failure.code == .invalidChallenge)
        let reason = broken.says.map { ": \($0)" } ?? ""
        #expect(failure.message == "Invalid challenge_response\(reason)", "only who signed it learns more")
        #expect(try await fixture.stored(id).state == .pending)
        try await fixture.allow(id)
    }

    @Test(
        "Spellings of one meaning are accepted",
        arguments: [
            Break("fractional dates") { claims in
                claims["iat"] = JSONNumber(Double(now) + 0.25).map(JSONValue.number)
                claims["exp"] = JSONNumber(Double(now) + 30.25).map(JSONValue.number)
            },
            Break("a clock 59 s ahead") { claims in
                claims["iat"] = JSONValue(now + 59)
                claims["exp"] = JSONValue(now + 89)
            },
            Break("a clock 89 s behind") { claims in
                claims["iat"] = JSONValue(now - 89)
                claims["exp"] = JSONValue(now - 59)
            },
            Break("31 s of life") { $0["exp"] = JSONValue(now + 31) },
            Break("host in capitals, default port, slash") {
                $0["aud"] = "HTTPS://DEV.Example:443/appliance-mfa/api/resolve-transaction/"
            },
            Break("legacy base") { $0["aud"] = "https://dev.example/api/resolve-transaction" },
            Break("custom domain") { $0["aud"] = "https://login.example/appliance-mfa/api/resolve-transaction" },
            Break("typ in lower case", type: "jwt"),
        ])
    func accepted(variant: Break) async throws {
        let fixture = try await FlowFixture(tenant: Samples.tenant(hosts: ["dev.example", "login.example"]))
        let id = try await fixture.start().authReqID
        try await fixture.resolve(id, try fixture.answer(id, type: variant.type, variant.change))
        #expect(try await fixture.stored(id).state == .approved)
    }

    @Test("Unsigned, symmetric and unreadable answers are refused")
    func notSigned() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        let parts = try fixture.answer(id).split(separator: ".")
        for algorithm in ["none", "HS256", "RS256", "PS256"] {
            let header = Base64URL.encode(Array(#"{"alg":"\#(algorithm)","typ":"JWT"}"#.utf8))
            for signature in ["", String(parts[2])] {
                let failure = try await deviceFailure {
                    try await fixture.resolve(id, "\(header).\(parts[1]).\(signature)")
                }
                #expect(failure.code == .invalidChallenge)
                #expect(failure.message.hasSuffix(": alg must be RS256 or ES256, whichever the enrolled key is for"))
            }
        }
        for text in ["", "a.b.c", "{}"] {
            #expect(try await deviceFailure { try await fixture.resolve(id, text) }.code == .invalidChallenge)
        }
    }

    @Test("A changed identifier is the one that answers must name")
    func changedIdentifier() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        _ = try await fixture.enrollmentStore.update(
            DeviceID("dev_one"), tenant: fixture.tenant.id, with: DeviceAccountUpdate(identifier: "NEW"),
            event: AuditEvent(.deviceUpdated, tenant: fixture.tenant.id, at: fixture.clock.now))
        #expect(try await deviceFailure { try await fixture.allow(id) }.code == .invalidChallenge)
        try await fixture.resolve(id, try fixture.answer(id) { $0["iss"] = "NEW" })
    }

    // MARK: the transaction token

    @Test("A transaction token is valid only for its request, device and tenant")
    func tokens() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        let answer = try fixture.answer(id)
        let other = Samples.tenant("other")
        let token = fixture.token(id)
        let parts = token.split(separator: ".")
        let forged = [
            "", "x", "..", "\(parts[0]).dev_two.\(parts[2])", "cns_AAAAAAAAAAAAAAAAAAAAAA.\(parts[1]).\(parts[2])",
            token + "A", String(token.dropLast()), token + ".x",
            fixture.secrets.token(
                tenant: other.id, consent: fixture.consent(id), device: DeviceID("dev_one"),
                digest: fixture.digests[id]),
            fixture.challenge(id), String(repeating: "a", count: 600),
        ]
        for token in forged {
            let failure = try await deviceFailure { try await fixture.resolve(id, answer, token: token) }
            #expect(failure.code == .invalidToken)
        }
        let foreign = try await deviceFailure { try await fixture.resolve(id, answer, tenant: other) }
        #expect(foreign.code == .invalidToken)
        #expect(try await fixture.stored(id).state == .pending)
    }

    @Test("A second device's key answers with its own token and challenge, and with no other")
    func secondDevice() async throws {
        let fixture = try await FlowFixture()
        let second = try Keys.signer(.es256, "second")
        try await fixture.enrol(Samples.device("dev_two", identifier: "PHONE-2", key: second.publicKey))
        let id = try await fixture.start().authReqID
        func answer(challengeOf device: String) throws -> String {
            try fixture.answer(id, device: device, signer: second) { $0["iss"] = "PHONE-2" }
        }
        let crossed = try await deviceFailure {
            try await fixture.resolve(
                id, try answer(challengeOf: "dev_one"), token: fixture.token(id, device: "dev_two"))
        }
        #expect(crossed.code == .invalidChallenge)
        let borrowed = try await deviceFailure { try await fixture.resolve(id, try answer(challengeOf: "dev_two")) }
        #expect(borrowed.code == .invalidChallenge, "the token of the first needs the key of the first")
        try await fixture.resolve(id, try answer(challengeOf: "dev_two"), token: fixture.token(id, device: "dev_two"))
        #expect(try await fixture.stored(id).outcome?.device == DeviceID("dev_two"))
    }

    @Test("Another user's device decides nothing, even with a token that was made for it")
    func anotherUser() async throws {
        let fixture = try await FlowFixture()
        try await fixture.configurationStore.change {
            try $0.put(Samples.user("auth0|bob"), passwordHash: nil, in: TenantID("dev"))
        }
        try await fixture.enrol(Samples.device("dev_bob", user: "auth0|bob"))
        let id = try await fixture.start().authReqID
        let failure = try await deviceFailure {
            try await fixture.resolve(
                id, try fixture.answer(id, device: "dev_bob"), token: fixture.token(id, device: "dev_bob"))
        }
        #expect(failure.code == .loginTransactionNotFound)
    }

    @Test("A removed device decides nothing")
    func removedDevice() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        _ = try await fixture.enrollmentStore.remove(
            DeviceID("dev_one"), tenant: fixture.tenant.id,
            event: AuditEvent(.unenrolled, tenant: fixture.tenant.id, at: fixture.clock.now))
        let failure = try await deviceFailure { try await fixture.allow(id) }
        #expect(failure.code == .enrollmentNotFound)
    }

    // MARK: repetition and expiry

    @Test("A second answer is refused and changes nothing")
    func once() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        try await fixture.reject(id)
        let failure = try await deviceFailure { try await fixture.allow(id) }
        #expect(failure.code == .loginTransactionNotFound)
        #expect(try await fixture.stored(id).state == .denied)
    }

    @Test("Answers at once: exactly one decides")
    func racing() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        let decided = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<50 {
                group.addTask {
                    (try? await index % 2 == 0 ? fixture.allow(id) : fixture.reject(id)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(decided == 1)
    }

    @Test("No answer is accepted after the expiry, recorded or not", arguments: [false, true])
    func expired(isNoted: Bool) async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start(["requested_expiry": "60"]).authReqID
        fixture.clock.advance(by: .seconds(60))
        if isNoted {
            var cursor = SweepCursor()
            _ = try await fixture.made.store.sweep(&cursor, endedBefore: Samples.start, now: fixture.clock.now)
        }
        let failure = try await deviceFailure { try await fixture.allow(id) }
        #expect(failure.code == .transactionExpired)
        #expect(try await fixture.stored(id).state == (isNoted ? .expired : .pending))
    }

    @Test("A long reason is cut")
    func reason() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        try await fixture.resolve(
            id,
            try fixture.answer(id, accepted: false) {
                $0["auth0_guardian_reason"] = .string(String(repeating: "x", count: 1000))
            })
        let log = try await fixture.made.database.auditLog("gd_auth_rejected")
        let details = try JSONReader.parse(log.first?.details ?? "")
        #expect(details["reason"]?.stringValue == String(repeating: "x", count: 256))
    }
}
