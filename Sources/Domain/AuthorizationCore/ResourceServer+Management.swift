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

    /// Scopes of a token for the Management API, sorted.
    package static let managementScopes: [String] = {
        let verbs: [(objects: [String], verbs: [String])] = [
            (
                [
                    "users", "roles", "resource_servers", "clients", "client_grants", "connections", "custom_domains",
                    "email_provider", "authentication_methods", "client_credentials", "users_app_metadata",
                ], ["create", "read", "update", "delete"]
            ),
            (["email_templates", "signing_keys"], ["create", "read", "update"]),
            (["role_members", "device_credentials"], ["create", "read", "delete"]),
            (["guardian_factors", "mfa_policies", "tenant_settings", "prompts", "client_keys"], ["read", "update"]),
            (["guardian_enrollments", "grants"], ["read", "delete"]),
            (["sessions", "refresh_tokens"], ["read", "update", "delete"]),
            (["guardian_enrollment_tickets", "user_tickets", "current_user_device_credentials"], ["create"]),
            (
                [
                    "logs", "logs_users", "stats", "user_idp_tokens", "client_summary", "user_effective_permissions",
                    "user_effective_roles",
                ], ["read"]
            ),
        ]
        return verbs.flatMap { entry in
            entry.objects.flatMap { object in entry.verbs.map { "\($0):\(object)" } }
        }.sorted()
    }()
}

extension Tenant {
    /// Audience of the Management API, always under the tenant's own name.
    package var managementAudience: String { "https://\(hosts.first ?? "")\(EndpointPath.management.rawValue)/" }
}
