/// How well the user was authenticated (OIDC Core 2, `acr`), where it was more than a password.
package enum AuthenticationContextClass: String, Sendable, CaseIterable {
    /// A decision that a device signed with its key.
    case deviceKey = "urn:countersign:acr:device-key"
    /// A login with two factors, as Auth0 names it.
    case multiFactor = "http://schemas.openid.net/pape/policies/2007/06/multi-factor"
}
