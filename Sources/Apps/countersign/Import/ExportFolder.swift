import ForeignExports
import Glibc
import Terminal

/// A folder with another product's export. Nothing outside of it is read.
struct ExportFolder {
    /// Greatest size of one file, and of all.
    private static let fileLimit = 16 * 1_048_576
    private static let wholeLimit = 256 * 1_048_576
    private static let countLimit = 20_000
    private static let depthLimit = 8

    private(set) var files: [ForeignFile] = []
    private let root: String
    private var size = 0

    init(_ name: String) throws {
        root = name.hasSuffix("/") ? String(name.dropLast()) : name
        var status = stat()
        guard stat(root, &status) == 0 else { throw CommandFailure.system("cannot open \(root)", errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            let isYAML = root.hasSuffix(".yaml") || root.hasSuffix(".yml")
            throw CommandFailure(
                "\(root) is not a folder",
                hint: isYAML ? "export again with a0deploy export --format=directory" : "name the folder of the export")
        }
        try read("", depth: 0)
    }

    private mutating func read(_ folder: String, depth: Int) throws {
        let path = folder.isEmpty ? root : "\(root)/\(folder)"
        guard depth <= Self.depthLimit else {
            throw CommandFailure("\(path) is nested too deep", hint: "name the export's own folder")
        }
        guard let handle = opendir(path) else { throw CommandFailure.system("cannot open \(path)", errno) }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            // Hidden files, such as a repository's, are no part of an export.
            if !name.hasPrefix(".") { names.append(name) }
        }
        for name in names.sorted() { try take(folder.isEmpty ? name : "\(folder)/\(name)", depth: depth) }
    }

    private mutating func take(_ name: String, depth: Int) throws {
        let path = "\(root)/\(name)"
        var status = stat()
        guard lstat(path, &status) == 0 else { throw CommandFailure.system("cannot look at \(path)", errno) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: try read(name, depth: depth + 1)
        case S_IFREG:
            guard status.st_size <= Self.fileLimit else {
                throw CommandFailure(
                    "\(path) has \(status.st_size) bytes, and an export's file at most \(Self.fileLimit)",
                    hint: "move it out of the folder")
            }
            size += Int(status.st_size)
            guard size <= Self.wholeLimit, files.count < Self.countLimit else {
                throw CommandFailure(
                    "\(root) is larger than an export", hint: "name a folder that has the export alone")
            }
            // Scripts have no effect here, so their names are enough.
            let isRead = [".json", ".html"].contains { name.hasSuffix($0) }
            files.append(ForeignFile(path: name, bytes: isRead ? try readExport(path, limit: Self.fileLimit) : []))
        case S_IFLNK:
            throw CommandFailure(
                "\(path) is a symbolic link, which may lead out of the folder",
                hint: "put the file itself in its place")
        default: throw CommandFailure("\(path) is neither a file nor a folder", hint: "move it out of the folder")
        }
    }
}

/// Reads a regular file of at most `limit` bytes.
func readExport(_ path: String, limit: Int) throws -> [UInt8] {
    let bytes = try readFile(path, limit: limit + 1)
    guard bytes.count <= limit else {
        throw CommandFailure(
            "\(path) is longer than \(limit) bytes",
            hint: "export users into several files: kc.sh export --users-per-file")
    }
    return bytes
}
