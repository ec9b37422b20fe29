/// Says what bounds the number of an audit entry, since the log is never pruned and everybody shares its disk.
///
/// Every entry has one. Only `AuditBudgets` makes the charge of a budget and only `RefusalLog` that of a refusal; the
/// others name the bound that exists elsewhere. `AuditEvent.Kind.bounds` lists those of each kind.
package struct AuditCharge: Sendable, Equatable {
    package enum Bound: Sendable, Hashable {
        /// A budget of successes.
        case budget(AuditBudgets.Kind)
        /// The entries of refusals that one client, device or tenant may cause a minute.
        case refusal
        case once(Occasion)
        case limit(Limit)
        /// An operator at the command line.
        case `operator`
        /// The server's own work, such as a sweep.
        case server
    }

    /// A thing that causes an entry at most once, and that was counted or charged when it began.
    package enum Occasion: Sendable, Hashable {
        /// A backchannel request. Its decision, end and redemption happen once each.
        case request
        /// A stored login, which `logins_per_minute_per_address` counted.
        case login
        case code
        case ticket
        case session
        /// Tokens of one authorization, which are revoked once.
        case authorization
        /// A device's enrolment.
        case device
        /// A code of an authenticator, one for each device and time step.
        case oneTimePassword
        /// A recovery code, whose making was charged.
        case recoveryCode
        /// A try of the delivery queue, of which an entry has few.
        case delivery
    }

    /// A limit that counts the action itself.
    package enum Limit: Sendable, Hashable {
        /// `requests_per_minute_per_user`.
        case requestsOfUser
        /// `brute_force_protection`, which counts failed attempts and sign-ups.
        case bruteForce
        /// `logins_per_minute_per_address`.
        case logins
        /// `client_tokens_per_minute`.
        case clientTokens
        /// `management_requests_per_minute`.
        case managementRequests
        /// The pace of a tenant's jobs: users a minute, and the end of a job that a request made.
        case jobs
    }

    package let bound: Bound

    /// For `AuditBudgets` and `RefusalLog`.
    init(_ bound: Bound) { self.bound = bound }

    package static func once(_ occasion: Occasion) -> AuditCharge { AuditCharge(.once(occasion)) }

    package static func limited(by limit: Limit) -> AuditCharge { AuditCharge(.limit(limit)) }

    package static let server = AuditCharge(.server)

    /// Charge of an administrative change.
    package static func administration(by actor: AuditEvent.Actor) -> AuditCharge {
        switch actor {
        case .client, .person: .limited(by: .managementRequests)
        case .account: AuditCharge(.operator)
        case .system: .server
        }
    }
}
