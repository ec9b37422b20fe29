import Primitives

/// Proves that a form was sent from a page of this server in the same browser (RFC 9700 clause 4.7): an HMAC over the
/// browser's binding cookie, which other sites neither know nor can set.
struct FormTokens: Sendable {
    /// 32 bytes that serve nothing else.
    let key: SecretBytes
    let hashing: any Hashing

    func token(binding: String) -> String {
        Base64URL.encode(hashing.hmac(.sha256, key: key.bytes, Array(binding.utf8)))
    }

    /// Proves that this browser was shown something. No binding has the line break of a header field's end, so this is
    /// never a form's token.
    func token(binding: String, shown subject: String) -> String { token(binding: "\(binding)\n\(subject)") }

    func accepts(_ token: String?, binding: String?) -> Bool {
        guard let token, let binding else { return false }
        return constantTimeEquals(Array(token.utf8), Array(self.token(binding: binding).utf8))
    }

    func accepts(_ token: String?, binding: String?, shown subject: String) -> Bool {
        accepts(token, binding: binding.map { "\($0)\n\(subject)" })
    }
}
