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

    /// The provider and the templates as a server would use them.
    package func mailSettings(of tenant: TenantID) async throws -> MailSettings {
        let documents = try await store.read { reader in
            try reader.documents(.emailProvider, of: tenant) + reader.documents(.emailTemplate, of: tenant)
        }
        return MailSettings(try documents.map { try OpenedDocument($0, of: tenant, with: vault) }) { _ in }
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
