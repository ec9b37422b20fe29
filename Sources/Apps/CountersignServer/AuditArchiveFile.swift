package import Audit

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
        var line: [UInt8] = []
        try Installation.readPieces(of: name) { piece in
            var rest = piece
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                let goesOn = try visit(line)
                line.removeAll(keepingCapacity: true)
                guard goesOn else { return false }
                rest = rest[(end + 1)...]
            }
            line += rest
            return line.count <= AuditArchive.lineLimit
        }
        if !line.isEmpty { _ = try visit([]) }
    }
}
