package import Audit
package import AuthorizationCore
package import Primitives

package protocol AttemptStore: Sendable {
    /// Counts a failed attempt against each key in turn, up to the first that then has more than its limit: attempts of
    /// an address beyond its own limit use up no other. Returns the count of each since `windowStart`. A count that began
    /// before that is forgotten as a whole.
    func countFailure(
        _ limits: [AttemptLimit], tenant: TenantID, now: Timestamp, windowStart: Timestamp, event: AuditEvent?
    ) async throws -> [Int]

    /// Takes an attempt back that was counted against each key, and that turned out to be no failure.
    func takeBackFailure(_ keys: [AttemptKey], tenant: TenantID, windowStart: Timestamp) async throws

    /// Failed attempts of each key since `windowStart`.
    func failures(_ keys: [AttemptKey], tenant: TenantID, windowStart: Timestamp) async throws -> [FailedAttempts]

    /// Forgets failed attempts; those at an account in all together with those from every address.
    func clearFailures(_ key: AttemptKey, tenant: TenantID) async throws
}

/// Failed attempts that count together.
package struct FailedAttempts: Sendable, Equatable {
    package let count: Int
    /// The first attempt: all are forgotten a window after it. Nil if there is none.
    package let beganAt: Timestamp?

    package init(count: Int, beganAt: Timestamp?) {
        self.count = count
        self.beganAt = beganAt
    }

    /// Seconds until the attempts are forgotten. `window` is in seconds.
    func wait(window: Int, now: Timestamp) -> Int {
        guard let beganAt else { return window }
        return max(1, Int(((beganAt + .seconds(window)) - now).milliseconds + 999) / 1000)
    }
}

/// Counts failed attempts to prove a user: against an address in all, then against an account from that address, then
/// against the account in all. Texts that name no account count the same, so that a block does not tell whether one exists.
struct AttemptCounter {
    typealias Secret = AttemptKey.Secret

    /// The limit that an attempt reached. Reported once, for the attempt that reached it.
    enum Block: String {
        /// The address, for all accounts.
        case addressInAll = "address in all"
        /// The account, from the address.
        case address
        case account

        var event: AuditEvent.Kind { self == .addressInAll ? .addressBlocked : .accountBlocked }
    }

    let store: any AttemptStore
    let context: RequestContext
    private let limits: AttemptLimits

    init(store: any AttemptStore, hashing: any Hashing, context: RequestContext) {
        self.store = store
        self.context = context
        limits = AttemptLimits(context, from: context.remoteAddress, hashing: hashing)
    }

    var address: String { limits.address }
    private var tenant: TenantID { context.tenant.id }
    private var settings: BruteForceProtection { context.tenant.settings.bruteForceProtection }

    /// Throws if no further attempt at one of the secrets is allowed.
    func check(_ secrets: Secret..., account: String) async throws {
        try await check(secrets.flatMap { limits.of($0, account) })
    }

    /// The same for attempts that count against the address alone.
    func checkAddress(_ secret: Secret) async throws { try await check([(.addressInAll, limits.ofAddress(secret))]) }

    private func check(_ all: [AttemptLimits.Limit]) async throws {
        let failed = try await store.failures(
            all.map(\.limit.key), tenant: tenant, windowStart: limits.windowStart)
        guard let (attempts, reached) = zip(failed, all).first(where: { $0.count >= $1.limit.limit }) else { return }
        let wait = attempts.wait(window: settings.window, now: context.now)
        switch reached.block {
        case .addressInAll: throw InteractionFailure.tooManyFromAddress(wait: wait)
        case .address, .account: throw InteractionFailure.tooManyAttempts(wait: wait)
        }
    }

    /// Counts a failed attempt. Returns the limit that it reached.
    func count(_ secret: Secret, account: String, event: AuditEvent?) async throws -> Block? {
        let all = limits.of(secret, account)
        let counts = try await count(all.map(\.limit), event: event)
        return zip(counts, all).reversed().first { $0 == $1.limit.limit }?.1.block
    }

    /// Counts an attempt before it is made, as a failed one. Returns the limit that it reached. Throws if a limit was
    /// reached before.
    func reserve(_ secret: Secret, account: String) async throws -> Block? {
        try await reserve(limits.of(secret, account))
    }

    /// The same for an attempt that counts against the address alone.
    func reserveAtAddress(_ secret: Secret) async throws {
        _ = try await reserve([(.addressInAll, limits.ofAddress(secret))])
    }

    private func reserve(_ all: [AttemptLimits.Limit]) async throws -> Block? {
        let counts = try await count(all.map(\.limit), event: nil)
        // An attempt beyond a limit is counted against no further key.
        guard zip(counts, all).allSatisfy({ $0 <= $1.limit.limit }) else {
            try await check(all)
            throw InteractionFailure.tooManyAttempts(wait: settings.window)
        }
        return zip(counts, all).reversed().first { $0 == $1.limit.limit }?.1.block
    }

    /// Takes a reserved attempt back that turned out to be no failure.
    func takeBack(_ secret: Secret, account: String) async throws {
        try await store.takeBackFailure(
            limits.of(secret, account).map(\.limit.key), tenant: tenant, windowStart: limits.windowStart)
    }

    /// Counts an attempt against its address alone.
    func countAtAddress(_ secret: Secret) async throws { _ = try await count([limits.ofAddress(secret)], event: nil) }

    /// Counts one more mail to an address that the person says is theirs. Few go to one mailbox, and few because of
    /// one network address. False if there were too many.
    func mayWrite(to email: EmailAddress, limit: Int) async throws -> Bool {
        let limits = [
            AttemptLimit(
                AttemptKey(.emailVerification, account: "", from: address, hashing: limits.hashing),
                settings.attemptsPerAddress),
            AttemptLimit(AttemptKey(.emailVerification, account: email.mailbox, hashing: limits.hashing), limit),
        ]
        return zip(try await count(limits, event: nil), limits).allSatisfy { $0 <= $1.limit }
    }

    private func count(_ limits: [AttemptLimit], event: AuditEvent?) async throws -> [Int] {
        try await store.countFailure(
            limits, tenant: tenant, now: context.now, windowStart: self.limits.windowStart, event: event)
    }

    /// Forgets the address's attempts at the account. The account's count stays, since others may be guessing at it, and
    /// so does the address's, since a person who guesses may have an account of their own.
    func forgive(_ secret: Secret, account: String) async throws {
        try await store.clearFailures(
            AttemptKey(secret, account: account, from: address, hashing: limits.hashing), tenant: tenant)
    }
}
