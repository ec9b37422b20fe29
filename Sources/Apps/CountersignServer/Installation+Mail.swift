package import Audit
package import AuthorizationCore
import Configuration
package import Flows
import Primitives

/// Operations on tenants' mail.
extension Installation {
    /// The provider, the templates and their settings as a server would use them: without a provider whose credentials do not open.
    package func mailSettings(of tenant: TenantID) async throws -> MailSettings {
        let documents = try await store.view(tenant) { draft in
            try [TenantDocument.Kind.emailProvider, .emailTemplate, .tenantSettings, .customDomain].flatMap {
                try draft.documents($0)
            }
        }
        var opened: [OpenedDocument] = []
        var isClosed = false
        for document in documents {
            do { opened.append(try OpenedDocument(document, of: tenant, with: vault)) } catch MasterKeyFailure.refused {
                isClosed = true
            }
        }
        var settings = MailSettings(opened) { _ in }
        if isClosed { settings.unusedProvider = "its credentials cannot be opened; set it again" }
        return settings
    }

    package func noteBounce(_ report: BounceReport, actor: AuditEvent.Actor) async throws -> NoteBounce.Outcome {
        let now = SystemClock().now
        return try await ports.bounces(try await derivedKeys()).note(
            report, tenants: try await configuration.tenants().map(\.tenant.id), now: now
        ) { tenant, user, details in
            AdministrativeContext(tenant: tenant, actor: actor, now: now).event(
                .emailBounced, of: AuditEvent.Object("user", user.rawValue), user: user, details: details)
        }
    }
}
