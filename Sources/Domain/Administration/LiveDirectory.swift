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

    /// Empty until it is refreshed for the first time.
    public init(store: any ConfigurationStore, keys: any SigningKeyFactory, hashing: any Hashing) {
        self.store = store
        self.keys = keys
        self.hashing = hashing
    }

    public var current: Directory { state.withLock { $0.directory } }

    /// Reads the configuration again where its version has grown. Returns whether it had.
    public func refresh() async throws -> Bool {
        let version = try await store.version()
        guard version != state.withLock(\.version) else { return false }
        let configuration = try await store.configuration()
        let directory = Directory(tenants: try configuration.tenants.map(entry))
        state.withLock { state in
            // Of two refreshes at once the later picture stays.
            guard version > state.version else { return }
            state.directory = directory
            state.version = version
        }
        return true
    }

    private func entry(_ part: Configuration.TenantPart) throws -> TenantDirectory {
        let current = try part.signingKeys.filter { $0.status == .current }.map(keys.signer)
        let published = part.signingKeys.filter { $0.status != .revoked }.sorted { $0.createdAt < $1.createdAt }
        return TenantDirectory(
            tenant: part.tenant, clients: part.clients, resourceServers: part.resourceServers, roles: part.roles,
            connections: part.connections,
            keys: KeyRing(
                current: current, published: published.map(\.publicKey),
                document: ["keys": .array(published.map { $0.published(hashing) })]))
    }
}
