package import Primitives

/// Value of a parameter: one of SQLite's five storage classes.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

/// A type for a `Statement`'s interpolation, where it becomes a parameter and never text.
package protocol SQLBindable {
    var sqlValue: SQLValue { get }
}

extension SQLValue: SQLBindable { package var sqlValue: SQLValue { self } }
extension Int64: SQLBindable { package var sqlValue: SQLValue { .integer(self) } }
extension Int: SQLBindable { package var sqlValue: SQLValue { .integer(Int64(self)) } }
extension Double: SQLBindable { package var sqlValue: SQLValue { .real(self) } }
extension String: SQLBindable { package var sqlValue: SQLValue { .text(self) } }
extension [UInt8]: SQLBindable { package var sqlValue: SQLValue { .blob(self) } }
extension ID: SQLBindable { package var sqlValue: SQLValue { .text(rawValue) } }

/// Stored as 0 or 1: SQLite has no other form.
extension Bool: SQLBindable { package var sqlValue: SQLValue { .integer(self ? 1 : 0) } }

/// Stored as milliseconds since 1970.
extension Timestamp: SQLBindable { package var sqlValue: SQLValue { .integer(milliseconds) } }

extension Optional: SQLBindable where Wrapped: SQLBindable {
    package var sqlValue: SQLValue { if let self { self.sqlValue } else { .null } }
}
