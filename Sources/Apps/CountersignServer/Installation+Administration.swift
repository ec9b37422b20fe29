package import Administration
import Argon2Passwords
package import Audit
package import AuthorizationCore
package import Configuration
package import Flows
import GuardianWire
import OpenSSLCrypto
import Persistence
package import Primitives

/// Operations on a data folder, which also work beside a running server. The server applies changes within a second.
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

    package var consents: ManageConsents { ManageConsents(store: store) }

    package var auditLog: VerifyAuditLog {
        VerifyAuditLog(store: store, hashing: OpenSSLHashing(), verifier: OpenSSLVerifier())
    }

    package var tenantLogs: TenantLogs { TenantLogs(store: store) }

    /// Creates enrolment tickets.
    package var enrollment: EnrollDevice {
        EnrollDevice(
            store: store, verifier: OpenSSLVerifier(), hashing: OpenSSLHashing(), random: SystemRandom(),
            sealer: vault, refusals: RefusalLog(log: store))
    }

    /// A user's devices, oldest first.
    package func devices(of user: UserID, tenant: TenantID) async throws -> [Device] {
        try await store.devices(of: user, tenant: tenant)
    }

    /// Nil means that the tenant has no such device.
    package func device(_ device: DeviceID, tenant: TenantID) async throws -> Device? {
        try await store.device(device, tenant: tenant)?.device
    }

    /// Renames a device. Nil means that the tenant has no such device.
    package func rename(
        _ device: DeviceID, to name: String, tenant: TenantID, by actor: AuditEvent.Actor, now: Timestamp
    ) async throws -> Device? {
        let outcome = try await store.update(
            device, tenant: tenant, with: DeviceAccountUpdate(name: name),
            event: AuditEvent(
                .deviceUpdated, of: AuditEvent.Object("device", device.rawValue), by: actor, tenant: tenant, at: now,
                changed: ["name"]))
        // An update without an identifier cannot fail because the identifier is taken.
        guard case .updated(let renamed) = outcome else { return nil }
        return renamed
    }

    /// False if the tenant has no such device.
    package func remove(
        _ device: DeviceID, tenant: TenantID, by actor: AuditEvent.Actor, now: Timestamp
    ) async throws -> Bool {
        var event = AuditEvent(.unenrolled, tenant: tenant, at: now, device: device)
        event.actor = actor
        return try await store.remove(device, tenant: tenant, event: event)
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
