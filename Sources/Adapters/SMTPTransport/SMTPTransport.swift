package import Flows
package import Primitives
import Threads

/// Sends mails to a mail server (RFC 5321), over TLS unless it is on this machine. Each exchange blocks a thread of its
/// own.
package struct SMTPTransport: MailTransport {
    /// Mail server, and the account on it.
    package struct Configuration: Sendable {
        /// Authorities that vouch for the server's certificate.
        package enum Trust: Sendable, Equatable {
            case system
            /// Only a file of PEM certificates.
            case file(String)
        }

        /// `smtp://HOST[:PORT]`, which requires STARTTLS unless the host is this machine, or `smtps://HOST[:PORT]`.
        package let url: String
        /// Sender of every mail, and recipient of bounces.
        package let from: MailAddress
        package var user: String?
        package var password: SecretBytes?
        package var trust = Trust.system
        /// Limit for resolving and connecting.
        package var connectTimeout: Duration = .seconds(10)
        /// Limit for a whole exchange.
        package var timeout: Duration = .seconds(60)
        /// False only on this machine.
        let needsTLS: Bool

        /// Nil unless `url` is an SMTP server's, without user information, path or query.
        package init?(url: String, from: MailAddress) {
            let isImplicit = url.hasPrefix("smtps://")
            guard isImplicit || url.hasPrefix("smtp://") else { return nil }
            var authority = url.dropFirst(isImplicit ? 8 : 7)
            if authority.last == "/" { authority.removeLast() }
            let host: Substring
            if authority.first == "[" {
                guard let end = authority.firstIndex(of: "]") else { return nil }
                host = authority[...end]
            } else {
                host = authority.prefix { $0 != ":" }
            }
            let rest = authority.dropFirst(host.count)
            guard !host.isEmpty,
                host.utf8.allSatisfy({
                    (0x30...0x3A).contains($0) || (0x41...0x5B).contains($0) || (0x61...0x7A).contains($0)
                        || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "]")].contains($0)
                }), rest.isEmpty || rest.first == ":" && UInt16(rest.dropFirst()) ?? 0 > 0
            else { return nil }
            self.url = (isImplicit ? "smtps://" : "smtp://") + authority
            self.from = from
            needsTLS = !["127.0.0.1", "[::1]", "localhost"].contains(host)
        }
    }

    private let configuration: Configuration

    package init(_ configuration: Configuration) { self.configuration = configuration }

    package func send(_ mail: OutgoingMail, id: String, now: Timestamp) async throws(MailFailure) {
        guard let to = MailAddress(mail.to) else { throw .refused("the recipient's address cannot be sent to") }
        let message = MailMessage(from: configuration.from, to: to, mail: mail, id: id, date: now)
        let bytes = message.bytes(.quotedPrintable)
        let cancellation = SMTPCancellation()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let configuration = configuration
                do {
                    try SystemThread.detach {
                        continuation.resume(
                            returning: SMTPExchange.run(configuration, to: to, message: bytes, until: cancellation))
                    }
                } catch {
                    continuation.resume(returning: .failure(.failed("the system has no thread to give")))
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        try outcome.get()
    }
}
