package import AuthorizationCore
package import GuardianWire
import Primitives

/// Shows a phone's QR code to the holder of an enrolment ticket (Guardian: `/guardian/enroll`), as often as they like.
/// Only the phone uses the ticket up.
package struct OpenEnrollmentTicket: Sendable {
    package enum View: Sendable, Equatable {
        /// Waits for a phone.
        case open(EnrollmentURI)
        /// Enrolled the phone of this name.
        case used(phone: String)
    }

    let store: any EnrollmentStore
    let accounts: any AccountReader
    let hashing: any Hashing
    let watch: StoreWatch

    /// `wasShown` is true if the browser was shown the unused ticket before. Other holders of a used ticket learn
    /// nothing of the phone. Throws `AuthorizationPageFailure` if the ticket does not work.
    package func view(_ ticket: String, wasShown: Bool, context: RequestContext) async throws -> View {
        let tenant = context.tenant
        let hash = hashing.digest(ticket)
        if let kept = try await store.ticket(hash, tenant: tenant.id, now: context.now),
            let user = try await accounts.account(kept.user, tenant: tenant.id)?.user, !user.blocked
        {
            return .open(EnrollmentURI(ticket: ticket, account: user.accountName, tenant: tenant))
        }
        guard wasShown,
            let device = try await store.device(enrolledBy: hash, tenant: tenant.id, now: context.now)
        else { throw AuthorizationPageFailure.unknownEnrollmentTicket }
        return .used(phone: device.name)
    }

    /// Returns once the ticket enrols no phone any more, or after the hold. True means that the browser goes on
    /// waiting.
    package func awaitUse(_ ticket: String, context: RequestContext, atOnce: Bool = false) async throws -> Bool {
        let hash = hashing.digest(ticket)
        let begun = watch.uptime
        return try await watch.goesOn(atOnce: atOnce) {
            let now = context.now + (watch.uptime - begun)
            return try await store.ticket(hash, tenant: context.tenant.id, now: now) != nil
        }
    }
}
