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

extension Client {
    /// True if both clients authenticate by the same credentials.
    func provesItself(as other: Client) -> Bool {
        authenticationMethod == other.authenticationMethod && secretHashes == other.secretHashes
            && credentials == other.credentials && jwks == other.jwks && jwksURI == other.jwksURI
            && bindsTokensToCertificate == other.bindsTokensToCertificate
    }
}
