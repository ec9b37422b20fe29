#if !os(iOS)
    public import Foundation
    import SecretFiles

    /// Keeps credentials in a file that only its owner can read (mode 0600), and that is replaced as a whole. For
    /// programs without a keychain: on macOS those that are not signed for one.
    public struct FileCredentialStore: CredentialStore {
        public let path: String

        private var file: SecretFile { SecretFile(path: path) }

        /// The folder must exist.
        public init(path: String) { self.path = path }

        /// Refuses a file that others can read.
        public func load() async throws -> Data? { try await file.contents() }
        public func save(_ data: Data) async throws { try await file.replace(with: data) }
        public func clear() async throws { try await file.remove() }

        /// Throws what `save` would for want of a place to write to, before there is anything to lose. Changes nothing.
        public func checkWritable() async throws { try await file.checkWritable() }
    }
#endif
