public import AuthorizationCore
import JOSE
public import Primitives
import Synchronization

/// The current directory, made anew from the store whenever the configuration's version has grown: also when another
/// process changed it.
public final class LiveDirectory: DirectorySource {
    private struct State {
        var directory = Directory(tenants: [])
        var version: Int64 = -1
    }

    private let state = Mutex(State())
    private let store: any ConfigurationStore
    private let keys: any SigningKeyFactory
    private let hashing: any Hashing
    private let problem: @Sendable (String) -> Void

    /// Empty until it is refreshed for the first time. `problem` is told of a key that cannot sign.
    public init(
        store: any ConfigurationStore, keys: any SigningKeyFactory, hashing: any Hashing,
        problem: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.store = store
        self.keys = keys
        self.hashing = hashing
        self.problem = problem
    }

    public var current: Directory { state.withLock { $0.directory } }

    /// Reads the configuration again where its version has grown. Returns whether it had.
    public func refresh() async throws -> Bool {
        let version = try await store.version()
        guard version != state.withLock(\.version) else { return false }
        let configuration = try await store.configuration()
        let directory = Directory(tenants: configuration.tenants.map(entry))
        state.withLock { state in
            // Of two refreshes at once the later picture stays.
            guard version > state.version else { return }
            state.directory = directory
            state.version = version
        }
        return true
    }

    private func entry(_ part: Configuration.TenantPart) -> TenantDirectory {
        let current = part.signingKeys.filter { $0.status == .current }.compactMap(signer)
        let published = part.signingKeys.filter { $0.status != .revoked }.sorted { $0.createdAt < $1.createdAt }
        return TenantDirectory(
            tenant: part.tenant, clients: part.clients, resourceServers: part.resourceServers, roles: part.roles,
            connections: part.connections,
            keys: KeyRing(
                current: current, published: published.map(\.publicKey),
                document: ["keys": .array(published.map { $0.published(hashing) })]))
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
