import Synchronization

/// One SQL statement with the values of its parameters.
///
/// Written as an interpolated string, every `\(value)` becomes a parameter, so a value can never be read as SQL:
///
///     try connection.first("SELECT name FROM users WHERE tenant = \(tenant) AND id = \(id)") { row in
///         try row.text(0)
///     }
///
/// Text that is not a value enters only as `\(raw: …)`, which is for names out of the program itself, or as
/// `\(fragment)` with an ``SQLFragment``. Where a statement runs often, keep a ``StaticStatement`` instead.
package struct Statement: Sendable, ExpressibleByStringInterpolation {
    /// The text, with parameters as `$1`, `$2`, ….
    package let text: String
    /// The values of `$1`, `$2`, …
    package let values: [SQLValue]
    /// The constant statement this one was made from, which drivers use as the key of what they have prepared.
    package let template: StaticStatement?

    package init(stringLiteral text: String) {
        self.init(text: text, values: [], template: nil)
    }

    package init(stringInterpolation interpolation: SQLInterpolation) {
        self.init(SQLFragment(stringInterpolation: interpolation))
    }

    package init(_ fragment: SQLFragment) {
        var text = fragment.pieces[0]
        for number in 1..<fragment.pieces.count {
            text += "$\(number)"
            text += fragment.pieces[number]
        }
        self.init(text: text, values: fragment.values, template: nil)
    }

    init(text: String, values: [SQLValue], template: StaticStatement?) {
        self.text = text
        self.values = values
        self.template = template
    }
}

/// Constant SQL text for the hot path: called with its values it makes a ``Statement`` without building a string, and
/// each connection finds what it prepared for it by `number`, without hashing the text.
///
///     static let find = StaticStatement("SELECT state FROM requests WHERE tenant = $1 AND hash = $2")
///     try connection.first(Self.find(tenant, hash)) { row in try row.int64(0) }
///
/// Keep it in a `static let`: every instance has a place of its own in every connection.
package final class StaticStatement: Sendable {
    /// The text, with parameters as `$1`, `$2`, …; one may occur several times.
    package let text: String
    /// Counts the instances of this process from 0, so that it can index an array.
    package let number: Int

    private static let created = Atomic<Int>(0)

    /// Several parts are put together with blanks between them.
    package convenience init(_ parts: StaticString...) { self.init(parts: parts) }

    package init(parts: [StaticString]) {
        text = parts.map(\.description).joined(separator: " ")
        number = Self.created.wrappingAdd(1, ordering: .relaxed).oldValue
    }

    package func callAsFunction<each Value: SQLBindable>(_ value: repeat each Value) -> Statement {
        var values: [SQLValue] = []
        // More than most have: growing step by step would copy the values each time.
        values.reserveCapacity(16)
        for value in repeat each value { values.append(value.sqlValue) }
        return Statement(text: text, values: values, template: self)
    }
}

/// A part of a statement with its values, to compose statements from: a condition, a list of columns.
package struct SQLFragment: Sendable, ExpressibleByStringInterpolation {
    /// The text before, between and after the values: always one more than there are values.
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

    /// `fragments` one after the other with `separator`, such as `" AND "`, between them; empty when there are none.
    package static func joined(_ fragments: [SQLFragment], by separator: StaticString) -> SQLFragment {
        var interpolation = SQLInterpolation(literalCapacity: 0, interpolationCount: 0)
        for (index, fragment) in fragments.enumerated() {
            if index > 0 { interpolation.appendLiteral(separator.description) }
            interpolation.appendInterpolation(fragment)
        }
        return SQLFragment(stringInterpolation: interpolation)
    }
}

/// Collects the text and the values of an interpolated statement apart from each other.
package struct SQLInterpolation: StringInterpolationProtocol {
    var pieces = [""]
    var values: [SQLValue] = []

    package init(literalCapacity: Int, interpolationCount: Int) {
        pieces.reserveCapacity(interpolationCount + 1)
        values.reserveCapacity(interpolationCount)
    }

    package mutating func appendLiteral(_ literal: String) {
        pieces[pieces.count - 1] += literal
    }

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

    /// SQL text as it is. Only for names and keywords that the program itself holds, never for what came from outside.
    package mutating func appendInterpolation(raw text: String) {
        appendLiteral(text)
    }
}
