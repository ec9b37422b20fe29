import Files
import Glibc

/// Keeps a second server off a data folder. Notifications, held requests and limits live in one process, so two servers
/// would each serve half of the clients. The lock also keeps commands from changing the database under a server. The
/// system releases it when the process ends.
final class ServingLock: Sendable {
    private let descriptor: Int32

    /// - Throws: `refusal` with the process that holds the lock, or `FileFailure`.
    init(_ folder: DataFolder, refusal: (_ folder: String, _ holder: String) -> InstallationRefusal) throws {
        guard folder.isThere else { throw InstallationRefusal.noFolder(folder.path) }
        let path = folder.path + "/serve.pid"
        try PrivateFile.makeEmpty(path, for: folder.owner)
        let file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        let openFailure = errno
        guard file >= 0 else { throw FileFailure("cannot open \(path)", number: openFailure) }
        let isLocked = flock(file, LOCK_EX | LOCK_NB) == 0
        let lockFailure = errno
        guard isLocked else {
            let holder = Self.holder(in: file)
            close(file)
            guard lockFailure == EWOULDBLOCK else {
                throw FileFailure("cannot lock \(path)", number: lockFailure)
            }
            throw refusal(folder.path, holder)
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

extension InstallationRefusal {
    static func secondServer(_ folder: String, _ holder: String) -> InstallationRefusal {
        InstallationRefusal(
            "another server uses the data folder \(folder): \(holder)",
            hint: "stop that server, or give this one its own folder with --data")
    }

    static func noFolder(_ folder: String) -> InstallationRefusal {
        InstallationRefusal(
            "there is no data folder \(DataFolder.absolute(folder))",
            hint: "name the server's data folder with --data or --config")
    }

    /// Refuses a command that needs the folder alone while a server runs.
    static func besideServer(_ folder: String, _ holder: String) -> InstallationRefusal {
        InstallationRefusal(
            "a server uses the data folder \(folder): \(holder)",
            hint: "stop it first, for example with systemctl stop countersign, and start it afterwards")
    }

    /// Refuses to migrate the database while a server of an older version runs.
    static func besideOlderServer(_ folder: String, _ holder: String) -> InstallationRefusal {
        InstallationRefusal(
            "the database in \(folder) has an older version, and \(holder), a server of that version, uses it",
            hint: "restart the server with this version to bring the database up to date, then run this again")
    }
}
