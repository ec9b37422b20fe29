package import Primitives

/// A tenant's setting, stored as written: the e-mail provider, a template, a push provider.
package struct TenantDocument: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case emailProvider = "email_provider"
        case emailTemplate = "email_template"
        case pushProvider = "push_provider"
        case guardianSetting = "guardian_setting"
        case promptPartial = "prompt_partial"
        case customDomain = "custom_domain"
        case tenantSettings = "tenant_settings"
    }

    package let kind: Kind
    package let id: String
    package var document: JSONObject
    /// Credentials, sealed with `sealingContext`. Empty means none.
    package var sealedSecrets: [UInt8]

    package init(_ kind: Kind, id: String, document: JSONObject, sealedSecrets: [UInt8] = []) {
        self.kind = kind
        self.id = id
        self.document = document
        self.sealedSecrets = sealedSecrets
    }
}
