package import Primitives

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reads and writes small files, most of them with secrets.
package enum PrivateFile {
    package static let sizeLimit = 65_536

    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Reads a file of at most `limit` bytes. Refuses a file that others than its owner may read.
    package static func readSecret(_ path: String, limit: Int = sizeLimit) throws(FileFailure) -> SecretBytes {
        try contents(of: path, limit: limit) { (status) throws(FileFailure) in
            let mode = status.st_mode & 0o777
            guard mode & 0o077 == 0 else {
                throw FileFailure(
                    "\(path): others may read it (its mode is \(String(mode, radix: 8))); run: chmod 600 \(path)",
                    number: 0)
            }
        }
    }

    package static func readPublic(_ path: String) throws(FileFailure) -> [UInt8] {
        try contents(of: path, limit: sizeLimit) { _ in }.bytes
    }

    private static func contents(
        of path: String, limit: Int, check: (stat) throws(FileFailure) -> Void
    ) throws(FileFailure) -> SecretBytes {
        // Non-blocking, because opening a pipe would otherwise wait for a writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw FileFailure("cannot open \(path)") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw FileFailure("cannot look at \(path)") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileFailure("\(path) is not a file", number: 0) }
        try check(status)
        guard status.st_size <= limit else { throw FileFailure("\(path) is longer than \(limit) bytes", number: 0) }
        return try SecretBytes(capacity: Int(status.st_size)) { (memory) throws(FileFailure) in
            var filled = 0
            while filled < memory.count {
                let count = read(file, memory.baseAddress.map { $0 + filled }, memory.count - filled)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw FileFailure("cannot read \(path)") }
                guard count > 0 else { break }
                filled += count
            }
            return filled
        }
    }

    /// Makes an empty file with mode 0600, unless there is a file already.
    package static func makeEmpty(_ path: String, for owner: FileOwner) throws(FileFailure) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        let number = errno
        guard file >= 0 || number == EEXIST else { throw FileFailure("cannot create \(path)", number: number) }
        guard file >= 0 else { return }
        defer { close(file) }
        try owner.take(file, path)
    }

    /// Writes a file atomically. With `replacing`, it may replace another file. It belongs to `owner`, or to the owner of
    /// its folder.
    package static func store(
        _ content: SecretBytes, to path: String, mode: UInt16 = 0o600, replacing: Bool = true,
        for owner: FileOwner? = nil
    ) throws(FileFailure) {
        let file = try NewFile(path, mode: mode, for: owner)
        if let failure = content.withBytes(file.written) { throw failure }
        try file.keep(replacing: replacing)
    }
}
