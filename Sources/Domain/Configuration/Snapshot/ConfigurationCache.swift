package import AuthorizationCore
import JOSE
package import Primitives
import Synchronization

/// The current configuration, read again whenever its version in the store differs: also if another process changed it
/// or restored an older database.
package final class ConfigurationCache: RefreshableConfiguration {
    private struct State {
        var configuration = ConfigurationSnapshot(tenants: [])
        var version: Int64 = -1
        /// False if something could not be compiled and needs a retry.
        var isComplete = true
        /// Number of the refresh that set this state.
        var refresh = 0
        var refreshes = 0
    }

    private let state = Mutex(State())
    private let store: any ConfigurationStore
    private let keys: any SigningKeyFactory
    private let hashing: any Hashing
    private let sealer: any Sealer
    private let services: ServiceCache
    private let schemas: SchemaRegistry
    private let detailsCheckLimit: DetailsCheckLimit
    private let problem: @Sendable (String) -> Void

    /// Empty until the first refresh. `problem` receives keys that cannot sign, and schemas and documents that cannot be
    /// used.
    package init(
        store: any ConfigurationStore, keys: any SigningKeyFactory, hashing: any Hashing, sealer: any Sealer,
        schemas: SchemaRegistry,
        detailsCheckLimit: DetailsCheckLimit = DetailsCheckLimit(),
        problem: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.store = store
        self.keys = keys
        self.hashing = hashing
        self.sealer = sealer
        services = ServiceCache(sealer: sealer, keys: keys)
        self.schemas = schemas
        self.detailsCheckLimit = detailsCheckLimit
        self.problem = problem
    }

    package var current: ConfigurationSnapshot { state.withLock { $0.configuration } }

    /// Reads the configuration if its version differs or its compilation was incomplete. Returns true if it set a new
    /// configuration.
    package func refresh() async throws -> Bool {
        let refresh = state.withLock { state in
            state.refreshes += 1
            return state.refreshes
        }
        let version = try await store.version()
        guard state.withLock({ version != $0.version || !$0.isComplete }) else { return false }
        let (stored, isComplete) = await schemas.compile(try await store.tenants(), problem: problem)
        services.keep(stored)
        let configuration = ConfigurationSnapshot(tenants: stored.map(entry))
        return state.withLock { state in
            // If two run at once, the later start has read everything that the earlier has.
            guard refresh > state.refresh else { return false }
            state.configuration = configuration
            state.version = version
            state.isComplete = isComplete
            state.refresh = refresh
            return true
        }
    }

    private func entry(_ part: StoredTenant) -> TenantConfiguration {
        let current = part.signingKeys.filter { $0.status == .current && $0.isPublished }.compactMap { key in
            opened { try keys.signer(for: key) }
        }
        for key in part.signingKeys where !key.isIntact { _ = opened { try keys.signer(for: key) } }
        let published = part.signingKeys.filter(\.isPublished).sorted { $0.createdAt < $1.createdAt }
        let services = services.services(of: part, problem: problem)
        return TenantConfiguration(
            tenant: part.tenant, clients: part.clients, resourceServers: part.resourceServers, roles: part.roles,
            connections: part.connections,
            keys: KeyRing(
                current: current, published: published.map(\.publicKey),
                document: ["keys": .array(published.map { $0.published(hashing) })],
                webPush: part.webPushKey.flatMap { key in opened { try keys.signer(for: key) } },
                refreshTokens: part.refreshTokenKey.flatMap { key in
                    opened {
                        try sealer.open(key, context: RefreshTokenKey.sealingContext(tenant: part.tenant.id))
                    }
                }),
            pushServices: services.push, mail: services.mail,
            detailsCheckLimit: detailsCheckLimit)
    }

    /// Nil for a key that cannot be opened. Other keys, tenants and changes are unaffected. Its algorithm signs nothing
    /// until the key is replaced, but earlier signatures verify.
    private func opened<Key>(_ open: () throws -> Key) -> Key? {
        do {
            return try open()
        } catch {
            problem("\(error)")
            return nil
        }
    }
}
