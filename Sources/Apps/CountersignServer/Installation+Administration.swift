package import Administration
import Argon2Passwords
package import Audit
package import AuthorizationCore
package import Configuration
import Delivery
package import Flows
import ManagementAPI
import OpenSSLCrypto
import Persistence
import Primitives

/// Operations on a data folder, which also work beside a running server. The server looks for changes each second.
extension Installation {
    /// With `dryRun`, checks the file and reports the changes without making them.
    package func configurationApplier(dryRun: Bool = false) throws -> ApplyConfiguration {
        ApplyConfiguration(
            store: dryRun ? DryRunStore(store: store) : store, hashing: OpenSSLHashing(),
            passwords: try Argon2PasswordHasher(random: SystemRandom()), sealer: vault, keys: keys, schemas: schemas)
    }

    package var configuration: any ConfigurationStore { store }

    package var signingKeys: ManageSigningKeys { ManageSigningKeys(store: store, keys: keys) }

    package var roles: ManageRoles { ManageRoles(store: store, random: SystemRandom()) }

    package var users: ManageUsers {
        get throws {
            ManageUsers(
                store: store, passwords: try Argon2PasswordHasher(random: SystemRandom()), random: SystemRandom())
        }
    }

    package var clients: ManageClients {
        ManageClients(store: store, random: SystemRandom(), hashing: OpenSSLHashing(), keys: keys)
    }

    package var resourceServers: ManageResourceServers {
        ManageResourceServers(store: store, hashing: OpenSSLHashing(), keys: keys, schemas: schemas)
    }

    package var clientGrants: ManageClientGrants { ManageClientGrants(store: store, hashing: OpenSSLHashing()) }

    package var clientCredentials: ManageClientCredentials {
        ManageClientCredentials(store: store, random: SystemRandom(), hashing: OpenSSLHashing())
    }

    package var userAccess: ManageUserAccess { ManageUserAccess(store: store) }

    package var userBlocks: ManageUserBlocks { ManageUserBlocks(store: store, hashing: OpenSSLHashing()) }

    package var userSearch: SearchUsers { SearchUsers(store: store) }

    package var grants: ManageGrants { ManageGrants(store: store) }

    package var deliveries: any DeliveryLog { store }

    package var pushProviders: ManagePushProviders { ManagePushProviders(store: store, sealer: vault, keys: keys) }

    package var guardian: ManageGuardian { ManageGuardian(store: store) }

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

    /// The tenant as a server would serve it.
    private func tenantConfiguration(_ tenant: TenantID) async throws -> TenantConfiguration? {
        let snapshot = ConfigurationCache(
            store: store, keys: keys, hashing: OpenSSLHashing(), sealer: vault, schemas: schemas)
        _ = try await snapshot.refresh()
        return snapshot.current.tenant(id: tenant)
    }

    package var devices: ManageDevices { ManageDevices(store: store) }

    package var tickets: ManageTickets {
        ManageTickets(
            store: store, hashing: OpenSSLHashing(), random: SystemRandom(),
            mails: ComposedMails(composer: MailComposer(sealer: vault), budget: nil))
    }

    package var auditLog: VerifyAuditLog {
        VerifyAuditLog(store: store, hashing: OpenSSLHashing(), verifier: OpenSSLVerifier())
    }

    package var tenantLogs: TenantLogs { TenantLogs(store: store) }

    /// The receipt of a decision, for the operator. Throws `IssueReceipt.Failure`, and errors of the store.
    package func receipt(of consent: ConsentID, in tenant: TenantID) async throws -> String {
        guard let configuration = try await tenantConfiguration(tenant) else { throw IssueReceipt.Failure.notFound }
        let vault = RequestVault(sealer: vault, hashing: OpenSSLHashing(), refusals: refusals)
        return try await IssueReceipt(store: store, vault: vault).issue(
            consent, to: .operator,
            RequestContext(configuration: configuration, now: SystemClock().now, remoteAddress: nil))
    }

    /// Creates enrolment tickets.
    package var enrollment: EnrollDevice {
        EnrollDevice(
            store: store, verifier: OpenSSLVerifier(), hashing: OpenSSLHashing(), random: SystemRandom(),
            sealer: vault, refusals: refusals, outgoing: settings.outgoingPolicy)
    }
}

/// Runs changes, returns their results and rolls them back.
private struct DryRunStore: ConfigurationStore {
    private struct RolledBack<Result: Sendable>: Error {
        let result: Result
    }

    let store: any ConfigurationStore

    func version() async throws -> Int64 { try await store.version() }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ConfigurationReader) throws -> Result
    ) async throws -> Result { try await store.read(body) }

    func change<Result: Sendable>(
        _ body: @escaping @Sendable (any ConfigurationTransaction) throws -> Result
    ) async throws -> Result {
        do {
            return try await store.change { transaction -> Result in
                throw RolledBack(result: try body(transaction))
            }
        } catch let rolledBack as RolledBack<Result> {
            return rolledBack.result
        }
    }
}
