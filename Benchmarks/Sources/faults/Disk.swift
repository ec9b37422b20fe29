import Glibc
import Workbench

/// A folder for one program's files, on a small file system of its own if this account may mount one.
final class Disk {
    private static let megabytes = 192

    let folder: String
    /// False if the folder is on the disk of all the others, which nobody may fill.
    let isOwn: Bool
    private var ballast: String { "\(folder)/ballast" }

    init(_ folder: String) throws {
        self.folder = folder
        try makeFolder(folder)
        isOwn = mount("faults", folder, "tmpfs", 0, "size=\(Self.megabytes)m,mode=700") == 0
        if isOwn { CleanUp.addMount(folder) }
    }

    /// Leaves no room at all.
    func fill() throws {
        guard isOwn else { throw Failure("\(folder) has no file system of its own") }
        let descriptor = open(ballast, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("cannot fill \(folder)", errno: errno) }
        defer { close(descriptor) }
        let block = [UInt8](repeating: 1, count: 65_536)
        for size in [block.count, 4096, 1] {
            while write(descriptor, block, size) == size {}
        }
    }

    func clear() { unlink(ballast) }
}
