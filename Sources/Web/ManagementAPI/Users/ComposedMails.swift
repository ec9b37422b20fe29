import Administration
package import AuthorizationCore
package import Configuration
package import Flows
package import Localization
package import Primitives

/// Writes the mails with tickets, with the flows' composer.
package struct ComposedMails: TicketMails {
    private let composer: MailComposer
    private let budget: MailBudget?

    /// `budget` limits what a tenant's administrators ask the operator's mail server to send. Nil is for the operator, who
    /// may also name any address.
    package init(composer: MailComposer, budget: MailBudget?) {
        self.composer = composer
        self.budget = budget
    }

    package func admit(
        to email: EmailAddress, user: User, tenant: TenantConfiguration?, now: Timestamp
    ) throws(AdministrationFailure) {
        guard let budget, let tenant, tenant.mail.relay == nil else { return }
        guard MailRecipient(email, of: user, isNamedByOperator: false) != .foreign else {
            throw .invalid("email", "must be the user's address: \(MailRecipient.refusal)")
        }
        if let refusal = budget.take(email, of: tenant.tenant.id, now: now) {
            throw .tooMany(refusal.reason, wait: refusal.wait)
        }
    }

    package func mail(
        _ ticket: UserTicket.Kind, to email: EmailAddress, user: User, link: String, lifetime: Int, language: Language?,
        client: ClientID?, tenant: Tenant, now: Timestamp
    ) throws -> SealedMail {
        let kind: MailComposer.Kind =
            switch ticket {
            case .password: .newPassword
            case .email: .addressToConfirm
            case .enrollment: .phoneToEnroll
            }
        return try composer.sealed(
            composer.mail(
                kind, to: email, user, isNamedByOperator: budget == nil, link: link, lifetime: lifetime,
                language: language, client: client,
                tenant: tenant),
            lifetime: lifetime, tenant: tenant, now: now)
    }

    package func imported(
        _ counts: UserJob.Counts, to email: EmailAddress, user: User, tenant: Tenant, now: Timestamp
    ) throws -> SealedMail {
        try composer.sealed(
            composer.usersImported(
                inserted: counts.inserted, updated: counts.updated, failed: counts.failed, to: email, user,
                tenant: tenant), tenant: tenant, now: now)
    }
}
