/// Service that sends a tenant's e-mail.
package enum EmailProvider: String, Sendable, CaseIterable {
    case mailgun, mandrill, sendgrid, resend, ses, sparkpost, smtp
    case azure = "azure_cs"
    case microsoft365 = "ms365"
    case custom

    /// A member of `credentials`. Secrets are never shown.
    package struct Credential: Sendable {
        package let name: String
        package var isSecret = false
        package var isRequired = true

        static func secret(_ name: String) -> Credential { Credential(name: name, isSecret: true) }
        static func shown(_ name: String) -> Credential { Credential(name: name) }

        var optional: Credential { Credential(name: name, isSecret: isSecret, isRequired: false) }
    }

    package var credentials: [Credential] {
        switch self {
        case .mailgun: [.shown("domain"), .shown("region").optional, .secret("api_key")]
        case .mandrill, .sendgrid, .resend: [.secret("api_key")]
        case .sparkpost: [.shown("region").optional, .secret("api_key")]
        case .ses: [.shown("region"), .secret("accessKeyId"), .secret("secretAccessKey")]
        case .smtp:
            [
                .shown("smtp_host"), .shown("smtp_port").optional, .shown("smtp_user").optional,
                .secret("smtp_pass").optional,
            ]
        case .azure: [.secret("connectionString")]
        case .microsoft365: [.shown("tenantId"), .shown("clientId"), .secret("clientSecret")]
        case .custom: []
        }
    }

    /// Credentials of every provider, for the description of the API.
    package static let credentialsText = allCases.filter { !$0.credentials.isEmpty }.map { provider in
        "\(provider.rawValue): "
            + provider.credentials.map { "`\($0.name)`" + ($0.isRequired ? "" : " (optional)") }.joined(separator: ", ")
    }.joined(separator: "; ")
}
