package import Administration
package import Audit
package import AuthorizationCore
import Configuration
import Endpoints
package import Flows
import OpenSSLCrypto
import Persistence
import Primitives

/// Operations on tenants' mail.
extension Installation {
    package var mail: ManageMail { ManageMail(store: store, sealer: vault) }

    /// The provider, the templates and their settings as a server would use them: without a provider whose credentials do not open.
    package func mailSettings(of tenant: TenantID) async throws -> MailSettings {
        let documents = try await store.read { reader in
            try [TenantDocument.Kind.emailProvider, .emailTemplate, .tenantSettings, .customDomain].flatMap { kind in
                try reader.documents(kind, of: tenant)
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
        let derived = try await derivationKeys()
        let keys = try Application.Keys(hashing: OpenSSLHashing()) { try derived.key(for: $0) }
        let now = SystemClock().now
        return try await NoteBounce(source: store, ids: keys.mails).note(
            report, tenants: try await configuration.tenants().map(\.tenant.id), now: now
        ) { tenant, user, details in
            AdministrativeContext(tenant: tenant, actor: actor, now: now).event(
                .emailBounced, of: AuditEvent.Object("user", user.rawValue), user: user, details: details)
        }
    }
}
