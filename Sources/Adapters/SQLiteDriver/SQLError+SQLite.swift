import CSQLite
import SQL

extension SQLError {
    /// Error of `connection`'s last call, which returned `code`.
    static func last(_ code: Int32, of connection: OpaquePointer?) -> SQLError {
        let message = connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
        return SQLError(sqlite: code, message: message ?? String(cString: sqlite3_errstr(code)))
    }

    /// `code` is an extended result code.
    init(sqlite code: Int32, message: String) {
        switch code {
        case SQLiteCode.constraintUnique, SQLiteCode.constraintPrimaryKey, SQLiteCode.constraintRowID:
            self = .constraint(.unique, name: Self.name(in: message))
        case SQLiteCode.constraintForeignKey: self = .constraint(.foreignKey, name: "")
        case SQLiteCode.constraintCheck: self = .constraint(.check, name: Self.name(in: message))
        case SQLiteCode.constraintNotNull: self = .constraint(.notNull, name: Self.name(in: message))
        case SQLiteCode.constraintDataType: self = .mismatch(message)
        default:
            switch code & 0xff {
            case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
            // Only a deadline interrupts.
            case SQLITE_INTERRUPT: self = .timedOut
            case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt
            case SQLITE_FULL: self = .diskFull
            case SQLITE_READONLY: self = .readOnly
            case SQLITE_MISMATCH, SQLITE_RANGE: self = .mismatch(message)
            default: self = .other(code: Int(code), message: message)
            }
        }
    }

    /// SQLite writes `UNIQUE constraint failed: table.column`.
    private static func name(in message: String) -> String {
        guard let colon = message.firstRange(of: ": ") else { return "" }
        return String(message[colon.upperBound...])
    }
}

/// Extended result codes (sqlite.org/rescode.html), which the C header defines by shifts that Swift does not import.
enum SQLiteCode {
    static let constraintCheck = SQLITE_CONSTRAINT | 1 << 8
    static let constraintForeignKey = SQLITE_CONSTRAINT | 3 << 8
    static let constraintNotNull = SQLITE_CONSTRAINT | 5 << 8
    static let constraintPrimaryKey = SQLITE_CONSTRAINT | 6 << 8
    static let constraintUnique = SQLITE_CONSTRAINT | 8 << 8
    static let constraintRowID = SQLITE_CONSTRAINT | 10 << 8
    static let constraintDataType = SQLITE_CONSTRAINT | 12 << 8
}
