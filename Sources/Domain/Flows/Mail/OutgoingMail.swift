public import AuthorizationCore
public import Primitives

/// A mail to one person, as plain text.
public struct OutgoingMail: Sendable, Equatable {
    public let to: String
    public let subject: String
    public let text: String

    public init(to: String, subject: String, text: String) {
        self.to = to
        self.subject = subject
        self.text = text
    }
}

/// A mail that is due, with how often it was tried.
public struct DueMail: Sendable, Equatable {
    public let id: Int64
    public let mail: SealedMail
    public let attempts: Int

    public init(id: Int64, mail: SealedMail, attempts: Int) {
        self.id = id
        self.mail = mail
        self.attempts = attempts
    }
}

/// What delivering mail needs of a store.
public protocol MailStore: Sendable {
    /// Keeps a mail on its own.
    func enqueue(_ mail: SealedMail) async throws

    /// Mails that are due at `now` and still of use, oldest first, at most `limit`.
    func dueMail(now: Timestamp, limit: Int) async throws -> [DueMail]

    /// Removes a mail that was delivered or given up.
    func removeMail(_ id: Int64) async throws

    /// Has a mail tried again at `dueAt`.
    func postponeMail(_ id: Int64, attempts: Int, dueAt: Timestamp) async throws
}
