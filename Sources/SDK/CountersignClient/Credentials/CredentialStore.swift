public import PlatformFoundation
import Synchronization

/// Storage for one person's credentials. The data contains secrets. `CredentialsManager` makes one call at a time.
public protocol CredentialStore: Sendable {
    /// The data saved last. Nil means that there is none.
    func load() async throws -> Data?

    /// Replaces the stored data. After it returns, the data survives a crash. If it throws, the old data is still
    /// there.
    func save(_ data: Data) async throws

    /// Removes the stored data. Does nothing if there is none.
    func clear() async throws
}

/// Stores credentials in memory, until the process ends.
public final class MemoryCredentialStore: CredentialStore {
    private let data = Mutex<Data?>(nil)

    public init() {}

    public func load() async throws -> Data? { data.withLock(\.self) }
    public func save(_ data: Data) async throws { self.data.withLock { $0 = data } }
    public func clear() async throws { data.withLock { $0 = nil } }
}
