package import ApprovalWire
package import AuthorizationCore
import Primitives

/// Secrets of a notification, derived from a key instead of stored: the transaction token, with which one device reads
/// and answers one request, and the challenge that it signs.
///
/// Both are HMACs over tenant, request, device and the digest of the request's record, so an answer to the challenge is
/// an answer to that very text. A phone that was away gets the same notification again although no secret is stored.
/// Neither is valid for another device, request or tenant. A decided request takes no second answer, so each is used
/// once.
package struct GuardianTransactionTokens: Sendable {
    /// Content of a transaction token whose MAC is right.
    package struct Transaction: Sendable, Equatable {
        package let consent: ConsentID
        package let device: DeviceID
        /// Digest of the record when the token was made.
        package let digest: RequestDigest
    }

    /// 32 bytes without another use.
    let key: SecretBytes
    let hashing: any Hashing

    /// `txtkn`: `consent.device.digest.mac`.
    package func token(of request: BackchannelRequest, device: DeviceID) -> String {
        token(tenant: request.tenant, consent: request.consentID, device: device, digest: request.digest)
    }

    package func token(tenant: TenantID, consent: ConsentID, device: DeviceID, digest: RequestDigest) -> String {
        "\(consent).\(device).\(digest)." + Base64URL.encode(mac("txtkn", tenant, consent, device, digest))
    }

    /// `c`.
    package func challenge(of request: BackchannelRequest, device: DeviceID) -> String {
        challenge(tenant: request.tenant, consent: request.consentID, device: device, digest: request.digest)
    }

    package func challenge(tenant: TenantID, consent: ConsentID, device: DeviceID, digest: RequestDigest) -> String {
        Base64URL.encode(mac("challenge", tenant, consent, device, digest))
    }

    /// Nil if this tenant did not make the token.
    package func transaction(of token: String, tenant: TenantID) -> Transaction? {
        guard token.utf8.count <= 512 else { return nil }
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4, let digest = RequestDigest(String(Substring(parts[2]))),
            let presented = Base64URL.decode(parts[3])
        else { return nil }
        let consent = ConsentID(String(Substring(parts[0])))
        let device = DeviceID(String(Substring(parts[1])))
        guard constantTimeEquals(presented, mac("txtkn", tenant, consent, device, digest)) else { return nil }
        return Transaction(consent: consent, device: device, digest: digest)
    }

    /// The right number of a request, or its place among the choices. It is derived, so that the record does not tell it.
    /// A login keeps its number in its progress, for the page.
    func derivedNumber(of request: BackchannelRequest, below count: Int) -> Int {
        let parts = lengthPrefixed(["matching", request.tenant.rawValue, request.consentID.rawValue])
        let mac = hashing.hmac(.sha256, key: key.bytes, parts + request.digest.bytes)
        let number = mac.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(number % UInt64(count))
    }

    private func mac(
        _ purpose: String, _ tenant: TenantID, _ consent: ConsentID, _ device: DeviceID, _ digest: RequestDigest
    ) -> [UInt8] {
        let parts = lengthPrefixed([purpose, tenant.rawValue, consent.rawValue, device.rawValue])
        return hashing.hmac(.sha256, key: key.bytes, parts + digest.bytes)
    }
}
