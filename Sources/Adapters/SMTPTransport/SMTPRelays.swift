package import AuthorizationCore
package import CurlTransport
package import Flows
package import HTTPModel
package import Primitives

/// Makes transports to tenants' mail servers, which share connections of the same server and account. They always speak
/// TLS, and connect only to addresses that the policy allows.
package struct SMTPRelays: MailRelays {
    private let policy: OutgoingPolicy
    private let trust: CurlTransport.Configuration.Trust
    private let hashing: any Hashing
    private let limits: SMTPLimits
    private let pool = SMTPPool()

    package init(
        _ policy: OutgoingPolicy, trust: CurlTransport.Configuration.Trust, hashing: any Hashing,
        limits: SMTPLimits = .tenants
    ) {
        self.policy = policy
        self.trust = trust
        self.hashing = hashing
        self.limits = limits
    }

    package func transport(to relay: MailRelay) -> any MailTransport {
        guard let configuration = configuration(of: relay) else { return UnusableTransport() }
        return SMTPTransport(configuration, pool: pool)
    }

    /// Nil if the server or the sender has no usable address.
    func configuration(of relay: MailRelay) -> SMTPTransport.Configuration? {
        guard let from = MailAddress(relay.from.description),
            var configuration = SMTPTransport.Configuration(relayURL: relay.url, from: from, policy: policy)
        else { return nil }
        let account = relay.account(hashing)
        configuration.user = account?.user
        configuration.password = account?.password
        configuration.trust = trust
        configuration.limits = limits
        return configuration
    }

    private struct UnusableTransport: MailTransport {
        private static let failure = MailFailure.failed("the tenant's mail server has no usable address")

        func send(_ finished: FinishedMail, now: Timestamp) async throws(MailFailure) { throw Self.failure }
        func check() async throws(MailFailure) { throw Self.failure }
    }
}
