public import Foundation
import Synchronization

/// Where credentials are kept: one place for one person's. What it is given holds secrets in a form of its own.
/// `CredentialsManager` calls it one call at a time.
public protocol CredentialStore: Sendable {
    /// What was saved last; nil where there is nothing.
    func load() async throws -> Data?

    /// Puts `data` in the place of what was there. When it returns, the data outlasts a crash, and when it fails, what
    /// was there is still there.
    func save(_ data: Data) async throws

    /// Removes what is there; nothing is no error.
    func clear() async throws
}

/// Keeps credentials as long as the process lives.
public final class MemoryCredentialStore: CredentialStore {
    private let data = Mutex<Data?>(nil)

    public init() {}

    public func load() async throws -> Data? { data.withLock(\.self) }
    public func save(_ data: Data) async throws { self.data.withLock { $0 = data } }
    public func clear() async throws { data.withLock { $0 = nil } }
}
