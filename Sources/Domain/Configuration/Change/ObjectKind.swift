/// Kind of a managed object.
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
    case prompt, log, ticket

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
}
