import Glibc
import Terminal

/// A folder for what nobody needs afterwards.
struct TemporaryFolder {
    let path: String

    init() throws(CommandFailure) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/countersign-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { template in
            template.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        let number = errno
        guard let made else { throw .system("cannot make a folder in \(folder)", number) }
        path = made
    }

    /// With the files in it, and those of the folders in it.
    func remove() { Self.remove(path) }

    private static func remove(_ path: String) {
        if let listing = opendir(path) {
            while let entry = readdir(listing) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { remove("\(path)/\(name)") }
            }
            closedir(listing)
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}
