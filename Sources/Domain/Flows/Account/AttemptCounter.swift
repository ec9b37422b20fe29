import AuthorizationCore
import Primitives

/// Counts failed attempts to prove who one is: against an account from one address, then against the account in all.
/// What is not an account is counted the same, so that a block tells nothing.
struct AttemptCounter {
    typealias Secret = AttemptKey.Secret

    /// Which limit an attempt reached: told once, for the attempt that reached it.
    enum Block: String {
        case address, account
    }

    let store: any AccountStore
    let hashing: any Hashing
    let tenant: Tenant
    let now: Timestamp

    private var settings: BruteForceProtection { tenant.settings.bruteForceProtection }
    private var windowStart: Timestamp { now - .seconds(settings.window) }

    private func limits(_ secret: Secret, _ account: String, _ address: String) -> [AttemptLimit] {
        [
            AttemptLimit(
                AttemptKey(secret, account: account, from: address, hashing: hashing), settings.attemptsPerAddress),
            AttemptLimit(AttemptKey(secret, account: account, hashing: hashing), settings.attemptsPerAccount),
        ]
    }

    /// Throws where no further attempt is allowed.
    func check(_ secret: Secret, account: String, address: String) async throws {
        let limits = limits(secret, account, address)
        let counts = try await store.failures(limits.map(\.key), tenant: tenant.id, windowStart: windowStart)
        if zip(counts, limits).contains(where: { $0 >= $1.limit }) {
            throw InteractionFailure.tooManyAttempts(window: settings.window)
        }
    }

    func count(_ secret: Secret, account: String, address: String, event: AuditEvent?) async throws -> Block? {
        let limits = limits(secret, account, address)
        let counts = try await store.countFailure(
            limits, tenant: tenant.id, now: now, windowStart: windowStart, event: event)
        let reached = zip(counts, limits).map { $0 == $1.limit }
        if reached.count == limits.count, reached.last == true { return .account }
        return reached.first == true ? .address : nil
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

    /// Forgets what came from the address; the account's count stays, since others may be guessing at it.
    func forgive(_ secret: Secret, account: String, address: String) async throws {
        try await store.clearFailures(
            AttemptKey(secret, account: account, from: address, hashing: hashing), tenant: tenant.id)
    }
}
