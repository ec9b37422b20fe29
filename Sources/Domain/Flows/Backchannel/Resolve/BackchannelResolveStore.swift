package import Audit
package import AuthorizationCore
package import Primitives

/// Store port for deciding a request.
package protocol BackchannelResolveStore: Sendable {
    /// The request and the device of a transaction. Nil means that the tenant has none.
    func transaction(
        _ consent: ConsentID, device: DeviceID, tenant: TenantID
    ) async throws -> (request: BackchannelRequest?, device: EnrolledDevice?)

    /// Stores the first decision of a pending, unexpired request, with the audit event and the withdrawal of the other
    /// devices' prompts as outbox entries, in one transaction. Changes nothing for a later or late decision, for a
    /// device that was removed or is not the user's, and for a blocked user.
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
    /// Has the hash that token requests wait for.
    case resolved(AuthReqIDHash)
    /// The request was decided before, expired or deleted, or another device has to decide.
    case notPending
}
