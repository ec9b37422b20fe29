public import AuthorizationCore
public import Primitives

/// What deciding a request needs of a store.
public protocol BackchannelResolveStore: Sendable {
    /// The request and the device of a transaction; each nil where it does not exist in the tenant.
    func transaction(
        _ consent: ConsentID, device: DeviceID, tenant: TenantID
    ) async throws -> (request: BackchannelRequest?, device: EnrolledDevice?)

    /// Takes the first decision of a pending, unexpired request, with the audit event and the withdrawal of the other
    /// devices' prompts as outbox entries, in one transaction. Later and late decisions change nothing, nor do those of a
    /// device that is not the user's, or was removed meanwhile, or of a blocked user.
    func resolve(_ resolution: Resolution) async throws -> ResolveOutcome
}

public struct Resolution: Sendable {
    public let consent: ConsentID
    public let tenant: TenantID
    public let device: DeviceID
    public let decision: BackchannelRequest.Decision
    public let now: Timestamp
    public let event: AuditEvent

    public init(
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

public enum ResolveOutcome: Sendable, Equatable {
    /// Holds the hash by which token requests wait for it.
    case resolved(AuthReqIDHash)
    /// Decided before, expired or gone, or not for that device to decide.
    case notPending
}
