package import AuthorizationCore
package import GuardianWire
package import Primitives

/// Shows a phone's QR code to the holder of an enrolment ticket (Guardian: `/guardian/enroll`). The phone uses it up.
package struct OpenEnrollmentTicket: Sendable {
    private let store: any EnrollmentStore
    private let accounts: any AccountReader
    private let hashing: any Hashing

    package init(store: any EnrollmentStore, accounts: any AccountReader, hashing: any Hashing) {
        self.store = store
        self.accounts = accounts
        self.hashing = hashing
    }

    /// Text of the code. Throws `AuthorizationPageFailure` if the ticket does not work any more.
    package func uri(_ ticket: String, context: RequestContext) async throws -> EnrollmentURI {
        let tenant = context.tenant
        guard
            let kept = try await store.ticket(hashing.digest(ticket), tenant: tenant.id, now: context.now),
            let user = try await accounts.account(kept.user, tenant: tenant.id)?.user, !user.blocked
        else { throw AuthorizationPageFailure.unknownTicket }
        return EnrollmentURI(
            transactionID: ticket, baseURL: tenant.issuer + AppliancePath.base.dropFirst(), issuer: tenant.name,
            account: user.email ?? user.name)
    }
}
