import Primitives
import SQL

/// Number and hash of a table's rows, the same for every engine.
package struct TableDigest: Sendable, Equatable {
    package let table: String
    package private(set) var rows: Int64 = 0
    /// Sum of the SHA-256 of all rows modulo 2²⁵⁶, so that their order does not matter. Least significant part first.
    private var sum: [UInt64] = [0, 0, 0, 0]

    init(_ table: String) { self.table = table }

    mutating func add(_ values: [SQLValue], _ hashing: any Hashing) {
        let hash = hashing.sha256(SQLValue.bytes(of: values.map(\.comparable), in: table))
        var carries = false
        for part in sum.indices {
            let number = hash.dropLast(8 * part).suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let (added, first) = sum[part].addingReportingOverflow(number)
            let (whole, second) = added.addingReportingOverflow(carries ? 1 : 0)
            sum[part] = whole
            carries = first || second
        }
        rows += 1
    }

    /// In hexadecimal.
    package var hash: String {
        Hex.encode(sum.reversed().flatMap { part in withUnsafeBytes(of: part.bigEndian) { Array($0) } })
    }
}

extension SQLValue {
    /// SQLite does not keep the sign of a zero.
    fileprivate var comparable: SQLValue { self == .real(0) ? .real(0) : self }
}
