package import Audit
package import AuthorizationCore
package import Primitives
import Synchronization

extension Delivery {
    package init(_ mail: SealedMail) {
        self.init(
            tenant: mail.tenant, queue: .mail, user: mail.user, sealed: mail.sealed, createdAt: mail.createdAt,
            expiresAt: mail.expiresAt)
    }
}

extension SealedMail {
    package init(_ delivery: Delivery) {
        self.init(
            tenant: delivery.tenant, user: delivery.user, sealed: delivery.sealed, createdAt: delivery.createdAt,
            expiresAt: delivery.expiresAt)
    }
}

/// Store port for mails.
package protocol MailSource: Sendable {
    /// Nil if the request is gone. The user is nil if the account is gone.
    func approvalMail(of request: Int64, to user: UserID) async throws -> (request: SealedRequest, user: User?)?
    /// Empty for an unknown user.
    func metadata(of user: UserID, in tenant: TenantID) async throws -> UserMetadata
    /// Notes that the address was refused for good, for each user who has it and for whom it is not noted already, with an
    /// event for each. Returns these users. A user who verified the address after `mailedAt`, when the refused mail was
    /// written, keeps it.
    func retire(
        address: EmailAddress, of tenant: TenantID, bounce: EmailBounce, mailedAt: Timestamp,
        event: @escaping @Sendable (UserID) -> AuditEvent
    ) async throws -> [UserID]
    /// Has the sent mail of a request settled anew, as one that came back. Returns false if there is none.
    func reopen(_ entry: Int64, of tenant: TenantID, problem: String, now: Timestamp) async throws -> Bool
}

extension Delivery {
    /// Payload of a request's mail that came back. Nothing is sent any more.
    package static let returned = "returned"
}

/// Sends mails until they expire, by the tenant's mail server or the server's own. Requests for approval are written when
/// they are sent, if they still wait for the person's answer.
package struct MailCourier: DeliveryCourier {
    /// Name in the audit log, as of the providers of notifications.
    static let provider = "email"

    package let queue = DeliveryQueue.mail
    /// The lease exceeds the time that a mail server may take: 20 minutes by the operator's (`SMTPLimits`), and a little
    /// for connecting and for kept connections that are gone.
    package let policy = DeliveryPolicy(
        pace: .leased(
            for: .seconds(1500), inFlight: 16, perTenant: 4, perRecipient: 4, ownServices: 64,
            sharesByTime: true), attempts: nil,
        firstDelay: .seconds(5), longestDelay: .seconds(600))

    /// Without one, mails of tenants without a mail server wait for a later start that has one, until they expire.
    let transport: (any MailTransport)?
    let relays: any MailRelays
    let source: any MailSource
    let vault: RequestVault
    let configuration: any ConfigurationSource
    let ids: MailIDs
    let rerouting: RequestRerouting
    let sealer: any Sealer
    /// The budget of the operator's mail server.
    let budget: MailBudget
    private let silence = Silence()

    private final class Silence: Sendable {
        let isSaid = Atomic(false)
    }

    package func usesOwnService(_ entry: DeliveryEntry) -> Bool {
        configuration.current.tenant(id: entry.delivery.tenant)?.mail.relay != nil
    }

    package func deliver(_ entry: DeliveryEntry, now: Timestamp) async throws -> DeliveryAttempt {
        let delivery = entry.delivery
        guard let tenant = configuration.current.tenant(id: delivery.tenant) else {
            return DeliveryAttempt(.refused(reason: "the tenant is gone"))
        }
        let context = RequestContext(configuration: tenant, now: now)
        if let request = delivery.request { return try await ask(request, entry, context) }
        guard let mail = try? SealedMail(delivery).opened(by: sealer) else {
            return DeliveryAttempt(.refused(reason: "it cannot be opened; was the master key changed?"))
        }
        return try await send(mail, entry, context)
    }

    /// Asks for approval by mail, unless the request needs no answer any more.
    private func ask(
        _ sequence: Int64, _ entry: DeliveryEntry, _ context: RequestContext
    ) async throws -> DeliveryAttempt {
        let recipient = UserID(entry.delivery.recipient)
        guard let (sealed, user) = try await source.approvalMail(of: sequence, to: recipient),
            sealed.tenant == entry.delivery.tenant
        else { return DeliveryAttempt(.unneeded) }
        guard let request = try await vault.open(sealed, for: .notification, context: context),
            request.user == recipient
        else { return DeliveryAttempt(.refused(reason: "the stored request was changed")) }
        func event(_ kind: AuditEvent.Kind, _ name: String, _ value: String) -> AuditEvent {
            context.event(
                kind, charge: .once(.delivery), user: request.user, client: request.client, consent: request.consentID,
                details: entry.details([name: .string(value)]))
        }
        if entry.delivery.payload == Delivery.returned {
            let reason = entry.problem ?? "the mail came back"
            return DeliveryAttempt(.gone(reason: reason), event: event(.notificationFailed, "reason", reason))
        }
        guard request.state == .pending, !request.isExpired(at: context.now) else { return DeliveryAttempt(.unneeded) }
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

    /// By the tenant's mail server, or within the budget by the operator's.
    private func send(
        _ mail: OutgoingMail, _ entry: DeliveryEntry, _ context: RequestContext
    ) async throws -> DeliveryAttempt {
        if let relay = context.configuration.mail.relay {
            return try await send(mail, entry, context, by: relays.transport(to: relay))
        }
        guard let transport else { return DeliveryAttempt(.failed(reason: Self.nobodySends)) }
        guard mail.recipient != .foreign, let address = EmailAddress(parsing: mail.to) else {
            return DeliveryAttempt(.refused(reason: MailRecipient.refusal))
        }
        let tenant = context.tenant.id
        if let refusal = budget.take(address, of: tenant, now: context.now) {
            return DeliveryAttempt(.notTried(reason: refusal.reason, wait: max(refusal.wait, Self.budgetWait)))
        }
        return try await send(mail, entry, context, by: transport) { budget.giveBack(address, of: tenant) }
    }

    /// Shortest wait for a budget, so that mails beyond it cost little.
    private static let budgetWait = Duration.seconds(30)

    /// Calls `unsent` if the mail surely did not arrive.
    private func send(
        _ mail: OutgoingMail, _ entry: DeliveryEntry, _ context: RequestContext, by transport: any MailTransport,
        unsent: () -> Void = {}
    ) async throws -> DeliveryAttempt {
        let id = ids.id(of: entry.id, at: entry.delivery.createdAt, to: mail.to, tenant: context.tenant.id)
        let renderer = MailRenderer(configuration: context.configuration, now: context.now)
        var metadata = UserMetadata()
        if let user = renderer.metadataOwner(of: mail) {
            metadata = try await source.metadata(of: user, in: context.tenant.id)
        }
        let (finished, problem) = renderer.finished(mail, metadata: metadata, id: id)
        do throws(MailFailure) {
            try await transport.send(finished, now: context.now)
            return DeliveryAttempt(.delivered, detail: problem)
        } catch {
            if case .unanswered = error {} else { unsent() }
            // The tenant reads reasons. The words of a mail server are the operator's.
            let result: DeliveryResult
            switch error {
            case .refused: result = .refused(reason: Self.refusal)
            case .failed: result = .failed(reason: Self.noService)
            case .unanswered:
                result = .failed(reason: Self.noService, retryAfter: Self.spacing(afterAttempts: entry.attempts))
            case .resting: result = .notTried(reason: "the mail server refused the login")
            case .bounced(let status, _) where EmailBounce.condemnsAddress(status):
                let users = try await retire(mail.to, status: status, context)
                // The user may have another address by now.
                result =
                    entry.delivery.request == nil || users.contains(UserID(entry.delivery.recipient))
                    ? .gone(reason: "the mailbox does not exist")
                    : .failed(reason: "the mailbox of an earlier address does not exist")
            case .bounced: result = .gone(reason: Self.refusal)
            }
            return DeliveryAttempt(result, detail: error.text)
        }
    }

    /// Wait after a mail that the server has and may yet deliver: 1, 4 and 16 minutes, then an hour each.
    private static func spacing(afterAttempts attempts: Int) -> Duration {
        min(.seconds(60) * (1 << min(2 * attempts, 6)), .seconds(3600))
    }

    private static let refusal = "the mail server refused the mail"
    private static let noService = "the mail server cannot be reached, or takes no mail now"
    private static let nobodySends = "no mail server is configured"

    private func retire(_ address: String, status: String, _ context: RequestContext) async throws -> [UserID] {
        guard let address = EmailAddress(parsing: address) else { return [] }
        return try await source.retire(
            address: address, of: context.tenant.id, bounce: EmailBounce(at: context.now, status: status),
            mailedAt: context.now
        ) { user in
            context.event(
                .emailBounced, charge: .once(.delivery), user: user,
                details: ["email": .string(address.description), "status": .string(status)])
        }
    }

    /// An expired request needs no decision. A failure is in the audit log.
    package func late(_ entry: DeliveryEntry, reason: String, now: Timestamp) -> DeliveryAttempt {
        if entry.delivery.payload == Delivery.returned {
            return DeliveryAttempt(.gone(reason: entry.problem ?? reason))
        }
        if entry.delivery.request != nil, entry.problem == nil { return DeliveryAttempt(.unneeded) }
        return DeliveryAttempt(.refused(reason: reason), event: failure(entry, reason: reason, now: now))
    }

    package func failure(_ entry: DeliveryEntry, reason: String, now: Timestamp) -> AuditEvent? {
        guard entry.delivery.request != nil, let tenant = configuration.current.tenant(id: entry.delivery.tenant)
        else { return nil }
        return RequestContext(configuration: tenant, now: now).event(
            .notificationFailed, charge: .once(.delivery), user: UserID(entry.delivery.recipient),
            details: ["reason": .string(reason)])
    }

    package func consequence(
        of entry: DeliveryEntry, reason: String, isForGood: Bool, now: Timestamp
    ) async throws -> DeliveryConsequence? {
        try await rerouting.consequence(of: entry, reason: reason, isForGood: isForGood, now: now)
    }

    /// Logs once, not at each try, that there is no transport.
    package func line(after step: DeliveryStep, of entry: DeliveryEntry, detail: String) -> String? {
        if case .retry = step, detail == Self.nobodySends {
            guard !silence.isSaid.exchange(true, ordering: .relaxed) else { return nil }
            return "mail waits, and is dropped when it expires: \(detail)"
        }
        if case .ended = step {
            return "mail \(entry.id) of the tenant \(entry.delivery.tenant) reached nobody: \(detail)"
        }
        if step == .sent {
            return "mail \(entry.id) of the tenant \(entry.delivery.tenant) was sent, but \(detail)"
        }
        return defaultLine(after: step, of: entry, detail: detail)
    }
}
