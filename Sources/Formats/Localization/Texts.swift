/// Every text for people, in one language. A language's file makes a value with the memberwise initializers, so a
/// language that lacks a text does not compile.
///
/// Programs' messages are not among them: errors of APIs and SDKs, logs and the command line are in English.
package struct Texts: Sendable {
    package let frame: Frame
    package let form: Form
    package let login: Login
    package let passkeys: Passkeys
    package let signUp: SignUp
    package let password: Password
    package let email: Email
    package let consent: Consent
    package let approval: Approval
    package let card: Card
    package let values: Values
    package let enrollment: Enrollment
    package let secondFactor: SecondFactor
    package let account: Account
    package let dashboard: Dashboard
    package let loginRequest: LoginRequest
    package let logout: Logout
    package let ending: Ending
    package let error: Error
    package let failure: Failure
    package let mail: Mail
    package let phone: Phone
    package let ways: Ways
    package let loopback: Loopback
}
