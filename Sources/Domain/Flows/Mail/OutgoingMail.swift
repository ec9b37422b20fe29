package import AuthorizationCore
package import Primitives

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

/// A mail that is due, with how often it was tried.
package struct DueMail: Sendable, Equatable {
    package let id: Int64
    package let mail: SealedMail
    package let attempts: Int

    package init(id: Int64, mail: SealedMail, attempts: Int) {
        self.id = id
        self.mail = mail
        self.attempts = attempts
    }
}

/// What delivering mail needs of a store.
package protocol MailStore: Sendable {
    /// Keeps a mail on its own.
    func enqueue(_ mail: SealedMail) async throws

    /// Mails that are due at `now` and still of use, oldest first, at most `limit`.
    func dueMail(now: Timestamp, limit: Int) async throws -> [DueMail]

    /// Removes a mail that was delivered or given up.
    func removeMail(_ id: Int64) async throws

    /// Has a mail tried again at `dueAt`.
    func postponeMail(_ id: Int64, attempts: Int, dueAt: Timestamp) async throws
}
