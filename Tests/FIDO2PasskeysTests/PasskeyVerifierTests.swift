import AuthorizationCore
import FIDO2Passkeys
import GuardianWire
import JOSE
import Primitives
import TestSupport
import Testing

@Suite("Passkeys by libfido2")
struct PasskeyVerifierTests {
    private let verifier = FIDO2Passkeys(hashing: Samples.hashing)
    private let challenge = [UInt8](repeating: 7, count: 32)
    private let host = "id.shop.example"

    private func authenticator(
        _ algorithm: JWSAlgorithm = .es256, _ change: (inout SoftwareAuthenticator) -> Void = { _ in }
    ) throws -> SoftwareAuthenticator {
        var authenticator = try SoftwareAuthenticator(host: host, algorithm: algorithm)
        change(&authenticator)
        return authenticator
    }

    private func passkey(
        _ authenticator: SoftwareAuthenticator, isSelfAttested: Bool = false, changing: ([UInt8]) -> [UInt8] = { $0 }
    ) throws -> Passkey {
        let registration = try authenticator.registration(challenge, isSelfAttested: isSelfAttested)
        return try verifier.passkey(
            attestationObject: changing(registration.attestationObject),
            clientDataHash: Samples.hashing.sha256(registration.clientDataJSON), relyingParty: host)
    }

    private func signCount(
        _ authenticator: SoftwareAuthenticator, by passkey: Passkey, changing: ([UInt8]) -> [UInt8] = { $0 }
    ) throws -> UInt32 {
        let assertion = try authenticator.assertion(challenge)
        return try verifier.signCount(
            authenticatorData: changing(assertion.authenticatorData), signature: assertion.signature,
            clientDataHash: Samples.hashing.sha256(assertion.clientDataJSON), by: passkey)
    }

    @Test(
        "WebAuthn 8.2, 8.7: attestations none and by the passkey itself are accepted",
        arguments: [JWSAlgorithm.es256, .rs256], [false, true])
    func registered(algorithm: JWSAlgorithm, isSelfAttested: Bool) throws {
        let authenticator = try authenticator(algorithm) { $0.signCount = 3 }
        let passkey = try passkey(authenticator, isSelfAttested: isSelfAttested)
        #expect(passkey.id == authenticator.credentialID)
        #expect(passkey.publicKey.isSameKey(as: authenticator.signer.publicKey))
        #expect(passkey.relyingParty == host)
        #expect(passkey.signCount == 3)
        var next = authenticator
        next.signCount = 4
        #expect(try signCount(next, by: passkey) == 4)
    }

    @Test(
        "WebAuthn 7.1: a registration for another host, of an unverified or absent user, or of another key is refused")
    func refused() throws {
        let changes: [(inout SoftwareAuthenticator) -> Void] = [
            { $0.relyingParty = "id.other.example" }, { $0.flags = 0x01 }, { $0.flags = 0x04 }, { $0.flags = 0 },
            { $0.credentialID = [1] }, { $0.credentialID = [UInt8](repeating: 1, count: 1024) },
        ]
        for change in changes {
            let changed = try authenticator(.es256, change)
            #expect(throws: PasskeyFailure.self) { try passkey(changed) }
            #expect(throws: PasskeyFailure.self) { try passkey(changed, isSelfAttested: true) }
        }
        let edDSA = try authenticator(.edDSA)
        #expect(throws: PasskeyFailure.self) { try passkey(edDSA) }
    }

    @Test("WebAuthn 8: a self attestation by another key, and one of a manufacturer, are refused")
    func attestations() throws {
        let (own, other) = (try authenticator(), try SoftwareAuthenticator(host: host, name: "other"))
        let statement = try other.registration(challenge, isSelfAttested: true).attestationObject
        let data = own.authenticatorData(own.attestedCredential)
        for (format, statement) in [
            ("packed", CBOR.map([(CBOR.text("alg"), CBOR.int(-7)), (CBOR.text("sig"), CBOR.bytes([0x30, 0]))])),
            ("packed", statement), ("packed", CBOR.map([])), ("none", CBOR.map([(CBOR.int(1), CBOR.int(1))])),
            ("tpm", CBOR.map([])), ("android-key", CBOR.map([])), ("", CBOR.map([])),
        ] {
            let object = SoftwareAuthenticator.attestationObject(format, statement, data)
            #expect(throws: PasskeyFailure.self) { try passkey(own) { _ in object } }
        }
    }

    @Test("WebAuthn 7.2: an assertion by another key, for another host, or without a verified user is refused")
    func assertions() throws {
        let own = try authenticator()
        let passkey = try passkey(own)
        #expect(try signCount(own, by: passkey) == 0)
        for change: (inout SoftwareAuthenticator) -> Void in [
            { $0.relyingParty = "id.other.example" }, { $0.flags = 0x01 }, { $0.flags = 0x04 }, { $0.flags = 0x45 },
            { $0.flags = 0x85 },
        ] {
            let changed = try authenticator(.es256, change)
            #expect(throws: PasskeyFailure.self) { try signCount(changed, by: passkey) }
        }
        let other = try SoftwareAuthenticator(host: host, name: "other")
        #expect(throws: PasskeyFailure.self) { try signCount(other, by: passkey) }
        let rsa = try authenticator(.rs256)
        #expect(throws: PasskeyFailure.self) { try signCount(rsa, by: passkey) }
        #expect(throws: PasskeyFailure.self) { try signCount(own, by: passkey) { $0 + [0] } }
    }

    @Test("Extensions beside a credential and an assertion are read over")
    func extensions() throws {
        let own = try authenticator { $0.extensions = CBOR.map([(CBOR.text("credProtect"), CBOR.int(2))]) }
        let passkey = try passkey(own)
        let asserting = try authenticator { $0.extensions = CBOR.map([(CBOR.text("x"), CBOR.text("y"))]) }
        #expect(try signCount(asserting, by: passkey) == 0)
    }

    /// The text of the refusal of an attestation object.
    private func refusal(of data: [UInt8]) throws -> String {
        let object = SoftwareAuthenticator.attestationObject("none", CBOR.map([]), data)
        return try #require(throws: PasskeyFailure.self) { try passkey(authenticator()) { _ in object } }.description
    }

    @Test("WebAuthn Level 3 6.1.3: a passkey that cannot be backed up is not backed up")
    func backup() throws {
        for (flags, isGood) in [(UInt8(0x05), true), (0x0D, true), (0x1D, true), (0x15, false)] {
            let own = try authenticator { $0.flags = flags }
            #expect(isGood == ((try? passkey(own)) != nil))
            let registered = try passkey(try authenticator())
            #expect(isGood == ((try? signCount(own, by: registered)) != nil))
            let data = own.authenticatorData(own.attestedCredential)
            if !isGood { #expect(try refusal(of: data).contains("(BS)")) }
        }
    }

    @Test("WebAuthn Level 2 6.1: bytes follow the key only as announced extension data, and extension data follow then")
    func endOfData() throws {
        let own = try authenticator()
        let data = own.authenticatorData(own.attestedCredential)
        #expect(try refusal(of: data + CBOR.map([])).contains("more bytes than their flags announce"))
        #expect(try refusal(of: data + [0]).contains("more bytes than their flags announce"))
        let announcing = try authenticator { $0.flags = 0x85 }
        let head = announcing.authenticatorData(announcing.attestedCredential)
        for rest in [[], CBOR.int(1), CBOR.map([]) + CBOR.map([]), CBOR.map([]) + [0]] {
            #expect(try refusal(of: head + rest).contains("extension data (ED)"), "\(rest)")
        }
        let registered = try passkey(own)
        #expect(throws: PasskeyFailure.self) { try signCount(announcing, by: registered) }
        #expect(throws: PasskeyFailure.self) { try signCount(own, by: registered) { $0 + CBOR.map([]) } }
    }

    @Test("WebAuthn Level 2 8.2: alg of a self attestation is that of the credential's key")
    func algorithm() throws {
        for (algorithm, others) in [(JWSAlgorithm.es256, [-257, -8, -35, 7]), (.rs256, [-7, -37])] {
            let own = try authenticator(algorithm)
            let right = algorithm == .es256 ? -7 : -257
            _ = try passkey(own, isSelfAttested: true)
            for other in others {
                let failure = try #require(throws: PasskeyFailure.self) {
                    try passkey(own, isSelfAttested: true) { object in
                        Array(
                            object.replacing(
                                CBOR.text("alg") + CBOR.int(right), with: CBOR.text("alg") + CBOR.int(other)))
                    }
                }
                #expect(failure.description.contains("the alg of the self attestation"), "\(other)")
            }
        }
    }

    @Test("Each beginning of an attestation object and of authenticator data is refused, as is each with a byte more")
    func truncated() throws {
        let own = try authenticator()
        let registered = try passkey(own)
        let whole = try own.registration(challenge).attestationObject
        for count in 0..<whole.count {
            #expect(throws: PasskeyFailure.self) { try passkey(own) { Array($0.prefix(count)) } }
        }
        #expect(throws: PasskeyFailure.self) { try passkey(own) { $0 + [0] } }
        for count in 0..<37 {
            #expect(throws: PasskeyFailure.self) { try signCount(own, by: registered) { Array($0.prefix(count)) } }
        }
        // The same within a whole attestation object.
        let data = own.authenticatorData(own.attestedCredential)
        for count in 0..<data.count {
            let object = SoftwareAuthenticator.attestationObject("none", CBOR.map([]), Array(data.prefix(count)))
            #expect(throws: PasskeyFailure.self) { try passkey(own) { _ in object } }
        }
    }

    @Test("RFC 8949: a head that announces more than follows takes no memory, nor do nested arrays and tags")
    func announced() throws {
        let own = try authenticator()
        let registered = try passkey(own)
        let heads = [2, 3, 4, 5].flatMap { major in
            [UInt64(1) << 31, 1 << 40, 1 << 62, .max].map { CBOR.head(major, $0) }
        }
        let nested =
            [[0x9F], [0xBF], [0x5F, 0x41, 0, 0xFF]]
            + [0x81, 0xC0].map { [UInt8](repeating: $0, count: 4000) + [0] }
        for bytes in heads + nested {
            let prefix = [UInt8](repeating: 0, count: 16) + [0, 20] + own.credentialID
            let data = own.authenticatorData(prefix + bytes)
            for object in [bytes, SoftwareAuthenticator.attestationObject("none", CBOR.map([]), data)] {
                #expect(throws: PasskeyFailure.self) { try passkey(own) { _ in object } }
            }
            let statement = SoftwareAuthenticator.attestationObject(
                "packed", bytes, own.authenticatorData(own.attestedCredential))
            #expect(throws: PasskeyFailure.self) { try passkey(own) { _ in statement } }
            let asserting = try authenticator { $0.extensions = bytes }
            #expect(throws: PasskeyFailure.self) { try signCount(asserting, by: registered) }
        }
    }

    @Test("Mutated attestation objects never crash, and never become another's key with a valid self attestation")
    func mutated() throws {
        let own = try authenticator()
        let whole = try own.registration(challenge, isSelfAttested: true).attestationObject
        let random = SeededRandom(seed: 1)
        for _ in 0..<4_000 {
            var changed = whole
            for place in 0..<1 + Int(random.bytes(1)[0]) % 4 {
                let bytes = random.bytes(3)
                changed[(Int(bytes[0]) << 8 + Int(bytes[1]) + place) % changed.count] = bytes[2]
            }
            let read = try? passkey(own, isSelfAttested: true) { _ in changed }
            #expect(read == nil || read?.publicKey.isSameKey(as: own.signer.publicKey) == true)
        }
    }
}
