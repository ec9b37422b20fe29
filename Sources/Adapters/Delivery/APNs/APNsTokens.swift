import AuthorizationCore
import JOSE
import Primitives
import Synchronization

/// Tokens that name a developer team to Apple's push service, one for each key.
///
/// Apple refuses a token that is older than 60 minutes, and a new one that comes less than 20 minutes after the last.
final class APNsTokens: Sendable {
    /// Tenants may share a key, whose tokens Apple counts together.
    struct Name: Hashable {
        let teamID: String
        let keyID: String
        let key: JWK
    }

    private struct Token {
        enum State {
            case usual
            /// Apple refused the token.
            case refused
            /// The token is used again, because Apple does not take a newer one yet.
            case restored

            /// Age at which the token is replaced. Apple's clock may be ahead.
            var life: Duration {
                switch self {
                case .usual: .seconds(2400)
                case .refused: .seconds(1200)
                case .restored: .seconds(3500)
                }
            }
        }

        let text: String
        let issuedAt: Timestamp
        var state = State.usual

        /// A token of the future was made before the clock was set back. Apple would refuse it.
        func isUsable(_ now: Timestamp) -> Bool {
            let age = now - issuedAt
            return age > .seconds(-1) && age < state.life
        }
    }

    private struct Known {
        var token: Token
        /// Replaced by `token`. Nil if Apple refused it.
        var earlier: Token?
    }

    private let known = Mutex(BoundedTable<Name, Known>(limit: 1000))

    func token(_ name: Name, _ signer: any Signer, now: Timestamp) throws -> String {
        if let token = known.withLock({ $0[name] })?.token, token.isUsable(now) { return token.text }
        let claims = JSONWriter.object { writer in
            writer.member("iss", name.teamID)
            writer.member("iat", now.seconds)
        }
        let text = try JWS.sign(claims, type: nil, extra: ["kid": .string(name.keyID)], with: signer)
        return known.withLock { known in
            // Another task may have made one meanwhile.
            let earlier = known[name]?.token
            if let earlier, earlier.isUsable(now) { return earlier.text }
            known[name] = Known(
                token: Token(text: text, issuedAt: now),
                earlier: earlier.flatMap { $0.state == .refused ? nil : $0 })
            return text
        }
    }

    /// Notes that Apple refused the token. Returns true if the next one is new.
    func refused(_ text: String, of name: Name, now: Timestamp) -> Bool {
        known.withLock { known in
            guard var token = known[name]?.token, token.text == text else { return true }
            token.state = .refused
            known[name]?.token = token
            return !token.isUsable(now)
        }
    }

    /// Notes that the token came too soon after another. The one before it is used again if Apple still takes it.
    func cameTooSoon(_ text: String, of name: Name, now: Timestamp) {
        known.withLock { known in
            guard let both = known[name], both.token.text == text, var earlier = both.earlier else { return }
            earlier.state = .restored
            if earlier.isUsable(now) { known[name] = Known(token: earlier) }
        }
    }
}

extension APNsTokens.Name {
    /// Nil for a certificate.
    init?(_ credentials: APNsCredentials) {
        guard case .key(let signer, let keyID, let teamID) = credentials.proof else { return nil }
        self.init(teamID: teamID, keyID: keyID, key: signer.publicKey)
    }
}
