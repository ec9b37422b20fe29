package import Administration
package import Audit
package import AuthorizationCore
package import Configuration
import Delivery
package import Flows
import ForeignPasswords
import HTTPModel
package import ManagementAPI
import OpenSSLCrypto
import Persistence
package import Primitives

/// Operations on a data folder, which also work beside a running server. The server looks for changes each second.
extension Installation {
    package func configurationApplier() -> ApplyConfiguration {
        ApplyConfiguration(
            store: store, hashing: OpenSSLHashing(), passwords: ServerPasswords(random: SystemRandom()),
            sealer: vault, keys: keys, schemas: schemas)
    }

    package var configuration: any ConfigurationStore { store }

    /// The tenant's Management API for the operator, in this process.
    package func management(of tenant: TenantID, by actor: AuditEvent.Actor) -> OperatorManagement {
        let cache = configurationCache(DetailsCheckLimit()) { _ in }
        return OperatorManagement(managers(), ports, actor: actor, clock: SystemClock()) {
            _ = try await cache.refresh()
            guard let configuration = cache.current.tenant(id: tenant) else {
                throw AdministrationFailure.unknown(.tenant)
            }
            return configuration
        }
    }

    /// A secret for a client that came without one.
    package var newClientSecret: SecretBytes { Identifiers.clientSecret(SystemRandom()) }

    /// Managers over the folder's store. `ticketMails` limits what a tenant's administrators ask the operator's mail server to
    /// send. Nil is for the operator, who may also name any address.
    func managers(
        passwords: any PasswordHasher = ServerPasswords(random: SystemRandom()), ticketMails: MailBudget? = nil,
        ceilings: TenantCeilings = TenantCeilings()
    ) -> Managers {
        Managers(
            store: store, random: SystemRandom(), hashing: OpenSSLHashing(), verifier: OpenSSLVerifier(),
            passwords: passwords, sealer: vault, keys: keys, schemas: schemas, ceilings: ceilings,
            mails: ComposedMails(composer: ports.mail, budget: ticketMails))
    }

    /// The operator's managers, by their names.
    package subscript<Manager>(dynamicMember manager: KeyPath<Managers, Manager>) -> Manager {
        managers()[keyPath: manager]
    }

    /// Adapters of the use cases over the folder's store, for a command.
    var ports: BasicPorts { ports(outgoing: settings.outgoingPolicy) }

    func ports(outgoing: OutgoingPolicy) -> BasicPorts {
        BasicPorts(
            store: store, random: SystemRandom(), hashing: OpenSSLHashing(), verifier: OpenSSLVerifier(), sealer: vault,
            refusals: refusals, outgoing: outgoing)
    }

    package var deliveries: any DeliveryLog { store }

    /// Logs what the store finds in its rows.
    func report(to log: Log) {
        store.watchAuditLog { lost in
            log.write(
                .error, "audit log cut off",
                ["known": lost.known.description, "found": lost.found?.description ?? "none"])
        }
        store.watchOutages { news in
            switch news {
            case .away(let error): log.write(.error, "database away", ["problem": "\(error)"])
            case .back(let duration):
                log.write(.info, "database back", ["seconds": String(Int(duration / .seconds(1)))])
            }
        }
        store.watchChangedRows { row in
            log.write(.error, "row changed by somebody without the master key; it is left out", ["row": row])
        }
    }

    /// Proves the tenant's credentials at push services. `settings` has the addresses and trusted authorities.
    package func checkPushServices(
        of tenant: TenantID, _ settings: ServerSettings
    ) async throws -> [CredentialFinding] {
        guard let configuration = try await tenantConfiguration(tenant) else { return [] }
        return try await settings.mobilePushServices().check(configuration, now: SystemClock().now)
    }

    /// Sends a message that shows nothing to a phone, by the way that requests take. Nil if the phone has no token of a
    /// push service for apps.
    package func tryPush(to device: Device, _ settings: ServerSettings) async throws -> CredentialFinding? {
        guard let configuration = try await tenantConfiguration(device.tenant) else { return nil }
        return try await settings.mobilePushServices().trial(to: device, of: configuration, now: SystemClock().now)
    }

    func configurationCache(
        _ limit: DetailsCheckLimit, report: @escaping @Sendable (String) -> Void
    ) -> ConfigurationCache {
        ConfigurationCache(
            store: store, keys: keys, hashing: OpenSSLHashing(), sealer: vault, schemas: schemas,
            detailsCheckLimit: limit, problem: report)
    }

    /// The tenant as a server would serve it.
    private func tenantConfiguration(_ tenant: TenantID) async throws -> TenantConfiguration? {
        let snapshot = configurationCache(DetailsCheckLimit()) { _ in }
        _ = try await snapshot.refresh()
        return snapshot.current.tenant(id: tenant)
    }

    /// The receipt of a decision, for the operator. Throws `IssueReceipt.Failure`, and errors of the store.
    package func receipt(of consent: ConsentID, in tenant: TenantID) async throws -> String {
        guard let configuration = try await tenantConfiguration(tenant) else { throw IssueReceipt.Failure.notFound }
        return try await ports.receipts.issue(
            consent, to: .operator,
            RequestContext(configuration: configuration, now: SystemClock().now, remoteAddress: nil))
    }

    /// Creates enrolment tickets.
    package var enrollment: EnrollDevice { ports.enroll }
}
