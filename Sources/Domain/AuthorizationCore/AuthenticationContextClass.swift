/// Strength of an authentication by more than a password (OIDC Core 2, `acr`).
package enum AuthenticationContextClass: String, Sendable, CaseIterable {
    /// A decision that a device signed with its key.
    case deviceKey = "urn:countersign:acr:device-key"
    /// A login with two factors, as Auth0 names it.
    case multiFactor = "http://schemas.openid.net/pape/policies/2007/06/multi-factor"
}
