package import SQL

package struct PostgreSQLDialect: Dialect {
    package init() {}

    /// The planner decides.
    package func reading(index: StaticString) -> String { "" }

    package func object(_ members: KeyValuePairs<StaticString, StaticString>) -> SQLFragment {
        "json_build_object(\(raw: members.map { "'\($0)', \($1)" }.joined(separator: ", ")))::text"
    }

    package func matches(_ column: String, _ pattern: [PatternPiece]) -> SQLFragment {
        let text = pattern.map { piece in
            switch piece {
            case .anyNumber: "%"
            case .one: "_"
            case .literal(let text): Self.escaped(text)
            }
        }
        return "\(raw: column) LIKE \(text.joined())"
    }

    /// The sequence of an identity column.
    package func newNumber(of column: StaticString, in table: StaticString) -> String {
        "nextval(pg_get_serial_sequence('\(table)', '\(column)'))"
    }

    /// Lanes whose connection is in a transaction. Each transaction holds a lock on its own virtual number.
    package var changingLanes: Statement? {
        """
        SELECT lane.objid::bigint FROM pg_locks lane JOIN pg_locks change ON change.pid = lane.pid
        WHERE lane.locktype = 'advisory' AND lane.classid = \(raw: Self.laneKey)::oid AND lane.objsubid = 2
            AND lane.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND change.locktype = 'virtualxid' AND change.granted AND change.mode = 'ExclusiveLock'
        """
    }

    /// First half of the advisory lock of a lane. The second one is its number.
    private static let laneKey = "1129070926"

    /// Locks the smallest free lane for the session. Gives its number.
    static let takeLane = StaticStatement { _ in
        """
        SELECT lane::bigint FROM generate_series(1, 100000) AS lane
        WHERE pg_try_advisory_lock(\(laneKey), lane) LIMIT 1
        """
    }

    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for character in text.unicodeScalars {
            if ["%", "_", "\\"].contains(character) { escaped.append("\\") }
            escaped.append(character)
        }
        return String(escaped)
    }
}
