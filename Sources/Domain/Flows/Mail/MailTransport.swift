package import AuthorizationCore
package import Localization
package import Primitives

/// A finished mail.
package struct FinishedMail: Sendable, Equatable {
    package let to: String
    package let subject, text, html: String
    package let language: Language
    /// Name of the sender that people read. Empty shows the address.
    package let senderName: String
    /// Nil means the transport's own sender.
    package let sender: EmailAddress?
    /// Letters and digits, the same at every try, so that a receiver recognizes a repetition.
    package let id: String

    package init(
        to: String, subject: String, text: String, html: String, language: Language = .english, senderName: String = "",
        sender: EmailAddress? = nil, id: String
    ) {
        self.to = to
        self.subject = subject
        self.text = text
        self.html = html
        self.language = language
        self.senderName = senderName
        self.sender = sender
        self.id = id
    }
}

/// Store port for a mail without another change.
package protocol MailStore: Sendable {
    func enqueue(_ mail: SealedMail) async throws
}

/// Port that sends mail to one server.
package protocol MailTransport: Sendable {
    func send(_ finished: FinishedMail, now: Timestamp) async throws(MailFailure)

    /// Connects and logs in, and sends nothing.
    func check() async throws(MailFailure)
}

/// Port that makes transports to tenants' mail servers.
package protocol MailRelays: Sendable {
    func transport(to relay: MailRelay) -> any MailTransport
}

/// Reason that a mail was not sent. Texts are for the operator's log, and hold nothing of the mail.
package enum MailFailure: Error, Sendable, Equatable {
    /// No further try will help.
    case refused(String)
    /// The recipient's mail server refused the address for good, with a status of RFC 3463.
    case bounced(status: String, String)
    /// A later try may help.
    case failed(String)
    /// The server has the whole mail, but did not say whether it accepts it. A later try may deliver it twice.
    case unanswered(String)
    /// Nothing was sent: the server refused the same login a moment ago.
    case resting(String)

    package var text: String {
        switch self {
        case .refused(let text), .bounced(_, let text), .failed(let text), .unanswered(let text), .resting(let text):
            text
        }
    }
}

extension SealedMail {
    private struct Unreadable: Error {}

    /// The mail that `MailComposer` sealed. Throws if the box does not open, or holds no mail.
    package func opened(by sealer: some Sealer) throws -> OutgoingMail {
        let bytes = try sealer.open(sealed, context: Delivery.sealingContext(tenant: tenant)).bytes
        guard let mail = OutgoingMail(try JSONReader.parse(bytes)) else { throw Unreadable() }
        return mail
    }
}
