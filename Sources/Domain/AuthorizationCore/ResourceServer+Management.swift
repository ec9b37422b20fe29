import OAuthWire

extension ResourceServer {
    /// Management API, granted to clients by name for themselves, never for a user.
    package static func management(of tenant: Tenant) -> ResourceServer {
        var api = ResourceServer(identifier: tenant.managementAudience, name: "Countersign Management API")
        api.scopes = managementScopes.map { Scope(value: $0, description: "") }
        api.userPolicy = .denyAll
        api.isSystem = true
        return api
    }
}

extension Tenant {
    /// Audience of the Management API, always under the tenant's own name.
    package var managementAudience: String { "https://\(hosts.first ?? "")\(EndpointPath.management.rawValue)/" }

    /// True if `audience` is the Management API under any of the tenant's names.
    package func isManagementAudience(_ audience: String) -> Bool {
        hosts.contains { audience == "https://\($0)\(EndpointPath.management.rawValue)/" }
    }
}
