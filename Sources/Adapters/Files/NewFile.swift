#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file that gets its name once it is complete: neither a reader nor a restart after a crash sees half of it. Without
/// `keep`, it is removed.
package final class NewFile: Sendable {
    /// Another process is writing the file.
    package struct InUse: Error {}

    /// The name until the file is complete.
    package let path: String
    private let name: String
    private let descriptor: Int32

    private init(_ descriptor: Int32, _ path: String, becoming name: String) {
        self.descriptor = descriptor
        self.path = path
        self.name = name
    }

    deinit {
        unlink(path)
        close(descriptor)
    }

    /// A file that may be written at the same time as others of its name. It belongs to `owner`, or to the owner of its
    /// folder.
    package convenience init(_ name: String, mode: UInt16 = 0o600, for owner: FileOwner? = nil) throws(FileFailure) {
        let owner = if let owner { owner } else { try FileOwner(ofFolderOf: name) }
        let path = "\(name).\(String(UInt64.random(in: 0 ... .max), radix: 16)).new"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
        guard descriptor >= 0 else { throw FileFailure("cannot write \(name)") }
        self.init(descriptor, path, becoming: name)
        try prepare(mode_t(mode), owner)
    }

    /// A file of the owner of its folder that one process writes at a time. Meanwhile it is called `NAME.partial`. If a
    /// process was killed, the next one removes its partial file.
    /// - Throws: `InUse` or `FileFailure`.
    package convenience init(alone name: String) throws {
        let path = name + ".partial"
        let owner = try FileOwner(ofFolderOf: name)
        self.init(try Self.alone(path), path, becoming: name)
        try prepare(0o600, owner)
    }

    private static func alone(_ path: String) throws -> Int32 {
        for _ in 0..<2 {
            let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if made >= 0 {
                guard flock(made, LOCK_EX | LOCK_NB) == 0 else {
                    close(made)
                    throw InUse()
                }
                return made
            }
            guard errno == EEXIST else { throw FileFailure("cannot create \(path)") }
            let left = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
            guard left >= 0 else { throw FileFailure("cannot open \(path)") }
            defer { close(left) }
            // The process that writes the file holds the lock while it lives.
            guard flock(left, LOCK_EX | LOCK_NB) == 0 else { throw InUse() }
            unlink(path)
        }
        throw InUse()
    }

    private func prepare(_ mode: mode_t, _ owner: FileOwner) throws(FileFailure) {
        // The umask removed bits from the mode given to open.
        guard fchmod(descriptor, mode) == 0 else { throw FileFailure("cannot set the mode of \(path)") }
        try owner.take(descriptor, path)
    }

    /// Bytes written so far.
    package var size: Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    }

    package func append(_ bytes: some Collection<UInt8>) throws(FileFailure) {
        let failure = Array(bytes).withUnsafeBufferPointer(written)
        if let failure { throw failure }
    }

    /// Appends memory that no array copies.
    func written(_ bytes: UnsafeBufferPointer<UInt8>) -> FileFailure? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return FileFailure("cannot write \(path)") }
            rest = rest.dropFirst(count)
        }
        return nil
    }

    /// Flushes the file to the disk. It keeps its temporary name.
    package func synchronize() throws(FileFailure) {
        guard fsync(descriptor) == 0 else { throw FileFailure("cannot write \(path) to the disk") }
    }

    /// Flushes the file to the disk and gives it its name. With `replacing`, it may replace another file. Otherwise the
    /// failure's number is `EEXIST` for a name that is taken.
    package func keep(replacing: Bool) throws(FileFailure) {
        try synchronize()
        // Unlike rename, link fails if the name is taken.
        guard (replacing ? rename(path, name) : link(path, name)) == 0 else {
            throw FileFailure("cannot create \(name)")
        }
        if !replacing { unlink(path) }
        try Folder(of: name).synchronize()
    }
}
