package import AuthorizationCore
package import GuardianWire
package import Primitives

/// Shows a phone's QR code to whoever has an enrolment ticket (Guardian: `/guardian/enroll`). The phone uses it up.
package struct OpenEnrollmentTicket: Sendable {
    private let store: any EnrollmentStore
    private let accounts: any AccountStore
    private let hashing: any Hashing

    package init(store: any EnrollmentStore, accounts: any AccountStore, hashing: any Hashing) {
        self.store = store
        self.accounts = accounts
        self.hashing = hashing
    }

    /// What the code says. Throws `AuthorizationPageFailure` where the ticket does not work any more.
    package func uri(_ ticket: String, tenant: Tenant, now: Timestamp) async throws -> EnrollmentURI {
        guard
            let kept = try await store.ticket(hashing.sha256(Array(ticket.utf8)), tenant: tenant.id, now: now),
            let user = try await accounts.account(kept.user, tenant: tenant.id)?.user, !user.blocked
        else { throw AuthorizationPageFailure.unknownTicket }
        return EnrollmentURI(
            transactionID: ticket, baseURL: tenant.issuer + AppliancePath.base.dropFirst(), issuer: tenant.name,
            account: user.email ?? user.name)
    }
}
