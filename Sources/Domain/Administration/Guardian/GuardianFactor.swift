/// A second factor, in Auth0's order.
package enum GuardianFactor: String, Sendable, CaseIterable {
    case sms
    case push = "push-notification"
    case oneTimePassword = "otp"
    case email, duo
    case securityKey = "webauthn-roaming"
    case platformAuthenticator = "webauthn-platform"
    case recoveryCode = "recovery-code"
}
