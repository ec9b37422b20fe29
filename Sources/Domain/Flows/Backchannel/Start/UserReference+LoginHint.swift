import AuthorizationCore
import OAuthWire
import Primitives

extension UserReference {
    /// Throws `invalid_request` for another issuer's user, and for a text that is no e-mail address.
    init(_ hint: LoginHint, at tenant: Tenant) throws(OAuthError) {
        switch hint {
        case .issuerSubject(let issuer, let subject):
            guard tenant.isIssuer(issuer) else {
                throw OAuthError(
                    .invalidRequest, "iss within login_hint must be this tenant's issuer, \(tenant.issuer)")
            }
            self = .id(UserID(subject))
        case .opaque(let id): self = .id(UserID(id))
        case .phoneNumber(let number): self = .phoneNumber(number)
        case .email(let text):
            guard let address = EmailAddress(parsing: text) else {
                throw OAuthError(.invalidRequest, "login_hint parameter validation failed: it holds no e-mail address")
            }
            self = .email(address)
        }
    }
}
