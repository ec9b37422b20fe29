import Audit
import AuthorizationCore
import Primitives

/// Counts failed attempts to prove who one is: against an address in all, then against an account from that address, then
/// against the account in all. What is not an account is counted the same, so that a block tells nothing.
struct AttemptCounter {
    typealias Secret = AttemptKey.Secret

    /// Which limit an attempt reached: told once, for the attempt that reached it.
    enum Block: String {
        /// The address, for all accounts.
        case addressInAll = "address in all"
        /// The account, from the address.
        case address
        case account

        var event: AuditEvent.Kind { self == .addressInAll ? .addressBlocked : .accountBlocked }
    }

    let store: any AccountStore
    let hashing: any Hashing
    let tenant: Tenant
    let now: Timestamp

    private var settings: BruteForceProtection { tenant.settings.bruteForceProtection }
    private var windowStart: Timestamp { now - .seconds(settings.window) }

    private func limit(_ secret: Secret, from address: String) -> AttemptLimit {
        AttemptLimit(AttemptKey(secret, from: address, hashing: hashing), settings.attemptsPerAddressInAll)
    }

    private func limits(_ secret: Secret, _ account: String, _ address: String) -> [(Block, AttemptLimit)] {
        [
            (.addressInAll, limit(secret, from: address)),
            (
                .address,
                AttemptLimit(
                    AttemptKey(secret, account: account, from: address, hashing: hashing), settings.attemptsPerAddress)
            ),
            (
                .account,
                AttemptLimit(AttemptKey(secret, account: account, hashing: hashing), settings.attemptsPerAccount)
            ),
        ]
    }

    /// Throws where no further attempt is allowed.
    func check(_ secret: Secret, account: String, address: String) async throws {
        let limits = limits(secret, account, address)
        let failed = try await store.failures(limits.map(\.1.key), tenant: tenant.id, windowStart: windowStart)
        guard let (attempts, (block, _)) = zip(failed, limits).first(where: { $0.count >= $1.1.limit }) else { return }
        let wait = attempts.wait(window: settings.window, now: now)
        switch block {
        case .addressInAll: throw InteractionFailure.tooManyFromAddress(wait: wait)
        case .address, .account: throw InteractionFailure.tooManyAttempts(wait: wait)
        }
    }

    func count(_ secret: Secret, account: String, address: String, event: AuditEvent?) async throws -> Block? {
        let limits = limits(secret, account, address)
        let counts = try await store.countFailure(
            limits.map(\.1), tenant: tenant.id, now: now, windowStart: windowStart, event: event)
        return zip(counts, limits).reversed().first { $0 == $1.1.limit }?.1.0
    }

    /// Counts what succeeded against its address alone.
    func countSuccess(_ secret: Secret, address: String) async throws {
        _ = try await store.countFailure(
            [limit(secret, from: address)], tenant: tenant.id, now: now, windowStart: windowStart, event: nil)
    }

    /// Whether one more letter may go to an address that somebody says is theirs: few go to one mailbox, and few
    /// because of one address.
    func mayWrite(to email: EmailAddress, from address: String, limit: Int) async throws -> Bool {
        let limits = [
            AttemptLimit(
                AttemptKey(.emailVerification, account: "", from: address, hashing: hashing),
                settings.attemptsPerAddress),
            AttemptLimit(AttemptKey(.emailVerification, account: email.mailbox, hashing: hashing), limit),
        ]
        let counts = try await store.countFailure(
            limits, tenant: tenant.id, now: now, windowStart: windowStart, event: nil)
        return zip(counts, limits).allSatisfy { $0 <= $1.limit }
    }

    /// Forgets what came from the address at the account. The account's count stays, since others may be guessing at it,
    /// and the address's, since whoever guesses may have an account of their own.
    func forgive(_ secret: Secret, account: String, address: String) async throws {
        try await store.clearFailures(
            AttemptKey(secret, account: account, from: address, hashing: hashing), tenant: tenant.id)
    }
}
