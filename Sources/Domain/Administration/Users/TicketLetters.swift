package import Localization
package import AuthorizationCore
package import Configuration
import OAuthWire
package import Primitives

/// Composes and seals the mails with tickets' links.
package protocol TicketLetters: Sendable {
    func letter(
        _ kind: UserTicket.Kind, to email: EmailAddress, user: User, link: String, language: Language?,
        tenant: Tenant, now: Timestamp
    ) throws -> SealedMail
}
