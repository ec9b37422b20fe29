import Audit
import AuthorizationCore
@testable import Flows
import OAuthWire
import Persistence
import Primitives
import SQL
import TestSupport

/// Samples of every record that a login stores. Tests change single parts.
enum LoginSamples {
    static let tenant = TenantID("dev")
    static let other = TenantID("other")
    static let ann = UserID("auth0|ann")
    static let bob = UserID("auth0|bob")
    static let agent = ClientID("agent")
    static let start = Samples.start

    static func hash(_ name: String) -> [UInt8] { Samples.hashing.sha256(Array(name.utf8)) }

    static func event(_ kind: AuditEvent.Kind, tenant: TenantID = tenant) -> AuditEvent {
        AuditEvent(kind, tenant: tenant, at: start, user: ann, client: agent)
    }

    static func access(
        _ id: String = "authorization", tenant: TenantID = tenant, client: ClientID = agent, user: UserID = ann,
        audience: String = Samples.api, details: JSONValue? = nil, contextClass: String? = nil,
        session: SessionID? = nil
    ) -> GrantedAccess {
        GrantedAccess(
            id: AuthorizationID(id), tenant: tenant, client: client, user: user,
            scope: ScopeSet(["openid", "offline_access"]), audience: audience, authorizationDetails: details,
            authTime: start - .seconds(30), methods: ["pwd", "otp", "mfa"], contextClass: contextClass,
            session: session)
    }

    static func code(
        _ name: String = "code", access: GrantedAccess = access(), redirectURI: String? = nil, nonce: String? = nil,
        challenge: CodeChallenge? = CodeChallenge(of: "verifier", Samples.hashing)
    ) -> AuthorizationCode {
        AuthorizationCode(
            hash: hash(name), access: access, redirectURI: redirectURI,
            codeChallenge: challenge, nonce: nonce, createdAt: start,
            expiresAt: start + .seconds(60))
    }

    static func family(
        _ hash: [UInt8], access: GrantedAccess = access(), lifetime: Int = 3600, idleLifetime: Int? = nil
    ) -> RefreshTokenFamily {
        RefreshTokenFamily(
            hash: hash, access: access, rotatedAt: start, createdAt: start, expiresAt: start + .seconds(lifetime),
            idleExpiresAt: idleLifetime.map { start + .seconds($0) })
    }

    static func session(_ name: String = "session", tenant: TenantID = tenant, user: UserID = ann) -> Session {
        Session(
            hash: hash(name), id: SessionID(name), tenant: tenant,
            authentication: Authentication(
                user: user, at: start - .seconds(5), methods: ["pwd", "mfa"], connection: "database"),
            createdAt: start, lastUsedAt: start, expiresAt: start + .seconds(1000),
            idleExpiresAt: start + .seconds(100))
    }

    static func use(
        _ session: String = "session", client: ClientID = agent, host: String = "dev.example", second: Int = 10
    ) -> SessionUse {
        SessionUse(
            id: SessionID(session), client: client, host: host, at: start + .seconds(second),
            idleExpiresAt: start + .seconds(second + 100))
    }

    static func transaction(_ name: String = "transaction", revision: Int = 0) -> StoredLogin {
        StoredLogin(
            hash: hash(name), tenant: tenant, goal: .client(agent), browserHash: hash("browser"),
            parameters: "response_type=code&state=%26", progress: ["step": "password", "tries": [1, 2]],
            createdAt: start, expiresAt: start + .seconds(600), revision: revision)
    }

    static func consent(
        scope: [String] = ["openid"], audience: String = Samples.api, client: ClientID = agent, user: UserID = ann,
        second: Int = 0
    ) -> ConsentGrant {
        ConsentGrant(
            tenant: tenant, user: user, client: client, audience: audience, scope: ScopeSet(scope),
            createdAt: start + .seconds(second), updatedAt: start + .seconds(second))
    }

    static func ticket(
        _ name: String = "ticket", tenant: TenantID = tenant, user: UserID = ann, email: EmailAddress? = nil
    ) -> PasswordTicket {
        PasswordTicket(
            hash: hash(name), tenant: tenant, user: user, email: email, createdAt: start,
            expiresAt: start + .seconds(600))
    }

    static func mail(_ bytes: [UInt8] = [1, 2, 3], tenant: TenantID = tenant, lifetime: Int = 600) -> SealedMail {
        SealedMail(tenant: tenant, sealed: bytes, createdAt: start, expiresAt: start + .seconds(lifetime))
    }
}

extension TemporaryStore {
    func loggedIn(_ session: Session = LoginSamples.session(), replacing old: [UInt8]? = nil) async throws {
        let created = try await store.create(
            session, replacing: old, event: LoginSamples.event(.loggedIn, tenant: session.tenant))
        if !created { throw NotKept() }
    }

    /// Completes a login. `transaction` may be nil.
    func complete(
        _ transaction: (hash: [UInt8], revision: Int)? = nil, code: AuthorizationCode = LoginSamples.code(),
        consent: ConsentGrant? = nil, use: SessionUse = LoginSamples.use()
    ) async throws -> Bool {
        try await store.complete(
            AuthorizationCompletion(
                transaction: transaction, code: code, consent: consent, session: use,
                event: LoginSamples.event(.loggedIn, tenant: code.access.tenant)))
    }

    /// Creates a password ticket, by default without limits.
    func give(
        _ ticket: PasswordTicket = LoginSamples.ticket(), of moved: MovedUser? = nil,
        joining joined: MovedUser? = nil,
        limits: [AttemptLimit] = []
    ) async throws {
        try await store.createPasswordTicket(
            ticket, of: moved, joining: joined, mail: LoginSamples.mail(tenant: ticket.tenant), counting: limits,
            tenant: ticket.tenant,
            now: LoginSamples.start,
            windowStart: LoginSamples.start - .seconds(600)
        ) { isKept in
            LoginSamples.event(isKept ? .passwordChangeRequested : .passwordChangeRefused, tenant: ticket.tenant)
        }
    }

    func exchange(
        _ code: String = "code", client: ClientID = LoginSamples.agent, tenant: TenantID = LoginSamples.tenant,
        second: Int = 10,
        family: RefreshTokenFamily? = nil
    ) async throws -> Bool {
        try await store.redeem(
            CodeRedemption(
                hash: LoginSamples.hash(code), client: client, tenant: tenant,
                now: LoginSamples.start + .seconds(second),
                tokenLifetime: 3600, refreshToken: family, event: LoginSamples.event(.codeExchanged, tenant: tenant)))
    }

    /// Stores a family as a code exchange does.
    func kept(_ family: RefreshTokenFamily) async throws {
        let name = "for \(Hex.encode(family.hash))"
        let session = LoginSamples.session(name, tenant: family.access.tenant, user: family.access.user)
        try await loggedIn(session)
        guard
            try await complete(
                code: LoginSamples.code(name, access: family.access),
                use: LoginSamples.use(name, client: family.access.client)),
            try await exchange(
                name, client: family.access.client, tenant: family.access.tenant, family: family)
        else { throw NotKept() }
    }

    func rotate(
        _ family: String = "family", from counter: Int = 0, tenant: TenantID = LoginSamples.tenant, second: Int = 20,
        idle: Int? = nil
    ) async throws -> Bool {
        try await store.rotate(
            LoginSamples.hash(family), from: counter, tenant: tenant, now: LoginSamples.start + .seconds(second),
            idleExpiresAt: idle.map { LoginSamples.start + .seconds($0) },
            event: LoginSamples.event(.refreshTokenExchanged, tenant: tenant))
    }

    /// Deletes a user; no port does yet.
    func delete(_ user: UserID, tenant: TenantID = LoginSamples.tenant) async throws {
        try await database.write { connection in
            _ = try connection.execute(#"DELETE FROM "user" WHERE tenant = \#(tenant) AND id = \#(user)"#)
        }
    }
}

private struct NotKept: Error {}
