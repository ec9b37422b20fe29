public import Primitives

/// A setting of a tenant that is kept as it was written: the e-mail provider, a template, a push provider.
public struct TenantDocument: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case emailProvider = "email_provider"
        case emailTemplate = "email_template"
        case pushProvider = "push_provider"
        case guardianSetting = "guardian_setting"
        case promptPartial = "prompt_partial"
        case customDomain = "custom_domain"
        case tenantSettings = "tenant_settings"
    }

    public let kind: Kind
    public let id: String
    public var document: JSONObject
    /// Credentials, sealed with `sealingContext`; empty where there are none.
    public var sealedSecrets: [UInt8]

    public init(_ kind: Kind, id: String, document: JSONObject, sealedSecrets: [UInt8] = []) {
        self.kind = kind
        self.id = id
        self.document = document
        self.sealedSecrets = sealedSecrets
    }
}
