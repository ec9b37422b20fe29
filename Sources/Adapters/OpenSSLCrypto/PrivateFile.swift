package import Primitives

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file or folder that could not be used. The text names the required change.
package struct FileFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package let path: String
    package let problem: String

    /// Reads `errno`, so it must be called right after the failing call.
    static func system(_ operation: String, _ path: String) -> FileFailure {
        let code = errno
        return FileFailure(path: path, problem: "cannot \(operation): \(String(cString: strerror(code)))")
    }

    package var description: String { "\(path): \(problem)" }
}

/// Reads and writes small files, most of them with secrets.
package enum PrivateFile {
    static let sizeLimit = 65_536

    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Reads a file of at most 65,536 bytes. Refuses a file that others than its owner may read.
    package static func readSecret(_ path: String) throws(FileFailure) -> SecretBytes {
        try contents(of: path) { (status) throws(FileFailure) in
            let mode = status.st_mode & 0o777
            guard mode & 0o077 == 0 else {
                throw FileFailure(
                    path: path,
                    problem: "others may read it (its mode is \(String(mode, radix: 8))); run: chmod 600 \(path)")
            }
        }
    }

    static func readPublic(_ path: String) throws(FileFailure) -> [UInt8] { try contents(of: path) { _ in }.bytes }

    private static func contents(
        of path: String, check: (stat) throws(FileFailure) -> Void
    ) throws(FileFailure) -> SecretBytes {
        // Non-blocking, because opening a pipe would otherwise wait for a writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .system("open it", path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system("look at it", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileFailure(path: path, problem: "it is no file") }
        try check(status)
        guard status.st_size <= sizeLimit else {
            throw FileFailure(path: path, problem: "it is longer than \(sizeLimit) bytes")
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, Int(status.st_size)), alignment: 1)
        defer {
            clear(memory)
            memory.deallocate()
        }
        var filled = 0
        while filled < Int(status.st_size) {
            let count = read(file, memory.baseAddress.map { $0 + filled }, Int(status.st_size) - filled)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system("read it", path) }
            guard count > 0 else { break }
            filled += count
        }
        return SecretBytes(copying: UnsafeBufferPointer(rebasing: memory.bindMemory(to: UInt8.self)[..<filled]))
    }

    enum Replacement { case replacesExisting, keepsExisting }

    /// Makes an empty file with mode 0600, unless there is a file already.
    package static func makeEmpty(_ path: String, for owner: FileOwner) throws(FileFailure) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        let failure = errno
        guard file >= 0 || failure == EEXIST else { throw .system("create it", path) }
        guard file >= 0 else { return }
        defer { close(file) }
        try owner.take(file, path)
    }

    /// Writes a file with mode 0600 atomically. Replaces an existing file.
    package static func storeSecret(_ content: SecretBytes, to path: String) throws(FileFailure) {
        try store(content, to: path, mode: 0o600, .replacesExisting)
    }

    /// Writes a file atomically: neither a reader nor a restart after a crash sees half of it. It belongs to `owner`, or
    /// to the owner of its folder.
    static func store(
        _ content: SecretBytes, to path: String, mode: mode_t, _ replacement: Replacement, for owner: FileOwner? = nil
    ) throws(FileFailure) {
        let temporary = "\(path).\(Hex.encode(SystemRandom().bytes(8))).new"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw .system("create it", temporary) }
        defer { unlink(temporary) }
        do {
            defer { close(file) }
            // The umask removed bits from the mode given to open.
            guard fchmod(file, mode) == 0 else { throw FileFailure.system("set its mode", temporary) }
            let owner = if let owner { owner } else { try FileOwner(ofFolderOf: path) }
            try owner.take(file, temporary)
            try writeAll(content, to: file, temporary)
            guard fsync(file) == 0 else { throw FileFailure.system("write it to the disk", temporary) }
        }
        let status =
            switch replacement {
            case .replacesExisting: rename(temporary, path)
            // Unlike rename, link fails if the name is taken.
            case .keepsExisting: link(temporary, path)
            }
        guard status == 0 else { throw .system("create it", path) }
        try synchronizeFolder(of: path)
    }

    private static func writeAll(_ content: SecretBytes, to file: Int32, _ path: String) throws(FileFailure) {
        let failure = content.withBytes { bytes -> FileFailure? in
            var written = 0
            while written < bytes.count {
                let count = write(file, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return .system("write it", path) }
                written += count
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// Flushes the folder, without which a new name is not durable.
    private static func synchronizeFolder(of path: String) throws(FileFailure) {
        let folder = folder(of: path)
        let handle = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard handle >= 0 else { throw .system("open it", folder) }
        defer { close(handle) }
        guard fsync(handle) == 0 else { throw .system("write it to the disk", folder) }
    }

    static func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "." }

    /// Runs `body` under an exclusive lock of the folder, across processes.
    static func locked<Result>(_ folder: String, _ body: () throws -> Result) throws -> Result {
        let handle = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard handle >= 0 else { throw FileFailure.system("open it", folder) }
        // Closing releases the lock.
        defer { close(handle) }
        while flock(handle, LOCK_EX) != 0 {
            guard errno == EINTR else { throw FileFailure.system("lock it", folder) }
        }
        return try body()
    }
}
