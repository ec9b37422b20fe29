package import AuthorizationCore
import Delivery
package import Flows
import OpenSSLCrypto
package import Primitives
import SMTPTransport

/// Checks of credentials at providers, with the addresses, authorities and networks of these settings.
extension ServerSettings {
    /// Maximum time for one mail server.
    private static let mailLimit = Duration.seconds(10)

    package func credentialChecks(_ times: ServerTimes) throws -> [CredentialCheck] {
        let push = try mobilePushServices { times.recording($0) }
        return [
            CredentialCheck { tenant, now in await push.check(tenant, now: now) },
            CredentialCheck { tenant, _ in await checkRelay(of: tenant.mail) },
        ]
    }

    /// Logs in to a tenant's own mail server. No finding without one.
    package func checkRelay(of mail: MailSettings) async -> [CredentialFinding] {
        if let reason = mail.unusedProvider {
            return [
                .warning(
                    "mail", "the e-mail provider is not used: \(reason)",
                    advice: "set a provider with SMTP: countersign mail provider set --help. Until then, mails go by "
                        + "the server's own mail server")
            ]
        }
        guard let relay = mail.relay else { return [] }
        return [
            await Self.finding(Self.subject(of: relay), transport(to: relay), advice: Self.relayAdvice)
        ]
    }

    /// Sends a small mail by a tenant's own mail server. Nil without one.
    package func sendTestMail(
        to address: EmailAddress, by mail: MailSettings, now: Timestamp
    ) async -> CredentialFinding? {
        guard let relay = mail.relay else { return nil }
        return await Self.tryMail(
            to: address, "the \(Self.subject(of: relay))", transport(to: relay), now: now, advice: Self.relayAdvice
        ) { $0.text }
    }

    /// Sends a small mail by the operator's mail server, of which tenants learn nothing more.
    func sendTestMail(to address: EmailAddress, now: Timestamp) async -> CredentialFinding {
        guard let transport = mailTransport else {
            return .fault("mail", "the operator has set up no mail server", advice: "set up one of the tenant's own")
        }
        return await Self.tryMail(
            to: address, "the operator's mail server", transport, now: now, advice: "tell the operator"
        ) { _ in "it did not take the mail" }
    }

    private static func tryMail(
        to address: EmailAddress, _ name: String, _ transport: any MailTransport, now: Timestamp, advice: String,
        _ reason: (MailFailure) -> String
    ) async -> CredentialFinding {
        let subject = "mail to \(address) by \(name)"
        let text = "This mail tries a mail server. It needs no answer."
        let message = FinishedMail(
            to: address.description, subject: "Test of the mail server", text: text, html: "<p>\(text)</p>",
            id: Hex.encode(SystemRandom().bytes(16)))
        do throws(MailFailure) {
            try await transport.send(message, now: now)
            return .ok(subject, "the mail server took the mail; look into the mailbox, and among its spam")
        } catch {
            return .fault(subject, reason(error), advice: advice)
        }
    }

    private static let relayAdvice =
        "set it again: countersign mail provider set. A private address needs outgoing-networks, and an authority of "
        + "its own trusted-authorities"

    private static func subject(of relay: MailRelay) -> String { "mail server \(relay.host):\(relay.port)" }

    private func transport(to relay: MailRelay) -> any MailTransport {
        SMTPRelays(outgoingPolicy, trust: trust, hashing: OpenSSLHashing(), limits: .tenants.within(Self.mailLimit))
            .transport(to: relay)
    }

    /// Logs in to the operator's mail server.
    /// - Parameters:
    ///   - asking: Tenants without a mail server of their own that have clients with the channel `email`.
    ///   - users: Those whose users have passwords, for which links are mailed.
    func checkMailServer(for asking: [TenantID], users: [TenantID]) async -> CredentialFinding {
        let advice = "set smtp-url and mail-from, or the tenants' own: countersign mail provider set --help"
        func names(_ tenants: [TenantID]) -> String { tenants.map(\.rawValue).joined(separator: ", ") }
        switch mail {
        case .nowhere:
            if !asking.isEmpty {
                return .fault(
                    "mail server", "none is configured, but clients ask for approval by e-mail at: \(names(asking))",
                    advice: advice)
            }
            if !users.isEmpty {
                return .warning(
                    "mail server", "none is configured, so no links for passwords reach the users of: \(names(users))",
                    advice: advice)
            }
            return .ok("mail server", "none is configured, so mails wait until they expire")
        case .folder(let path, _):
            return .ok("mail server", "mails are written to \(path), for development")
        case .smtp(var configuration):
            configuration.trust = trust
            configuration.limits = configuration.limits.within(Self.mailLimit)
            return await Self.finding(
                "mail server \(configuration.url)", SMTPTransport(configuration),
                advice: "correct smtp-url, smtp-user and smtp-password-file, and for an authority of its own "
                    + "trusted-authorities")
        }
    }

    private static func finding(
        _ subject: String, _ transport: some MailTransport, advice: String
    ) async -> CredentialFinding {
        do throws(MailFailure) {
            try await transport.check()
            return .ok(subject, "accepts a connection with these credentials")
        } catch {
            return .fault(subject, error.text, advice: advice)
        }
    }
}
