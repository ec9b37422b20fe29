package import Audit
package import AuthorizationCore
package import Primitives

/// Proves an e-mail address by a link that went to it.
package struct EmailTicket: Sendable, Equatable {
    package let user: UserID
    /// The address that it proves, in lower case.
    package let email: String
    /// Where the browser goes afterwards.
    package let resultURL: String?

    package init(user: UserID, email: String, resultURL: String?) {
        self.user = user
        self.email = email
        self.resultURL = resultURL
    }
}

/// The mail that asks a user to confirm their address, and the ticket of the link in it.
package struct VerificationLetter: Sendable, Equatable {
    /// SHA-256 of the ticket's secret.
    package let hash: [UInt8]
    package let ticket: EmailTicket
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    package let mail: SealedMail

    package init(hash: [UInt8], ticket: EmailTicket, createdAt: Timestamp, expiresAt: Timestamp, mail: SealedMail) {
        self.hash = hash
        self.ticket = ticket
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.mail = mail
    }
}

/// What reauthenticating e-mail addresses needs of a store.
package protocol EmailTicketStore: Sendable {
    /// An unused ticket; nil where there is none, it has expired or the user has another address by now.
    func emailTicket(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> EmailTicket?

    /// Uses the ticket up and marks the address as verified. False where `emailTicket` would have found none.
    func verifyEmail(ticket hash: [UInt8], tenant: TenantID, now: Timestamp, event: AuditEvent) async throws -> Bool
}

/// Marks a user's e-mail address as verified when the link that went to it is followed, and its page's button pressed:
/// programs that look into mails follow links, too.
package struct VerifyEmail: Sendable {
    /// Seconds that the link works which somebody gets who signed up.
    package static let ticketLifetime = 86_400

    private let store: any EmailTicketStore
    private let hashing: any Hashing

    package init(store: any EmailTicketStore, hashing: any Hashing) {
        self.store = store
        self.hashing = hashing
    }

    /// What the link would prove. Throws `AuthorizationPageFailure` where it does not work any more.
    package func ticket(_ text: String, tenant: Tenant, now: Timestamp) async throws -> EmailTicket {
        let hash = hashing.sha256(Array(text.utf8))
        guard let ticket = try await store.emailTicket(hash, tenant: tenant.id, now: now) else {
            throw AuthorizationPageFailure.unknownTicket
        }
        return ticket
    }

    /// Uses the link up. Throws `AuthorizationPageFailure` where it does not work any more.
    package func verify(
        _ text: String, tenant: Tenant, remoteAddress: String, now: Timestamp
    ) async throws -> EmailTicket {
        let ticket = try await ticket(text, tenant: tenant, now: now)
        let event = AuditEvent(
            .emailVerified, tenant: tenant.id, at: now, user: ticket.user, remoteAddress: remoteAddress,
            details: ["email": .string(ticket.email)])
        guard
            try await store.verifyEmail(
                ticket: hashing.sha256(Array(text.utf8)), tenant: tenant.id, now: now, event: event)
        else { throw AuthorizationPageFailure.unknownTicket }
        return ticket
    }
}
