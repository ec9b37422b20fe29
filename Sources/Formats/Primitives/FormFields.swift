/// The parameters of an `application/x-www-form-urlencoded` body or of a query (RFC 6749 appendix B), each at most
/// once (RFC 6749 clause 3.1).
package struct FormFields: Sendable, Equatable {
    package enum Failure: Error, Sendable, Equatable {
        /// A broken percent escape, invalid UTF-8 or a NUL. Nil means that the name is unreadable.
        case encoding(name: String?)
        case duplicate(name: String)
        case tooMany(limit: Int)
    }

    /// Names and values in the order received.
    package private(set) var pairs: [(name: String, value: String)] = []

    package init(_ pairs: [(name: String, value: String)] = []) { self.pairs = pairs }

    /// Reads a form. At most `limit` parameters.
    package init(parsing bytes: [UInt8], limit: Int = 100) throws(Failure) {
        let parsed = bytes.withUnsafeBufferPointer { Self.parse($0, limit: limit) }
        pairs = try parsed.get()
    }

    private static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, limit: Int
    ) -> Result<[(name: String, value: String)], Failure> {
        var pairs: [(name: String, value: String)] = []
        pairs.reserveCapacity(8)
        var start = 0
        while start < bytes.count {
            let rest = bytes[start...]
            let end = rest.firstIndex(of: UInt8(ascii: "&")) ?? bytes.endIndex
            defer { start = end + 1 }
            guard start < end else { continue }
            guard pairs.count < limit else { return .failure(.tooMany(limit: limit)) }
            let separator = bytes[start..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
            guard let name = decode(bytes[start..<separator]) else { return .failure(.encoding(name: nil)) }
            guard let value = decode(bytes[min(separator + 1, end)..<end]) else {
                return .failure(.encoding(name: name))
            }
            guard !pairs.contains(where: { $0.name == name }) else { return .failure(.duplicate(name: name)) }
            pairs.append((name, value))
        }
        return .success(pairs)
    }

    private static func decode(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        PercentEncoding.decode(UnsafeBufferPointer(rebasing: bytes), plusIsSpace: true)
    }

    /// Value of a parameter. An empty value counts as absent (RFC 6749 clause 3.1).
    package subscript(name: String) -> String? {
        guard let value = pairs.first(where: { $0.name == name })?.value, !value.isEmpty else { return nil }
        return value
    }

    package mutating func append(_ name: String, _ value: String) { pairs.append((name, value)) }

    package var encoded: String {
        pairs.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
    }

    package static func == (left: FormFields, right: FormFields) -> Bool {
        left.pairs.elementsEqual(right.pairs, by: ==)
    }
}
