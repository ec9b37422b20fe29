package import Audit
package import HTTPModel
package import JOSE
package import Primitives

/// Store ports of all use cases.
package typealias FlowStore = StepStore & BeginStore & PasswordStore & SignUpStore & RecoverPasswordStore
    & EmailTicketStore & PushFactorStore & OneTimePasswordStore & UpstreamStore & CompletionStore & SessionStore
    & EnrollmentStore & EnrollmentCodeStore & PreferenceStore & OneTimeValueStore & AuthorizationCodeStore
    & RefreshTokenStore & AccessTokenStore & ClientTokenStore & BackchannelResolveStore & PasskeyLoginStore
    & ApprovalStore & BackchannelCancelStore & ConsentStore & PendingRequestStore & OwnAccountStore & RecoveryCodeStore
    & DeliveryStore & DeliveryLog & RequestLog & NotificationSource & MailSource & WaitingRequestStore & WorkLeaseStore

/// Adapters that a command beside the server has, too, and the use cases that need no others.
package struct BasicPorts: Sendable {
    let store: any FlowStore
    package let random: any RandomSource
    package let hashing: any Hashing
    let verifier: any Verifier
    let sealer: any Sealer
    let refusals: RefusalLog
    let outgoing: OutgoingPolicy

    /// - Parameters:
    ///   - refusals: The one log of refusals, because two would count apart.
    ///   - outgoing: Limits the addresses that tenants and devices may name.
    package init(
        store: any FlowStore, random: any RandomSource, hashing: any Hashing, verifier: any Verifier,
        sealer: any Sealer, refusals: RefusalLog, outgoing: OutgoingPolicy
    ) {
        self.store = store
        self.random = random
        self.hashing = hashing
        self.verifier = verifier
        self.sealer = sealer
        self.refusals = refusals
        self.outgoing = outgoing
    }

    package var vault: RequestVault { RequestVault(sealer: sealer, hashing: hashing, refusals: refusals) }

    package var deliveryLog: any DeliveryLog { store }

    package var mail: MailComposer { MailComposer(sealer: sealer) }

    package var receipts: IssueReceipt { IssueReceipt(store: store, vault: vault) }

    package var enroll: EnrollDevice {
        EnrollDevice(
            store: store, verifier: verifier, hashing: hashing, random: random, sealer: sealer, refusals: refusals,
            outgoing: outgoing)
    }

    package func bounces(_ keys: DerivedKeys) -> NoteBounce { NoteBounce(source: store, ids: keys.mails) }
}
