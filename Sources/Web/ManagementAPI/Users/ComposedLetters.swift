import Administration
import AuthorizationCore
import Configuration
import Flows
import Localization
import Primitives

/// Writes the mails with tickets, with the flows' composer.
struct ComposedLetters: TicketLetters {
    let composer: MailComposer

    func letter(
        _ kind: UserTicket.Kind, to email: EmailAddress, user: User, link: String, language: Language?,
        tenant: Tenant, now: Timestamp
    ) throws -> SealedMail {
        let letter: MailComposer.Letter =
            switch kind {
            case .password: .newPassword
            case .email: .addressToConfirm
            case .enrollment: .phoneToEnroll
            }
        return try composer.sealed(
            composer.letter(letter, to: email, user, link: link, language: language, tenant: tenant), tenant: tenant,
            now: now)
    }
}
