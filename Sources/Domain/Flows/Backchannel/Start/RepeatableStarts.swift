import AuthorizationCore
import OAuthWire
import Primitives

/// A client's key for a start, with the body that the client sent under it, as the store has them.
package struct StartKey: Sendable, Equatable {
    /// MAC over tenant, client and key. A copy of the database shows no key.
    package let hash: [UInt8]
    /// MAC over the parameters without those of client authentication.
    package let body: [UInt8]
}

/// A request that was started under a key and has not expired.
package struct EarlierStart: Sendable, Equatable {
    package let request: SealedRequest
    /// MAC over the parameters that came with the key.
    package let body: [UInt8]

    package init(request: SealedRequest, body: [UInt8]) {
        self.request = request
        self.body = body
    }
}

/// Derives the `auth_req_id` of a start under a key, so that a repetition gets it again although only its hash is
/// stored (decision 22).
package struct RepeatableStarts: Sendable {
    /// 32 bytes without another use.
    let key: SecretBytes
    let hashing: any Hashing

    /// `fields` are the values of the header `Idempotency-Key`. Nil if there are none.
    func start(_ call: Authenticated<Parameters>, under fields: [String]) throws(OAuthError) -> RepeatableStart? {
        guard let given = try IdempotencyKey(fields: fields) else { return nil }
        let owner = [call.tenant.id.rawValue, call.client.id.rawValue, given.text]
        let body = call.message.encoded(without: PresentedCredentials.parameterNames)
        return RepeatableStart(
            key: StartKey(
                hash: mac(.sha256, "key", owner),
                body: mac(.sha256, "body", [Hex.encode(hashing.sha256(Array(body.utf8)))])), owner: owner,
            starts: self)
    }

    /// The same for the same owner and time.
    fileprivate func authReqID(of owner: [String], at now: Timestamp) -> String {
        let secret = mac(.sha512, "auth_req_id", owner + [String(now.milliseconds)])
        return Identifiers.authReqID(secret: secret.prefix(Identifiers.authReqIDSecret), at: now)
    }

    fileprivate func hash(of authReqID: String) -> AuthReqIDHash { AuthReqIDHash(of: authReqID, hashing) }

    private func mac(_ algorithm: HashAlgorithm, _ purpose: String, _ parts: [String]) -> [UInt8] {
        hashing.hmac(algorithm, key: key.bytes, lengthPrefixed([purpose] + parts))
    }
}

/// One start under a key.
struct RepeatableStart: Sendable {
    /// The store has another `auth_req_id` than the one derived from the same row.
    private struct Underivable: Error {}

    let key: StartKey
    fileprivate let owner: [String]
    fileprivate let starts: RepeatableStarts

    func authReqID(at now: Timestamp) -> String { starts.authReqID(of: owner, at: now) }

    /// The `auth_req_id` of the earlier start. Throws `OAuthError` if the earlier start had another body.
    func authReqID(of earlier: EarlierStart) throws -> String {
        guard constantTimeEquals(key.body, earlier.body) else {
            throw OAuthError(
                .invalidRequest, "This Idempotency-Key was used for a request with other parameters; use a new key")
        }
        let authReqID = authReqID(at: earlier.request.createdAt)
        guard starts.hash(of: authReqID) == earlier.request.hash else { throw Underivable() }
        return authReqID
    }
}
