package import AuthorizationCore
package import Primitives

/// A client's request that ended without an answer of its person, kept for the person's history.
package struct UnansweredRequest: Sendable {
    /// `withdrawn` is the client's. The names are the store's.
    package enum Ending: String, Sendable { case expired, withdrawn }

    /// Longest time that one is kept after its end. A tenant with a shorter `approval_retention` keeps it as long as that.
    package static let retention = 30 * 86_400

    package let consent: ConsentID
    package let tenant: TenantID
    package let client: ClientID
    package let user: UserID
    package let ending: Ending
    package let endedAt: Timestamp
    /// The `RequestRecord`, sealed when the request started.
    package let record: [UInt8]
    /// Sealing context of the record (`SealedRequest.recordContext`).
    package let recordContext: String
    /// Number of the end's entry of the audit log.
    package let entryNumber: Int64
    /// False if the audit log has another entry of that number.
    package let hasItsEntry: Bool

    package init(
        consent: ConsentID, tenant: TenantID, client: ClientID, user: UserID, ending: Ending, endedAt: Timestamp,
        record: [UInt8], recordContext: String, entryNumber: Int64, hasItsEntry: Bool
    ) {
        self.consent = consent
        self.tenant = tenant
        self.client = client
        self.user = user
        self.ending = ending
        self.endedAt = endedAt
        self.record = record
        self.recordContext = recordContext
        self.entryNumber = entryNumber
        self.hasItsEntry = hasItsEntry
    }

    /// `end` is the time at which the request ended.
    package static func keptUntil(_ end: Timestamp, approvalRetention: Int) -> Timestamp {
        end + .seconds(min(retention, approvalRetention))
    }
}

/// A request that ended, as the store has it for its person's history.
package enum StoredEnding: Sendable {
    case decided(StoredApproval)
    case unanswered(UnansweredRequest)

    /// Number of the end's entry in the audit log, by which endings are in order.
    package var number: Int64 {
        switch self {
        case .decided(let approval): approval.entryNumber
        case .unanswered(let request): request.entryNumber
        }
    }
}
