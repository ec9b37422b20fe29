import ApprovalWire
import AuthorizationCore
import OAuthWire
import Primitives

extension RequestRecord {
    /// Record of a new request, with the names and descriptions that the user is shown.
    init(
        _ consent: ConsentID, of client: ClientID, to user: UserID, for audience: String, scope: ScopeSet,
        message: String, details: JSONValue?, configuration: TenantConfiguration, createdAt: Timestamp,
        expiresAt: Timestamp
    ) {
        let tenant = configuration.tenant
        let api = configuration.resourceServers[audience]
        self.init(
            id: consent.rawValue, issuer: tenant.issuer, tenant: tenant.id.rawValue,
            client: Party(id: client.rawValue, name: configuration.client(client)?.name ?? client.rawValue),
            user: user.rawValue, audience: Party(id: audience, name: api?.name ?? tenant.name),
            scope: scope.tokens.map { token in
                let description = api?.scopes.first { $0.value == token }?.description
                return Scope(value: token, description: description.flatMap { $0.isEmpty ? nil : $0 })
            },
            bindingMessage: message, authorizationDetails: details?.arrayValue?.compactMap(\.objectValue) ?? [],
            createdAt: createdAt, expiresAt: expiresAt)
    }
}
