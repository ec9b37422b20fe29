package import JOSE
package import Primitives

/// Proof in the `MFA-DPoP` field that the holder of a transaction token also holds the enrolled key. Its claims are
/// those of RFC 9449 clause 4.2.
package struct DPoPProof: Sendable, Equatable {
    package static let type = "dpop+jwt"
    /// Scheme of the `Authorization` field, and name of the field with the proof.
    package static let scheme = "MFA-DPoP"

    /// `htu`: the URL of the request without its query.
    package var url: String
    /// `htm`
    package var method: String
    /// `ath`: base64url of the token's SHA-256.
    package var accessTokenHash: String
    /// `jti`
    package var identifier: String
    package var issuedAt: Timestamp

    package init(
        url: String, method: String = "GET", accessToken: String, identifier: String, issuedAt: Timestamp,
        hashing: some Hashing
    ) {
        self.url = url
        self.method = method
        accessTokenHash = Self.hash(of: accessToken, hashing: hashing)
        self.identifier = identifier
        self.issuedAt = issuedAt
    }

    /// Reads the claims. The caller checks their signature, times and origin.
    package init(_ claims: Claims) throws(GuardianWireFailure) {
        let members = try Members(.object(claims.members), path: DPoPProof.scheme)
        url = try members.string("htu")
        method = try members.string("htm")
        accessTokenHash = try members.string("ath")
        identifier = try members.string("jti")
        issuedAt = try claims.required("iat", in: members)
    }

    /// Key in the proof's header. Throws if it is missing, no public key, or has private members.
    package static func key(in header: JSONObject) throws(GuardianWireFailure) -> JWK {
        guard let value = header["jwk"] else { throw .missing("jwk") }
        do { return try JWK(value) } catch { throw .invalid("jwk", expected: "a public key") }
    }

    package static func hash(of accessToken: String, hashing: some Hashing) -> String {
        Base64URL.encode(hashing.sha256(Array(accessToken.utf8)))
    }

    /// The JWT's payload.
    package var payload: [UInt8] {
        JSONWriter.object { writer in
            writer.member("htu", url)
            writer.member("htm", method)
            writer.member("ath", accessTokenHash)
            writer.member("jti", identifier)
            writer.member("iat", issuedAt.seconds)
        }
    }

    /// Signs the proof with the enrolled key, its public half in the header.
    package func signed(by signer: some Signer) throws -> String {
        try JWS.sign(payload, type: Self.type, extra: ["jwk": signer.publicKey.json], with: signer)
    }
}
