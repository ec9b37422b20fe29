/// What may prove a person a second time, in the order in which Auth0 lists it.
package enum GuardianFactor: String, Sendable, CaseIterable {
    case sms
    case push = "push-notification"
    case oneTimePassword = "otp"
    case email, duo
    case securityKey = "webauthn-roaming"
    case platformAuthenticator = "webauthn-platform"
    case recoveryCode = "recovery-code"
}
