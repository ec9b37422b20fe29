import OpenSSLCrypto
import Primitives

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A folder that is removed with the test.
final class TemporaryFolder {
    struct Failure: Error {}

    private let root: String

    init() throws {
        root = "/tmp/countersign-test-\(Hex.encode(SystemRandom().bytes(8)))"
        guard mkdir(root, 0o700) == 0 else { throw Failure() }
    }

    deinit {
        for name in names { unlink(path(name)) }
        rmdir(root)
    }

    func path(_ name: String) -> String { name.isEmpty ? root : "\(root)/\(name)" }

    var names: [String] {
        guard let folder = opendir(root) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func mode(_ name: String) -> mode_t {
        var status = stat()
        return stat(path(name), &status) == 0 ? status.st_mode & 0o777 : 0
    }

    func setMode(_ name: String, _ mode: mode_t) { chmod(path(name), mode) }

    func write(_ text: String, to name: String) throws {
        guard let file = fopen(path(name), "w") else { throw Failure() }
        fputs(text, file)
        fclose(file)
    }
}
