package import AuthorizationCore
import JSONSchema

extension RefreshTokenPolicy: Described {
    /// Maximum token lifetime in seconds: a year.
    package static let longestLifetime = 31_557_600

    private enum RotationType: String, CaseIterable {
        case rotating
        case nonRotating = "non-rotating"
    }

    private enum ExpirationType: String, CaseIterable {
        case expiring
        case nonExpiring = "non-expiring"
    }

    /// Fields of Auth0's `refresh_token` of an application. Tokens without expiry get the maximum lifetime.
    package static let fields = Fields<RefreshTokenPolicy> {
        Field(
            "rotation_type", protects: .nothing,
            FieldType<RotationType>.choice.mapped({ $0 == .rotating }, { $0 ? .rotating : .nonRotating }), \.rotates,
            "`rotating`: each use returns a new token and revokes the old one"
        ).preset("`rotating` for public clients")
        Field(
            "leeway", protects: .nothing, .digits(0...86_400), \.leeway,
            "Seconds for which the previous token may be used again without counting as stolen")
        Field(
            "token_lifetime", protects: .nothing, .digits(1...RefreshTokenPolicy.longestLifetime), \.lifetime,
            "Lifetime of the first token and its successors in seconds"
        ).preset("the tenant's `refresh_token_lifetime`")
        Field(
            "idle_token_lifetime", protects: .nothing, .digits(1...RefreshTokenPolicy.longestLifetime), \.idleLifetime,
            "Maximum idle time of a token in seconds, at most `token_lifetime`"
        ).preset("no limit")
        Field(
            "infinite_token_lifetime", protects: .nothing, .boolean,
            "`true`: a year (\(RefreshTokenPolicy.longestLifetime) seconds), the maximum",
            read: { fields, policy, _ in
                if fields.flag("infinite_token_lifetime") == true { policy.lifetime = longestLifetime }
            }
        ).preset("`false`")
        Field(
            "infinite_idle_token_lifetime", protects: .nothing, .boolean,
            "`true`: no idle limit; overrides `idle_token_lifetime`",
            read: { fields, policy, _ in
                if fields.flag("infinite_idle_token_lifetime") == true { policy.idleLifetime = nil }
            }
        ).preset("`false`")
        Field(
            "expiration_type", protects: .nothing, .choice(ExpirationType.allCases.map(\.rawValue)),
            words: "`expiring` or `non-expiring`",
            "`non-expiring` sets both of these",
            read: { fields, policy, _ in
                guard fields.choice("expiration_type", of: ExpirationType.self) == .nonExpiring else { return }
                policy.lifetime = longestLifetime
                policy.idleLifetime = nil
            }
        ).preset("`expiring`")
    }

    /// Checks fields against each other.
    static func settle(_ policy: inout RefreshTokenPolicy, _ fields: DocumentFields) {
        if let lifetime = policy.lifetime, let idle = policy.idleLifetime, idle > lifetime {
            fields.problem("idle_token_lifetime", "must not be longer than token_lifetime, \(lifetime)")
        }
    }
}
