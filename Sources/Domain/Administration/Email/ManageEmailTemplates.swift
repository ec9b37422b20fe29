package import AuthorizationCore
package import Configuration
package import Primitives

/// Manages a tenant's e-mail templates.
package struct ManageEmailTemplates: Sendable {
    /// Purpose of an e-mail.
    package enum Template: String, Sendable, CaseIterable {
        case verifyEmail = "verify_email"
        case verifyEmailByCode = "verify_email_by_code"
        case authenticationByCode = "auth_email_by_code"
        case resetEmail = "reset_email"
        case resetEmailByCode = "reset_email_by_code"
        case welcome = "welcome_email"
        case blockedAccount = "blocked_account"
        case stolenCredentials = "stolen_credentials"
        case enrollment = "enrollment_email"
        case multiFactorCode = "mfa_oob_code"
        case invitation = "user_invitation"
        case changePassword = "change_password"
        case passwordReset = "password_reset"
        case asynchronousApproval = "async_approval"
    }

    /// Limit in characters.
    package static let bodyLimit = 65_536

    private let store: any ConfigurationStore

    package init(store: any ConfigurationStore) { self.store = store }

    package func template(_ template: Template, of tenant: TenantID) async throws -> JSONObject {
        try await store.read { try $0.document(.emailTemplate, template.rawValue, of: tenant) }
            .orUnknown(.emailTemplate).document
    }

    package func create(_ template: Template, _ document: JSONObject, for context: AdministrativeContext) async throws
        -> JSONObject
    {
        try await store.change(for: context) { change in
            guard try change.transaction.document(.emailTemplate, template.rawValue, of: context.tenant) == nil else {
                throw AdministrationFailure.conflict(.emailTemplate, same: "name")
            }
            return try Self.put(template, JSONObject().patched(with: document), over: nil, change)
        }
    }

    /// Replaces the whole template or creates it.
    package func replace(_ template: Template, _ document: JSONObject, for context: AdministrativeContext) async throws
        -> JSONObject
    {
        try await store.change(for: context) { change in
            let old = try change.transaction.document(.emailTemplate, template.rawValue, of: context.tenant)
            return try Self.put(template, JSONObject().patched(with: document), over: old?.document, change)
        }
    }

    /// Replaces `patch`'s members; null deletes.
    package func update(_ template: Template, _ patch: JSONObject, for context: AdministrativeContext) async throws
        -> JSONObject
    {
        try await store.change(for: context) { change in
            let old = try change.transaction.document(.emailTemplate, template.rawValue, of: context.tenant)
                .orUnknown(.emailTemplate)
            return try Self.put(template, old.document.patched(with: patch), over: old.document, change)
        }
    }

    private static func put(
        _ template: Template, _ document: JSONObject, over old: JSONObject?, _ change: ConfigurationChange
    ) throws -> JSONObject {
        let new = document.patched(with: ["template": .string(template.rawValue)])
        try change.transaction.put(
            TenantDocument(.emailTemplate, id: template.rawValue, document: new), in: change.tenant)
        if let old {
            try change.record(.emailTemplate, template.rawValue, from: old, to: new)
        } else {
            try change.record(.created, .emailTemplate, template.rawValue, fields: new.members.map(\.name).sorted())
        }
        return new
    }
}
