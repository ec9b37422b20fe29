#if !os(iOS)
    public import PlatformFoundation
    import SecretFiles

    /// Stores credentials in a file that only its owner can read (mode 0600), and that is replaced as a whole. For
    /// programs without a keychain, which include unsigned programs on macOS.
    public struct FileCredentialStore: CredentialStore {
        public let path: String

        private var file: SecretFile { SecretFile(path: path) }

        /// The folder must exist.
        public init(path: String) { self.path = path }

        /// Refuses a file that other users can read.
        public func load() async throws -> Data? { try await file.contents() }
        public func save(_ data: Data) async throws { try await file.replace(with: data) }
        public func clear() async throws { try await file.remove() }

        /// Checks in advance if `save` could write the file, and throws its error otherwise. Changes nothing.
        public func checkWritable() async throws { try await file.checkWritable() }
    }
#endif
