package import GuardianWire
package import JOSE
import OpenSSLCrypto
package import Primitives

/// An authenticator of WebAuthn Level 2 in software, whose every part a test may change.
package struct SoftwareAuthenticator: Sendable {
    package let signer: any Signer
    package var credentialID: [UInt8]
    package var relyingParty: String
    package var origin: String
    /// User present, user verified.
    package var flags: UInt8 = 0x05
    package var signCount: UInt32 = 0
    /// CBOR after the authenticator data, announced by its flag.
    package var extensions: [UInt8] = []
    /// Names the person (WebAuthn Level 3, 4: user handle).
    package var userHandle: [UInt8] = []
    package var clientDataMembers: JSONObject = [:]
    /// COSE key (RFC 9053).
    package var coseKey: [UInt8]

    package init(host: String, name: String = "passkey", algorithm: JWSAlgorithm = .es256) throws {
        self.init(host: host, signer: try Keys.signer(algorithm, name), name: name)
    }

    package init(host: String, signer: any Signer, name: String = "passkey") {
        self.signer = signer
        coseKey = Self.coseKey(signer.publicKey)
        credentialID = Array(Samples.hashing.sha256(Array("credential \(name)".utf8)).prefix(20))
        relyingParty = String(host.prefix { $0 != ":" })
        origin = "https://\(host)"
    }

    package func clientData(_ type: String, _ challenge: [UInt8]) -> [UInt8] {
        var members: JSONObject = [
            "type": .string(type), "challenge": .string(Base64URL.encode(challenge)), "origin": .string(origin),
            "crossOrigin": false,
        ]
        for (name, value) in clientDataMembers { members[name] = value }
        return JSONWriter.bytes(.object(members))
    }

    package func authenticatorData(_ credential: [UInt8] = []) -> [UInt8] {
        let all = flags | (credential.isEmpty ? 0 : 0x40) | (extensions.isEmpty ? 0 : 0x80)
        let count = withUnsafeBytes(of: signCount.bigEndian) { Array($0) }
        return Samples.hashing.sha256(Array(relyingParty.utf8)) + [all] + count + credential + extensions
    }

    /// AAGUID of zeros, the credential's id and its COSE key.
    package var attestedCredential: [UInt8] {
        let size = withUnsafeBytes(of: UInt16(credentialID.count).bigEndian) { Array($0) }
        return [UInt8](repeating: 0, count: 16) + size + credentialID + coseKey
    }

    private static func coseKey(_ key: JWK) -> [UInt8] {
        switch key.material {
        case .rsa(let n, let e):
            CBOR.map([
                (CBOR.int(1), CBOR.int(3)), (CBOR.int(3), CBOR.int(-257)), (CBOR.int(-1), CBOR.bytes(n)),
                (CBOR.int(-2), CBOR.bytes(e)),
            ])
        case .ec(_, let x, let y):
            CBOR.map([
                (CBOR.int(1), CBOR.int(2)), (CBOR.int(3), CBOR.int(-7)), (CBOR.int(-1), CBOR.int(1)),
                (CBOR.int(-2), CBOR.bytes(x)), (CBOR.int(-3), CBOR.bytes(y)),
            ])
        case .okp(let x):
            CBOR.map([
                (CBOR.int(1), CBOR.int(1)), (CBOR.int(3), CBOR.int(-8)), (CBOR.int(-1), CBOR.int(6)),
                (CBOR.int(-2), CBOR.bytes(x)),
            ])
        }
    }

    package func registration(
        _ challenge: [UInt8], isSelfAttested: Bool = false, type: String = "webauthn.create"
    ) throws -> PasskeyRegistration {
        let client = clientData(type, challenge)
        let data = authenticatorData(attestedCredential)
        let algorithm = signer.algorithm == .rs256 ? -257 : -7
        let statement =
            try isSelfAttested
            ? CBOR.map([
                (CBOR.text("alg"), CBOR.int(algorithm)),
                (CBOR.text("sig"), CBOR.bytes(signature(of: data + Samples.hashing.sha256(client)))),
            ]) : CBOR.map([])
        return PasskeyRegistration(
            clientDataJSON: client,
            attestationObject: Self.attestationObject(isSelfAttested ? "packed" : "none", statement, data))
    }

    package static func attestationObject(_ format: String, _ statement: [UInt8], _ data: [UInt8]) -> [UInt8] {
        CBOR.map([
            (CBOR.text("fmt"), CBOR.text(format)), (CBOR.text("attStmt"), statement),
            (CBOR.text("authData"), CBOR.bytes(data)),
        ])
    }

    package func assertion(_ challenge: [UInt8], type: String = "webauthn.get") throws -> PasskeyAssertion {
        let (client, data) = (clientData(type, challenge), authenticatorData())
        return PasskeyAssertion(
            credentialID: credentialID, clientDataJSON: client, authenticatorData: data,
            signature: try signature(of: data + Samples.hashing.sha256(client)))
    }

    /// Answer to a login page, as its script sends it.
    package func loginAnswer(_ challenge: [UInt8], type: String = "webauthn.get") throws -> PasskeyLoginAnswer {
        PasskeyLoginAnswer(assertion: try assertion(challenge, type: type), userHandle: userHandle)
    }

    /// WebAuthn Level 2, 6.5.5: a signature of ES256 is in DER.
    private func signature(of message: [UInt8]) throws -> [UInt8] {
        let signature = try signer.sign(message)
        return signer.algorithm == .es256 ? DER.signature(signature) : signature
    }
}

/// Writes ECDSA signatures as RFC 3279 clause 2.2.3 says.
package enum DER {
    package static func signature(_ concatenated: [UInt8]) -> [UInt8] {
        let half = concatenated.count / 2
        let numbers = [concatenated.prefix(half), concatenated.suffix(half)].flatMap { number in
            let bytes = Array(number.drop { $0 == 0 })
            let padded = bytes.first.map { $0 >= 0x80 } ?? true ? [0] + bytes : bytes
            return [0x02, UInt8(padded.count)] + padded
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }
}

/// Writes the parts of CBOR (RFC 8949) that authenticators need.
package enum CBOR {
    package static func head(_ major: UInt8, _ value: UInt64) -> [UInt8] {
        func bytes(_ additional: UInt8, _ value: some FixedWidthInteger) -> [UInt8] {
            [major << 5 | additional] + withUnsafeBytes(of: value.bigEndian) { Array($0) }
        }
        return switch value {
        case ..<24: [major << 5 | UInt8(value)]
        case ..<0x100: bytes(24, UInt8(value))
        case ..<0x1_0000: bytes(25, UInt16(value))
        case ..<0x1_0000_0000: bytes(26, UInt32(value))
        default: bytes(27, value)
        }
    }

    package static func int(_ value: Int) -> [UInt8] {
        value < 0 ? head(1, UInt64(-1 - value)) : head(0, UInt64(value))
    }
    package static func bytes(_ value: [UInt8]) -> [UInt8] { head(2, UInt64(value.count)) + value }
    package static func text(_ value: String) -> [UInt8] { head(3, UInt64(value.utf8.count)) + Array(value.utf8) }
    package static func map(_ pairs: [(name: [UInt8], value: [UInt8])]) -> [UInt8] {
        head(5, UInt64(pairs.count)) + pairs.flatMap { $0.name + $0.value }
    }
}
