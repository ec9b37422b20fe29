package import Audit
package import AuthorizationCore
import HTTPModel
import JOSE
package import Primitives

/// The user that another provider proved.
package struct UpstreamOutcome: Sendable, Equatable {
    /// The account here: a user of the provider's own, or the one that its identity is linked to.
    package let account: Account
    /// The connection's name.
    package let connection: String
    /// The provider's `auth_time`. Nil if the provider does not tell it.
    package let authenticatedAt: Timestamp?
    /// True on the user's first login.
    package let isNew: Bool

    package var user: User { account.user }
}

/// Store port for users of other providers.
package protocol UpstreamStore: AccountReader {
    func account(of identity: UpstreamIdentity, tenant: TenantID) async throws -> Account?

    /// Keeps the profile that an upstream provider gave of a new user, or of one it gave before, whose roles, block,
    /// language and phone number stay. An identity that was linked to another user stays so, and that user's profile
    /// too; the event is kept in any case.
    func keep(_ user: User, identity: UpstreamIdentity, tenant: TenantID, event: AuditEvent) async throws

    /// Links an identity to a user. False if it is linked to another, or there is no such user. True without another
    /// event if it was linked to that user before.
    func link(_ identity: UpstreamIdentity, to user: UserID, tenant: TenantID, event: AuditEvent) async throws -> Bool
}

/// Takes a browser back from another provider: redeems the code, verifies the user, and keeps the profile
/// (RFC 6749 clause 4.1.2 to 4.1.4, OIDC Core 3.1.3 and 5.3).
package struct FinishUpstreamLogin: Sendable {
    let providers: UpstreamProviders
    let accounts: any UpstreamStore
    let sealer: any Sealer
    let verifier: any Verifier
    let hashing: any Hashing
    let budgets: AuditBudgets

    /// `callback` holds the parameters of the callback's query. The caller has taken `attempt` out of the transaction of
    /// this browser, so that no `state` is good for a second time. Throws `UpstreamFailure`, or the store's error.
    package func finish(
        _ attempt: UpstreamAttempt, callback: FormFields, client: ClientID?, context: RequestContext
    ) async throws -> UpstreamOutcome {
        let state = hashing.sha256(Array((callback["state"] ?? "").utf8))
        guard constantTimeEquals(state, attempt.stateHash),
            let connection = context.configuration.connections.first(where: { $0.name == attempt.connection }),
            let upstream = connection.upstream
        else { throw UpstreamFailure.state }
        let (profile, time) = try await profile(attempt, callback: callback, upstream, context)
        let (account, isNew) = try await keep(profile, of: connection, client: client, context)
        guard !account.user.blocked else { throw UpstreamFailure.blocked(account.user.id) }
        return UpstreamOutcome(account: account, connection: connection.name, authenticatedAt: time, isNew: isNew)
    }

    private func profile(
        _ attempt: UpstreamAttempt, callback: FormFields, _ upstream: UpstreamProvider, _ context: RequestContext
    ) async throws(UpstreamFailure) -> (UpstreamProfile, authenticatedAt: Timestamp?) {
        let (tenant, now) = (context.tenant.id, context.now)
        switch upstream.dialect {
        case .openIDConnect(let issuer):
            let provider = try await providers.provider(issuer, now: now)
            // Before anything else of the answer is believed (RFC 9207 clause 2.4).
            let named = callback["iss"]
            guard named == provider.issuer || named == nil && !provider.namesIssuer else {
                throw .violation(.responseIssuer)
            }
            let tokens = try await redeem(
                callback, attempt, upstream, at: provider.token,
                method: upstream.authenticationMethod ?? provider.authenticationMethod, tenant: tenant)
            return try await openIDProfile(tokens, attempt, upstream, provider, now: now)
        case .oauth2(let endpoints):
            try Self.refuse(callback["iss"], notAt: endpoints.authorization)
            let tokens = try await redeem(
                callback, attempt, upstream, at: endpoints.token,
                method: upstream.authenticationMethod ?? .clientSecretBasic, tenant: tenant)
            return (try await oauth2Profile(tokens, upstream, endpoints, accept: "application/json"), nil)
        case .github(let url, let apiURL):
            let endpoints = OAuth2Endpoints.github(url: url, apiURL: apiURL)
            try Self.refuse(callback["iss"], notAt: endpoints.authorization)
            let tokens = try await redeem(
                callback, attempt, upstream, at: endpoints.token, method: .clientSecretPost, tenant: tenant)
            var renamed = upstream
            renamed.attributes = [.subject: "id", .nickname: "login", .picture: "avatar_url"]
            let profile = try await oauth2Profile(tokens, renamed, endpoints, accept: "application/vnd.github+json")
            return (profile, nil)
        }
    }

    /// RFC 9700 clause 4.4: such a provider has no issuer to compare. If it names one at another host, it is not the
    /// provider that the browser was sent to.
    private static func refuse(_ issuer: String?, notAt endpoint: EndpointURL) throws(UpstreamFailure) {
        guard let issuer else { return }
        guard let named = EndpointURL(issuer), named.origin == endpoint.origin else {
            throw .violation(.responseIssuer)
        }
    }

    // MARK: the token endpoint

    private struct Tokens {
        let access: String
        let id: String?
    }

    private func redeem(
        _ callback: FormFields, _ attempt: UpstreamAttempt, _ upstream: UpstreamProvider, at endpoint: EndpointURL,
        method: UpstreamProvider.AuthenticationMethod, tenant: TenantID
    ) async throws(UpstreamFailure) -> Tokens {
        if let error = callback["error"] {
            throw Self.refusal(error: error, description: callback["error_description"])
        }
        guard let code = callback["code"] else { throw .violation(.noCode) }
        let context = UpstreamProvider.sealingContext(tenant: tenant, connection: attempt.connection)
        guard let opened = try? sealer.open(upstream.sealedSecret, context: context),
            let secret = String(validating: opened.bytes, as: UTF8.self)
        else { throw .secret }
        var form = FormFields([
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", attempt.redirectURI),
            ("code_verifier", attempt.verifier),
        ])
        var basic: String?
        switch method {
        case .clientSecretPost:
            form.append("client_id", upstream.clientID)
            form.append("client_secret", secret)
        case .clientSecretBasic:
            // Each as a form writes it (RFC 6749 clause 2.3.1).
            let pair = "\(PercentEncoding.encode(upstream.clientID)):\(PercentEncoding.encode(secret))"
            basic = Base64.encode(Array(pair.utf8))
        }
        let response = try await providers.http.send(
            .post, endpoint, basic: basic, accept: "application/json", form: form)
        return try Self.tokens(response, endpoint)
    }

    /// Reads a token response. GitHub sends errors with the status 200, and as a form if it sees no request for JSON.
    private static func tokens(_ response: ClientResponse, _ endpoint: EndpointURL) throws(UpstreamFailure) -> Tokens {
        let member: (String) -> String?
        if response.fields.mediaType == "application/x-www-form-urlencoded" {
            guard let form = try? FormFields(parsing: response.body) else {
                throw .violation(.tokenResponse("it is not a form"))
            }
            member = { form[$0] }
        } else if response.status == 200 || (400...499).contains(response.status) {
            let value = try UpstreamHTTP.json(response, endpoint)
            member = { value[$0]?.stringValue }
        } else {
            throw UpstreamHTTP.status(response.status, endpoint)
        }
        if let error = member("error") { throw refusal(error: error, description: member("error_description")) }
        guard response.status == 200 else { throw UpstreamHTTP.status(response.status, endpoint) }
        guard let access = member("access_token"), !access.isEmpty else {
            throw .violation(.tokenResponse("access_token is missing"))
        }
        if let type = member("token_type"), type.lowercased() != "bearer" {
            throw .violation(.tokenResponse("token_type is not Bearer"))
        }
        return Tokens(access: access, id: member("id_token"))
    }

    /// Makes a failure of the provider's words, cut to the room of a page.
    private static func refusal(error: String, description: String?) -> UpstreamFailure {
        func plain(_ text: String) -> String {
            String(
                text.unicodeScalars.prefix(300).filter { $0.properties.generalCategory != .control }.map(Character.init)
            )
        }
        return .refused(error: plain(error), description: description.map(plain))
    }

    // MARK: the profile

    private func openIDProfile(
        _ tokens: Tokens, _ attempt: UpstreamAttempt, _ upstream: UpstreamProvider, _ provider: DiscoveredProvider,
        now: Timestamp
    ) async throws(UpstreamFailure) -> (UpstreamProfile, authenticatedAt: Timestamp?) {
        guard let text = tokens.id else { throw .violation(.tokenResponse("id_token is missing")) }
        let rules = UpstreamIDToken(
            provider: provider, clientID: upstream.clientID, nonce: attempt.nonce, accessToken: tokens.access,
            provenSince: attempt.provenSince, needsTime: attempt.needsTime)
        let token = try rules.parse(text)
        let key = try await providers.key(for: token, of: provider, now: now)
        var (claims, time) = try rules.claims(of: token, key: key, verifier: verifier, hashing: hashing, now: now)
        guard let subject = claims["sub"]?.stringValue else { throw .violation(.claims(.subject)) }
        if let endpoint = provider.userInfo {
            let answer = try await providers.http.get(endpoint, bearer: tokens.access)
            guard let userInfo = answer.objectValue, userInfo["sub"]?.stringValue == subject else {
                throw .violation(.userInfoSubject)
            }
            claims = UpstreamProfile.merged(claims, userInfo, of: upstream)
        }
        return (try UpstreamProfile(claims, of: upstream), time)
    }

    private func oauth2Profile(
        _ tokens: Tokens, _ upstream: UpstreamProvider, _ endpoints: OAuth2Endpoints, accept: String
    ) async throws(UpstreamFailure) -> UpstreamProfile {
        let answer = try await providers.http.get(endpoints.userInfo, bearer: tokens.access, accept: accept)
        guard let members = answer.objectValue else { throw .violation(.profile("it is not an object")) }
        var profile = try UpstreamProfile(members, of: upstream)
        if let emails = endpoints.emails {
            // An address that is not in the list is not verified.
            profile.emailVerified = false
            let response = try await providers.http.send(.get, emails, bearer: tokens.access, accept: accept)
            switch response.status {
            case 200: profile.take(emails: try UpstreamHTTP.json(response, emails))
            // The user, or the scope that was asked for, does not let their addresses be read.
            case 403, 404: break
            default: throw UpstreamHTTP.status(response.status, emails)
            }
        }
        return profile
    }

    // MARK: the user here

    private func keep(
        _ profile: UpstreamProfile, of connection: LoginConnection, client: ClientID?, _ context: RequestContext
    ) async throws -> (account: Account, isNew: Bool) {
        let (tenant, now) = (context.tenant, context.now)
        let identity = UpstreamIdentity(provider: connection.name, id: profile.subject)
        func event(_ kind: AuditEvent.Kind, _ user: UserID, _ charge: AuditCharge) -> AuditEvent {
            context.event(
                kind, charge: charge, user: user, client: client, details: ["connection": .string(connection.name)])
        }
        func drawn(_ user: UserID) throws -> AuditCharge { try budgets.draw(on: .user(user), context) }
        if let known = try await accounts.account(of: identity, tenant: tenant.id) {
            var user = known.user
            // A linked identity leaves the profile of the user that it logs in alone.
            if user.id == identity.userID { profile.apply(to: &user) }
            guard user != known.user, !user.blocked else { return (known, false) }
            user.updatedAt = now
            try await accounts.keep(
                user, identity: identity, tenant: tenant.id, event: event(.identityUpdated, user.id, drawn(user.id)))
            return (Account(user: user, passwordHash: known.passwordHash, accessEndings: known.accessEndings), false)
        }
        if tenant.settings.linksVerifiedEmails, profile.emailVerified, let email = profile.email,
            let account = try await accounts.account(email: email, tenant: tenant.id), account.user.emailVerified
        {
            // A blocked user does not log in by way of a provider, nor leave a link behind.
            guard !account.user.blocked else { throw UpstreamFailure.blocked(account.user.id) }
            let id = account.user.id
            let event = event(.identityLinked, id, try drawn(id))
            if try await accounts.link(identity, to: id, tenant: tenant.id, event: event) {
                return (account, false)
            }
            // Another browser linked it meanwhile, perhaps to another user.
            guard let account = try await accounts.account(of: identity, tenant: tenant.id) else {
                throw UpstreamFailure.state
            }
            return (account, false)
        }
        var user = User(id: identity.userID, createdAt: now)
        profile.apply(to: &user)
        try await accounts.keep(
            user, identity: identity, tenant: tenant.id, event: event(.signedUp, user.id, .limited(by: .logins)))
        return (Account(user: user, passwordHash: nil), true)
    }
}

extension DiscoveredProvider {
    /// OIDC Discovery 3: basic if the provider does not say.
    fileprivate var authenticationMethod: UpstreamProvider.AuthenticationMethod {
        authenticationMethods.contains(UpstreamProvider.AuthenticationMethod.clientSecretBasic.rawValue)
            ? .clientSecretBasic : .clientSecretPost
    }
}
