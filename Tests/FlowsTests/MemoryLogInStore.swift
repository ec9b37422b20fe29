import AuthorizationCore
import Flows
import Primitives
import Synchronization

/// The hosted log-in's ports in memory; backchannel requests and the log are the wrapped store's.
final class MemoryLogInStore: Sendable {
    typealias Wrapped = BackchannelStartStore & BackchannelRedeemStore & AuditLog

    struct State {
        var transactions: [[UInt8]: AuthorizationTransaction] = [:]
        var pushed: [[UInt8]: PushedAuthorizationRequest] = [:]
        var codes: [[UInt8]: AuthorizationCode] = [:]
        var sessions: [[UInt8]: Session] = [:]
        var sessionClients: [SessionID: [ClientID]] = [:]
        var accounts: [UserID: Account] = [:]
        var tickets: [[UInt8]: PasswordTicket] = [:]
        var failures: [[UInt8]: [Timestamp]] = [:]
        var consents: [ConsentGrant] = []
        var oneTimePasswords: [UserID: [DeviceOneTimePassword]] = [:]
        var steps: [DeviceID: Int64] = [:]
        var mails: [SealedMail] = []
    }

    let state = Mutex(State())
    private let wrapped: any Wrapped

    init(_ wrapped: any Wrapped) { self.wrapped = wrapped }
}

extension MemoryLogInStore: AuthorizationTransactionStore {
    func create(_ transaction: AuthorizationTransaction) async throws {
        state.withLock { $0.transactions[transaction.hash] = transaction }
    }

    func transaction(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> AuthorizationTransaction? {
        state.withLock { state in
            state.transactions[hash].flatMap { $0.tenant == tenant && now < $0.expiresAt ? $0 : nil }
        }
    }

    func update(_ transaction: AuthorizationTransaction) async throws -> Bool {
        state.withLock { state in
            guard let kept = state.transactions[transaction.hash], kept.revision == transaction.revision else {
                return false
            }
            state.transactions[transaction.hash] = AuthorizationTransaction(
                hash: kept.hash, tenant: kept.tenant, client: kept.client, browserHash: kept.browserHash,
                parameters: kept.parameters, progress: transaction.progress, createdAt: kept.createdAt,
                expiresAt: kept.expiresAt, revision: kept.revision + 1)
            return true
        }
    }

    func complete(_ completion: AuthorizationCompletion) async throws -> Bool {
        let done = state.withLock { state in
            if let (hash, revision) = completion.transaction {
                guard state.transactions[hash]?.revision == revision else { return false }
                state.transactions[hash] = nil
            }
            guard state.sessions.values.contains(where: { $0.id == completion.session.id }) else { return false }
            state.codes[completion.code.hash] = completion.code
            let known = state.sessionClients[completion.session.id] ?? []
            if !known.contains(completion.session.client) {
                state.sessionClients[completion.session.id] = known + [completion.session.client]
            }
            for (hash, session) in state.sessions where session.id == completion.session.id {
                state.sessions[hash]?.idleExpiresAt = completion.session.idleExpiresAt
            }
            if let consent = completion.consent { state.consents.append(consent) }
            return true
        }
        if done { try await record(completion.event) }
        return done
    }

    func abandon(_ hash: [UInt8], tenant: TenantID, event: AuditEvent) async throws -> Bool {
        guard state.withLock({ $0.transactions.removeValue(forKey: hash) }) != nil else { return false }
        try await record(event)
        return true
    }

    func push(_ request: PushedAuthorizationRequest) async throws {
        state.withLock { $0.pushed[request.hash] = request }
    }

    func takePushed(_ hash: [UInt8], client: ClientID, tenant: TenantID, now: Timestamp) async throws -> String? {
        state.withLock { state in
            guard let kept = state.pushed[hash], kept.client == client, kept.tenant == tenant, now < kept.expiresAt
            else { return nil }
            state.pushed[hash] = nil
            return kept.parameters
        }
    }
}

extension MemoryLogInStore: SessionStore {
    func session(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> (session: Session, user: User)? {
        state.withLock { state in
            guard let session = state.sessions[hash], session.tenant == tenant, now < session.expiresAt,
                now < session.idleExpiresAt, let account = state.accounts[session.authentication.user]
            else { return nil }
            return (session, account.user)
        }
    }

    func create(_ session: Session, replacing old: [UInt8]?, event: AuditEvent) async throws {
        state.withLock { state in
            if let old { state.sessions[old] = nil }
            state.sessions[session.hash] = session
        }
        try await record(event)
    }

    func end(_ session: EndedSession, tenant: TenantID, event: AuditEvent) async throws -> SessionEnd? {
        let ended: SessionEnd? = state.withLock { state in
            guard case .cookie(let hash) = session, let kept = state.sessions.removeValue(forKey: hash) else {
                return nil
            }
            return SessionEnd(
                id: kept.id, user: kept.authentication.user, clients: state.sessionClients[kept.id] ?? [])
        }
        if ended != nil { try await record(event) }
        return ended
    }
}

extension MemoryLogInStore: AccountStore {
    func account(email: String, tenant: TenantID) async throws -> Account? {
        state.withLock { $0.accounts.values.first { $0.user.email == email } }
    }

    func account(_ user: UserID, tenant: TenantID) async throws -> Account? { state.withLock { $0.accounts[user] } }

    func signUp(_ user: User, passwordHash: String, tenant: TenantID, event: AuditEvent) async throws -> Bool {
        let done = state.withLock { state in
            guard !state.accounts.values.contains(where: { $0.user.email == user.email }) else { return false }
            state.accounts[user.id] = Account(user: user, passwordHash: passwordHash)
            return true
        }
        if done { try await record(event) }
        return done
    }

    func user(of identity: UpstreamIdentity, tenant: TenantID) async throws -> User? { nil }
    func keep(_ user: User, identity: UpstreamIdentity, tenant: TenantID, event: AuditEvent) async throws {}
    func link(_ identity: UpstreamIdentity, to user: UserID, tenant: TenantID, event: AuditEvent) async throws
        -> Bool
    { false }

    func createPasswordTicket(_ ticket: PasswordTicket, mail: SealedMail?, event: AuditEvent) async throws {
        state.withLock { state in
            state.tickets = state.tickets.filter { $0.value.user != ticket.user }
            state.tickets[ticket.hash] = ticket
            if let mail { state.mails.append(mail) }
        }
        try await record(event)
    }

    func passwordTicket(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> PasswordTicket? {
        state.withLock { state in state.tickets[hash].flatMap { now < $0.expiresAt ? $0 : nil } }
    }

    func setPassword(
        _ hash: String, ticket: [UInt8], tenant: TenantID, now: Timestamp, event: AuditEvent
    ) async throws -> Bool {
        let done = state.withLock { state in
            guard let kept = state.tickets.removeValue(forKey: ticket), let account = state.accounts[kept.user] else {
                return false
            }
            state.accounts[kept.user] = Account(user: account.user, passwordHash: hash)
            state.sessions = state.sessions.filter { $0.value.authentication.user != kept.user }
            return true
        }
        if done { try await record(event) }
        return done
    }

    func countFailure(
        _ keys: [[UInt8]], tenant: TenantID, now: Timestamp, windowStart: Timestamp, event: AuditEvent
    ) async throws -> [Int] {
        let counts = state.withLock { state in
            keys.map { key in
                state.failures[key, default: []].append(now)
                return state.failures[key, default: []].count { $0 >= windowStart }
            }
        }
        try await record(event)
        return counts
    }

    func failures(_ keys: [[UInt8]], tenant: TenantID, windowStart: Timestamp) async throws -> [Int] {
        state.withLock { state in keys.map { key in (state.failures[key] ?? []).count { $0 >= windowStart } } }
    }

    func clearFailures(_ keys: [[UInt8]], tenant: TenantID) async throws {
        state.withLock { state in for key in keys { state.failures[key] = nil } }
    }
}

extension MemoryLogInStore: ConsentGrantStore, MultiFactorStore, MailStore {
    func consent(of user: UserID, to client: ClientID, audience: String, tenant: TenantID) async throws
        -> ConsentGrant?
    {
        state.withLock { state in
            state.consents.last { $0.user == user && $0.client == client && $0.audience == audience }
        }
    }

    func consents(of user: UserID, tenant: TenantID) async throws -> [ConsentGrant] {
        state.withLock { state in state.consents.filter { $0.user == user } }
    }

    func revokeConsent(
        of user: UserID, to client: ClientID, audience: String?, tenant: TenantID, event: AuditEvent
    ) async throws -> Int {
        let count = state.withLock { state in
            let before = state.consents.count
            state.consents.removeAll {
                $0.user == user && $0.client == client && (audience ?? $0.audience) == $0.audience
            }
            return before - state.consents.count
        }
        try await record(event)
        return count
    }

    func oneTimePasswords(of user: UserID, tenant: TenantID) async throws -> [DeviceOneTimePassword] {
        state.withLock { $0.oneTimePasswords[user] ?? [] }
    }

    func useOneTimePassword(_ device: DeviceID, step: Int64, tenant: TenantID) async throws -> Bool {
        state.withLock { state in
            guard state.steps[device] ?? -1 < step else { return false }
            state.steps[device] = step
            return true
        }
    }

    func enqueue(_ mail: SealedMail) async throws { state.withLock { $0.mails.append(mail) } }

    func dueMail(now: Timestamp, limit: Int) async throws -> [DueMail] {
        state.withLock { state in state.mails.map { DueMail(id: 1, mail: $0, attempts: 0) } }
    }

    func removeMail(_ id: Int64) async throws {}
    func postponeMail(_ id: Int64, attempts: Int, dueAt: Timestamp) async throws {}
}

extension MemoryLogInStore: BackchannelStartStore, BackchannelRedeemStore, AuditLog {
    func approver(_ user: UserID, tenant: TenantID) async throws -> Approver? {
        guard let account = state.withLock({ $0.accounts[user] }) else { return nil }
        return Approver(user: account.user, devices: try await wrapped.approver(user, tenant: tenant)?.devices ?? [])
    }

    func start(_ request: NewBackchannelRequest, limits: StartLimits) async throws -> StartOutcome {
        try await wrapped.start(request, limits: limits)
    }

    func poll(_ hash: AuthReqIDHash, client: ClientID, tenant: TenantID) async throws -> PolledRequest? {
        try await wrapped.poll(hash, client: client, tenant: tenant)
    }

    func approved(_ hash: AuthReqIDHash, tenant: TenantID) async throws -> ApprovedRequest? {
        try await wrapped.approved(hash, tenant: tenant)
    }

    func redeem(_ redemption: Redemption) async throws -> Bool { try await wrapped.redeem(redemption) }
    func record(_ event: AuditEvent) async throws { try await wrapped.record(event) }
}
