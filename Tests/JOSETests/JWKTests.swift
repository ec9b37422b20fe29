import JOSE
import OpenSSLCrypto
import Primitives
import Testing

@Suite("JSON Web Keys (RFC 7517)")
struct JWKTests {
    private let hashing = OpenSSLHashing()

    private static let modulus = """
        0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhM\
        stn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5\
        hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw
        """
    private static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
    private static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
    private static let okp = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"

    private func key(_ value: JSONValue) throws(JWK.Failure) -> JWK { try JWK(value) }

    @Test("RFC 7638 3.1 and RFC 8037 A.3: thumbprints")
    func thumbprints() throws {
        let rsa = try key(["kty": "RSA", "n": .string(Self.modulus), "e": "AQAB", "alg": "RS256", "kid": "2011-04-29"])
        #expect(Base64URL.encode(rsa.thumbprint(hashing)) == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        let okp = try key(["kty": "OKP", "crv": "Ed25519", "x": .string(Self.okp)])
        #expect(Base64URL.encode(okp.thumbprint(hashing)) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }

    @Test("RFC 7638 3: leading zero bytes of a modulus change neither key nor thumbprint")
    func leadingZeros() throws {
        let plain = try key(["kty": "RSA", "n": .string(Self.modulus), "e": "AQAB"])
        let bytes = try #require(Base64URL.decode(Self.modulus))
        let padded = try key([
            "kty": "RSA", "n": .string(Base64URL.encode([0, 0] + bytes)), "e": .string(Base64URL.encode([0, 1, 0, 1])),
        ])
        #expect(padded == plain && padded.isSameKey(as: plain))
        #expect(padded.thumbprint(hashing) == plain.thumbprint(hashing))
        #expect(padded.json == plain.json)
    }

    @Test("Private members are refused", arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func privateMembers(name: String) {
        var object: JSONObject = ["kty": "EC", "crv": "P-256", "x": .string(Self.x), "y": .string(Self.y)]
        object[name] = "AA"
        #expect(throws: JWK.Failure.privateMember(name)) { try key(.object(object)) }
    }

    static let malformed: [(JSONValue, JWK.Failure)] = [
        ("text", .notAnObject), ([], .notAnObject), ([:], .member("kty")), (["kty": 1], .member("kty")),
        (["kty": "oct"], .unsupportedKeyType("oct")), (["kty": "rsa"], .unsupportedKeyType("rsa")),
        (["kty": "EC", "x": .string(x), "y": .string(y)], .member("crv")),
        (["kty": "EC", "crv": "P-521", "x": .string(x), "y": .string(y)], .unsupportedCurve("P-521")),
        (["kty": "EC", "crv": "secp256k1", "x": .string(x), "y": .string(y)], .unsupportedCurve("secp256k1")),
        (["kty": "EC", "crv": "Ed25519", "x": .string(x), "y": .string(y)], .unsupportedCurve("Ed25519")),
        (["kty": "OKP", "crv": "P-256", "x": .string(x)], .unsupportedCurve("P-256")),
        (["kty": "OKP", "crv": "X25519", "x": .string(x)], .unsupportedCurve("X25519")),
        (["kty": "EC", "crv": "P-256", "y": .string(y)], .member("x")),
        (["kty": "EC", "crv": "P-256", "x": .string(x)], .member("y")),
        (["kty": "EC", "crv": "P-256", "x": .string(x), "y": ""], .member("y")),
        (["kty": "EC", "crv": "P-256", "x": .string(x + "AAAA"), "y": .string(y)], .member("x")),
        (["kty": "EC", "crv": "P-384", "x": .string(x), "y": .string(y)], .member("x")),
        (["kty": "EC", "crv": "P-256", "x": .string(x + "="), "y": .string(y)], .member("x")),
        (["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y), "kid": 7], .member("kid")),
        (["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y), "use": "enc"], .member("use")),
        // RFC 7517 4.3: other operations, a wrong type, or a contradiction to `use`.
        (["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y), "key_ops": ["encrypt"]], .member("key_ops")),
        (["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y), "key_ops": ["sign"]], .member("key_ops")),
        (["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y), "key_ops": []], .member("key_ops")),
        (["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y), "key_ops": "verify"], .member("key_ops")),
        (
            ["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y), "key_ops": ["verify", "verify"]],
            .member("key_ops")
        ),
        (
            [
                "kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y), "use": "sig",
                "key_ops": ["verify", "deriveKey"],
            ], .member("key_ops")
        ),
        (["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y), "alg": "ES384"], .member("alg")),
        (["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y), "alg": "RS256"], .member("alg")),
        (
            ["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y), "alg": "none"],
            .unsupportedAlgorithm("none")
        ),
        (["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y), "alg": nil], .member("alg")),
        (["kty": "RSA", "e": "AQAB"], .member("n")), (["kty": "RSA", "n": .string(modulus)], .member("e")),
        (["kty": "RSA", "n": .string(modulus), "e": "AQ"], .member("e")),
        (["kty": "RSA", "n": .string(modulus), "e": "AA"], .member("e")),
        (["kty": "RSA", "n": .string(modulus), "e": "Ag"], .member("e")),
        (["kty": "RSA", "n": .string(modulus), "e": "AQAAAAAAAAAB"], .member("e")),
        (["kty": "RSA", "n": "AQAB", "e": "AQAB"], .modulusSize(bits: 17)),
        (["kty": "RSA", "n": "AAAA", "e": "AQAB"], .modulusSize(bits: 0)),
    ]

    @Test("Invalid keys are refused with the reason", arguments: malformed)
    func refused(value: JSONValue, failure: JWK.Failure) {
        #expect(throws: failure) { try key(value) }
    }

    @Test(
        "RSA moduli have 2048 to 8192 bits",
        arguments: [(1024, false), (2047, false), (2048, true), (8192, true), (8193, false)])
    func modulusSize(bits: Int, isAccepted: Bool) throws {
        var bytes = [UInt8](repeating: 0xFF, count: (bits + 7) / 8)
        bytes[0] = 0xFF >> UInt8(bytes.count * 8 - bits)
        let value: JSONValue = ["kty": "RSA", "n": .string(Base64URL.encode(bytes)), "e": "AQAB"]
        if isAccepted {
            _ = try key(value)
        } else {
            #expect(throws: JWK.Failure.modulusSize(bits: bits)) { try key(value) }
        }
    }

    @Test("A key is written without private members and can be read back", arguments: JWSAlgorithm.allCases)
    func roundTrip(algorithm: JWSAlgorithm) throws {
        let written = try OpenSSLSigner.generate(algorithm: algorithm, keyID: "k").publicKey
        let names = written.json.objectValue?.members.map(\.name) ?? []
        #expect(Set(names).isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi"]))
        #expect(written.json["use"] == "sig" && written.json["alg"]?.stringValue == algorithm.rawValue)
        #expect(try JWK(written.json) == written)
    }

    @Test("RFC 7517 5: a set skips keys of unknown kinds")
    func unknownKinds() throws {
        let good: JSONValue = ["kty": "EC", "crv": "P-256", "x": .string(Self.x), "y": .string(Self.y), "kid": "a"]
        let set = try JWKSet(["keys": [["kty": "oct", "k": "AA"], good, ["kty": "new"], 5, ["kty": "RSA"]]])
        #expect(set.keys.map(\.keyID) == ["a"])
        #expect(try JWKSet(set.json) == set)
        #expect(throws: JWK.Failure.member("keys")) { try JWKSet([:]) }
        #expect(throws: JWK.Failure.member("keys")) { try JWKSet(["keys": [:]]) }
    }

    @Test("RFC 7517 5: a set tells of malformed keys, not of keys that are for something else")
    func malformedKeys() throws {
        let encryption: JSONValue = [
            "kty": "EC", "crv": "P-256", "x": .string(Self.x), "y": .string(Self.y), "use": "enc", "alg": "ECDH-ES",
        ]
        var reported: [Int] = []
        let set = try JWKSet([
            "keys": [
                encryption, ["kty": "OKP", "crv": "X25519", "x": .string(Self.x)], ["kty": "new"],
                ["kty": "EC", "crv": "P-256", "x": .string(Self.x)], ["kty": "oct", "k": "AA"],
            ]
        ]) { index, _ in reported.append(index) }
        #expect(set.keys.isEmpty && reported == [3, 4])
    }

    @Test("RFC 9864 2.2: Ed25519 is EdDSA with its key")
    func ed25519() throws {
        let signer = try OpenSSLSigner.generate(algorithm: .edDSA)
        var document = try #require(signer.publicKey.json.objectValue)
        document["alg"] = "Ed25519"
        let key = try JWK(.object(document))
        #expect(key.algorithm == .edDSA)
        let input = ["{\"alg\":\"Ed25519\"}", "{}"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
        let token = try input + "." + Base64URL.encode(signer.sign(Array(input.utf8)))
        let payload = try JWS(parsing: token).verified(by: key, allowed: [.edDSA], using: OpenSSLVerifier())
        #expect(payload == Array("{}".utf8))
        #expect(throws: JWS.Failure.algorithm("Ed448")) {
            try JWS(parsing: "\(Base64URL.encode(Array("{\"alg\":\"Ed448\"}".utf8))).e30.AA")
        }
    }

    @Test("A kid selects its key or none; without a kid the key must be unambiguous")
    func lookup() throws {
        let first = try OpenSSLSigner.generate(algorithm: .es256, keyID: "a").publicKey
        let second = try OpenSSLSigner.generate(algorithm: .es256, keyID: "b").publicKey
        let third = try OpenSSLSigner.generate(algorithm: .edDSA, keyID: "a").publicKey
        let set = JWKSet(keys: [first, second, third])
        #expect(set.key(id: "a", for: .es256) == first && set.key(id: "a", for: .edDSA) == third)
        #expect(set.key(id: "b", for: .es256) == second && set.key(id: "b", for: .edDSA) == nil)
        #expect(set.key(id: "c", for: .es256) == nil && set.key(id: "", for: .es256) == nil)
        #expect(set.key(id: nil, for: .es256) == nil)
        #expect(set.key(id: nil, for: .edDSA) == third)
        #expect(set.key(id: nil, for: .rs256) == nil && JWKSet(keys: []).key(id: nil, for: .es256) == nil)
    }
}
