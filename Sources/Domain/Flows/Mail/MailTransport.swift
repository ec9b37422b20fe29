package import AuthorizationCore
package import Primitives

/// A mail to one person, as plain text.
package struct OutgoingMail: Sendable, Equatable {
    package let to: String
    package let subject: String
    package let text: String
}

/// Store port for a mail without another change.
package protocol MailStore: Sendable {
    func enqueue(_ mail: SealedMail) async throws
}

/// Port that sends mail.
package protocol MailTransport: Sendable {
    /// Sends a mail. `id` is the same at every try, so that a receiver recognizes a repetition. It has only letters and
    /// digits.
    func send(_ mail: OutgoingMail, id: String, now: Timestamp) async throws(MailFailure)
}

/// Reason that a mail was not sent. Texts are for the log, and hold nothing of the mail.
package enum MailFailure: Error, Sendable, Equatable {
    /// No further try will help.
    case refused(String)
    /// A later try may help.
    case failed(String)
}

extension SealedMail {
    private struct Unreadable: Error {}

    /// The mail that `MailComposer` sealed. Throws if the box does not open, or holds no mail.
    package func opened(by sealer: some Sealer) throws -> OutgoingMail {
        let content = try JSONReader.parse(sealer.open(sealed, context: Delivery.sealingContext(tenant: tenant)).bytes)
        guard let to = content["to"]?.stringValue, let subject = content["subject"]?.stringValue,
            let text = content["text"]?.stringValue
        else { throw Unreadable() }
        return OutgoingMail(to: to, subject: subject, text: text)
    }
}
