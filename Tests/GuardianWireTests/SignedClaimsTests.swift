import GuardianWire
import JOSE
import Primitives
import Testing

@Suite("Claims that devices sign")
struct SignedClaimsTests {
    static let now = Timestamp(seconds: 1_795_168_800)

    @Test("Challenge response: exact claims, a lifetime of 30 seconds")
    func challenge() throws {
        let response = ChallengeResponse(
            deviceIdentifier: "6F0C", challenge: "chl", audience: "https://h/api/resolve-transaction",
            issuedAt: Self.now, accepted: false, reason: "hacked")
        #expect(
            String(decoding: response.payload, as: UTF8.self)
                == #"{"iss":"6F0C","sub":"chl","aud":"https://h/api/resolve-transaction","iat":1795168800,"exp":1795168830,"auth0_guardian_method":"push","auth0_guardian_accepted":false,"auth0_guardian_reason":"hacked"}"#
        )
        let claims = try #require(Claims(payload: response.payload))
        #expect(try ChallengeResponse(claims) == response)
    }

    @Test("Challenge response: the digest of the shown record is the last claim")
    func digest() throws {
        let response = ChallengeResponse(
            deviceIdentifier: "6F0C", challenge: "chl", audience: "https://h/a", issuedAt: Self.now, accepted: true,
            requestDigest: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU")
        #expect(
            String(decoding: response.payload, as: UTF8.self)
                .hasSuffix(
                    #""auth0_guardian_accepted":true,"request_digest":"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"}"#))
        #expect(try ChallengeResponse(try #require(Claims(payload: response.payload))) == response)
    }

    @Test(
        "A reason is kept up to 256 scalars, and a blank one is dropped",
        arguments: [
            ("Too \u{65}\u{301}", "Too \u{65}\u{301}"), (" \n\u{2003}\u{3000}", nil), ("", nil),
            (String(repeating: "\u{301}", count: 300), String(repeating: "\u{301}", count: 256)),
            (String(repeating: " ", count: 256) + "x", nil),
        ])
    func reason(given: String, kept: String?) {
        let response = ChallengeResponse(
            deviceIdentifier: "i", challenge: "c", audience: "a", issuedAt: Self.now, accepted: false, reason: given)
        #expect(response.keptReason.map { Array($0.unicodeScalars) } == kept.map { Array($0.unicodeScalars) })
    }

    @Test("Guardian.swift signs NumericDates with fractions and escapes slashes; both are read")
    func fractions() throws {
        let text =
            #"{"iss":"i","sub":"c","aud":"https:\/\/h\/a","iat":1763640000.123,"exp":1763640030.123,"auth0_guardian_method":"push","auth0_guardian_accepted":true}"#
        let response = try ChallengeResponse(try #require(Claims(payload: Array(text.utf8))))
        #expect(response.audience == "https://h/a")
        #expect(response.issuedAt.milliseconds == 1_763_640_000_123)
        #expect(response.expires - response.issuedAt == .seconds(30))
    }

    @Test(
        "Missing or wrong claims are named",
        arguments: [
            (
                #"{"iss":"i","sub":"c","aud":"a","iat":1,"exp":"x"}"#,
                GuardianWireFailure.invalid("challenge_response.exp", expected: "a NumericDate")
            ),
            (
                #"{"iss":"i","sub":"c","aud":"a","iat":1,"exp":2,"auth0_guardian_method":"otp"}"#,
                .invalid("challenge_response.auth0_guardian_method", expected: "push")
            ),
            (
                #"{"iss":"i","sub":"c","aud":"a","iat":1,"exp":2,"auth0_guardian_method":"push","auth0_guardian_accepted":"true"}"#,
                .invalid("challenge_response.auth0_guardian_accepted", expected: "a boolean")
            ),
        ])
    func refused(payload: String, failure: GuardianWireFailure) throws {
        let claims = try #require(Claims(payload: Array(payload.utf8)))
        #expect(throws: failure) { try ChallengeResponse(claims) }
    }

    @Test("Device token: exact claims, a lifetime of 2 hours")
    func deviceToken() throws {
        let token = DeviceToken(enrollmentID: "dev_1", userID: "auth0|1", audience: "https://h/a", issuedAt: Self.now)
        #expect(
            String(decoding: token.payload, as: UTF8.self)
                == #"{"iss":"dev_1","sub":"auth0|1","aud":"https://h/a","iat":1795168800,"exp":1795176000}"#)
        #expect(try DeviceToken(try #require(Claims(payload: token.payload))) == token)
    }

    @Test("RFC 9449 4.2: a key in the proof's header has no private members")
    func proofKey() {
        let zeros = Base64URL.encode([UInt8](repeating: 7, count: 32))
        let key: JSONObject = ["kty": "EC", "crv": "P-256", "x": .string(zeros), "y": .string(zeros)]
        #expect(throws: Never.self) { try DPoPProof.key(in: ["jwk": .object(key)]) }
        var leaking = key
        leaking["d"] = .string(zeros)
        #expect(throws: GuardianWireFailure.self) { try DPoPProof.key(in: ["jwk": .object(leaking)]) }
        #expect(throws: GuardianWireFailure.missing("jwk")) { try DPoPProof.key(in: [:]) }
    }

    @Test("Error bodies: the four members, and a statusCode that is a string")
    func errors() throws {
        let body = GuardianErrorBody(
            statusCode: 404, error: "Not Found", message: "No such ticket", errorCode: .enrollmentTransactionNotFound)
        #expect(
            String(decoding: body.json, as: UTF8.self)
                == #"{"statusCode":404,"error":"Not Found","message":"No such ticket","errorCode":"enrollment_transaction_not_found"}"#
        )
        let text = String(decoding: body.json, as: UTF8.self).replacing("404", with: "\"404\"")
        #expect(try GuardianErrorBody(parsing: Array(text.utf8), status: 400) == body)
        #expect(throws: GuardianWireFailure.notJSON) {
            try GuardianErrorBody(parsing: Array("<html>".utf8), status: 502)
        }
    }

    @Test("Auth0-Client is the base64url of an object with name, version and platform")
    func telemetry() throws {
        let header = Auth0ClientHeader(name: "Phone", version: "1.9.0", environment: ["swift": "6.3"])
        let written = try #require(Base64URL.decode(header.fieldValue))
        #expect(
            String(decoding: written, as: UTF8.self)
                == #"{"name":"Phone","version":"1.9.0","env":{"swift":"6.3"}}"#)
    }
}
