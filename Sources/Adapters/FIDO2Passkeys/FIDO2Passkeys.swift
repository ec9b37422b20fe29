package import AuthorizationCore
import CFIDO2
import JOSE
package import Primitives

/// Reads and verifies passkeys with libfido2.
package struct FIDO2Passkeys: PasskeyVerifier {
    /// Bytes of a credential id (WebAuthn Level 2, 7.1 step 17).
    private static let idRange = 16...1023
    /// SHA-256 of the relying party, flags and count (WebAuthn Level 2, 6.1).
    private static let headSize = 37

    private let hashing: any Hashing

    package init(hashing: any Hashing) { self.hashing = hashing }

    package func passkey(
        attestationObject: [UInt8], clientDataHash: [UInt8], relyingParty: String
    ) throws(PasskeyFailure) -> Passkey {
        guard let object = AttestationObject(attestationObject) else {
            throw PasskeyFailure("attestation_object must be the attestation object of navigator.credentials.create")
        }
        let data = object.authenticatorData
        // The name, the model and the size of the credential id are before the key, which is CBOR.
        let start = Self.headSize + 16 + 2
        guard data.count > start, let flags = AuthenticatorFlags(data), flags.contains(.attestedCredential),
            let items = CBORItem.all(of: data.dropFirst(start + Int(data[start - 2]) << 8 + Int(data[start - 1]))),
            items.first == .map
        else { throw PasskeyFailure("the authenticator data must have a credential") }
        try flags.check(extensions: items.dropFirst())
        guard let credential = Credential(data) else {
            throw PasskeyFailure("the passkey's key must be ES256 (-7) or RS256 of 2048 bits (-257)")
        }
        guard Self.idRange.contains(credential.id.count) else {
            throw PasskeyFailure("the credential id must have 16 to 1023 bytes")
        }
        guard hashing.sha256(Array(relyingParty.utf8)) == Array(data.prefix(32)) else {
            throw PasskeyFailure("the passkey must be for \(relyingParty)")
        }
        guard credential.isUserVerified else {
            throw PasskeyFailure("the authenticator must verify the user; ask with userVerification required")
        }
        switch object.format {
        // An empty map.
        case "none" where object.statement == [0xA0]: break
        case "packed":
            // WebAuthn Level 2, 8.2: "alg matches the algorithm of the credentialPublicKey".
            guard object.algorithm == credential.algorithm else {
                throw PasskeyFailure("the alg of the self attestation must be that of the passkey's key")
            }
            guard credential.isSelfAttested(by: object.statement, clientDataHash, relyingParty) else {
                throw PasskeyFailure("the self attestation does not verify; ask for the attestation none")
            }
        default: throw PasskeyFailure("the attestation must be none, or packed by the passkey itself")
        }
        return Passkey(
            id: credential.id, publicKey: JWK(material: credential.key), relyingParty: relyingParty,
            signCount: credential.signCount)
    }

    package func signCount(
        authenticatorData: [UInt8], signature: [UInt8], clientDataHash: [UInt8], by passkey: Passkey
    ) throws(PasskeyFailure) -> UInt32 {
        guard authenticatorData.count >= Self.headSize, let flags = AuthenticatorFlags(authenticatorData),
            !flags.contains(.attestedCredential),
            let items = CBORItem.all(of: authenticatorData.dropFirst(Self.headSize))
        else { throw PasskeyFailure("authenticator_data must be that of an assertion") }
        try flags.check(extensions: items[...])
        guard let assertion = Assertion(authenticatorData, signature, clientDataHash, passkey.relyingParty) else {
            throw PasskeyFailure("authenticator_data must be that of an assertion")
        }
        guard assertion.isSigned(by: passkey.publicKey.material) else {
            throw PasskeyFailure(
                "the assertion does not verify: it must be by the registered passkey, for this host, and of a verified user"
            )
        }
        return assertion.signCount
    }
}

/// A credential that libfido2 read from authenticator data.
private final class Credential {
    private var handle: OpaquePointer?
    let id: [UInt8]
    let key: JWK.Material
    /// COSE's number of the key's algorithm.
    let algorithm: CInt
    let signCount: UInt32

    /// Nil unless the data has a credential with one of both kinds of keys.
    init?(_ data: [UInt8]) {
        for algorithm in [COSE_ES256, COSE_RS256] {
            var handle = fido_cred_new()
            if fido_cred_set_type(handle, algorithm) == FIDO_OK,
                fido_cred_set_authdata_raw(handle, data, data.count) == FIDO_OK,
                let id = bytes(fido_cred_id_ptr(handle), fido_cred_id_len(handle)),
                let key = bytes(fido_cred_pubkey_ptr(handle), fido_cred_pubkey_len(handle)),
                let material = Self.material(key, algorithm)
            {
                self.handle = handle
                self.id = id
                self.key = material
                self.algorithm = algorithm
                signCount = fido_cred_sigcount(handle)
                return
            }
            fido_cred_free(&handle)
        }
        return nil
    }

    deinit { fido_cred_free(&handle) }

    /// The user was present, and was verified.
    var isUserVerified: Bool { fido_cred_flags(handle) & 0x05 == 0x05 }

    /// libfido2 gives coordinates of 32 bytes each, or a modulus of 256 bytes and an exponent of 3.
    private static func material(_ key: [UInt8], _ algorithm: CInt) -> JWK.Material? {
        switch (algorithm, key.count) {
        case (COSE_ES256, 64): .ec(curve: .p256, x: Array(key.prefix(32)), y: Array(key.suffix(32)))
        case (COSE_RS256, 259): .rsa(n: Array(key.prefix(256)), e: Array(key.suffix(3)))
        default: nil
        }
    }

    /// WebAuthn Level 2, 8.2: the credential's own key signed the statement.
    func isSelfAttested(by statement: [UInt8], _ clientDataHash: [UInt8], _ relyingParty: String) -> Bool {
        CBORBounds.hold(statement) && fido_cred_set_fmt(handle, "packed") == FIDO_OK
            && fido_cred_set_rp(handle, relyingParty, nil) == FIDO_OK
            && fido_cred_set_uv(handle, FIDO_OPT_TRUE) == FIDO_OK
            && fido_cred_set_clientdata_hash(handle, clientDataHash, clientDataHash.count) == FIDO_OK
            && fido_cred_set_attstmt(handle, statement, statement.count) == FIDO_OK
            && fido_cred_verify_self(handle) == FIDO_OK
    }
}

/// An assertion that libfido2 read.
private final class Assertion {
    private var handle: OpaquePointer?

    /// Nil unless the data can be read.
    init?(_ data: [UInt8], _ signature: [UInt8], _ clientDataHash: [UInt8], _ relyingParty: String) {
        handle = fido_assert_new()
        guard fido_assert_set_count(handle, 1) == FIDO_OK,
            fido_assert_set_clientdata_hash(handle, clientDataHash, clientDataHash.count) == FIDO_OK,
            fido_assert_set_rp(handle, relyingParty) == FIDO_OK,
            fido_assert_set_up(handle, FIDO_OPT_TRUE) == FIDO_OK,
            fido_assert_set_uv(handle, FIDO_OPT_TRUE) == FIDO_OK,
            fido_assert_set_authdata_raw(handle, 0, data, data.count) == FIDO_OK,
            fido_assert_set_sig(handle, 0, signature, signature.count) == FIDO_OK
        else { return nil }
    }

    deinit { fido_assert_free(&handle) }

    var signCount: UInt32 { fido_assert_sigcount(handle, 0) }

    func isSigned(by key: JWK.Material) -> Bool {
        switch key {
        case .ec(.p256, let x, let y):
            var key = es256_pk_new()
            defer { es256_pk_free(&key) }
            return es256_pk_from_ptr(key, x + y, x.count + y.count) == FIDO_OK
                && fido_assert_verify(handle, 0, COSE_ES256, UnsafeRawPointer(key)) == FIDO_OK
        case .rsa(let n, let e):
            var key = rs256_pk_new()
            defer { rs256_pk_free(&key) }
            let bytes = n + [UInt8](repeating: 0, count: max(0, 3 - e.count)) + e
            return rs256_pk_from_ptr(key, bytes, bytes.count) == FIDO_OK
                && fido_assert_verify(handle, 0, COSE_RS256, UnsafeRawPointer(key)) == FIDO_OK
        default: return false
        }
    }
}

private func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8]? {
    start.map { Array(UnsafeBufferPointer(start: $0, count: count)) }
}
