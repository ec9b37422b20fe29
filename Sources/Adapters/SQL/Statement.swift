import Synchronization

/// One SQL statement with the values of its parameters.
///
/// In an interpolated string, every `\(value)` becomes a parameter, so a value is never read as SQL:
///
///     try connection.first("SELECT name FROM users WHERE tenant = \(tenant) AND id = \(id)") { row in
///         try row.text(0)
///     }
///
/// Other text enters only as `\(raw: …)`, for names in the program itself, or as `\(fragment)` with an ``SQLFragment``.
/// Keep a ``StaticStatement`` for frequent statements.
package struct Statement: Sendable, ExpressibleByStringInterpolation {
    /// By which drivers find a prepared statement.
    package enum Text: Sendable {
        case template(StaticStatement)
        /// With parameters as `$1`, `$2`, ….
        case built(String)
    }

    package let text: Text
    /// Values of `$1`, `$2`, …
    package let values: [SQLValue]
}

extension Statement {
    /// Text, with parameters as `$1`, `$2`, ….
    package func text(in dialect: any Dialect) -> String {
        switch text {
        case .template(let template): template.text(in: dialect)
        case .built(let text): text
        }
    }

    /// The statement with one more value, of its last parameter.
    package func adding(_ value: SQLValue) -> Statement {
        Statement(text: text, values: values + [value])
    }

    /// The same text with other values.
    package func with(_ values: [SQLValue]) -> Statement { Statement(text: text, values: values) }

    package init(stringLiteral text: String) { self.init(text: .built(text), values: []) }

    package init(stringInterpolation interpolation: SQLInterpolation) {
        self.init(SQLFragment(stringInterpolation: interpolation))
    }

    package init(_ fragment: SQLFragment) {
        var text = fragment.pieces[0]
        for number in 1..<fragment.pieces.count {
            text += "$\(number)"
            text += fragment.pieces[number]
        }
        self.init(text: .built(text), values: fragment.values)
    }
}

/// Constant SQL text for the hot path. Called with values it makes a ``Statement`` without building a string. Each
/// connection finds its prepared statement by `number`, without hashing the text.
///
///     static let find = StaticStatement("SELECT state FROM requests WHERE tenant = $1 AND hash = $2")
///     try connection.first(Self.find(tenant, hash)) { row in try row.int64(0) }
///
/// Keep it in a `static let`: every instance takes a slot in every connection.
package final class StaticStatement: Sendable {
    /// Text, with parameters as `$1`, `$2`, …; one may occur several times.
    private let text: @Sendable (any Dialect) -> String
    /// Index of the instance in this process, from 0, for use in arrays.
    package let number: Int

    private static let created = Atomic<Int>(0)

    /// Joins several parts with blanks.
    package convenience init(_ parts: StaticString...) { self.init(parts: parts) }

    package init(parts: [StaticString]) {
        let text = parts.map(\.description).joined(separator: " ")
        self.text = { _ in text }
        number = Self.created.wrappingAdd(1, ordering: .relaxed).oldValue
    }

    /// A statement that engines spell differently, from the program's own text.
    package init(_ text: @escaping @Sendable (any Dialect) -> String) {
        self.text = text
        number = Self.created.wrappingAdd(1, ordering: .relaxed).oldValue
    }

    package func text(in dialect: any Dialect) -> String { text(dialect) }

    package func callAsFunction<each Value: SQLBindable>(_ value: repeat each Value) -> Statement {
        var values: [SQLValue] = []
        // Enough for most: growing in steps would copy the values.
        values.reserveCapacity(18)
        for value in repeat each value { values.append(value.sqlValue) }
        return Statement(text: .template(self), values: values)
    }
}

/// Part of a statement with its values, such as a condition or a list of columns.
package struct SQLFragment: Sendable, ExpressibleByStringInterpolation {
    /// Text before, between and after the values: always one more than values.
    let pieces: [String]
    let values: [SQLValue]

    package init(stringLiteral text: String) {
        pieces = [text]
        values = []
    }

    package init(stringInterpolation interpolation: SQLInterpolation) {
        pieces = interpolation.pieces
        values = interpolation.values
    }

    /// Joins `fragments` with `separator`, such as `" AND "`. Empty without fragments.
    package static func joined(_ fragments: [SQLFragment], by separator: StaticString) -> SQLFragment {
        var interpolation = SQLInterpolation(literalCapacity: 0, interpolationCount: 0)
        for (index, fragment) in fragments.enumerated() {
            if index > 0 { interpolation.appendLiteral(separator.description) }
            interpolation.appendInterpolation(fragment)
        }
        return SQLFragment(stringInterpolation: interpolation)
    }
}

/// Collects the text and the values of an interpolated statement separately.
package struct SQLInterpolation: StringInterpolationProtocol {
    var pieces = [""]
    var values: [SQLValue] = []

    package init(literalCapacity: Int, interpolationCount: Int) {
        pieces.reserveCapacity(interpolationCount + 1)
        values.reserveCapacity(interpolationCount)
    }

    package mutating func appendLiteral(_ literal: String) { pieces[pieces.count - 1] += literal }

    /// A parameter.
    package mutating func appendInterpolation(_ value: some SQLBindable) {
        values.append(value.sqlValue)
        pieces.append("")
    }

    /// A parameter that may be null.
    package mutating func appendInterpolation<Value: SQLBindable>(_ value: Value?) {
        values.append(value.sqlValue)
        pieces.append("")
    }

    package mutating func appendInterpolation(_ fragment: SQLFragment) {
        appendLiteral(fragment.pieces[0])
        values += fragment.values
        pieces += fragment.pieces.dropFirst()
    }

    /// Raw SQL text. Only for names and keywords of the program itself, never for outside input.
    package mutating func appendInterpolation(raw text: String) { appendLiteral(text) }
}
