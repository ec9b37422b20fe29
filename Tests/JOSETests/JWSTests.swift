import JOSE
import OpenSSLCrypto
import Primitives
import Testing

@Suite("JSON Web Signatures (RFC 7515)")
struct JWSTests {
    private let verifier = OpenSSLVerifier()

    private static func key(_ json: String) throws -> JWK { try JWK(JSONReader.parse(json)) }

    private static let a2Key = """
        {"kty":"RSA","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1\
        Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXB\
        dQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs\
        91kzk2PAcDTW9gb54h4FRWyuXpoQ"}
        """
    private static let a2Signature = """
        cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1d\
        nZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwu\
        sC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
        """
    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let a3Key = """
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        """
    private static let a3Signature =
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

    @Test("RFC 7515 A.2: RS256")
    func rs256() throws {
        let jws = try JWS(parsing: "eyJhbGciOiJSUzI1NiJ9.\(Self.payload).\(Self.a2Signature)")
        let payload = try jws.verified(by: Self.key(Self.a2Key), allowed: [.rs256], using: verifier)
        #expect(Claims(payload: payload)?.issuer == "joe")
        #expect(Claims(payload: payload)?.expires == Timestamp(seconds: 1_300_819_380))
    }

    @Test("RFC 7515 A.3: ES256")
    func es256() throws {
        let jws = try JWS(parsing: "eyJhbGciOiJFUzI1NiJ9.\(Self.payload).\(Self.a3Signature)")
        #expect(try !jws.verified(by: Self.key(Self.a3Key), allowed: [.es256], using: verifier).isEmpty)
    }

    @Test("RFC 8037 A.4: Ed25519")
    func ed25519() throws {
        let key = try Self.key(#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#)
        let jws = try JWS(
            parsing: "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIb"
                + "QR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg")
        let payload = try jws.verified(by: key, allowed: [.edDSA], using: verifier)
        #expect(String(decoding: payload, as: UTF8.self) == "Example of Ed25519 signing")
    }

    private func token(header: String, payload: String = "{}", signature: [UInt8] = [1]) -> String {
        [Array(header.utf8), Array(payload.utf8), signature].map { Base64URL.encode($0) }.joined(separator: ".")
    }

    @Test(
        "RFC 8725 3.1: none, HMAC and unknown algorithms do not exist",
        arguments: [
            "none", "None", "NONE", "HS256", "HS384", "HS512", "ES512", "PS512", "rs256", "", "RSA1_5", "ES256K",
        ])
    func algorithms(name: String) {
        for signature in [[], [1]] as [[UInt8]] {
            #expect(throws: JWS.Failure.algorithm(name)) {
                try JWS(parsing: token(header: #"{"alg":"\#(name)"}"#, signature: signature))
            }
        }
    }

    @Test(
        "RFC 7515 4.1.11: a critical extension is refused",
        arguments: [
            #"["exp"]"#, #"["b64"]"#, "[]", "null", "true", #""exp""#,
        ])
    func critical(value: String) {
        #expect(throws: JWS.Failure.critical) {
            try JWS(parsing: token(header: #"{"alg":"ES256","crit":\#(value),"exp":1,"b64":false}"#))
        }
    }

    @Test(
        "RFC 7515 4: a header that is not an object, repeats a member or has a wrong type is malformed",
        arguments: [
            "", "{", "[]", "null", "\"ES256\"", "{}", #"{"alg":null}"#, #"{"alg":256}"#, #"{"alg":["ES256"]}"#,
            #"{"alg":"none","alg":"ES256"}"#, #"{"alg":"ES256","\u0061lg":"none"}"#, #"{"alg":"ES256","kid":5}"#,
            #"{"alg":"ES256","kid":null}"#, #"{"alg":"ES256","typ":[]}"#, #"{"alg":"ES256"}x"#,
            #"{"alg":"ES256","a":[[[[[[[[[]]]]]]]]]}"#,
        ])
    func headers(header: String) {
        #expect(throws: JWS.Failure.malformed) { try JWS(parsing: token(header: header)) }
    }

    @Test("RFC 7515 5.2: the compact form is three canonical parts")
    func form() throws {
        let parts = ["eyJhbGciOiJFUzI1NiJ9", Self.payload, Self.a3Signature]
        let genuine = parts.joined(separator: ".")
        _ = try JWS(parsing: genuine)
        // The payload's last character has two bits that must be zero, the signature's four.
        let malformed = [
            "", ".", "..", "...", genuine + ".", "." + genuine, parts[0] + "." + parts[1], genuine + "=",
            genuine + "\n",
            " " + genuine, genuine.replacing("DtEh", with: "DtE+"), String(genuine.dropLast()) + "R",
            parts[0] + "=." + parts[1] + "." + parts[2], "\u{E9}" + genuine, genuine + ".AAAA.AAAA",
        ]
        for text in malformed { #expect(throws: JWS.Failure.malformed) { try JWS(parsing: text) } }
        #expect(throws: JWS.Failure.tooLong(limit: 100)) { try JWS(parsing: genuine, limit: 100) }
    }

    @Test("RFC 8725 3.1: the verifier's list and the key decide, never the header alone")
    func allowList() throws {
        let jws = try JWS(parsing: "eyJhbGciOiJFUzI1NiJ9.\(Self.payload).\(Self.a3Signature)")
        let key = try Self.key(Self.a3Key)
        #expect(throws: JWS.Failure.algorithm("ES256")) {
            try jws.verified(by: key, allowed: [], using: verifier)
        }
        #expect(throws: JWS.Failure.algorithm("ES256")) {
            try jws.verified(by: key, allowed: [.rs256, .edDSA, .es384], using: verifier)
        }
        #expect(throws: JWS.Failure.algorithm("ES256")) {
            try jws.verified(by: Self.key(Self.a2Key), allowed: [.es256, .rs256], using: verifier)
        }
        var bound = key
        bound.algorithm = .es384
        #expect(throws: JWS.Failure.algorithm("ES256")) {
            try jws.verified(by: bound, allowed: [.es256, .es384], using: verifier)
        }
        let other = try OpenSSLSigner.generate(algorithm: .es256).publicKey
        #expect(throws: JWS.Failure.signature) { try jws.verified(by: other, allowed: [.es256], using: verifier) }
    }

    @Test("A header or payload from another token does not verify")
    func splicing() throws {
        let signer = try OpenSSLSigner.generate(algorithm: .es256, keyID: "k")
        let first = try JWS.sign(Array("{\"sub\":\"a\"}".utf8), with: signer).split(separator: ".")
        let second = try JWS.sign(Array("{\"sub\":\"b\"}".utf8), type: "at+jwt", with: signer).split(separator: ".")
        for mixed in [
            [first[0], second[1], first[2]], [second[0], first[1], first[2]], [first[0], first[1], second[2]],
        ] {
            let jws = try JWS(parsing: mixed.joined(separator: "."))
            #expect(throws: JWS.Failure.signature) {
                try jws.verified(by: signer.publicKey, allowed: [.es256], using: verifier)
            }
        }
    }

    @Test("A signature's header has alg, typ, kid and the added members", arguments: JWSAlgorithm.allCases)
    func signing(algorithm: JWSAlgorithm) throws {
        let signer = try OpenSSLSigner.generate(algorithm: algorithm, keyID: "key-1")
        let token = try JWS.sign(Array("payload".utf8), type: "at+jwt", extra: ["jwk": ["a": 1]], with: signer)
        let jws = try JWS(parsing: token)
        #expect(jws.algorithm == algorithm && jws.keyID == "key-1" && jws.type == "at+jwt")
        #expect(jws.header["jwk"] == ["a": 1] && jws.header.count == 4)
        let payload = try jws.verified(by: signer.publicKey, allowed: [algorithm], using: verifier)
        #expect(payload == Array("payload".utf8))
        #expect(jws.unverifiedClaims == nil)
    }
}
