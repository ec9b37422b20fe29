import AuthorizationCore
import Primitives

/// Counts failed attempts to prove who one is: against an account from one address, and against the account in all.
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
    private var limits: [Int] { [settings.attemptsPerAddress, settings.attemptsPerAccount] }

    private func keys(_ secret: Secret, _ account: String, _ address: String) -> [AttemptKey] {
        [
            AttemptKey(secret, account: account, from: address, hashing: hashing),
            AttemptKey(secret, account: account, hashing: hashing),
        ]
    }

    /// Throws where no further attempt is allowed.
    func check(_ secret: Secret, account: String, address: String) async throws {
        let counts = try await store.failures(
            keys(secret, account, address), tenant: tenant.id, windowStart: windowStart)
        if zip(counts, limits).contains(where: { $0 >= $1 }) {
            throw InteractionFailure.tooManyAttempts(window: settings.window)
        }
    }

    func count(_ secret: Secret, account: String, address: String, event: AuditEvent) async throws -> Block? {
        let counts = try await store.countFailure(
            keys(secret, account, address), tenant: tenant.id, now: now, windowStart: windowStart, event: event)
        let reached = zip(counts, limits).map { $0 == $1 }
        if reached.last == true { return .account }
        return reached.first == true ? .address : nil
    }

    /// Whether one more letter may go to an address that somebody says is theirs: few go to one mailbox, and few because
    /// of one address.
    func mayWrite(to email: EmailAddress, from address: String, limit: Int) async throws -> Bool {
        let counts = try await store.countFailure(
            [
                AttemptKey(.emailVerification, account: "", from: address, hashing: hashing),
                AttemptKey(.emailVerification, account: email.mailbox, hashing: hashing),
            ],
            tenant: tenant.id, now: now, windowStart: windowStart, event: nil)
        return zip(counts, [settings.attemptsPerAddress, limit]).allSatisfy { $0 <= $1 }
    }

    /// Forgets what came from the address; the account's count stays, since others may be guessing at it.
    func forgive(_ secret: Secret, account: String, address: String) async throws {
        try await store.clearFailures(
            AttemptKey(secret, account: account, from: address, hashing: hashing), tenant: tenant.id)
    }
}
