package import Audit
package import AuthorizationCore
package import Primitives
import Synchronization

extension Delivery {
    package init(_ mail: SealedMail) {
        self.init(
            tenant: mail.tenant, queue: .mail, sealed: mail.sealed, createdAt: mail.createdAt,
            expiresAt: mail.expiresAt)
    }
}

extension SealedMail {
    package init(_ delivery: Delivery) {
        self.init(
            tenant: delivery.tenant, sealed: delivery.sealed, createdAt: delivery.createdAt,
            expiresAt: delivery.expiresAt)
    }
}

/// Store port for mails.
package protocol MailSource: Sendable {
    /// Nil if the request is gone. The user is nil if the account is gone.
    func approvalMail(of request: Int64, to user: UserID) async throws -> (request: SealedRequest, user: User?)?
    /// Notes that the address was refused for good, for each user who has it and for whom it is not noted already, with an
    /// event for each. Returns these users.
    func retire(
        address: EmailAddress, of tenant: TenantID, bounce: EmailBounce,
        event: @escaping @Sendable (UserID) -> AuditEvent
    ) async throws -> [UserID]
}

/// Sends mails until they expire, by the tenant's mail server or the server's own. Requests for approval are written when
/// they are sent, if they still wait for the person's answer.
package final class MailCourier: DeliveryCourier {
    /// Name in the audit log, as of the providers of notifications.
    static let provider = "email"

    package let queue = DeliveryQueue.mail
    /// The lease exceeds the time that a mail server may take. The limit of each tenant keeps a tenant's slow server from
    /// taking all places.
    package let policy = DeliveryPolicy(
        pace: .leased(for: .seconds(300), inFlight: 16, perRecipient: 4), attempts: nil, firstDelay: .seconds(5),
        longestDelay: .seconds(600))

    private let transport: (any MailTransport)?
    private let relays: any MailRelays
    private let source: any MailSource
    private let vault: RequestVault
    private let configuration: any ConfigurationSource
    private let ids: MailIDs
    private let rerouting: RequestRerouting
    private let sealer: any Sealer
    private let saidThatNobodySends = Atomic(false)

    /// Without a transport, mails of tenants without a mail server wait for a later start that has one, until they expire.
    package init(
        transport: (any MailTransport)?, relays: any MailRelays, source: any MailSource, vault: RequestVault,
        configuration: any ConfigurationSource, ids: MailIDs, rerouting: RequestRerouting, sealer: any Sealer
    ) {
        self.transport = transport
        self.relays = relays
        self.source = source
        self.vault = vault
        self.configuration = configuration
        self.ids = ids
        self.rerouting = rerouting
        self.sealer = sealer
    }

    package func deliver(_ entry: DeliveryEntry, now: Timestamp) async throws -> DeliveryAttempt {
        let delivery = entry.delivery
        guard let tenant = configuration.current.tenant(id: delivery.tenant) else {
            return DeliveryAttempt(.refused(reason: "the tenant is gone"))
        }
        let context = RequestContext(configuration: tenant, now: now)
        if let notice = DeviceNotice(payload: delivery.payload) {
            return try await deliver(notice, entry, context)
        }
        guard let mail = try? SealedMail(delivery).opened(by: sealer) else {
            return DeliveryAttempt(.refused(reason: "it cannot be opened; was the master key changed?"))
        }
        return try await send(mail, entry, context)
    }

    /// Asks for approval by mail, unless the request needs no answer any more.
    private func deliver(
        _ notice: DeviceNotice, _ entry: DeliveryEntry, _ context: RequestContext
    ) async throws -> DeliveryAttempt {
        let recipient = UserID(entry.delivery.recipient)
        guard notice.kind == .notification,
            let (sealed, user) = try await source.approvalMail(of: notice.request, to: recipient),
            sealed.tenant == entry.delivery.tenant
        else { return DeliveryAttempt(.unneeded) }
        guard let request = try await vault.open(sealed, for: .notification, context: context),
            request.user == recipient
        else { return DeliveryAttempt(.refused(reason: "the stored request was changed")) }
        guard request.state == .pending, !request.isExpired(at: context.now) else { return DeliveryAttempt(.unneeded) }
        func event(_ kind: AuditEvent.Kind, _ name: String, _ value: String) -> AuditEvent {
            context.event(
                kind, user: request.user, client: request.client, consent: request.consentID,
                details: entry.details([name: .string(value)]))
        }
        guard let user, let address = user.approvalAddress else {
            let reason = "the user has no verified e-mail address any more that takes mail, or is blocked"
            return DeliveryAttempt(
                .gone(reason: reason), event: event(.notificationFailed, "reason", reason))
        }
        let mail = MailComposer.approval(request, to: address, user, tenant: context.tenant, now: context.now)
        let attempt = try await send(mail, entry, context)
        switch attempt.result {
        case .delivered: return attempt.noting(event(.notificationSent, "provider", Self.provider))
        case .refused(let reason), .gone(let reason), .failed(let reason, _), .notTried(let reason, _):
            return attempt.noting(event(.notificationFailed, "reason", reason))
        case .unneeded, .unconfigured: return attempt
        }
    }

    private func send(
        _ mail: OutgoingMail, _ entry: DeliveryEntry, _ context: RequestContext
    ) async throws -> DeliveryAttempt {
        let settings = context.configuration.mail
        guard let transport = settings.relay.map({ relays.transport(to: $0) }) ?? transport else {
            return DeliveryAttempt(.failed(reason: Self.nobodySends))
        }
        let id = ids.id(of: entry.id, at: entry.delivery.createdAt, to: mail.to, tenant: context.tenant.id)
        let (finished, problem) = MailRenderer(context.configuration, now: context.now).finished(mail, id: id)
        do throws(MailFailure) {
            try await transport.send(finished, now: context.now)
            return DeliveryAttempt(.delivered, detail: problem)
        } catch {
            // The tenant reads reasons. The words of a mail server are the operator's.
            let result: DeliveryResult
            switch error {
            case .refused: result = .refused(reason: Self.refusal)
            case .failed: result = .failed(reason: "the mail server cannot be reached, or takes no mail now")
            case .bounced(let status, _) where EmailBounce.condemnsAddress(status):
                try await retire(mail.to, status: status, context)
                result = .gone(reason: "the mailbox does not exist")
            case .bounced: result = .gone(reason: Self.refusal)
            }
            return DeliveryAttempt(result, detail: error.text)
        }
    }

    private static let refusal = "the mail server refused the mail"
    private static let nobodySends = "no mail server is configured"

    private func retire(_ address: String, status: String, _ context: RequestContext) async throws {
        guard let address = EmailAddress(parsing: address) else { return }
        _ = try await source.retire(
            address: address, of: context.tenant.id, bounce: EmailBounce(at: context.now, status: status)
        ) { user in
            context.event(
                .emailBounced, user: user,
                details: ["email": .string(address.description), "status": .string(status)])
        }
    }

    /// An expired request needs no decision. A failure is in the audit log.
    package func late(_ entry: DeliveryEntry, reason: String, now: Timestamp) -> DeliveryAttempt {
        if DeviceNotice(payload: entry.delivery.payload) != nil, entry.problem == nil {
            return DeliveryAttempt(.unneeded)
        }
        return DeliveryAttempt(.refused(reason: reason), event: failure(entry, reason: reason, now: now))
    }

    package func failure(_ entry: DeliveryEntry, reason: String, now: Timestamp) -> AuditEvent? {
        guard DeviceNotice(payload: entry.delivery.payload) != nil,
            let tenant = configuration.current.tenant(id: entry.delivery.tenant)
        else { return nil }
        return RequestContext(configuration: tenant, now: now).event(
            .notificationFailed, user: UserID(entry.delivery.recipient), details: ["reason": .string(reason)])
    }

    package func consequence(
        of entry: DeliveryEntry, reason: String, isForGood: Bool, now: Timestamp
    ) async throws -> DeliveryConsequence? {
        try await rerouting.consequence(of: entry, reason: reason, isForGood: isForGood, now: now)
    }

    /// Logs once, not at each try, that there is no transport.
    package func line(after step: DeliveryStep, of entry: DeliveryEntry, detail: String) -> String? {
        if case .retry = step, detail == Self.nobodySends {
            guard !saidThatNobodySends.exchange(true, ordering: .relaxed) else { return nil }
            return "mail waits, and is dropped when it expires: \(detail)"
        }
        if step == .sent {
            return "mail \(entry.id) of the tenant \(entry.delivery.tenant) was sent, but \(detail)"
        }
        return defaultLine(after: step, of: entry, detail: detail)
    }
}
