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
                    .invalidRequest, en: "iss within login_hint must be this tenant's issuer, \(tenant.issuer)",
                    fr: "iss dans login_hint doit être l'émetteur de ce tenant, \(tenant.issuer)")
            }
            self = .id(UserID(subject))
        case .opaque(let id): self = .id(UserID(id))
        case .phoneNumber(let number): self = .phoneNumber(number)
        case .email(let text):
            guard let address = EmailAddress(parsing: text) else {
                throw OAuthError(
                    .invalidRequest, en: "login_hint parameter validation failed: it holds no e-mail address",
                    fr: "Validation du paramètre login_hint : ce n'est pas une adresse e-mail")
            }
            self = .email(address)
        }
    }
}
