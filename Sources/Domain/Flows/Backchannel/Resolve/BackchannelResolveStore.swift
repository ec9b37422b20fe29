package import Audit
package import AuthorizationCore
package import Primitives

/// What deciding a request needs of a store.
package protocol BackchannelResolveStore: Sendable {
    /// The request and the device of a transaction; each nil where it does not exist in the tenant.
    func transaction(
        _ consent: ConsentID, device: DeviceID, tenant: TenantID
    ) async throws -> (request: BackchannelRequest?, device: EnrolledDevice?)

    /// Takes the first decision of a pending, unexpired request, with the audit event and the withdrawal of the other
    /// devices' prompts as outbox entries, in one transaction. Later and late decisions change nothing, nor do those of a
    /// device that is not the user's, or was removed meanwhile, or of a blocked user.
    func resolve(_ resolution: Resolution) async throws -> ResolveOutcome
}

package struct Resolution: Sendable {
    package let consent: ConsentID
    package let tenant: TenantID
    package let device: DeviceID
    package let decision: BackchannelRequest.Decision
    package let now: Timestamp
    package let event: AuditEvent

    package init(
        consent: ConsentID, tenant: TenantID, device: DeviceID, decision: BackchannelRequest.Decision,
        now: Timestamp, event: AuditEvent
    ) {
        self.consent = consent
        self.tenant = tenant
        self.device = device
        self.decision = decision
        self.now = now
        self.event = event
    }
}

package enum ResolveOutcome: Sendable, Equatable {
    /// Holds the hash by which token requests wait for it.
    case resolved(AuthReqIDHash)
    /// Decided before, expired or gone, or not for that device to decide.
    case notPending
}
