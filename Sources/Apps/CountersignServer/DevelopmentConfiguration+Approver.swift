import Audit
import AuthorizationCore
import Configuration
import Flows
import GuardianWire
import OAuthWire
package import Primitives

extension DevelopmentConfiguration {
    /// Address of the web app on which people approve.
    package var approver: String { EndpointPath.approver.url(below: issuer) }

    /// A link that enrols one phone for the user in the web app, within a day. Nil if the user was removed.
    package func enrollmentLink(_ installation: Installation, now: Timestamp) async throws -> String? {
        let tenants = try await installation.store.tenants().map(\.tenant)
        guard let tenant = tenants.first(where: { $0.id == Self.tenant }) else { return nil }
        let context = AdministrativeContext(tenant: tenant.id, actor: .system, now: now)
        let uri = try await installation.enrollment.makeTicket(
            for: Self.user, account: Self.email, tenant: tenant, lifetime: 86_400,
            event: context.event(
                .enrollmentTicketCreated, of: AuditEvent.Object("ticket", "enrollment"), user: Self.user, details: [:]))
        return uri.map { $0.link(toApprover: approver) }
    }
}
