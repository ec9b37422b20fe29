package import AuthorizationCore
import Primitives

/// Challenges for authenticators: MACs over their purpose and the time, so none is stored before its use, which
/// `PasskeyStore` keeps.
package struct PasskeyChallenges: Sendable {
    /// Purpose of a challenge, and what it is bound to.
    package enum Purpose: Sendable {
        /// A phone registers a passkey.
        case phone(DeviceID)
        /// The account page registers one.
        case account(UserID, SessionID)
        /// Somebody logs in: the login, and the browser's binding cookie.
        case login(hash: [UInt8], browserHash: [UInt8])

        fileprivate var parts: [String] {
            switch self {
            case .phone(let id): ["phone", id.rawValue]
            case .account(let user, let session): ["account", user.rawValue, session.rawValue]
            case .login(let hash, let browser): ["login", Hex.encode(hash), Hex.encode(browser)]
            }
        }

        /// A login's page waits for a passkey as long as the login lasts.
        fileprivate var lifetime: Duration {
            switch self {
            case .phone, .account: .seconds(300)
            case .login: .seconds(LoginTransactions.lifetime)
            }
        }
    }

    private static let timeSize = 8

    /// 32 bytes without another use.
    let key: SecretBytes
    let hashing: any Hashing

    func challenge(for purpose: Purpose, tenant: TenantID, at now: Timestamp) -> [UInt8] {
        let time = (1...Self.timeSize).map { UInt8(truncatingIfNeeded: now.milliseconds >> (64 - 8 * $0)) }
        return time + mac(purpose.parts, tenant, time)
    }

    /// The proof that uses a challenge up. Nil for another purpose's, and for one of another time.
    func proof(
        of challenge: [UInt8], for purpose: Purpose, tenant: TenantID, at now: Timestamp
    ) -> UsedProof? {
        let time = Array(challenge.prefix(Self.timeSize))
        guard time.count == Self.timeSize,
            constantTimeEquals(Array(challenge.dropFirst(Self.timeSize)), mac(purpose.parts, tenant, time))
        else { return nil }
        let made = Timestamp(milliseconds: time.reduce(0) { $0 << 8 | Int64($1) })
        guard made <= now, now < made + purpose.lifetime else { return nil }
        return UsedProof(hash: hashing.sha256(challenge), expiresAt: made + purpose.lifetime)
    }

    /// The person's name for authenticators, which tells nobody else anything. A person with passkeys keeps theirs.
    func handle(of user: UserID, with passkeys: [OwnedPasskey], tenant: TenantID) -> [UInt8] {
        passkeys.first?.handle ?? mac(["handle", user.rawValue], tenant, [])
    }

    private func mac(_ parts: [String], _ tenant: TenantID, _ rest: [UInt8]) -> [UInt8] {
        hashing.hmac(.sha256, key: key.bytes, lengthPrefixed(parts + [tenant.rawValue]) + rest)
    }
}
