#if !os(iOS)
    import Files
    package import PlatformFoundation
    import Primitives
    import Threads

    /// A small file with secrets that only its owner can read (mode 0600). It is replaced as a whole: after a crash it
    /// is the old or the new one. All work runs on separate threads.
    package struct SecretFile: Sendable {
        /// A failure with a description of the remedy.
        package struct Failure: LocalizedError, CustomStringConvertible {
            package let description: String
            package var errorDescription: String? { description }
        }

        /// Bytes of the longest file.
        private static let sizeLimit = 1 << 26

        package let path: String

        package init(path: String) { self.path = path }

        /// The file's content. Nil means that there is no file. Refuses a file that other users can read.
        package func contents() async throws -> Data? { try await onOwnThread { try read() } }

        /// The folder must exist.
        package func replace(with data: Data) async throws { try await onOwnThread { try write(data) } }

        /// Replaces the content by the result of `change`, unless that is nil. Other processes that call this method
        /// wait. Creates the folder if it does not exist.
        package func update(_ change: @escaping @Sendable (Data?) throws -> Data?) async throws {
            try await onOwnThread {
                try makeFolder()
                try Folder(of: path).locked {
                    if let data = try change(try read()) { try write(data) }
                }
            }
        }

        /// Deletes the file. Does nothing if there is none.
        package func remove() async throws {
            try await onOwnThread {
                guard unlink(path) == 0 || errno == ENOENT else { throw FileFailure("cannot remove \(path)") }
                try Folder(of: path).synchronize()
            }
        }

        /// Checks in advance if the file could be written, and throws the error otherwise. Changes nothing.
        package func checkWritable() async throws {
            try await onOwnThread {
                var status = stat()
                guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
                    throw FileFailure("\(path) is not a file", number: 0)
                }
                _ = try NewFile(path)
            }
        }

        private func makeFolder() throws {
            let folder = URL(filePath: path).deletingLastPathComponent().path
            do {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch { throw FileFailure("cannot create the folder \(folder)", number: 0) }
        }

        private func read() throws -> Data? {
            do { return Data(try PrivateFile.readSecret(path, limit: Self.sizeLimit).bytes) } catch {
                guard error.number == ENOENT else { throw error }
                return nil
            }
        }

        private func write(_ data: Data) throws {
            try PrivateFile.store(SecretBytes(Array(data)), to: path)
        }

        /// Runs on a separate thread, because disks may block and the cooperative pool must not wait.
        private func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
        {
            do {
                return try await withCheckedThrowingContinuation { continuation in
                    do throws(SystemThread.Failure) {
                        try SystemThread.detach { continuation.resume(with: Result { try body() }) }
                    } catch { continuation.resume(throwing: FileFailure("cannot start a thread", number: error.code)) }
                }
            } catch let failure as FileFailure { throw Failure(description: failure.description) }
        }
    }
#endif
