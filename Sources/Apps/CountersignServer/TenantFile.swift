import AuthorizationCore
import Files
import OpenSSLCrypto
import Primitives
import Synchronization

/// A tenant as lines of JSON: a header, a line for each row, and an end. The end has the number of lines, a hash of all of
/// them, and its MAC under the file's key, so that a cut or changed file is refused. Sealed values are sealed under that key.
enum TenantFile {
    static let format = "countersign-tenant"
    static let version = 1
    /// Bytes of a line. A longer one is refused.
    static let lineLimit = 16 << 20
    private static let checkContext = "tenant file check"
    private static let macLabel = Array("countersign tenant file".utf8)

    struct Header {
        let schema: String
        let tenant: TenantID
        let at: String
    }

    /// Hash of the lines so far: SHA-256 of the hash before and the line.
    private struct Chain: Equatable {
        var hash = [UInt8](repeating: 0, count: 32)
        var lines = 0
        var kinds: [String: Int] = [:]

        mutating func add(_ line: [UInt8], _ kind: String? = nil) {
            hash = OpenSSLHashing().sha256(hash + line)
            lines += 1
            if let kind { kinds[kind, default: 0] += 1 }
        }

        func end(_ key: AESGCMSealer) -> JSONObject {
            var counts: JSONObject = [:]
            for (kind, count) in kinds.sorted(by: { $0.key < $1.key }) { counts[kind] = .number(JSONNumber(count)) }
            return [
                "lines": .number(JSONNumber(lines)), "rows": .object(counts), "sha256": .string(Hex.encode(hash)),
                "mac": .string(Hex.encode(key.mac(macLabel + hash))),
            ]
        }
    }

    // MARK: writing

    final class Writer: Sendable {
        private let key: AESGCMSealer
        private let write: @Sendable ([UInt8]) throws -> Void
        private let state = Mutex(Chain())

        init(_ header: Header, _ key: AESGCMSealer, to write: @escaping @Sendable ([UInt8]) throws -> Void) throws {
            self.key = key
            self.write = write
            try line([
                "format": .string(TenantFile.format), "version": .number(JSONNumber(TenantFile.version)),
                "schema": .string(header.schema), "tenant": .string(header.tenant.rawValue),
                "at": .string(header.at), "product": .string("countersign \(Release.version)"),
                "check": .string(Base64URL.encode(try key.seal(TenantFile.macLabel, context: TenantFile.checkContext))),
            ])
        }

        /// Number of rows by table.
        var rows: [String: Int] { state.withLock(\.kinds) }

        func row(_ kind: String, _ row: JSONObject) throws {
            try line(["kind": .string(kind), "row": .object(row)], kind)
        }

        func end() throws { try line(["end": .object(state.withLock { $0.end(key) })]) }

        private func line(_ object: JSONObject, _ kind: String? = nil) throws {
            let line = JSONWriter.bytes(.object(object)) + [UInt8(ascii: "\n")]
            state.withLock { $0.add(line, kind) }
            try write(line)
        }
    }

    // MARK: reading

    /// A whole file that nobody changed since its export, with its key.
    struct Checked: Sendable {
        let name: String
        let tenant: TenantID
        let schema: String
        /// Number of rows by table.
        let rows: [String: Int]
        let key: AESGCMSealer
        private let hash: [UInt8]

        /// Reads the whole file.
        /// - Throws: `InstallationRefusal`, or an error of the file.
        init(_ name: String, key: MasterKey, in keyFile: String) throws {
            self.name = name
            self.key = AESGCMSealer(masterKey: key)
            (tenant, schema, rows, hash) = try Self.read(name, self.key, keyFile) { _, _ in }
        }

        /// Reads the file again.
        func visit(_ visit: (_ kind: String, _ row: JSONObject) throws -> Void) throws {
            let again = try Self.read(name, key, "", visit)
            guard again.hash == hash else { throw TenantFile.refusal(name, "changed while it was read") }
        }

        private static func read(
            _ name: String, _ key: AESGCMSealer, _ keyFile: String,
            _ visit: (_ kind: String, _ row: JSONObject) throws -> Void
        ) throws -> (tenant: TenantID, schema: String, rows: [String: Int], hash: [UInt8]) {
            var header: Header?
            var chain = Chain()
            var isWhole = false
            try TenantFile.lines(of: name) { line in
                guard !isWhole else { throw TenantFile.refusal(name, "longer than its last line says") }
                let object = (try? JSONReader.parse(line))?.objectValue
                guard let first = header else {
                    header = try TenantFile.header(object, name, key, keyFile)
                    return chain.add(line)
                }
                if let end = object?["end"]?.objectValue {
                    guard end == chain.end(key) else {
                        throw TenantFile.refusal(name, "changed since the tenant \(first.tenant) was exported")
                    }
                    isWhole = true
                } else if let kind = object?["kind"]?.stringValue, let row = object?["row"]?.objectValue {
                    try visit(kind, row)
                    chain.add(line, kind)
                } else {
                    throw TenantFile.refusal(name, "changed or damaged: line \(chain.lines + 1) is no row")
                }
            }
            guard let header else { throw TenantFile.refusal(name, "empty") }
            guard isWhole else { throw TenantFile.refusal(name, "cut off: its last line is missing") }
            return (header.tenant, header.schema, chain.kinds, chain.hash)
        }
    }

    private static func header(
        _ object: JSONObject?, _ name: String, _ key: AESGCMSealer, _ keyFile: String
    ) throws -> Header {
        guard let object, object["format"] == .string(format), let version = object["version"]?.intValue,
            let tenant = object["tenant"]?.stringValue, let schema = object["schema"]?.stringValue,
            let check = object["check"]?.stringValue.flatMap({ Base64URL.decode($0) })
        else {
            throw InstallationRefusal(
                "\(name) is no exported tenant", hint: "name a file that countersign export has written")
        }
        guard version == Self.version else {
            throw InstallationRefusal(
                "\(name) has the format \(version), and this version reads \(Self.version)",
                hint: "import it with the version that exported it, \(object["product"]?.stringValue ?? "a newer one")")
        }
        guard (try? key.open(check, context: checkContext)) != nil else {
            throw InstallationRefusal(
                "the key in \(keyFile) is not that of \(name)", hint: "name the file's own key with --key-file")
        }
        return Header(schema: schema, tenant: TenantID(tenant), at: object["at"]?.stringValue ?? "")
    }

    private static func refusal(_ name: String, _ what: String) -> InstallationRefusal {
        InstallationRefusal("\(name) is \(what)", hint: "export the tenant again; nothing was changed here")
    }

    /// Passes each line with its end to `visit`.
    private static func lines(of name: String, _ visit: ([UInt8]) throws -> Void) throws {
        var line: [UInt8] = []
        try Installation.readPieces(of: name) { piece in
            var rest = piece
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[...end]
                try visit(line)
                line.removeAll(keepingCapacity: true)
                rest = rest[(end + 1)...]
            }
            line += rest
            guard line.count <= lineLimit else { throw refusal(name, "damaged: a line is too long") }
            return true
        }
        guard line.isEmpty else { throw refusal(name, "cut off within a line") }
    }
}
