#if !os(iOS)
    package import Foundation

    /// A small file with secrets that only its owner can read (mode 0600). It is replaced as a whole: after a crash it
    /// is the old or the new one. All work runs on separate threads.
    package struct SecretFile: Sendable {
        /// A failure with a description of the remedy.
        package struct Failure: LocalizedError, CustomStringConvertible {
            package let description: String
            package var errorDescription: String? { description }
        }

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
                let lock = try openFolder()
                // Closing the descriptor releases the lock.
                defer { close(lock) }
                while flock(lock, LOCK_EX) != 0 {
                    guard errno == EINTR else { throw problem("lock the folder of", errno) }
                }
                if let data = try change(try read()) { try write(data) }
            }
        }

        /// Deletes the file. Does nothing if there is none.
        package func remove() async throws {
            try await onOwnThread {
                guard unlink(path) == 0 || errno == ENOENT else { throw problem("remove", errno) }
                try synchronizeFolder()
            }
        }

        /// Checks in advance if the file could be written, and throws the error otherwise. Changes nothing.
        package func checkWritable() async throws {
            try await onOwnThread {
                var status = stat()
                guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
                    throw Failure(description: "\(path) is not a file")
                }
                let (_, name) = try newFile()
                unlink(name)
            }
        }

        private var folder: String { URL(filePath: path).deletingLastPathComponent().path }

        private func problem(_ action: String, _ number: Int32) -> Failure {
            Failure(description: "cannot \(action) \(path): \(String(cString: strerror(number)))")
        }

        private func makeFolder() throws {
            do {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch { throw Failure(description: "cannot create the folder \(folder)") }
        }

        private func read() throws -> Data? {
            // Non-blocking, since opening a pipe would wait for a writer.
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            let failure = errno
            guard descriptor >= 0 else {
                if failure == ENOENT { return nil }
                throw problem("read", failure)
            }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw problem("read", errno) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(description: "\(path) is not a file") }
            guard status.st_mode & 0o077 == 0 else {
                throw Failure(description: "other users can read \(path); run: chmod 600 '\(path)'")
            }
            return try file.readToEnd() ?? Data()
        }

        /// Creates a file next to the current one with a unique name, so that concurrent writers do not share it.
        private func newFile() throws -> (file: FileHandle, name: [CChar]) {
            var template = Array("\(path).XXXXXX".utf8CString)
            let descriptor = mkstemp(&template)
            guard descriptor >= 0 else { throw problem("write", errno) }
            return (FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), template)
        }

        private func write(_ data: Data) throws {
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

        private func openFolder() throws -> Int32 {
            let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw problem("keep", errno) }
            return descriptor
        }

        /// Makes the file's new name durable.
        private func synchronizeFolder() throws {
            let descriptor = try openFolder()
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else { throw problem("keep", errno) }
        }

        /// Runs on a separate thread, because disks may block and the cooperative pool must not wait.
        private func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
        {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
            }
        }
    }
#endif
