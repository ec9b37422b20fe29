package import AuthorizationCore
package import HTTPModel
package import Primitives
package import Tracing
package import X509

extension UseCases {
    /// Adapters of a server.
    package struct Ports: Sendable {
        let basic: BasicPorts
        let configuration: any ConfigurationSource
        let clock: any WallClock
        let timer: any Timer
        let pageHold: Duration
        let passkeys: any PasskeyVerifier
        let passwords: any PasswordHasher
        let keys: DerivedKeys
        let http: any OutgoingHTTPClient
        let published: PublishedClientKeys
        let oldServers: OldServers
        let trust: any CertificateTrust
        let places: (any PlaceFinder)?
        let ways: DeliveryWays
        let link: any NodeLink
        let examiner: any TenantExaminer
        let tracer: Tracer?

        /// - Parameters:
        ///   - pageHold: Longest time that a page waits for one answer.
        ///   - http: Client for requests to upstream providers.
        ///   - published: Keys that clients publish.
        ///   - oldServers: Servers that people are moved from.
        ///   - trust: Authorities of clients' certificates.
        ///   - places: Places of addresses. Nil means that none is known.
        ///   - link: Link to the other nodes of the store.
        ///   - examiner: Looks at what tenants depend on.
        ///   - tracer: Records deliveries. Nil records none.
        package init(
            _ basic: BasicPorts, configuration: any ConfigurationSource, clock: any WallClock, timer: any Timer,
            pageHold: Duration = PushFactor.longestHold, passkeys: any PasskeyVerifier, passwords: any PasswordHasher,
            keys: DerivedKeys, http: any OutgoingHTTPClient, published: PublishedClientKeys, oldServers: OldServers,
            trust: any CertificateTrust, places: (any PlaceFinder)? = nil, ways: DeliveryWays,
            link: any NodeLink = NoOtherNodes(), examiner: any TenantExaminer, tracer: Tracer? = nil
        ) {
            self.basic = basic
            self.configuration = configuration
            self.clock = clock
            self.timer = timer
            self.pageHold = pageHold
            self.passkeys = passkeys
            self.passwords = passwords
            self.keys = keys
            self.http = http
            self.published = published
            self.oldServers = oldServers
            self.trust = trust
            self.places = places
            self.ways = ways
            self.link = link
            self.examiner = examiner
            self.tracer = tracer
        }
    }

    /// Services that take messages, and the rules of sending them.
    package struct DeliveryWays: Sendable {
        let pushes: [any NotificationProvider]
        let transport: (any MailTransport)?
        let relays: any MailRelays
        let logout: any LogoutNotifier
        let mails: MailBudget
        let owner: String
        let jitter: @Sendable () -> Double
        let report: @Sendable (DeliveryQueue, String) -> Void

        /// True if tenants without a relay may ask by mail.
        var sendsMail: Bool { transport != nil }

        /// - Parameters:
        ///   - pushes: Push services. The device channel is always there.
        ///   - transport: The operator's mail server. Nil leaves mails of tenants without a relay in the queue.
        ///   - relays: Mail servers of tenants.
        ///   - mails: Budget of the operator's mail server, over all kinds of mails.
        ///   - owner: Name of this node, unique in the store.
        ///   - jitter: Values in `0...1` that spread retries.
        ///   - report: Gets lines for the operator's log, which hold nothing of a sealed message.
        package init(
            pushes: [any NotificationProvider], transport: (any MailTransport)?, relays: any MailRelays,
            logout: any LogoutNotifier, mails: MailBudget, owner: String,
            jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
            report: @escaping @Sendable (DeliveryQueue, String) -> Void
        ) {
            self.pushes = pushes
            self.transport = transport
            self.relays = relays
            self.logout = logout
            self.mails = mails
            self.owner = owner
            self.jitter = jitter
            self.report = report
        }
    }
}
