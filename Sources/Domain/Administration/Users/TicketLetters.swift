package import Localization
package import AuthorizationCore
package import Configuration
import OAuthWire
package import Primitives

/// Writes the mails that bring tickets, sealed as the store keeps them.
package protocol TicketLetters: Sendable {
    func letter(
        _ kind: UserTicket.Kind, to email: EmailAddress, user: User, link: String, language: Language?,
        tenant: Tenant, now: Timestamp
    ) throws -> SealedMail
}
