import Workbench
import Audit
import AuthorizationCore
import CountersignServer
import Flows
import OAuthWire
import OpenSSLCrypto
import Persistence
import Primitives

/// Stores codes as the authorization endpoint does after a login, beside the running server. The login pages are not
/// measured.
struct LoginLoad {
    private let installation: Installation
    private let sessions: [Session]
    private let tenant = TenantID(Tenancy.id)
    private let host: String
    private let hashing = OpenSSLHashing()
    private let random = SystemRandom()

    var userCount: Int { sessions.count }

    /// Gives each user a session.
    init(server: ServerUnderTest, users: [String]) async throws {
        host = server.host
        var settings = ServerSettings()
        settings.dataFolder = server.dataFolder
        installation = try await Installation(settings)
        let now = Timestamp.current
        let end = now + .seconds(86_400)
        sessions = users.map { [tenant, hashing, random] user in
            Session(
                hash: hashing.sha256(random.bytes(32)), id: Identifiers.session(random), tenant: tenant,
                authentication: Authentication(
                    user: UserID(user), at: now, methods: ["pwd"], connection: LoginConnection.defaultDatabaseName),
                createdAt: now, lastUsedAt: now, expiresAt: end, idleExpiresAt: end)
        }
        try await forEachAtOnce(sessions) { [installation, tenant] session in
            _ = try await installation.store.create(
                session, replacing: nil,
                event: AuditEvent(
                    .loggedIn, charge: .server, tenant: tenant, at: now, user: session.authentication.user))
        }
    }

    func close() async { await installation.close() }

    /// New codes of the users in turn, concatenated, `App.codeSize` bytes each.
    func codes(_ count: Int, scope: String) async throws -> [UInt8] {
        let codes = (0..<count).map { _ in Identifiers.handle(random) }
        let scope = ScopeSet(scope.split(separator: " ").map(String.init))
        try await forEachAtOnce(Array(codes.enumerated())) { number, code in
            try await keep(code, scope, sessions[number % sessions.count])
        }
        return codes.flatMap { Array($0.utf8) }
    }

    private func keep(_ code: String, _ scope: ScopeSet, _ session: Session) async throws {
        let now = Timestamp.current
        let authentication = session.authentication
        let client = ClientID(App.clientID)
        let access = GrantedAccess(
            id: Identifiers.authorization(random), tenant: tenant, client: client, user: authentication.user,
            scope: scope, audience: Tenancy.audience, authorizationDetails: nil, authTime: authentication.at,
            methods: authentication.methods, contextClass: nil, session: session.id)
        let kept = try await installation.store.complete(
            AuthorizationCompletion(
                transaction: nil,
                code: AuthorizationCode(
                    hash: hashing.sha256(Array(code.utf8)), access: access, redirectURI: App.callback,
                    codeChallenge: CodeChallenge(of: App.verifier, hashing), nonce: "n-0S6_WzA2Mj", createdAt: now,
                    expiresAt: now + .seconds(AuthorizationCode.lifetime)),
                consent: nil,
                session: SessionUse(
                    id: session.id, client: client, host: host, at: now, idleExpiresAt: session.idleExpiresAt),
                event: AuditEvent(
                    .codeIssued, charge: .server, tenant: tenant, at: now, user: authentication.user, client: client)))
        guard kept else { throw Failure("a code of \(authentication.user) was not kept") }
    }
}
