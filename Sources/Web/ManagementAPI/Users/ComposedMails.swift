import Administration
package import AuthorizationCore
package import Configuration
package import Flows
package import Localization
package import Primitives

/// Writes the mails with tickets, with the flows' composer.
package struct ComposedMails: TicketMails {
    private let composer: MailComposer

    package init(composer: MailComposer) { self.composer = composer }

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
                kind, to: email, user, link: link, lifetime: lifetime, language: language, client: client,
                tenant: tenant),
            lifetime: lifetime, tenant: tenant, now: now)
    }
}
