package import Primitives

/// Columns of a query's current row, counted from 0.
///
/// Cannot be copied or kept: it is valid only inside the closure that gets it. A column of another type, or a null for
/// a non-optional form, throws ``SQLError/mismatch(_:)``.
package struct Row: ~Copyable {
    private let columns: any ColumnSource

    /// For drivers.
    package init(_ columns: any ColumnSource) { self.columns = columns }

    package func isNull(_ column: Int) throws(SQLError) -> Bool { try columns.isNull(column) }

    /// The value, of whichever type it is.
    package func value(_ column: Int) throws(SQLError) -> SQLValue { try columns.value(column) }

    /// Numbers that every program reads exactly (RFC 8259 clause 6). This program writes no others, and none within them
    /// overflows when it counts on, or becomes a time.
    private static let numbers: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

    package func int64(_ column: Int) throws(SQLError) -> Int64 {
        let number = try columns.int64(column)
        guard Self.numbers.contains(number) else { throw .mismatch("the number of column \(column) is out of range") }
        return number
    }

    package func double(_ column: Int) throws(SQLError) -> Double { try columns.double(column) }
    package func text(_ column: Int) throws(SQLError) -> String { try columns.text(column) }
    package func blob(_ column: Int) throws(SQLError) -> [UInt8] { try columns.blob(column) }
    package func int(_ column: Int) throws(SQLError) -> Int { Int(try int64(column)) }

    /// Reads 0 as false and 1 as true. Other values do not match.
    package func bool(_ column: Int) throws(SQLError) -> Bool {
        switch try columns.int64(column) {
        case 0: false
        case 1: true
        default: throw .mismatch("column \(column) is neither 0 nor 1")
        }
    }

    /// Reads milliseconds since 1970.
    package func timestamp(_ column: Int) throws(SQLError) -> Timestamp {
        Timestamp(milliseconds: try int64(column))
    }

    package func id<Tag>(_ column: Int, of tag: Tag.Type = Tag.self) throws(SQLError) -> ID<Tag> {
        ID(try columns.text(column))
    }

    package func optionalText(_ column: Int) throws(SQLError) -> String? {
        try columns.isNull(column) ? nil : try columns.text(column)
    }

    package func optionalBlob(_ column: Int) throws(SQLError) -> [UInt8]? {
        try columns.isNull(column) ? nil : try columns.blob(column)
    }

    package func optionalInt64(_ column: Int) throws(SQLError) -> Int64? {
        try isNull(column) ? nil : int64(column)
    }

    package func optionalTimestamp(_ column: Int) throws(SQLError) -> Timestamp? {
        try columns.isNull(column) ? nil : try timestamp(column)
    }

    package func optionalID<Tag>(_ column: Int, of tag: Tag.Type = Tag.self) throws(SQLError) -> ID<Tag>? {
        try columns.isNull(column) ? nil : try id(column)
    }
}

/// Columns that a driver gives a ``Row``. Each accessor refuses a column out of range or of another type.
package protocol ColumnSource {
    func value(_ column: Int) throws(SQLError) -> SQLValue
    func isNull(_ column: Int) throws(SQLError) -> Bool
    func int64(_ column: Int) throws(SQLError) -> Int64
    func double(_ column: Int) throws(SQLError) -> Double
    func text(_ column: Int) throws(SQLError) -> String
    func blob(_ column: Int) throws(SQLError) -> [UInt8]
}
