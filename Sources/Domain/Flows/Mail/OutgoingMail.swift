package import AuthorizationCore

/// A mail to one person, as plain text.
package struct OutgoingMail: Sendable, Equatable {
    package let to: String
    package let subject: String
    package let text: String

    package init(to: String, subject: String, text: String) {
        self.to = to
        self.subject = subject
        self.text = text
    }
}

/// Store port for a mail without another change.
package protocol MailStore: Sendable {
    func enqueue(_ mail: SealedMail) async throws
}
