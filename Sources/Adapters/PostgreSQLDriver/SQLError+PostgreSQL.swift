import CPostgreSQL
import SQL

extension SQLError {
    /// The connection ended, and nobody said why.
    static let lost = SQLError.unavailable(reason: "the connection was lost")
    /// A command after one that failed, whose error counts.
    static let aborted = SQLError.other(code: 0, message: "an earlier statement of the transaction failed")

    /// Error that a result reports.
    init(_ result: OpaquePointer) {
        self.init(
            state: Field.state.text(of: result) ?? "", message: Field.message.text(of: result) ?? "no reason",
            constraint: Field.constraint.text(of: result),
            column: Field.table.text(of: result).flatMap { table in
                Field.column.text(of: result).map { "\(table).\($0)" }
            })
    }

    /// ERROR, FATAL or PANIC.
    static func severity(of result: OpaquePointer) -> String { Field.severity.text(of: result) ?? "" }

    /// - Parameters:
    ///   - state: SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html).
    ///   - message: the primary message.
    ///   - column: table and column of a value that must not be null.
    init(state: String, message: String, constraint: String?, column: String?) {
        switch state {
        case "23505": self = .constraint(.unique, name: constraint ?? "")
        case "23503": self = .constraint(.foreignKey, name: "")
        case "23514": self = .constraint(.check, name: constraint ?? "")
        case "23502": self = .constraint(.notNull, name: column ?? "")
        // A serialization failure, a deadlock.
        case "40001", "40P01": self = .conflict
        // A lock that was not free in time.
        case "55P03": self = .busy
        // Only a timeout cancels.
        case "57014": self = .timedOut
        case "53100": self = .diskFull
        case "53300": self = .overloaded
        case "25006": self = .readOnly
        case "XX001", "XX002": self = .corrupt
        // The server stops, or ends a connection that did not go on.
        case "57P01", "57P02", "57P03", "57P05", "25P03": self = .unavailable(reason: message)
        // A value for a column of another type, which the message names.
        case "42804": self = .mismatch(message)
        // A number of values that the statement does not take.
        case "08P01": self = .mismatch("the values do not fit the parameters")
        default:
            switch state.prefix(2) {
            case "08": self = .unavailable(reason: message)
            // The message might hold the value.
            case "22": self = .mismatch("PostgreSQL refused a value (SQLSTATE \(state))")
            default: self = .other(code: Int(state, radix: 36) ?? 0, message: "\(message) (SQLSTATE \(state))")
            }
        }
    }

    /// Fields of an error, whose numbers the C header writes as characters.
    private enum Field: UInt8 {
        case severity = 0x56  // V
        case state = 0x43  // C
        case message = 0x4D  // M
        case table = 0x74  // t
        case column = 0x63  // c
        case constraint = 0x6E  // n

        func text(of result: OpaquePointer) -> String? {
            PQresultErrorField(result, Int32(rawValue)).map { String(cString: $0) }
        }
    }
}
