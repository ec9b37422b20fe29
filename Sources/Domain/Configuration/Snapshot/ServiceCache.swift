package import AuthorizationCore
import Primitives
import Synchronization
import X509

/// Services that a tenant's documents configure: parsed once, and again if a document differs.
package struct TenantServices: Sendable {
    package let push: PushServices
    package let mail: MailSettings

    fileprivate init(_ documents: [OpenedDocument], keys: any KeyFileReader, problem: (String) -> Void) {
        push = PushServices(documents, keys: keys, problem: problem)
        mail = MailSettings(documents, problem: problem)
    }
}

/// Keeps what is parsed of tenants' documents, so that a refresh opens and parses only changed ones, and reports a
/// problem once.
final class ServiceCache: Sendable {
    private typealias Known = (documents: [TenantDocument], services: TenantServices)

    private let sealer: any Sealer
    private let keys: any KeyFileReader
    private let known = Mutex<[TenantID: Known]>([:])

    init(sealer: any Sealer, keys: any KeyFileReader) {
        self.sealer = sealer
        self.keys = keys
    }

    func services(of part: StoredTenant, problem: (String) -> Void) -> TenantServices {
        let tenant = part.tenant.id
        if let kept = known.withLock({ $0[tenant] }), kept.documents == part.documents { return kept.services }
        func report(_ text: String) { problem("\(tenant): \(text)") }
        let opened = part.documents.compactMap { stored in
            do {
                return try OpenedDocument(stored, of: tenant, with: sealer)
            } catch {
                report("the document \(stored.kind.rawValue)/\(stored.id) cannot be opened, \(error)")
                return nil
            }
        }
        let services = TenantServices(opened, keys: keys, problem: report)
        known.withLock { $0[tenant] = (part.documents, services) }
        return services
    }

    /// Forgets tenants that are gone.
    func keep(_ tenants: [StoredTenant]) {
        let ids = Set(tenants.map(\.tenant.id))
        known.withLock { known in known = known.filter { ids.contains($0.key) } }
    }
}
