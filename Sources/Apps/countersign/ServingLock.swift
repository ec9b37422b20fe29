import Glibc
import Terminal

/// Keeps a second server off a data folder: what is pushed, held and counted is one process's, so two would serve half of
/// each other's clients. The system lets go of it when the process ends, however it does.
final class ServingLock: Sendable {
    private let descriptor: Int32

    init(folder: String) throws(CommandFailure) {
        let path = folder + "/serve.pid"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("cannot open \(path)", errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            var text = [UInt8](repeating: 0, count: 16)
            let count = read(descriptor, &text, text.count)
            close(descriptor)
            guard number == EWOULDBLOCK else { throw .system("cannot lock \(path)", number) }
            let holder = String(decoding: text.prefix(max(count, 0)), as: UTF8.self).prefix { $0.isNumber }
            throw CommandFailure(
                "another server works on the data folder \(folder)\(holder.isEmpty ? "" : ": process \(holder)")",
                hint:
                    "a database belongs to one server; stop that one, or give this one a folder of its own with --data")
        }
        let holder = Array("\(getpid())\n".utf8)
        // What it says is for people; that it is locked is what counts.
        if ftruncate(descriptor, 0) == 0 { _ = write(descriptor, holder, holder.count) }
    }

    deinit { close(descriptor) }
}
