package import SQL

package struct PostgreSQLDialect: Dialect {
    package init() {}

    /// The planner decides.
    package func reading(index: StaticString) -> String { "" }

    package func object(_ members: KeyValuePairs<StaticString, StaticString>) -> SQLFragment {
        "pg_catalog.json_build_object(\(raw: members.map { "'\($0)', \($1)" }.joined(separator: ", ")))::text"
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
        "pg_catalog.nextval(pg_catalog.pg_get_serial_sequence('\(table)', '\(column)'))"
    }

    package func holding(_ hold: RowHold) -> String {
        switch hold {
        case .changing: "FOR NO KEY UPDATE"
        case .deleting: "FOR UPDATE"
        case .skipping: "FOR UPDATE SKIP LOCKED"
        }
    }

    /// Milliseconds since 1970 of the server's clock.
    static let time = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"
    package var clock: String? { Self.time }

    /// Lanes whose connection is in a transaction. Each transaction holds a lock on its own virtual number.
    package var changingLanes: Statement? {
        """
        SELECT lane.objid::bigint FROM pg_locks lane JOIN pg_locks change ON change.pid = lane.pid
        WHERE lane.locktype = 'advisory' AND lane.classid = \(raw: Self.laneKey)::oid AND lane.objsubid = 2
            AND lane.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND change.locktype = 'virtualxid' AND change.granted AND change.mode = 'ExclusiveLock'
        """
    }

    /// Number of connections that may change the database, such as those of nodes. Those with this connection's
    /// `application_name` do not count.
    package var otherLanes: Statement {
        """
        SELECT count(DISTINCT lane.pid) FROM pg_locks lane JOIN pg_stat_activity activity ON activity.pid = lane.pid
        WHERE lane.locktype = 'advisory' AND lane.classid = \(raw: Self.laneKey)::oid AND lane.objsubid = 2
            AND lane.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND activity.application_name IS DISTINCT FROM current_setting('application_name')
        """
    }

    /// First half of the advisory lock of a lane. The second one is its number.
    private static let laneKey = "1129070926"

    /// Locks the smallest free lane for the session. Gives its number, and that of the server's process.
    static let takeLane = StaticStatement { _ in
        """
        SELECT lane::bigint, pg_backend_pid()::bigint FROM generate_series(1, 100000) AS lane
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
