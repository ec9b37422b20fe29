package import Audit
package import AuthorizationCore
package import Primitives

/// Notes that a mail was returned, if this server sent it: retires the address if the report says that there is none, and has
/// the request that the mail asked about go on by another channel, or end.
package struct NoteBounce: Sendable {
    package enum Outcome: Sendable, Equatable {
        case retired(EmailAddress, TenantID, users: [UserID])
        /// The request is treated as one whose mail was refused. The address stays.
        case returned(EmailAddress, TenantID)
        /// A reason for the operator.
        case ignored(String)
    }

    /// Days after which a report of a mail counts no more. Mail servers give up within 5. The report could be kept and
    /// sent again after the address changed hands.
    private static let days: Int64 = 7

    let source: any MailSource
    let ids: MailIDs

    /// `event` makes the audit entry of a tenant's user.
    package func note(
        _ report: BounceReport, tenants: [TenantID], now: Timestamp,
        event: @escaping @Sendable (TenantID, UserID, JSONObject) -> AuditEvent
    ) async throws -> Outcome {
        guard let (tenant, address, origin) = owner(of: report, among: tenants) else {
            return .ignored("the report is not about a mail of this server")
        }
        guard now - origin.createdAt < .seconds(Self.days * 86_400) else {
            return .ignored("the mail is older than \(Self.days) days")
        }
        let status = report.status
        let says = "\(report.action) with the status \(status)"
        guard report.action == "failed" else { return .ignored("\(says) says nothing against the address") }
        guard EmailBounce.condemnsAddress(status) else {
            return try await source.reopen(origin.entry, of: tenant, problem: Self.problem(status), now: now)
                ? .returned(address, tenant) : .ignored("\(says) says nothing against the address")
        }
        let users = try await source.retire(
            address: address, of: tenant, bounce: EmailBounce(at: now, status: status), mailedAt: origin.createdAt
        ) { user in
            event(tenant, user, ["email": .string(address.description), "status": .string(status)])
        }
        _ = try await source.reopen(origin.entry, of: tenant, problem: Self.problem(status), now: now)
        return .retired(address, tenant, users: users)
    }

    private static func problem(_ status: String) -> String { "the mail came back with the status \(status)" }

    private func owner(
        of report: BounceReport, among tenants: [TenantID]
    ) -> (TenantID, EmailAddress, (entry: Int64, createdAt: Timestamp))? {
        for address in report.addresses.compactMap({ EmailAddress(parsing: $0) }) {
            for (tenant, id) in tenants.flatMap({ tenant in report.ids.map { (tenant, $0) } }) {
                if let origin = ids.origin(of: id, to: address.description, tenant: tenant) {
                    return (tenant, address, origin)
                }
            }
        }
        return nil
    }
}
