import GuardianWire
import JOSE
import Primitives
import X509

/// The rules of an assertion (WebAuthn Level 2, 7.2), which need no CBOR: its signed parts are JSON and 37 bytes.
extension ReceiptVerifier {
    func checkPasskey(_ evidence: ApprovalEvidence, _ digest: RequestDigest) throws(ReceiptFailure) {
        guard evidence.level == .userVerified else {
            guard evidence.passkey == nil else {
                throw ReceiptFailure(.level, "only a decision of the level user-verified has a passkey")
            }
            return
        }
        guard let passkey = evidence.passkey else {
            throw ReceiptFailure(.level, "a decision of the level user-verified has a passkey")
        }
        let assertion = passkey.assertion
        let client: PasskeyClientData
        do {
            client = try PasskeyClientData(parsing: assertion.clientDataJSON, of: .assertion)
        } catch {
            throw ReceiptFailure(.passkey, "\(error)")
        }
        guard let data = PasskeyAuthenticatorData(assertion.authenticatorData) else {
            throw ReceiptFailure(.passkey, "authenticator_data has less than 37 bytes")
        }
        guard isSigned(passkey) else {
            throw ReceiptFailure(.passkeySignature, "the assertion is not signed by the passkey's key")
        }
        guard client.challenge == digest.bytes else {
            throw ReceiptFailure(.passkeyChallenge, "the assertion's challenge is not the digest of the record")
        }
        guard data.relyingPartyHash == hashing.sha256(Array(passkey.relyingParty.utf8)),
            client.isOf(host: passkey.relyingParty)
        else { throw ReceiptFailure(.passkeyOrigin, "the assertion is not of the passkey's host") }
        guard data.isUserVerified else {
            throw ReceiptFailure(.passkeyUser, "the authenticator did not verify that the user was present")
        }
    }

    /// ES256 with a signature in DER, or RS256.
    private func isSigned(_ passkey: ApprovalEvidence.Passkey) -> Bool {
        let assertion = passkey.assertion
        let message = assertion.authenticatorData + hashing.sha256(assertion.clientDataJSON)
        if passkey.publicKey.allows(.es256) {
            guard let signature = ECDSASignature.concatenated(der: assertion.signature, size: 32) else { return false }
            return verifier.verify(signature, of: message, algorithm: .es256, key: passkey.publicKey)
        }
        return verifier.verify(assertion.signature, of: message, algorithm: .rs256, key: passkey.publicKey)
    }
}
