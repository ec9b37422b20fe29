package import Primitives

/// Grant of an API's scopes to a client by name (Auth0: client grant).
package struct ClientGrant: Sendable, Equatable {
    /// Subject of tokens under a grant: the client itself, or a user for whom it acts.
    package enum Subject: String, Sendable, CaseIterable { case client, user }

    /// The identifier of the API.
    package let audience: String
    /// Nil is for both.
    package let subject: Subject?
    /// Nil is every scope of the API.
    package var scopes: Set<String>?
    /// Scopes of Auth0's Management API that this server's has not. Kept and shown, good for nothing.
    package var scopesWithoutEffect: Set<String> = []
    /// Types of authorization details (RFC 9396) that the client may ask users for; nil is every type.
    package var authorizationDetailsTypes: Set<String>?
    /// Members that nothing here depends on, stored to be returned.
    package var additional: JSONObject = [:]

    package init(
        audience: String, subject: Subject? = nil, scopes: Set<String>? = nil,
        authorizationDetailsTypes: Set<String>? = nil
    ) {
        self.audience = audience
        self.subject = subject
        self.scopes = scopes
        self.authorizationDetailsTypes = authorizationDetailsTypes
    }

    /// The same of an API that has another identifier now.
    package func moved(to audience: String) -> ClientGrant {
        var grant = ClientGrant(
            audience: audience, subject: subject, scopes: scopes, authorizationDetailsTypes: authorizationDetailsTypes)
        grant.scopesWithoutEffect = scopesWithoutEffect
        grant.additional = additional
        return grant
    }

    /// All scopes by name, also those without effect. Nil is every scope of the API.
    package var namedScopes: Set<String>? { scopes.map { $0.union(scopesWithoutEffect) } }

    package func covers(_ subject: Subject) -> Bool { self.subject == nil || self.subject == subject }
}

/// How much of an API a client may ask for.
package struct ClientAccess: Sendable, Equatable {
    private let grant: ClientGrant?

    /// Every scope of the API.
    static let unlimited = ClientAccess(grant: nil)

    init(_ grant: ClientGrant) { self.grant = grant }

    private init(grant: ClientGrant?) { self.grant = grant }

    package func allows(scope: String) -> Bool { grant?.scopes?.contains(scope) ?? true }

    package func allows(authorizationDetailsType type: String) -> Bool {
        grant?.authorizationDetailsTypes?.contains(type) ?? true
    }
}

extension Client {
    /// The client's access to the API for itself (RFC 6749 clause 4.4). Nil means none. No user's consent or
    /// permissions could limit it, so the client gets its grants by name and nothing else.
    package func access(to api: ResourceServer) -> ClientAccess? {
        guard api.clientPolicy == .requireClientGrant else { return nil }
        return grant(of: api.identifier, for: .client).map { ClientAccess($0) }
    }

    /// The client's access to the API for users. Nil means none.
    package func accessForUsers(to api: ResourceServer) -> ClientAccess? {
        if api.userPolicy == .denyAll { return nil }
        if api.userPolicy == .allowAll, !isLimitedToGrants { return .unlimited }
        return grant(of: api.identifier, for: .user).map { ClientAccess($0) }
    }

    private func grant(of audience: String, for subject: ClientGrant.Subject) -> ClientGrant? {
        grants.first { $0.audience == audience && $0.covers(subject) }
    }
}
