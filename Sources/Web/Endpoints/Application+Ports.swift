import Administration
package import Audit
package import AuthorizationCore
package import Configuration
package import Flows
package import HTTPModel
package import JOSE
package import ManagementAPI
package import Primitives
package import X509

/// Store ports of all use cases.
package typealias ApplicationStore = StepStore & BeginStore & PasswordStore & SignUpStore & RecoverPasswordStore
    & EmailTicketStore & PushFactorStore & OneTimePasswordStore & UpstreamStore & CompletionStore & SessionStore
    & EnrollmentStore & EnrollmentCodeStore & PreferenceStore & ClientAssertionStore & AuthorizationCodeStore
    & RefreshTokenStore & AccessTokenStore & ClientTokenStore & BackchannelResolveStore & PasskeyLoginStore
    & ApprovalStore
    & BackchannelCancelStore
    & ConsentStore
    & PendingRequestStore
    & OwnAccountStore & RecoveryCodeStore
    & ManagementStore

extension Application {
    /// Adapters that the application needs.
    package struct Ports: Sendable {
        let store: any ApplicationStore
        let configuration: any RefreshableConfiguration
        let clock: any WallClock
        let timer: any Timer
        let pageHold: Duration
        let random: any RandomSource
        let hashing: any Hashing
        let verifier: any Verifier
        let passkeys: any PasskeyVerifier
        let sealer: any Sealer
        let vault: RequestVault
        let budgets: AuditBudgets
        let passwords: any PasswordHasher
        let signingKeys: any SigningKeyFactory
        let schemas: SchemaRegistry
        let keys: Keys
        let http: any OutgoingHTTPClient
        let published: PublishedClientKeys
        let trust: any CertificateTrust
        let places: (any PlaceFinder)?
        let channel: any DeviceEventSource & NotificationProvider
        let delivery: any DeliverySignal
        let decisions: DecisionHub
        let sendsMail: Bool
        let ticketMails: MailBudget
        let ceilings: TenantCeilings
        let qrCode: @Sendable (String) -> [[Bool]]?

        var ceremonies: PasskeyCeremonies {
            PasskeyCeremonies(
                challenges: keys.passkeys, authenticators: passkeys, keys: verifier, hashing: hashing)
        }

        /// - Parameters:
        ///   - pageHold: Time that a page waits for one answer.
        ///   - vault: Vault of requests. Its log of refusals is that of all use cases.
        ///   - budgets: Budgets of what actors do successfully.
        ///   - http: Client for requests to upstream providers.
        ///   - published: Keys that clients publish.
        ///   - trust: Authorities of clients' certificates.
        ///   - places: Places of addresses. Nil means that none is known.
        ///   - channel: Event streams of devices.
        ///   - delivery: Signal that wakes the delivery.
        ///   - decisions: Where decisions are announced on this node.
        ///   - sendsMail: True if there is a mail server for tenants without one of their own.
        ///   - ticketMails: Budget of mails that administrators ask for.
        ///   - ceilings: Largest values of tenants' settings.
        ///   - qrCode: Makes the modules of a text's QR code, row by row. Nil means that the text is too long.
        package init(
            store: any ApplicationStore, configuration: any RefreshableConfiguration, clock: any WallClock,
            timer: any Timer, pageHold: Duration = PushFactor.longestHold, random: any RandomSource,
            hashing: any Hashing, verifier: any Verifier, passkeys: any PasskeyVerifier, sealer: any Sealer,
            vault: RequestVault, budgets: AuditBudgets, passwords: any PasswordHasher,
            signingKeys: any SigningKeyFactory, schemas: SchemaRegistry, keys: Keys, http: any OutgoingHTTPClient,
            published: PublishedClientKeys, trust: any CertificateTrust, places: (any PlaceFinder)? = nil,
            channel: any DeviceEventSource & NotificationProvider, delivery: any DeliverySignal,
            decisions: DecisionHub, sendsMail: Bool, ticketMails: MailBudget = MailBudget(),
            ceilings: TenantCeilings = TenantCeilings(),
            qrCode: @escaping @Sendable (String) -> [[Bool]]?
        ) {
            self.store = store
            self.configuration = configuration
            self.clock = clock
            self.timer = timer
            self.pageHold = pageHold
            self.random = random
            self.hashing = hashing
            self.verifier = verifier
            self.passkeys = passkeys
            self.sealer = sealer
            self.vault = vault
            self.budgets = budgets
            self.passwords = passwords
            self.signingKeys = signingKeys
            self.schemas = schemas
            self.keys = keys
            self.http = http
            self.published = published
            self.trust = trust
            self.places = places
            self.channel = channel
            self.delivery = delivery
            self.decisions = decisions
            self.sendsMail = sendsMail
            self.ticketMails = ticketMails
            self.ceilings = ceilings
            self.qrCode = qrCode
        }
    }

    /// Keys from which tokens, challenges and forms are derived. Each has one purpose.
    package struct Keys: Sendable {
        package let transactions: GuardianTransactionTokens
        let refreshTokens: RefreshTokenSecrets
        let starts: RepeatableStarts
        let forms: SecretBytes
        let passkeys: PasskeyChallenges
        let enrollmentCodes: SecretBytes
        package let mails: MailIDs

        private static let (transaction, refreshToken, form) = ("transaction", "refresh token", "form")
        private static let (start, passkey, mail) = ("auth_req_id", "passkey", "mail")
        private static let enrollmentCode = "enrolment code"

        /// A label for each purpose.
        package static let labels = [transaction, refreshToken, start, form, passkey, mail, enrollmentCode]

        /// `derived` returns 32 bytes for each of `labels`, the same at every start.
        package init(hashing: any Hashing, derived: (_ label: String) throws -> SecretBytes) rethrows {
            transactions = GuardianTransactionTokens(key: try derived(Self.transaction), hashing: hashing)
            refreshTokens = RefreshTokenSecrets(key: try derived(Self.refreshToken), hashing: hashing)
            starts = RepeatableStarts(key: try derived(Self.start), hashing: hashing)
            forms = try derived(Self.form)
            passkeys = PasskeyChallenges(key: try derived(Self.passkey), hashing: hashing)
            enrollmentCodes = try derived(Self.enrollmentCode)
            mails = MailIDs(key: try derived(Self.mail), hashing: hashing)
        }
    }
}
