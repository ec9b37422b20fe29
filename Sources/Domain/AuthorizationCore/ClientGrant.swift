package import Primitives

/// Grant of an API's scopes to a client by name (Auth0: client grant).
package struct ClientGrant: Sendable, Equatable {
    /// Subject of tokens under a grant: the client itself, or a user for whom it acts.
    package enum Subject: String, Sendable, CaseIterable { case client, user }

    /// The identifier of the API.
    package let audience: String
    /// Nil means both.
    package let subject: Subject?
    /// Nil means every scope of the API.
    package var scopes: Set<String>?
    /// Scopes of Auth0's Management API that this server's does not define. Stored and shown, without effect.
    package var scopesWithoutEffect: Set<String> = []
    /// Types of authorization details (RFC 9396) that the client may ask users for. Nil means every type.
    package var authorizationDetailsTypes: Set<String>?
    /// Members without effect, stored to be returned.
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

    /// The same grant after the API's identifier changed.
    package func moved(to audience: String) -> ClientGrant {
        var grant = ClientGrant(
            audience: audience, subject: subject, scopes: scopes, authorizationDetailsTypes: authorizationDetailsTypes)
        grant.scopesWithoutEffect = scopesWithoutEffect
        grant.additional = additional
        return grant
    }

    /// All scopes by name, also those without effect. Nil means every scope of the API.
    package var namedScopes: Set<String>? { scopes.map { $0.union(scopesWithoutEffect) } }

    package func covers(_ subject: Subject) -> Bool { self.subject == nil || self.subject == subject }
}

/// Access to an API that a client may request.
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
    /// permissions limit it, so the client gets only its grants by name.
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
