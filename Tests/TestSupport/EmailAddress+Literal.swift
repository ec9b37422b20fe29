package import AuthorizationCore

extension EmailAddress: ExpressibleByStringLiteral {
    /// An address of a test, which must be one.
    package init(stringLiteral text: String) {
        guard let address = EmailAddress(parsing: text) else { preconditionFailure("\(text) is no e-mail address") }
        self = address
    }
}
