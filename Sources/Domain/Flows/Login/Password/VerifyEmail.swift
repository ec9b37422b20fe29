package import Audit
package import AuthorizationCore
package import Primitives

/// Proves an e-mail address: its secret went there in a link.
package struct EmailTicket: Sendable, Equatable {
    package let user: UserID
    /// The address that it proves.
    package let email: EmailAddress
    /// Address that the browser goes to afterwards.
    package let resultURL: String?

    package init(user: UserID, email: EmailAddress, resultURL: String?) {
        self.user = user
        self.email = email
        self.resultURL = resultURL
    }
}

/// The mail that asks a user to confirm their address, and the ticket of the link in it.
package struct VerificationMail: Sendable, Equatable {
    /// SHA-256 of the ticket's secret.
    package let hash: [UInt8]
    package let ticket: EmailTicket
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    package let mail: SealedMail
}

/// Store port for proving e-mail addresses.
package protocol EmailTicketStore: Sendable {
    /// An unused ticket. Nil if there is none, it expired, or the user has another address by now.
    func emailTicket(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> EmailTicket?

    /// Uses the ticket up and marks the address as verified. False if `emailTicket` would have found none.
    func verifyEmail(ticket hash: [UInt8], tenant: TenantID, now: Timestamp, event: AuditEvent) async throws -> Bool
}

/// Marks a user's e-mail address as verified when its link is followed and the page's button pressed: programs that look
/// into mails follow links, too.
package struct VerifyEmail: Sendable {
    /// Seconds that the link works which a new user gets.
    package static let ticketLifetime = 86_400

    let store: any EmailTicketStore
    let hashing: any Hashing

    /// The ticket of a link. Throws `AuthorizationPageFailure` if the link does not work any more.
    package func ticket(_ text: String, context: RequestContext) async throws -> EmailTicket {
        guard
            let ticket = try await store.emailTicket(hashing.digest(text), tenant: context.tenant.id, now: context.now)
        else { throw AuthorizationPageFailure.unknownTicket }
        return ticket
    }

    /// Uses the link up. Throws `AuthorizationPageFailure` if the link does not work any more.
    package func verify(_ text: String, context: RequestContext) async throws -> EmailTicket {
        let ticket = try await ticket(text, context: context)
        let event = context.event(
            .emailVerified, charge: .once(.ticket), user: ticket.user,
            details: ["email": .string(ticket.email.description)])
        guard
            try await store.verifyEmail(
                ticket: hashing.digest(text), tenant: context.tenant.id, now: context.now, event: event)
        else { throw AuthorizationPageFailure.unknownTicket }
        return ticket
    }
}
