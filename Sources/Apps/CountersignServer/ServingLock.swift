import Glibc

/// Keeps a second server off a data folder. Notifications, held requests and limits live in one process, so two servers
/// would each serve half of the clients. The lock also keeps commands from changing the database under a server. The
/// system releases it when the process ends.
final class ServingLock: Sendable {
    /// Another process has the folder, or the lock failed.
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
        // The content is only for people. The lock itself decides.
        if ftruncate(file, 0) == 0 { _ = write(file, holder, holder.count) }
        // Assigned last: earlier failures close the file themselves.
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

/// A data folder that another process uses.
package struct FolderInUse: Error, CustomStringConvertible {
    package let description: String
    /// Advice on what to do.
    package let hint: String

    /// Refuses to start a second server.
    static func byServer(_ folder: String, _ holder: String) -> FolderInUse {
        FolderInUse(
            description: "another server uses the data folder \(folder): \(holder)",
            hint: "stop that server, or give this one its own folder with --data")
    }

    /// Refuses a command that needs the folder alone while a server runs.
    static func byRunningServer(_ folder: String, _ holder: String) -> FolderInUse {
        FolderInUse(
            description: "a server uses the data folder \(folder): \(holder)",
            hint: "stop it first, for example with systemctl stop countersign, and start it afterwards")
    }

    /// Refuses to migrate the database while a server of an older version runs.
    static func byOlderServer(_ folder: String, _ holder: String) -> FolderInUse {
        FolderInUse(
            description:
                "the database in \(folder) has an older version, and \(holder), a server of that version, uses it",
            hint: "restart the server with this version to bring the database up to date, then run this again")
    }
}
