package import GuardianWire
package import JOSE
import Primitives

extension ApprovalEvidence {
    /// An assertion as it came, with the passkey's key and host.
    package struct Passkey: Sendable, Equatable {
        /// Host to which the passkey is bound (WebAuthn: RP ID).
        package let relyingParty: String
        package let publicKey: JWK
        package let assertion: PasskeyAssertion

        package init(relyingParty: String, publicKey: JWK, assertion: PasskeyAssertion) {
            self.relyingParty = relyingParty
            self.publicKey = publicKey
            self.assertion = assertion
        }
    }
}

extension ApprovalEvidence.Passkey {
    init(_ members: ApprovalMembers) throws(ApprovalFailure) {
        relyingParty = try members.string("rp_id")
        publicKey = try members.publicKey("jwk")
        assertion = PasskeyAssertion(
            credentialID: try members.bytes("credential_id"), clientDataJSON: try members.bytes("client_data_json"),
            authenticatorData: try members.bytes("authenticator_data"), signature: try members.bytes("signature"))
    }

    func write(to writer: inout JSONWriter) {
        writer.member("rp_id", relyingParty)
        writer.member("jwk", publicKey.json)
        assertion.write(to: &writer)
    }
}
