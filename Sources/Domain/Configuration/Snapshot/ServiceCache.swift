package import AuthorizationCore
import Primitives
import Synchronization
import X509

/// Services that a tenant's documents configure.
package struct TenantServices: Sendable {
    package private(set) var push: PushServices
    package private(set) var mail: MailSettings

    /// Services of a single document.
    fileprivate init(_ document: OpenedDocument, keys: any KeyFileReader, problem: (String) -> Void) {
        push = PushServices([document], keys: keys, problem: problem)
        mail = MailSettings([document], problem: problem)
    }

    /// Joins the services of single documents. No two of them set the same one.
    fileprivate init(joining parts: [TenantServices]) {
        push = PushServices()
        mail = MailSettings()
        for part in parts {
            // `guardian` is also the selection of a tenant that selects nothing.
            if part.push.selection != .guardian { push.selection = part.push.selection }
            if let apple = part.push.apple { push.apple = apple }
            if let google = part.push.google { push.google = google }
            if let amazon = part.push.amazon { push.amazon = amazon }
            if let relay = part.mail.relay { mail.relay = relay }
            if let reason = part.mail.unusedProvider { mail.unusedProvider = reason }
            mail.templates.merge(part.mail.templates) { _, new in new }
            if let address = part.mail.supportEmail { mail.supportEmail = address }
            mail.domainMetadata.merge(part.mail.domainMetadata) { _, new in new }
        }
    }
}

/// Keeps what is parsed of tenants' documents, each by itself. A refresh opens and parses only changed documents, and
/// reports a problem once. Credentials keep their stamp until their own document changes.
final class ServiceCache: Sendable {
    private struct Part {
        let document: TenantDocument
        /// Nil if the document cannot be opened.
        let services: TenantServices?
    }

    private struct Known {
        let parts: [Part]
        let services: TenantServices
    }

    private let sealer: any Sealer
    private let keys: any KeyFileReader
    private let known = Mutex<[TenantID: Known]>([:])

    init(sealer: any Sealer, keys: any KeyFileReader) {
        self.sealer = sealer
        self.keys = keys
    }

    func services(of stored: StoredTenant, problem: (String) -> Void) -> TenantServices {
        let tenant = stored.tenant.id
        let kept = known.withLock { $0[tenant] }
        if let kept, kept.parts.lazy.map(\.document).elementsEqual(stored.documents) { return kept.services }
        let parts = stored.documents.map { document in
            kept?.parts.first { $0.document == document }
                ?? part(document, of: tenant) { problem("\(tenant): \($0)") }
        }
        let services = TenantServices(joining: parts.compactMap(\.services))
        known.withLock { $0[tenant] = Known(parts: parts, services: services) }
        return services
    }

    private func part(_ document: TenantDocument, of tenant: TenantID, problem: (String) -> Void) -> Part {
        do {
            let opened = try OpenedDocument(document, of: tenant, with: sealer)
            return Part(document: document, services: TenantServices(opened, keys: keys, problem: problem))
        } catch {
            problem("the document \(document.kind.rawValue)/\(document.id) cannot be opened, \(error)")
            return Part(document: document, services: nil)
        }
    }

    /// Forgets tenants that are gone.
    func keep(_ tenants: [StoredTenant]) {
        let ids = Set(tenants.map(\.tenant.id))
        known.withLock { known in known = known.filter { ids.contains($0.key) } }
    }
}
