package import AuthorizationCore
import Delivery
package import Flows
import OpenSSLCrypto
import Primitives
import SMTPTransport

/// Checks of credentials at providers, with the addresses, authorities and networks of these settings.
extension ServerSettings {
    /// Maximum time for one mail server.
    private static let mailLimit = Duration.seconds(10)

    package func credentialChecks(_ witness: ClockWitness) throws -> [CredentialCheck] {
        let push = try mobilePushServices { witness.watching($0) }
        return [
            CredentialCheck("push") { tenant, now in await push.check(tenant, now: now) },
            CredentialCheck("mail") { tenant, _ in await checkRelay(of: tenant.mail) },
        ]
    }

    /// Logs in to a tenant's own mail server. No finding without one.
    package func checkRelay(of mail: MailSettings) async -> [CredentialFinding] {
        if let reason = mail.unusedProvider {
            return [
                .warning(
                    "mail", "the e-mail provider is not used: \(reason)",
                    advice: "Mails go by the server's own mail server. Set a provider with SMTP: "
                        + "countersign mail provider set --help")
            ]
        }
        guard let relay = mail.relay else { return [] }
        let relays = SMTPRelays(outgoingPolicy, trust: mailTrust, hashing: OpenSSLHashing(), timeout: Self.mailLimit)
        return [
            await Self.finding(
                "mail server \(relay.host):\(relay.port)", relays.transport(to: relay),
                advice: "Set it again: countersign mail provider set. A private address needs outgoing-networks, and "
                    + "an authority of its own trusted-authorities.")
        ]
    }

    /// Logs in to the operator's mail server.
    /// - Parameter mailed: Tenants without a mail server of their own that have clients with the channel `email`.
    func checkMailServer(for mailed: [TenantID]) async -> CredentialFinding {
        switch mail {
        case .nowhere:
            guard !mailed.isEmpty else {
                return .ok("mail server", "none is configured, so mails wait until they expire")
            }
            return .fault(
                "mail server",
                "none is configured, but clients ask for approval by e-mail at: "
                    + mailed.map(\.rawValue).joined(separator: ", "),
                advice: "Set smtp-url and mail-from, or the tenants' own: countersign mail provider set --help")
        case .folder(let path, _):
            return .ok("mail server", "mails are written to \(path), for development")
        case .smtp(var configuration):
            configuration.trust = mailTrust
            configuration.connectTimeout = min(configuration.connectTimeout, Self.mailLimit)
            configuration.timeout = Self.mailLimit
            return await Self.finding(
                "mail server \(configuration.url)", SMTPTransport(configuration),
                advice: "Correct smtp-url, smtp-user and smtp-password-file, and for an authority of its own "
                    + "trusted-authorities.")
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
