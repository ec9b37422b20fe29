package import Audit
package import AuthorizationCore
package import Primitives

/// Retires the address of a mail that was returned, if this server sent the mail there.
package struct NoteBounce: Sendable {
    package enum Outcome: Sendable, Equatable {
        case retired(EmailAddress, TenantID, users: [UserID])
        /// A reason for the operator.
        case ignored(String)
    }

    /// Days after which a report of a mail counts no more. Mail servers give up within 5. The report could be kept and
    /// sent again after the address changed hands.
    private static let days: Int64 = 7

    private let source: any MailSource
    private let ids: MailIDs

    package init(source: any MailSource, ids: MailIDs) {
        self.source = source
        self.ids = ids
    }

    /// `event` makes the audit entry of a tenant's user.
    package func note(
        _ report: BounceReport, tenants: [TenantID], now: Timestamp,
        event: @escaping @Sendable (TenantID, UserID, JSONObject) -> AuditEvent
    ) async throws -> Outcome {
        guard let (tenant, address, creation) = owner(of: report, among: tenants) else {
            return .ignored("the report is not about a mail of this server")
        }
        guard now - creation < .seconds(Self.days * 86_400) else {
            return .ignored("the mail is older than \(Self.days) days")
        }
        guard report.action == "failed", EmailBounce.condemnsAddress(report.status) else {
            return .ignored("\(report.action) with the status \(report.status) says nothing against the address")
        }
        let status = report.status
        let users = try await source.retire(
            address: address, of: tenant, bounce: EmailBounce(at: now, status: status)
        ) { user in
            event(tenant, user, ["email": .string(address.description), "status": .string(status)])
        }
        return .retired(address, tenant, users: users)
    }

    private func owner(of report: BounceReport, among tenants: [TenantID]) -> (TenantID, EmailAddress, Timestamp)? {
        for address in report.addresses.compactMap({ EmailAddress(parsing: $0) }) {
            for tenant in tenants {
                if let creation = ids.creation(of: report.id, to: address.description, tenant: tenant) {
                    return (tenant, address, creation)
                }
            }
        }
        return nil
    }
}
