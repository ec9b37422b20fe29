import Audit
import AuthorizationCore
import Flows
import Primitives
import Synchronization

/// Accounts in memory, as far as upstream logins touch them.
final class UpstreamAccounts: AccountStore {
    struct Unused: Error {}

    struct State: Sendable {
        var accounts: [Account] = []
        var links: [UpstreamIdentity: UserID] = [:]
        var events: [AuditEvent.Kind] = []
    }

    let state = Mutex(State())

    func account(email: String, tenant: TenantID) async throws -> Account? {
        state.withLock { $0.accounts.first { $0.user.email == email && $0.user.id.rawValue.hasPrefix("auth0|") } }
    }

    func account(_ user: UserID, tenant: TenantID) async throws -> Account? {
        state.withLock { $0.accounts.first { $0.user.id == user } }
    }

    func accessEndings(of user: UserID, tenant: TenantID) async throws -> Int? {
        try await account(user, tenant: tenant)?.accessEndings
    }

    func account(of identity: UpstreamIdentity, tenant: TenantID) async throws -> Account? {
        state.withLock { state in
            let id = state.links[identity] ?? identity.userID
            return state.accounts.first { $0.user.id == id }
        }
    }

    func keep(_ user: User, identity: UpstreamIdentity, tenant: TenantID, event: AuditEvent) async throws {
        state.withLock { state in
            state.accounts.removeAll { $0.user.id == user.id }
            state.accounts.append(Account(user: user, passwordHash: nil))
            state.events.append(event.kind)
        }
    }

    func link(_ identity: UpstreamIdentity, to user: UserID, tenant: TenantID, event: AuditEvent) async throws -> Bool {
        state.withLock { state in
            guard state.links[identity] == nil else { return false }
            state.links[identity] = user
            state.events.append(event.kind)
            return true
        }
    }

    func signUp(
        _ user: User, passwordHash: String, letter: VerificationLetter?, tenant: TenantID, events: [AuditEvent]
    ) async throws -> Bool { throw Unused() }
    func createPasswordTicket(
        _ ticket: PasswordTicket?, mail: SealedMail, counting limits: [AttemptLimit], tenant: TenantID, now: Timestamp,
        windowStart: Timestamp, event: @escaping @Sendable (_ isKept: Bool) -> AuditEvent?
    ) async throws { throw Unused() }
    func passwordTicket(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> PasswordTicket? {
        throw Unused()
    }
    func setPassword(
        _ hash: String, ticket: [UInt8], forgiving key: AttemptKey?, tenant: TenantID, now: Timestamp,
        event: AuditEvent, notice: @escaping @Sendable (RemovedAccess) throws -> SealedMail?
    ) async throws -> Bool { throw Unused() }
    func replacePasswordHash(
        of user: UserID, _ old: String, by new: String, tenant: TenantID
    ) async throws -> Bool { throw Unused() }
    func countFailure(
        _ limits: [AttemptLimit], tenant: TenantID, now: Timestamp, windowStart: Timestamp, event: AuditEvent?
    ) async throws -> [Int] { throw Unused() }
    func failures(
        _ keys: [AttemptKey], tenant: TenantID, windowStart: Timestamp
    ) async throws -> [FailedAttempts] {
        throw Unused()
    }
    func clearFailures(_ key: AttemptKey, tenant: TenantID) async throws { throw Unused() }
}
