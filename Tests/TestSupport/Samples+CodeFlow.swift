import Audit
package import AuthorizationCore
import Flows
import OAuthWire
import Persistence
package import Primitives

/// The state after a user logged in and consented.
extension Samples {
    /// RFC 7636 appendix B.
    package static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    package static let callback = "com.example.app:/callback"

    /// A public client of the code flow, whose refresh tokens rotate.
    package static func app(_ id: String = "app", _ change: (inout Client) -> Void = { _ in }) -> Client {
        client(id) { client in
            client.secretHashes = []
            client.authenticationMethod = .none
            client.grantTypes = [.authorizationCode, .refreshToken]
            client.redirectURIs = [RedirectURI(registering: callback)].compactMap { $0 }
            change(&client)
        }
    }

    /// A confidential client of the code flow, whose refresh tokens do not rotate.
    package static func website(_ id: String = "web", _ change: (inout Client) -> Void = { _ in }) -> Client {
        client(id) { client in
            client.grantTypes = [.authorizationCode, .refreshToken]
            client.redirectURIs = [RedirectURI(registering: "https://web.example/callback")].compactMap { $0 }
            change(&client)
        }
    }

    package static func access(
        id: String = "authorization", tenant: String = "dev", client: String = "app", user: String = "auth0|ann",
        scope: String = "openid offline_access", audience: String = api, details: JSONValue? = nil,
        session: String? = "sid", at now: Timestamp = start
    ) -> GrantedAccess {
        GrantedAccess(
            id: AuthorizationID(id), tenant: TenantID(tenant), client: ClientID(client), user: UserID(user),
            scope: ScopeSet(scope.split(separator: " ").map(String.init)), audience: audience,
            authorizationDetails: details, authTime: now, methods: ["pwd"], contextClass: nil,
            session: session.map { SessionID($0) })
    }

    package static func code(
        _ code: String = "code", _ access: GrantedAccess = access(), redirectURI: String? = callback,
        nonce: String? = "n-0S6_WzA2Mj", at now: Timestamp = start
    ) -> AuthorizationCode {
        AuthorizationCode(
            hash: hashing.sha256(Array(code.utf8)), access: access, redirectURI: redirectURI,
            codeChallenge: CodeChallenge(of: verifier, hashing), nonce: nonce, createdAt: now,
            expiresAt: now + .seconds(AuthorizationCode.lifetime))
    }
}

extension TemporaryStore {
    /// Stores a code like the authorization endpoint, with a session of its user and optionally a consent.
    package func keep(_ code: AuthorizationCode, consents: Bool = false) async throws {
        let access = code.access
        let cookie = Samples.hashing.sha256(code.hash)
        let endings = try await store.accessEndings(of: access.user, tenant: access.tenant) ?? 0
        let session = Session(
            hash: cookie, id: access.session ?? SessionID(Hex.encode(cookie)), tenant: access.tenant,
            authentication: Authentication(
                user: access.user, at: access.authTime, methods: access.methods,
                connection: LoginConnection.defaultDatabaseName, accessEndings: endings),
            createdAt: access.authTime, lastUsedAt: access.authTime, expiresAt: code.createdAt + .seconds(86_400),
            idleExpiresAt: code.createdAt + .seconds(86_400))
        let event = AuditEvent(.loggedIn, tenant: access.tenant, at: code.createdAt)
        let created = try await store.create(session, replacing: nil, event: event)
        let kept = try await store.complete(
            AuthorizationCompletion(
                transaction: nil, code: code,
                consent: consents
                    ? ConsentGrant(
                        tenant: access.tenant, user: access.user, client: access.client, audience: access.audience,
                        scope: access.scope, createdAt: code.createdAt, updatedAt: code.createdAt) : nil,
                session: SessionUse(
                    id: session.id, client: access.client, host: "dev.example", at: code.createdAt,
                    idleExpiresAt: session.idleExpiresAt),
                event: event))
        guard created, kept else { throw Unexpected("the code was not kept") }
    }
}

extension InProcessServer {
    /// A code that the tenant `dev` issued just now.
    package func code(
        _ code: String = "code", _ change: (inout CodeChanges) -> Void = { _ in }
    ) async throws -> String {
        var changes = CodeChanges()
        change(&changes)
        let access = Samples.access(
            id: "authorization-\(code)", client: changes.client, user: changes.user, scope: changes.scope,
            audience: changes.audience, details: changes.details, session: "sid-\(code)", at: clock.now)
        try await storage.keep(
            Samples.code(
                code, access, redirectURI: changes.redirectURI, nonce: changes.nonce, at: clock.now),
            consents: changes.consents)
        return code
    }

    package struct CodeChanges: Sendable {
        package var client = "app"
        package var user = "auth0|ann"
        package var scope = "openid offline_access"
        package var audience = Samples.api
        package var details: JSONValue?
        package var redirectURI: String? = Samples.callback
        package var nonce: String? = "n-0S6_WzA2Mj"
        package var consents = false
    }
}
