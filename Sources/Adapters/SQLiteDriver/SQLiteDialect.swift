package import SQL

package struct SQLiteDialect: Dialect {
    package init() {}

    package func reading(index: StaticString) -> String { "INDEXED BY \(index)" }

    package func object(_ members: KeyValuePairs<StaticString, StaticString>) -> SQLFragment {
        "json_object(\(raw: members.map { "'\($0)', \($1)" }.joined(separator: ", ")))"
    }

    package func matches(_ column: String, _ pattern: [PatternPiece]) -> SQLFragment {
        let text = pattern.map { piece in
            switch piece {
            case .anyNumber: "*"
            case .one: "?"
            case .literal(let text): Self.escaped(text)
            }
        }
        return "\(raw: column) GLOB \(text.joined())"
    }

    /// GLOB takes a character of its own literally in a set.
    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for character in text.unicodeScalars {
            switch character {
            case "*", "?", "[": escaped.append(contentsOf: ["[", character, "]"])
            default: escaped.append(character)
            }
        }
        return String(escaped)
    }
}
