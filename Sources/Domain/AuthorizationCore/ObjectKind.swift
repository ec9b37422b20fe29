package enum ObjectKind: String, Sendable, CaseIterable {
    case user, client, role, connection, grant, session, device, enrollment, tenant, key, credential, identity
    case resourceServer = "resource_server"
    case clientGrant = "client_grant"
    case customDomain = "custom_domain"
    case emailProvider = "email_provider"
    case emailTemplate = "email_template"
    case refreshToken = "refresh_token"
    case authenticationMethod = "authentication_method"
    case deviceCredential = "device_credential"
    case guardianFactor = "guardian_factor"
    case pushProvider = "push_provider"
    case userBlock = "user_block"
    case prompt, log, ticket, approval, delivery, job

    /// Readable name.
    package var words: String {
        switch self {
        case .resourceServer: "resource server"
        case .clientGrant: "client grant"
        case .customDomain: "custom domain"
        case .emailProvider: "e-mail provider"
        case .emailTemplate: "e-mail template"
        case .refreshToken: "refresh token"
        case .authenticationMethod: "authentication method"
        case .deviceCredential: "device credential"
        case .guardianFactor: "factor"
        case .pushProvider: "push provider"
        case .userBlock: "user block"
        default: rawValue
        }
    }

    /// Readable name with its indefinite article.
    package var oneInWords: String {
        let isVowel = words.first.map { "aeio".contains($0) } ?? false
        return (isVowel ? "an " : "a ") + words
    }
}

/// Kinds of objects that are stored by themselves, as documents of a tenant.
package enum StoredKind: String, Sendable, CaseIterable {
    case client, role, connection
    case resourceServer = "resource_server"
    case emailProvider = "email_provider"
    case emailTemplate = "email_template"
    case pushProvider = "push_provider"
    case guardianSetting = "guardian_setting"
    case promptPartial = "prompt_partial"
    case customDomain = "custom_domain"
    case tenantSettings = "tenant_settings"
}

extension ResourceServer {
    /// Needed to change what evidence approvals need and how long it is kept. Auth0 has no such scope.
    package static let evidenceScope = "update:approval_evidence"

    /// Needed to change how a person is asked.
    package static let personScope = "update:mfa_policies"

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
            (["approval_evidence", "deliveries"], ["update"]),
            (["approvals"], ["create", "read"]),
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
