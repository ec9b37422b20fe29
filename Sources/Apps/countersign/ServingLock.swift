import Glibc
import Terminal

/// Keeps a second server off a data folder: what is pushed, held and counted is one process's, so two would serve half of
/// each other's clients. The system lets go of it when the process ends, however it does.
final class ServingLock: Sendable {
    private let descriptor: Int32

    init(folder: String) throws(CommandFailure) {
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
            throw CommandFailure(
                "another server works on the data folder \(folder)\(holder.isEmpty ? "" : ": process \(holder)")",
                hint:
                    "a database belongs to one server; stop that one, or give this one a folder of its own with --data")
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
        return String(decoding: text.prefix(max(count, 0)), as: UTF8.self).filter(\.isNumber)
    }

    deinit { close(descriptor) }
}
