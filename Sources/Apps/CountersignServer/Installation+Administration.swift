public import Administration
import Argon2Passwords
public import Flows
import OpenSSLCrypto

/// What an operator does on a data folder, also beside a running server, which takes it up within a second.
extension Installation {
    /// `dryRun` checks and tells what would change, and changes nothing.
    public func configurationApplier(dryRun: Bool = false) throws -> ApplyConfiguration {
        ApplyConfiguration(
            store: dryRun ? DryRunStore(store: store) : store, hashing: OpenSSLHashing(),
            passwords: try Argon2PasswordHasher(random: SystemRandom()), keys: keys)
    }

    public var signingKeys: ManageSigningKeys { ManageSigningKeys(store: store, keys: keys) }

    /// For making enrolment tickets.
    public var enrollment: EnrollDevice {
        EnrollDevice(store: store, hashing: OpenSSLHashing(), random: SystemRandom())
    }
}

/// Rolls every change back and returns what it would have returned.
private struct DryRunStore: ConfigurationStore {
    private struct RolledBack<Result: Sendable>: Error {
        let result: Result
    }

    let store: any ConfigurationStore

    func configuration() async throws -> Configuration { try await store.configuration() }
    func version() async throws -> Int64 { try await store.version() }

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
