package import Primitives

/// Finds fields in a JSON text, to show problems by line and column. The text was read before, so it is well formed at
/// least up to the reader's error.
package struct JSONLocator {
    /// From 1; the column counts bytes.
    package struct Position: Equatable {
        let line: Int
        let column: Int
    }

    private let bytes: [UInt8]
    private var offset = 0
    private var wanted: Set<String>
    private(set) var offsets: [String: Int] = [:]
    private var depth = 0
    /// The reader's error to find. The walk ends there.
    private var refused: JSONReader.Failure?
    private var refusedAt: Int?

    /// Offset of the reader's error: a repeated name in an object, or a level too many.
    package static func offset(of failure: JSONReader.Failure, in bytes: [UInt8]) -> Int {
        if case .syntax(let offset, _) = failure { return offset }
        var locator = JSONLocator(bytes: bytes, wanted: [])
        locator.refused = failure
        locator.value(at: "")
        return locator.refusedAt ?? 0
    }

    private mutating func stop(at place: Int) {
        refusedAt = place
        offset = bytes.count
    }

    /// Positions of `paths` (`tenants[0].name`). An absent member gets the start of its nearest enclosing object.
    package static func positions(of paths: [String], in bytes: [UInt8]) -> [String: Position] {
        var ancestors: [String: [String]] = [:]
        for path in paths { ancestors[path] = chain(path) }
        var locator = JSONLocator(bytes: bytes, wanted: Set(ancestors.values.joined()))
        locator.value(at: "")
        // Sorted by offset, so that lines are counted only once.
        let found = ancestors.map { path, chain in
            (path: path, offset: chain.lazy.compactMap { locator.offsets[$0] }.first ?? 0)
        }.sorted { $0.offset < $1.offset }
        var result: [String: Position] = [:]
        var counted = (offset: 0, line: 1, start: 0)
        for (path, offset) in found {
            while counted.offset < min(offset, bytes.count) {
                if bytes[counted.offset] == 0x0A {
                    (counted.line, counted.start) = (counted.line + 1, counted.offset + 1)
                }
                counted.offset += 1
            }
            result[path] = Position(line: counted.line, column: counted.offset - counted.start + 1)
        }
        return result
    }

    package static func position(of offset: Int, in bytes: [UInt8]) -> Position {
        let before = bytes[..<min(offset, bytes.count)]
        let line = before.reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return Position(line: line, column: before.count - start + 1)
    }

    /// The path and its ancestors, innermost first.
    private static func chain(_ path: String) -> [String] {
        var chain = [path]
        var rest = path[...]
        while let cut = rest.lastIndex(where: { $0 == "." || $0 == "[" }) {
            rest = rest[..<cut]
            chain.append(String(rest))
        }
        chain.append("")
        return chain
    }

    private init(bytes: [UInt8], wanted: Set<String>) {
        self.bytes = bytes
        self.wanted = wanted
    }

    private mutating func skipSpace() {
        while offset < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[offset]) { offset += 1 }
    }

    private mutating func value(at path: String) {
        skipSpace()
        guard offset < bytes.count else { return }
        if wanted.contains(path), offsets[path] == nil { offsets[path] = offset }
        switch bytes[offset] {
        case UInt8(ascii: "{"):
            var names: Set<String> = []
            elements(until: UInt8(ascii: "}")) { locator, _ in locator.member(of: path, &names) }
        case UInt8(ascii: "["):
            elements(until: UInt8(ascii: "]")) { locator, index in locator.value(at: "\(path)[\(index)]") }
        case UInt8(ascii: "\""): _ = string()
        default:
            while offset < bytes.count, !Self.ends(bytes[offset]) { offset += 1 }
        }
    }

    private static func ends(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }

    private mutating func elements(until end: UInt8, _ element: (inout JSONLocator, Int) -> Void) {
        depth += 1
        defer { depth -= 1 }
        if case .tooDeep(let limit) = refused, depth > limit { return stop(at: offset) }
        offset += 1
        var index = 0
        while true {
            skipSpace()
            guard offset < bytes.count else { return }
            if bytes[offset] == end {
                offset += 1
                return
            }
            if bytes[offset] == UInt8(ascii: ",") {
                offset += 1
                continue
            }
            let start = offset
            element(&self, index)
            // Only unread text makes no progress here.
            guard offset > start else { return }
            index += 1
        }
    }

    private mutating func member(of path: String, _ names: inout Set<String>) {
        let start = offset
        let name = string()
        if case .duplicateName(name) = refused, !names.insert(name).inserted { return stop(at: start) }
        let child = path.isEmpty ? name : "\(path).\(name)"
        if wanted.contains(child) { offsets[child] = start }
        skipSpace()
        offset += 1
        value(at: child)
    }

    /// Reads a string without decoding escapes: field names have none.
    private mutating func string() -> String {
        offset += 1
        let start = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = min(offset, bytes.count)
        offset = end + 1
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
