/// The parameters of an `application/x-www-form-urlencoded` body or of a query (RFC 6749 appendix B), each at most
/// once (RFC 6749 clause 3.1).
public struct FormFields: Sendable, Equatable {
    public enum Failure: Error, Sendable, Equatable {
        /// A broken percent escape, invalid UTF-8 or a NUL; holds the parameter's name where it could be read.
        case encoding(name: String?)
        case duplicate(name: String)
        case tooMany(limit: Int)
    }

    /// Name and value in the order they came.
    public private(set) var pairs: [(name: String, value: String)] = []

    public init(_ pairs: [(name: String, value: String)] = []) { self.pairs = pairs }

    /// Reads a form. At most `limit` parameters.
    public init(parsing bytes: [UInt8], limit: Int = 100) throws(Failure) {
        guard !bytes.isEmpty else { return }
        for part in bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: true) {
            guard pairs.count < limit else { throw .tooMany(limit: limit) }
            let separator = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            guard let name = PercentEncoding.decode(part[..<separator], plusIsSpace: true) else {
                throw .encoding(name: nil)
            }
            let rest = separator < part.endIndex ? part[part.index(after: separator)...] : part[separator...]
            guard let value = PercentEncoding.decode(rest, plusIsSpace: true) else { throw .encoding(name: name) }
            guard !pairs.contains(where: { $0.name == name }) else { throw .duplicate(name: name) }
            pairs.append((name, value))
        }
    }

    /// The value of a parameter; an empty value counts as absent (RFC 6749 clause 3.1).
    public subscript(name: String) -> String? {
        guard let value = pairs.first(where: { $0.name == name })?.value, !value.isEmpty else { return nil }
        return value
    }

    public mutating func append(_ name: String, _ value: String) { pairs.append((name, value)) }

    /// The encoded form.
    public var encoded: String {
        pairs.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
    }

    public static func == (left: FormFields, right: FormFields) -> Bool {
        left.pairs.elementsEqual(right.pairs, by: ==)
    }
}
