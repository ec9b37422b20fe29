import Glibc
import OpenSSLCrypto

/// A file of mode 0600 that gets its name once it is complete. It belongs to the owner of its folder. Until then it is called `NAME.partial`. If a process was
/// killed, the next one removes its partial file.
final class PartialFile {
    /// Reason why a file is not created.
    enum Refusal: Error {
        /// Another process is writing it.
        case inUse
        /// A file of that name exists.
        case exists
    }

    let path: String
    private let name: String
    private let descriptor: Int32
    private var isKept = false

    /// - Throws: `Refusal` or `Installation.FileFailure`.
    init(_ name: String) throws {
        self.name = name
        path = name + ".partial"
        descriptor = try Self.make(path)
        // The umask may have removed bits from the mode given to open.
        guard fchmod(descriptor, 0o600) == 0 else { throw Self.failure("cannot set the mode of \(path)") }
        try FileOwner(ofFolderOf: path).take(descriptor, path)
    }

    deinit {
        if !isKept { unlink(path) }
        close(descriptor)
    }

    private static func make(_ path: String) throws -> Int32 {
        for _ in 0..<2 {
            let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if made >= 0 {
                guard flock(made, LOCK_EX | LOCK_NB) == 0 else {
                    close(made)
                    throw Refusal.inUse
                }
                return made
            }
            guard errno == EEXIST else { throw failure("cannot create \(path)") }
            let left = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
            guard left >= 0 else { throw failure("cannot open \(path)") }
            defer { close(left) }
            // The process that writes the file holds the lock while it lives.
            guard flock(left, LOCK_EX | LOCK_NB) == 0 else { throw Refusal.inUse }
            unlink(path)
        }
        throw Refusal.inUse
    }

    /// Bytes written so far.
    var size: Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    }

    func append(_ bytes: some Sequence<UInt8>) throws {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("cannot write \(path)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Appends the content of another file.
    func append(contentsOf other: String, progress: (_ bytes: Int64) -> Void) throws {
        var copied: Int64 = 0
        try Installation.readPieces(of: other) { piece in
            try append(piece)
            copied += Int64(piece.count)
            progress(copied)
            return true
        }
    }

    /// Flushes the file to the disk. It keeps its partial name.
    func synchronize() throws {
        guard fsync(descriptor) == 0 else { throw Self.failure("cannot write \(path) to the disk") }
    }

    /// Flushes the file to the disk and gives it its name. With `replacing`, it may replace another file.
    func keep(replacing: Bool) throws {
        try synchronize()
        if replacing {
            guard Glibc.rename(path, name) == 0 else { throw Self.failure("cannot create \(name)") }
        } else {
            // Unlike rename, link fails if the name is taken.
            guard link(path, name) == 0 else {
                if errno == EEXIST { throw Refusal.exists }
                throw Self.failure("cannot create \(name)")
            }
            unlink(path)
        }
        isKept = true
        try Self.synchronizeFolder(of: name)
    }

    /// Flushes a folder, because a new name is durable only then.
    static func synchronizeFolder(of path: String) throws {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let handle = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard handle >= 0 else { throw failure("cannot open \(folder)") }
        defer { close(handle) }
        guard fsync(handle) == 0 else { throw failure("cannot write \(folder) to the disk") }
    }

    /// Reads `errno`, so it must be called directly after the failing call.
    private static func failure(_ what: String) -> Installation.FileFailure {
        Installation.FileFailure(what: what, number: errno)
    }
}
