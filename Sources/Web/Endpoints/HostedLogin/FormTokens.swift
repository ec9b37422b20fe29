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

    // MARK: forms that work once

    /// Lifetime of a form that works once.
    private static let lifetime = Duration.seconds(3600)
    /// Time for which its use is kept longer, because clocks of nodes differ.
    private static let tolerance = Duration.seconds(300)

    /// A value for one form: its time, random bytes, and a MAC over both, the browser and the subject.
    func once(binding: String, shown subject: String, _ random: any RandomSource, now: Timestamp) -> String {
        let nonce = "\(now.milliseconds).\(Base64URL.encode(random.bytes(16)))"
        return "\(nonce).\(token(binding: binding, shown: "\(subject)\n\(nonce)"))"
    }

    /// The use of such a value, for the store. Nil for a value of another form, and for one that is too old.
    func use(
        of once: String?, binding: String?, shown subject: String, now: Timestamp
    ) -> (hash: [UInt8], end: Timestamp)? {
        guard let once, let dot = once.lastIndex(of: ".") else { return nil }
        let nonce = once[..<dot]
        guard accepts(String(once[once.index(after: dot)...]), binding: binding, shown: "\(subject)\n\(nonce)"),
            let made = Int64(nonce.prefix { $0 != "." }).map(Timestamp.init(milliseconds:)), now < made + Self.lifetime
        else { return nil }
        return (hashing.sha256(Array(once.utf8)), made + Self.lifetime + Self.tolerance)
    }

    func accepts(_ token: String?, binding: String?) -> Bool {
        guard let token, let binding else { return false }
        return constantTimeEquals(Array(token.utf8), Array(self.token(binding: binding).utf8))
    }

    func accepts(_ token: String?, binding: String?, shown subject: String) -> Bool {
        accepts(token, binding: binding.map { "\($0)\n\(subject)" })
    }
}
