import Primitives

/// Service that sends a tenant's e-mail.
package enum EmailProvider: String, Sendable, CaseIterable {
    case mailgun, mandrill, sendgrid, resend, ses, sparkpost, smtp
    case azure = "azure_cs"
    case microsoft365 = "ms365"
    case custom

    /// Members that may be shown.
    var shown: [String] {
        switch self {
        case .mailgun: ["domain", "region"]
        case .ses, .sparkpost: ["region"]
        case .smtp: ["smtp_host", "smtp_port", "smtp_user"]
        case .microsoft365: ["tenantId", "clientId"]
        case .mandrill, .sendgrid, .resend, .azure, .custom: []
        }
    }

    var secrets: [String] {
        switch self {
        case .mailgun, .mandrill, .sendgrid, .resend, .sparkpost: ["api_key"]
        case .ses: ["accessKeyId", "secretAccessKey"]
        case .smtp: ["smtp_pass"]
        case .azure: ["connectionString"]
        case .microsoft365: ["clientSecret"]
        case .custom: []
        }
    }

    /// Required credential members.
    var required: [String] {
        switch self {
        case .smtp: ["smtp_host"]
        case .mailgun: ["domain"] + secrets
        case .ses: shown + secrets
        case .microsoft365: shown + secrets
        default: secrets
        }
    }
}
