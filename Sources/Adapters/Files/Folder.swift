#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A folder that files are made in.
package struct Folder: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// The folder that contains a file.
    package init(of file: String) { path = file.lastIndex(of: "/").map { String(file[...$0]) } ?? "." }

    /// Flushes the folder to the disk, because a new name is durable only then.
    package func synchronize() throws(FileFailure) {
        let handle = try opened()
        defer { close(handle) }
        guard fsync(handle) == 0 else { throw FileFailure("cannot write \(path) to the disk") }
    }

    /// Runs `body` under an exclusive lock of the folder, across processes.
    package func locked<Result>(_ body: () throws -> Result) throws -> Result {
        let handle = try opened()
        // Closing releases the lock.
        defer { close(handle) }
        while flock(handle, LOCK_EX) != 0 {
            guard errno == EINTR else { throw FileFailure("cannot lock \(path)") }
        }
        return try body()
    }

    private func opened() throws(FileFailure) -> Int32 {
        let handle = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard handle >= 0 else { throw FileFailure("cannot open \(path)") }
        return handle
    }
}
