#if !os(iOS)
    public import Foundation

    /// Keeps credentials in a file that only its owner can read (mode 0600), and that is replaced as a whole. For
    /// programs without a keychain: on macOS those that are not signed for one.
    public struct FileCredentialStore: CredentialStore {
        public let path: String

        /// The folder must exist.
        public init(path: String) { self.path = path }

        /// Refuses a file that others can read.
        public func load() async throws -> Data? { try await onOwnThread { try read() } }
        public func save(_ data: Data) async throws { try await onOwnThread { try replace(with: data) } }

        /// Throws what `save` would for want of a place to write to, before there is anything to lose. Changes nothing.
        public func checkWritable() async throws {
            try await onOwnThread {
                var status = stat()
                guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
                    throw Failure(description: "\(path) is no file")
                }
                let (_, name) = try newFile()
                unlink(name)
            }
        }

        public func clear() async throws {
            try await onOwnThread {
                guard unlink(path) == 0 || errno == ENOENT else { throw problem("remove", errno) }
                try synchronizeFolder()
            }
        }

        private struct Failure: Error, CustomStringConvertible { let description: String }

        private func problem(_ action: String, _ number: Int32) -> Failure {
            Failure(description: "cannot \(action) \(path): \(String(cString: strerror(number)))")
        }

        private func read() throws -> Data? {
            // Not blocking: opening a pipe would otherwise wait for a writer.
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            let failure = errno
            guard descriptor >= 0 else {
                if failure == ENOENT { return nil }
                throw problem("read", failure)
            }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw problem("read", errno) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(description: "\(path) is no file") }
            guard status.st_mode & 0o077 == 0 else {
                throw Failure(description: "others can read \(path); run: chmod 600 '\(path)'")
            }
            return try file.readToEnd() ?? Data()
        }

        /// Beside the one there is, with a name of its own: whoever else saves at this moment must not write into it.
        private func newFile() throws -> (file: FileHandle, name: [CChar]) {
            var template = Array("\(path).XXXXXX".utf8CString)
            let descriptor = mkstemp(&template)
            guard descriptor >= 0 else { throw problem("write", errno) }
            return (FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), template)
        }

        private func replace(with data: Data) throws {
            let (file, name) = try newFile()
            let descriptor = file.fileDescriptor
            do {
                guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fchmod(descriptor, 0o600) == 0 else {
                    throw problem("write", errno)
                }
                try file.write(contentsOf: data)
                try file.synchronize()
                guard rename(name, path) == 0 else { throw problem("replace", errno) }
            } catch {
                unlink(name)
                throw error
            }
            try synchronizeFolder()
        }

        /// So that the file's new name outlasts a crash too.
        private func synchronizeFolder() throws {
            let folder = URL(filePath: path).deletingLastPathComponent().path
            let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw problem("keep", errno) }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else { throw problem("keep", errno) }
        }

        /// Disks take their time; the cooperative pool does not wait for them.
        private func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
        {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
            }
        }
    }
#endif
