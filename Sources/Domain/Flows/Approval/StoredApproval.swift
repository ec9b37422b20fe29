package import Audit
package import AuthorizationCore

/// A decision with its evidence, kept for receipts.
package struct StoredApproval: Sendable {
    package let consent: ConsentID
    package let tenant: TenantID
    package let client: ClientID
    package let user: UserID
    /// An `ApprovalEvidence`.
    package let sealed: [UInt8]
    /// Number of the decision's entry of the audit log.
    package let entryNumber: Int64
    package let entry: AuditHead
    /// False if the audit log has another entry at that place.
    package let hasItsEntry: Bool

    package init(
        consent: ConsentID, tenant: TenantID, client: ClientID, user: UserID, sealed: [UInt8], entryNumber: Int64,
        entry: AuditHead, hasItsEntry: Bool
    ) {
        self.consent = consent
        self.tenant = tenant
        self.client = client
        self.user = user
        self.sealed = sealed
        self.entryNumber = entryNumber
        self.entry = entry
        self.hasItsEntry = hasItsEntry
    }

    package static func sealingContext(_ consent: ConsentID, tenant: TenantID) -> String {
        "approval/\(consent)/\(tenant)"
    }
}

package protocol ApprovalStore: Sendable {
    /// A decision, and the last entry of its entry's lane of the audit log. Nil means that the tenant has no decision of
    /// that id, or keeps it no longer.
    func approval(
        _ consent: ConsentID, tenant: TenantID
    ) async throws -> (approval: StoredApproval, head: AuditHead)?

    /// Ended requests of a user with a number below `number`, in descending order.
    /// - Parameter unanswered: True for decisions and for requests that ended without an answer, false for decisions.
    func endings(
        of user: UserID, tenant: TenantID, before number: Int64, unanswered: Bool, limit: Int
    ) async throws -> [StoredEnding]
}
