package import AuthorizationCore
import JOSE
package import Primitives
import Synchronization

/// The current configuration, made anew from the store whenever the configuration's version is another: also when another
/// process changed it, or put an older database in its place.
package final class ConfigurationCache: RefreshableConfiguration {
    private struct State {
        var configuration = ConfigurationSnapshot(tenants: [])
        var version: Int64 = -1
        /// False where something could not be compiled, and is tried again.
        var isComplete = true
        /// Which refresh it came of, as they are counted when they begin.
        var refresh = 0
        var refreshes = 0
    }

    private let state = Mutex(State())
    private let store: any ConfigurationStore
    private let keys: any SigningKeyFactory
    private let hashing: any Hashing
    private let schemas: SchemaRegistry
    private let detailsCheckLimit: DetailsCheckLimit
    private let problem: @Sendable (String) -> Void

    /// Empty until it is refreshed for the first time. `problem` is told of a key that cannot sign and of a schema that
    /// cannot be used.
    package init(
        store: any ConfigurationStore, keys: any SigningKeyFactory, hashing: any Hashing, schemas: SchemaRegistry,
        detailsCheckLimit: DetailsCheckLimit = DetailsCheckLimit(),
        problem: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.store = store
        self.keys = keys
        self.hashing = hashing
        self.schemas = schemas
        self.detailsCheckLimit = detailsCheckLimit
        self.problem = problem
    }

    package var current: ConfigurationSnapshot { state.withLock { $0.configuration } }

    /// Reads the configuration again where its version is another, or some of it could not be compiled then. Returns
    /// whether it was, and was taken up.
    package func refresh() async throws -> Bool {
        let refresh = state.withLock { state in
            state.refreshes += 1
            return state.refreshes
        }
        let version = try await store.version()
        guard state.withLock({ version != $0.version || !$0.isComplete }) else { return false }
        let (stored, isComplete) = await schemas.compile(try await store.tenants(), problem: problem)
        let configuration = ConfigurationSnapshot(tenants: stored.map(entry))
        return state.withLock { state in
            // Of two at once, the one that began later has seen all that the other could be asked for.
            guard refresh > state.refresh else { return false }
            state.configuration = configuration
            state.version = version
            state.isComplete = isComplete
            state.refresh = refresh
            return true
        }
    }

    private func entry(_ part: StoredTenant) -> TenantConfiguration {
        let current = part.signingKeys.filter { $0.status == .current }.compactMap(signer)
        let published = part.signingKeys.filter { $0.status != .revoked }.sorted { $0.createdAt < $1.createdAt }
        return TenantConfiguration(
            tenant: part.tenant, clients: part.clients, resourceServers: part.resourceServers, roles: part.roles,
            connections: part.connections,
            keys: KeyRing(
                current: current, published: published.map(\.publicKey),
                document: ["keys": .array(published.map { $0.published(hashing) })]),
            detailsCheckLimit: detailsCheckLimit)
    }

    /// Nil for a key that cannot be opened, which takes no other key, tenant or later change along: nothing is signed by
    /// its algorithm until another takes its place, while what it signed before verifies.
    private func signer(_ key: SigningKey) -> (any Signer)? {
        do {
            return try keys.signer(for: key)
        } catch {
            problem("\(error)")
            return nil
        }
    }
}
