import CSQLite
import SQL

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A compiled statement of one connection, finalized when released.
final class PreparedStatement {
    let handle: OpaquePointer
    let isReadOnly: Bool
    /// A row callback may run its own statement again. The second run needs another instance.
    var isInUse = false
    /// Last use, counted in statements of its connection.
    var lastUse = 0

    private let columnCount: Int32
    private let parameterCount: Int
    /// Value index of each parameter. Nil if they are in order. SQLite numbers `$2` before `$1` if the text does.
    private let valueOfParameter: [Int]?

    init(_ text: String, on connection: OpaquePointer) throws(SQLError) {
        var compiled: OpaquePointer?
        var isWhole = true
        var text = text
        let code = text.withUTF8 { utf8 -> Int32 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v3(
                    connection, characters.baseAddress, Int32(characters.count), UInt32(SQLITE_PREPARE_PERSISTENT),
                    &compiled, &tail)
                if let tail, let start = characters.baseAddress {
                    isWhole = characters[(tail - start)...].allSatisfy { $0 == 0x20 || $0 == 0x0a }
                }
                return code
            }
        }
        guard code == SQLITE_OK else { throw .last(code, of: connection) }
        guard let compiled else { throw .mismatch("the statement is empty") }
        handle = compiled
        isReadOnly = sqlite3_stmt_readonly(compiled) != 0
        columnCount = sqlite3_column_count(compiled)
        // From here on, throwing releases `self`, which finalizes.
        var values: [Int] = []
        for index in 0..<sqlite3_bind_parameter_count(compiled) {
            let name = sqlite3_bind_parameter_name(compiled, index + 1).map { String(cString: $0) }
            guard let name, name.first == "$", let number = Int(name.dropFirst()), number > 0 else {
                parameterCount = 0
                valueOfParameter = nil
                throw .mismatch("parameters must be named $1, $2, …")
            }
            values.append(number - 1)
        }
        parameterCount = (values.max() ?? -1) + 1
        valueOfParameter = values.elementsEqual(values.indices) ? nil : values
        guard isWhole else { throw .mismatch("several statements in one text") }
    }

    deinit { sqlite3_finalize(handle) }

    var row: SQLiteColumns { SQLiteColumns(handle: handle, count: columnCount) }

    func bind(_ values: [SQLValue]) throws(SQLError) {
        guard values.count == parameterCount else {
            throw .mismatch("\(values.count) values for \(parameterCount) parameters")
        }
        if let valueOfParameter {
            for (index, value) in valueOfParameter.enumerated() { try bind(values[value], at: Int32(index + 1)) }
        } else {
            var index: Int32 = 1
            for value in values {
                try bind(value, at: index)
                index += 1
            }
        }
    }

    /// Ends the run and forgets the values, which may be secrets.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private func bind(_ value: SQLValue, at index: Int32) throws(SQLError) {
        let code: Int32
        switch value {
        case .null: code = sqlite3_bind_null(handle, index)
        case .integer(let number): code = sqlite3_bind_int64(handle, index, number)
        case .real(let number): code = sqlite3_bind_double(handle, index, number)
        case .text(var text):
            code = text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) { characters in
                    // A null pointer would bind NULL.
                    guard let start = characters.baseAddress, !characters.isEmpty else {
                        return sqlite3_bind_text(handle, index, "", 0, copied)
                    }
                    // PostgreSQL cannot store a NUL, and a store may move there.
                    guard memchr(start, 0, characters.count) == nil else { return SQLITE_MISMATCH }
                    return sqlite3_bind_text(handle, index, start, Int32(characters.count), copied)
                }
            }
            guard code != SQLITE_MISMATCH else { throw .mismatch("a text has a NUL") }
        case .blob(let bytes):
            code = bytes.withUnsafeBytes { bytes in
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(handle, index, 0)
                    : sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), copied)
            }
        }
        guard code == SQLITE_OK else { throw .last(code, of: sqlite3_db_handle(handle)) }
    }
}

/// `SQLITE_TRANSIENT`: SQLite copies the bytes before the call returns.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// Reads the columns of the current row, strictly by type.
struct SQLiteColumns: ColumnSource {
    let handle: OpaquePointer
    let count: Int32

    func isNull(_ column: Int) throws(SQLError) -> Bool {
        guard column >= 0, column < count else { throw .mismatch("there is no column \(column)") }
        return sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
    }

    func value(_ column: Int) throws(SQLError) -> SQLValue {
        guard column >= 0, column < count else { throw .mismatch("there is no column \(column)") }
        switch sqlite3_column_type(handle, Int32(column)) {
        case SQLITE_INTEGER: return .integer(try int64(column))
        case SQLITE_FLOAT: return .real(try double(column))
        case SQLITE_TEXT: return .text(try text(column))
        case SQLITE_BLOB: return .blob(try blob(column))
        default: return .null
        }
    }

    func int64(_ column: Int) throws(SQLError) -> Int64 {
        sqlite3_column_int64(handle, try index(column, of: SQLITE_INTEGER, "an integer"))
    }

    func double(_ column: Int) throws(SQLError) -> Double {
        sqlite3_column_double(handle, try index(column, of: SQLITE_FLOAT, "a real number"))
    }

    func text(_ column: Int) throws(SQLError) -> String {
        let index = try index(column, of: SQLITE_TEXT, "text")
        guard let bytes = sqlite3_column_text(handle, index) else { throw .last(SQLITE_NOMEM, of: nil) }
        let count = Int(sqlite3_column_bytes(handle, index))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func blob(_ column: Int) throws(SQLError) -> [UInt8] {
        let index = try index(column, of: SQLITE_BLOB, "bytes")
        // An empty blob has no address.
        guard let bytes = sqlite3_column_blob(handle, index) else { return [] }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, index))))
    }

    private func index(_ column: Int, of type: Int32, _ name: StaticString) throws(SQLError) -> Int32 {
        guard column >= 0, column < count else { throw .mismatch("there is no column \(column)") }
        guard sqlite3_column_type(handle, Int32(column)) == type else {
            throw .mismatch("column \(column) is not \(name)")
        }
        return Int32(column)
    }
}
