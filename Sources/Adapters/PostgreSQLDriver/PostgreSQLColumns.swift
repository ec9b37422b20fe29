import CPostgreSQL
import SQL

/// Reads the columns of one row in binary format, strictly by type.
struct PostgreSQLColumns: ColumnSource {
    let result: OpaquePointer
    let row: Int32

    func isNull(_ column: Int) throws(SQLError) -> Bool { PQgetisnull(result, row, try index(column)) != 0 }

    func value(_ column: Int) throws(SQLError) -> SQLValue {
        if try isNull(column) { return .null }
        switch SQLType(PQftype(result, try index(column))) {
        case .integer: return .integer(try int64(column))
        case .real: return .real(try double(column))
        case .text: return .text(try text(column))
        case .blob: return .blob(try blob(column))
        case nil: throw .mismatch("column \(column) has a type that this program does not use")
        }
    }

    func int64(_ column: Int) throws(SQLError) -> Int64 {
        let bytes = try bytes(column, of: .integer, "an integer")
        // A Boolean has one byte, and the other types have two, four or eight.
        guard bytes.count > 1 else { return bytes.first == 0 ? 0 : 1 }
        var number: Int64 = bytes[0] < 0x80 ? 0 : -1
        for byte in bytes { number = number << 8 | Int64(byte) }
        return number
    }

    func double(_ column: Int) throws(SQLError) -> Double {
        let bytes = try bytes(column, of: .real, "a real number")
        guard bytes.count == 8 else { throw .mismatch("column \(column) is not a real number of 64 bits") }
        return Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    func text(_ column: Int) throws(SQLError) -> String {
        String(decoding: try bytes(column, of: .text, "text"), as: UTF8.self)
    }

    func blob(_ column: Int) throws(SQLError) -> [UInt8] { Array(try bytes(column, of: .blob, "bytes")) }

    private func index(_ column: Int) throws(SQLError) -> Int32 {
        guard column >= 0, column < PQnfields(result) else { throw .mismatch("there is no column \(column)") }
        return Int32(column)
    }

    private func bytes(
        _ column: Int, of type: SQLType, _ name: StaticString
    ) throws(SQLError) -> UnsafeBufferPointer<UInt8> {
        let index = try index(column)
        guard PQgetisnull(result, row, index) == 0, SQLType(PQftype(result, index)) == type,
            let start = PQgetvalue(result, row, index)
        else { throw .mismatch("column \(column) is not \(name)") }
        return UnsafeBufferPointer(
            start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self),
            count: Int(PQgetlength(result, row, index)))
    }
}

/// Storage class of a value, by PostgreSQL's types (pg_type.dat).
enum SQLType {
    case integer, real, text, blob

    init?(_ type: Oid) {
        switch type {
        // boolean, bigint, smallint, integer
        case 16, 20, 21, 23: self = .integer
        // double precision
        case 701: self = .real
        // name, text, character, character varying
        case 19, 25, 1042, 1043: self = .text
        // bytea
        case 17: self = .blob
        default: return nil
        }
    }
}
