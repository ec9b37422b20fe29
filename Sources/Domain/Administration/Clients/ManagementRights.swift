import AuthorizationCore
import Configuration

/// Management API scopes of a grant: administrators can pass on only scopes that they have.
extension ClientGrant {
    func managementScopes(of tenant: Tenant) -> Set<String> {
        guard audience == tenant.managementAudience else { return [] }
        let all = Set(ResourceServer.managementScopes)
        return scopes.map(all.intersection) ?? all
    }
}

extension ConfigurationChange {
    /// Refuses to change a client's credentials if its scopes exceed the administrator's: anyone with the credentials
    /// is that client.
    func requireRights(of client: Client) throws {
        let tenant = try draft.tenant().orUnknown(.tenant)
        let rights = client.grants.reduce(into: Set<String>()) { $0.formUnion($1.managementScopes(of: tenant)) }
        try context.requireOwn(rights, to: "changing how a client proves itself that was granted scopes")
    }
}

extension ConfigurationStore {
    /// Management API scopes of all users of the tenant. An administrator needs them for what would let them act as any
    /// user: mails with links, the names of the links' hosts, and providers that say which user logs in. Empty for the
    /// operator, who needs none.
    func scopesOfEverybody(for context: AdministrativeContext) async throws -> Set<String> {
        if context.isOperator { return [] }
        let tenant = context.tenant
        return try await read { try $0.managementScopes(ofAnybodyIn: tenant) }
    }
}

extension Draft {
    /// The API, be it the Management API. Nil means unknown.
    func resourceServer(_ identifier: String) throws -> ResourceServer? {
        if let tenant = try tenant(), identifier == tenant.managementAudience { return .management(of: tenant) }
        return try find(ResourceServer.self, identifier)
    }
}

extension Client {
    /// True if both clients authenticate by the same credentials.
    func provesItself(as other: Client) -> Bool {
        authenticationMethod == other.authenticationMethod && secretHashes == other.secretHashes
            && credentials == other.credentials && jwks == other.jwks && jwksURI == other.jwksURI
            && bindsTokensToCertificate == other.bindsTokensToCertificate
    }
}
