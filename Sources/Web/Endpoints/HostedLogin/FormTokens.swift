import Primitives

/// Proves that a form was sent from a page of this server in the same browser (RFC 9700 clause 4.7): an HMAC over the
/// browser's binding cookie, which other sites neither know nor can set.
struct FormTokens: Sendable {
    private let key: SecretBytes
    private let hashing: any Hashing

    /// `key` has 32 bytes and serves nothing else.
    init(key: SecretBytes, hashing: any Hashing) {
        self.key = key
        self.hashing = hashing
    }

    func token(binding: String) -> String {
        Base64URL.encode(hashing.hmac(.sha256, key: key.bytes, Array(binding.utf8)))
    }

    func accepts(_ token: String?, binding: String?) -> Bool {
        guard let token, let binding else { return false }
        return constantTimeEquals(Array(token.utf8), Array(self.token(binding: binding).utf8))
    }
}
