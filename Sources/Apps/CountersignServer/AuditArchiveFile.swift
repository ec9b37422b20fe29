import Administration
package import Audit
import Glibc

/// An audit log archive in a file.
package struct AuditArchiveFile: AuditArchiveSource {
    package let name: String

    package init(_ path: String) { name = path }

    package func header() throws -> AuditArchive.Header? {
        var header: AuditArchive.Header?
        try lines { line in
            header = AuditArchive.Header(line: line)
            return false
        }
        return header
    }

    package func entries(_ visit: (StoredAuditEntry?) throws -> Bool) throws {
        var isHeader = true
        try lines { line in
            defer { isHeader = false }
            return isHeader ? true : try visit(AuditArchive.entry(line: line))
        }
    }

    /// Passes each line to `visit` until it returns false. An incomplete last line and a line that is too long are
    /// passed as an empty line.
    private func lines(_ visit: ([UInt8]) throws -> Bool) throws {
        let file = open(name, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Installation.FileFailure(what: "cannot open \(name)", number: errno) }
        defer { close(file) }
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Installation.FileFailure(what: "cannot read \(name)", number: errno) }
            guard count > 0 else { break }
            var rest = buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                guard try visit(line) else { return }
                line.removeAll(keepingCapacity: true)
                rest = rest[(end + 1)...]
            }
            line += rest
            if line.count > AuditArchive.lineLimit { break }
        }
        if !line.isEmpty { _ = try visit([]) }
    }
}
