import Glibc

/// Reads a whole file, including `/proc` files, whose size is unknown.
package func readFile(_ path: String) throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("cannot read \(path)", errno: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw Failure("cannot read \(path)", errno: errno) }
        if count == 0 { return bytes }
        bytes.append(contentsOf: buffer[..<count])
    }
}

package func readText(_ path: String) throws(Failure) -> String { String(decoding: try readFile(path), as: UTF8.self) }

package func writeFile(_ path: String, _ text: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure("cannot write \(path)", errno: errno) }
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { throw Failure("cannot write \(path)", errno: errno) }
        rest = rest.dropFirst(count)
    }
}

/// Adds bytes to the end of a file, which is made if it does not exist.
package func append(_ bytes: [UInt8], to path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure("cannot write \(path)", errno: errno) }
    defer { close(descriptor) }
    guard write(descriptor, bytes, bytes.count) == bytes.count else {
        throw Failure("cannot write \(path)", errno: errno)
    }
}

/// Creates a folder in the system's temporary folder. The clean-up removes it, unless it is kept.
package func makeTemporaryFolder(isKept: Bool = false) throws(Failure) -> String {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/countersign-run.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure("cannot make a folder in \(base)", errno: errno) }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    if !isKept { CleanUp.addFolder(path) }
    return path
}

package func makeFolder(_ path: String) throws(Failure) {
    guard mkdir(path, 0o700) == 0 else { throw Failure("cannot make \(path)", errno: errno) }
}

package func removeTree(_ path: String) {
    if let folder = opendir(path) {
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            if entry.pointee.d_type == UInt8(DT_DIR) {
                removeTree("\(path)/\(name)")
            } else {
                unlink("\(path)/\(name)")
            }
        }
        closedir(folder)
    }
    rmdir(path)
}
