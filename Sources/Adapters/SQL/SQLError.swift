/// A statement that a database refused or could not run.
///
/// The texts name tables, columns and constraints but never hold a parameter's value, so they may be logged.
package enum SQLError: Error, Hashable, Sendable {
    package enum Constraint: String, Sendable {
        case unique
        case foreignKey
        case check
        case notNull
    }

    /// A change broke a rule of the schema. `name` comes from the engine. SQLite gives `table.column` (several joined
    /// by `, `) for unique and not-null rules, the name or else the expression of a check, and nothing for a foreign
    /// key.
    case constraint(Constraint, name: String)
    /// Another process held the database longer than the configured time. Trying again later may work.
    case busy
    /// The queue of changes is full. Trying again later may work.
    case overloaded
    /// Other changes of the same rows came first, each time that this one was repeated. Trying again later may work.
    case conflict
    /// The database's server cannot be reached, stops, or refuses this program. Nothing was changed. The reason names
    /// hosts and accounts, and no password.
    case unavailable(reason: String)
    /// The connection was lost while a change was committed. It was made, or it was not. Never repeated, since it might
    /// then be made twice.
    case unknownOutcome
    /// A read exceeded its time limit. The same read will again, unless the machine was busy.
    case timedOut
    /// The file is damaged or is not a database.
    case corrupt
    case diskFull
    /// A change of a database that was opened for reading, or that this process may only read.
    case readOnly
    /// The database was closed.
    case closed
    /// A value, column or parameter does not have the expected type or number.
    case mismatch(String)
    /// Anything else, with the engine's code and text: a wrong statement, a file that cannot be opened, an I/O error.
    case other(code: Int, message: String)
}

extension SQLError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .constraint(let kind, let name):
            name.isEmpty ? "\(kind.rawValue) constraint failed" : "\(kind.rawValue) constraint failed: \(name)"
        case .busy: "the database is in use by another process"
        case .overloaded: "too many changes are waiting for the database"
        case .conflict: "other changes of the same rows came first"
        case .unavailable(let reason): "the database's server cannot be used: \(reason)"
        case .unknownOutcome: "the connection was lost during a commit: nobody knows if the change was made"
        case .timedOut: "the reading took too long"
        case .corrupt: "the database file is damaged"
        case .diskFull: "no space is left for the database"
        case .readOnly: "the database can only be read: its file or its folder may not be written"
        case .closed: "the database is closed"
        case .mismatch(let what): "the database and the program disagree: \(what)"
        case .other(let code, let message): "database error \(code): \(message)"
        }
    }
}
