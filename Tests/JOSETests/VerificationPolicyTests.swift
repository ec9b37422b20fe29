import JOSE
import Primitives
import Testing

@Suite("Verification of claims (RFC 7519)")
struct VerificationPolicyTests {
    private static let now = Timestamp(seconds: 1_800_000_000)

    private func check(
        _ changes: [(String, JSONValue?)] = [], type: String? = "JWT",
        _ adjust: (inout VerificationPolicy) -> Void = { _ in }
    ) throws(VerificationPolicy.Failure) {
        var object: JSONObject = [
            "iss": "https://a/", "sub": "u", "aud": "x", "iat": .init(Self.now.seconds),
            "exp": .init(Self.now.seconds + 60),
        ]
        for (name, value) in changes { object[name] = value }
        var policy = VerificationPolicy()
        policy.leeway = .seconds(10)
        adjust(&policy)
        try policy.check(Claims(object), type: type, now: Self.now)
    }

    private func at(_ offset: Int64) -> JSONValue { .init(Self.now.seconds + offset) }

    @Test("RFC 7519 4.1.4: the token ends at exp, give or take the leeway")
    func expiry() throws {
        try check([("exp", at(-9))])
        #expect(throws: VerificationPolicy.Failure.expired) { try check([("exp", at(-10))]) }
        #expect(throws: VerificationPolicy.Failure.missing("exp")) { try check([("exp", nil)]) }
        try check([("exp", nil)]) { $0.requiresExpiry = false }
    }

    @Test("RFC 7519 4.1.5, 4.1.6: a token is refused before nbf or if issued in the future")
    func beginnings() throws {
        try check([("nbf", at(10))])
        #expect(throws: VerificationPolicy.Failure.notYetValid) { try check([("nbf", at(11))]) }
        try check([("iat", at(10))])
        #expect(throws: VerificationPolicy.Failure.issuedInTheFuture) { try check([("iat", at(11))]) }
        #expect(throws: VerificationPolicy.Failure.missing("iat")) { try check([("iat", nil)]) }
    }

    @Test("An unreadable date is refused, not ignored", arguments: ["exp", "iat", "nbf"])
    func malformedDates(name: String) {
        for value in ["1800000000", "", true, nil, [], 1_000_000_000_000] as [JSONValue] {
            #expect(throws: VerificationPolicy.Failure.malformed(name)) {
                try check([(name, value)]) { policy in
                    policy.requiresExpiry = false
                    policy.requiresIssuedAt = false
                }
            }
        }
    }

    @Test("RFC 7519 2: NumericDates may have a fraction")
    func fractions() throws {
        let claims = try #require(
            Claims(payload: Array(#"{"iat":1700000000.5,"exp":1.7e9,"nbf":-1.25,"far":1e400,"text":"5"}"#.utf8)))
        #expect(claims.issuedAt == Timestamp(milliseconds: 1_700_000_000_500))
        #expect(claims.expires == Timestamp(seconds: 1_700_000_000))
        #expect(claims.notBefore == Timestamp(milliseconds: -1250))
        #expect(claims.date("far") == nil && claims.date("text") == nil && claims.date("none") == nil)
    }

    @Test("Issuer, subject, audience and type must be the expected ones")
    func names() throws {
        try check([("aud", ["y", "x"])], type: "At+JWT") { policy in
            policy.issuers = ["https://a/"]
            policy.subject = "u"
            policy.audiences = ["x", "z"]
            policy.types = ["at+jwt"]
        }
        #expect(throws: VerificationPolicy.Failure.issuer) { try check { $0.issuers = ["https://a"] } }
        #expect(throws: VerificationPolicy.Failure.issuer) { try check([("iss", 5)]) { $0.issuers = ["5"] } }
        #expect(throws: VerificationPolicy.Failure.subject) { try check { $0.subject = "v" } }
        #expect(throws: VerificationPolicy.Failure.audience) { try check { $0.audiences = ["y"] } }
        for audience in [nil, [], [5], ["x", 5], 5] as [JSONValue?] {
            #expect(throws: VerificationPolicy.Failure.audience) {
                try check([("aud", audience)]) { $0.audiences = ["x"] }
            }
        }
        #expect(throws: VerificationPolicy.Failure.type("JWT")) { try check { $0.types = ["at+jwt"] } }
        #expect(throws: VerificationPolicy.Failure.type(nil)) { try check(type: nil) { $0.types = ["at+jwt"] } }
    }

    @Test("Age and lifetime are limited if the policy says so")
    func ages() throws {
        try check([("iat", at(-40))]) { $0.maximumAge = .seconds(30) }
        #expect(throws: VerificationPolicy.Failure.tooOld) {
            try check([("iat", at(-41))]) { $0.maximumAge = .seconds(30) }
        }
        try check { $0.maximumLifetime = .seconds(60) }
        #expect(throws: VerificationPolicy.Failure.lifetime) { try check { $0.maximumLifetime = .seconds(59) } }
    }

    @Test(
        "A payload that is not an object, or repeats a claim, is refused",
        arguments: [
            "", "[]", "null", "\"x\"", #"{"sub":"a","sub":"b"}"#, "{", "{}{}",
        ])
    func payloads(text: String) { #expect(Claims(payload: Array(text.utf8)) == nil) }
}
