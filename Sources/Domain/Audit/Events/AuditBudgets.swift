package import AuthorizationCore
package import Primitives

/// Budgets of what people and phones do successfully and can repeat, each a bucket on this node that refills within a
/// minute (`actions_per_minute`). A flow draws on one before it changes anything.
///
/// A person may have any number of sessions, phones and refresh tokens. So what these leave in the log draws on a budget
/// of the person, or many of them would multiply it.
package final class AuditBudgets: Sendable {
    /// A kind of budget, as metrics name it.
    package enum Kind: String, Sendable, CaseIterable {
        case user
        case device
        case phones
        case refreshTokens = "refresh_tokens"
    }

    package enum Actor: Sendable, Hashable {
        /// A person in browsers: logins, codes, consent, tickets.
        case user(UserID)
        /// A phone that reads, ten times as often: it reads all its requests whenever it is opened, and each leaves one
        /// entry.
        case device(DeviceID)
        /// All phones of a person together, in what they change.
        case phones(of: UserID)
        /// A phone that proved no key, apart from the person's phones: somebody else may have its opaque token.
        case keyless(DeviceID)
        /// All people whose address nobody has verified and who come from one address, ten times as often: one person
        /// can sign up as many.
        case unverified(from: CountedAddress)
        /// All refresh tokens of a person at one client.
        case refreshTokens(of: UserID, at: ClientID)

        package var kind: Kind {
            switch self {
            case .user: .user
            case .device: .device
            case .phones, .keyless: .phones
            case .unverified: .user
            case .refreshTokens: .refreshTokens
            }
        }
    }

    private static let manyFactor = 10

    /// The budget is used up. Nothing was changed.
    package struct Exceeded: Error, Sendable, Equatable {
        /// Actions a minute.
        package let limit: Int
        /// Seconds until one more fits.
        package let retryAfter: Int
        package let now: Timestamp
    }

    private struct Key: Hashable {
        let tenant: TenantID
        let actor: Actor
    }

    private let limit = RateLimit<Key>()
    private let refused = Kind.allCases.map { (kind: $0, count: Counter()) }

    package init() {}

    /// Refused actions since the start.
    package var refusals: [(kind: Kind, count: Int)] { refused.map { ($0.kind, $0.count.count) } }

    /// Pays for the entries of one action. If nobody has verified the address of `user`, those from the same network pay
    /// together, too.
    package func draw(
        on actor: Actor, of user: User?, _ context: RequestContext
    ) throws(Exceeded) -> AuditCharge {
        let charge = try draw(on: actor, context)
        if let user, user.email != nil, !user.emailVerified {
            _ = try draw(on: .unverified(from: CountedAddress(context.remoteAddress ?? "")), context)
        }
        return charge
    }

    /// Pays for the entries of one action.
    package func draw(on actor: Actor, _ context: RequestContext) throws(Exceeded) -> AuditCharge {
        let factor =
            switch actor {
            case .device, .unverified: Self.manyFactor
            case .user, .phones, .keyless, .refreshTokens: 1
            }
        let perMinute = context.tenant.settings.actionsPerMinute * factor
        let usage = limit.count(Key(tenant: context.tenant.id, actor: actor), limit: perMinute, now: context.now)
        guard usage.isExceeded else { return AuditCharge(.budget(actor.kind)) }
        for (kind, count) in refused where kind == actor.kind { count.increment() }
        throw Exceeded(limit: perMinute, retryAfter: usage.wait, now: context.now)
    }
}
