import Glibc

/// Keeps a second server off a data folder: what is pushed, held and counted is one process's, so two would serve half of
/// each other's clients. It also keeps the database as the running server knows it. The system lets go of it when the
/// process ends, however it does.
final class ServingLock: Sendable {
    /// The folder is another process's, or nobody can tell.
    enum Failure: Error {
        case held(by: String)
        case system(String, Int32)
    }

    private let descriptor: Int32

    /// - Throws: `Failure`.
    init(folder: String) throws(Failure) {
        let path = folder + "/serve.pid"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        let openFailure = errno
        guard file >= 0 else { throw .system("cannot open \(path)", openFailure) }
        let isLocked = flock(file, LOCK_EX | LOCK_NB) == 0
        let lockFailure = errno
        guard isLocked else {
            let holder = Self.holder(in: file)
            close(file)
            guard lockFailure == EWOULDBLOCK else { throw .system("cannot lock \(path)", lockFailure) }
            throw .held(by: holder)
        }
        let holder = Array("\(getpid())\n".utf8)
        // What it says is for people; that it is locked is what counts.
        if ftruncate(file, 0) == 0 { _ = write(file, holder, holder.count) }
        // Last: what fails before closes the file itself.
        descriptor = file
    }

    private static func holder(in file: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 16)
        let count = read(file, &text, text.count)
        let number = String(decoding: text.prefix(max(count, 0)), as: UTF8.self).filter(\.isNumber)
        return number.isEmpty ? "another process" : "process \(number)"
    }

    deinit { close(descriptor) }
}

/// A data folder that another process works on.
package struct FolderInUse: Error, CustomStringConvertible {
    package let description: String
    /// What to do.
    package let hint: String

    /// Where a second server is started.
    static func byServer(_ folder: String, _ holder: String) -> FolderInUse {
        FolderInUse(
            description: "another server works on the data folder \(folder): \(holder)",
            hint: "a database belongs to one server; stop that one, or give this one a folder of its own with --data")
    }

    /// Refuses a command that needs the folder alone while a server runs.
    static func byRunningServer(_ folder: String, _ holder: String) -> FolderInUse {
        FolderInUse(
            description: "a server works on the data folder \(folder): \(holder)",
            hint: "stop it first, for example with systemctl stop countersign, and start it again afterwards")
    }

    /// Where the database would have to be changed under a server that knows it as it is.
    static func byOlderServer(_ folder: String, _ holder: String) -> FolderInUse {
        FolderInUse(
            description: "the database in \(folder) is of an older version, and \(holder), a server of that version, "
                + "works on it",
            hint: "restart the server with this version, which brings the database up to date; then call this again")
    }
}
