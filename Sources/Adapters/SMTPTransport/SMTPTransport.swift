import AuthorizationCore
package import CurlTransport
package import Flows
import HTTPModel
package import Primitives
import Threads

/// Sends mails to a mail server (RFC 5321), over TLS unless it is the operator's on this machine. Each exchange blocks
/// a thread of its own, and leaves its connection for the next one.
package struct SMTPTransport: MailTransport {
    /// Mail server, and the account on it.
    package struct Configuration: Sendable {
        /// `smtp://HOST[:PORT]`, which requires STARTTLS unless the host is this machine, or `smtps://HOST[:PORT]`.
        package let url: String
        /// A name, or an address as in a URL.
        let host: String
        /// 25, or 465 with TLS from the first byte, unless the URL names another.
        let port: UInt16
        /// Sender of every mail, and recipient of bounces.
        package let from: MailAddress
        package var user: String?
        package var password: SecretBytes?
        package var trust = CurlTransport.Configuration.Trust.system
        package var limits = SMTPLimits.operators
        /// TLS is optional only on this machine, where its certificate is not verified either: nobody is between.
        private(set) var security: SMTPDialogue.Security
        /// Addresses that may be connected to. Nil means any, for the operator's server.
        private(set) var policy: OutgoingPolicy?

        /// Nil unless `url` is an SMTP server's, without user information, path or query.
        package init?(url: String, from: MailAddress) {
            let isImplicit = url.hasPrefix("smtps://")
            guard isImplicit || url.hasPrefix("smtp://") else { return nil }
            var authority = url.dropFirst(isImplicit ? 8 : 7)
            if authority.last == "/" { authority.removeLast() }
            let name: Substring
            if authority.first == "[" {
                guard let end = authority.firstIndex(of: "]") else { return nil }
                name = authority[...end]
            } else {
                name = authority.prefix { $0 != ":" }
            }
            let rest = authority.dropFirst(name.count)
            let named = UInt16(rest.dropFirst()) ?? 0
            guard !name.isEmpty,
                name.utf8.allSatisfy({
                    (0x30...0x3A).contains($0) || (0x41...0x5B).contains($0) || (0x61...0x7A).contains($0)
                        || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "]")].contains($0)
                }), rest.isEmpty || rest.first == ":" && named > 0
            else { return nil }
            self.url = (isImplicit ? "smtps://" : "smtp://") + authority
            self.from = from
            host = String(name)
            port = rest.isEmpty ? (isImplicit ? MailRelay.implicitPort : 25) : named
            let isHere = ["127.0.0.1", "[::1]", "localhost"].contains(name)
            security = isImplicit ? .implicit : isHere ? .ifOffered : .required
        }

        /// A tenant's server, which is always spoken to over TLS.
        init?(relayURL: String, from: MailAddress, policy: OutgoingPolicy) {
            self.init(url: relayURL, from: from)
            if security == .ifOffered { security = .required }
            limits = .tenants
            self.policy = policy
        }

        /// The account, if one is set.
        var login: SMTPDialogue.Account? {
            user.map { SMTPDialogue.Account(user: $0, password: password ?? SecretBytes([])) }
        }

        /// Connections to an account serve each other's mails.
        var account: SMTPAccount {
            SMTPAccount(url: url, user: user, password: password, trust: trust, policy: policy)
        }
    }

    private let configuration: Configuration
    private let pool: SMTPPool

    package init(_ configuration: Configuration, pool: SMTPPool = SMTPPool()) {
        self.configuration = configuration
        self.pool = pool
    }

    package func send(_ finished: FinishedMail, now: Timestamp) async throws(MailFailure) {
        guard let to = MailAddress(finished.to) else { throw .refused("the recipient's address cannot be sent to") }
        let from = finished.sender.flatMap { MailAddress($0.description) } ?? configuration.from
        let message = MailMessage(from: from, to: to, finished: finished, date: now)
        let bytes = message.bytes(.quotedPrintable)
        try await run { [configuration, pool] in pool.send(bytes, to: to, configuration, until: $0, now: now) }
    }

    package func check() async throws(MailFailure) {
        try await run { [configuration, pool] in pool.check(configuration, until: $0) }
    }

    private func run(
        _ exchange: @escaping @Sendable (SMTPCancellation) -> Result<Void, MailFailure>
    ) async throws(MailFailure) {
        let cancellation = SMTPCancellation()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do {
                    try SystemThread.detach { continuation.resume(returning: exchange(cancellation)) }
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
