import CPostgreSQL
import Synchronization

extension PostgreSQLCluster {
    /// A copy of a database whose planner believes that every table has ten million rows.
    ///
    /// `@unchecked Sendable` because of the mutex.
    package final class Plans: @unchecked Sendable {
        private let database: Database
        private let handle: Mutex<OpaquePointer?>

        /// Columns with few values, and how many.
        private static let fewValues = [
            "tenant": 100, "client": 1000, "kind": 60, "state": 6, "queue": 6, "lane": 200, "audience": 100,
            "day": 1000,
            "channel": 3, "status": 4, "provider": 10, "connection": 10, "algorithm": 2, "redeemed": 2, "blocked": 2,
            "email_verified": 2, "phone_verified": 2, "attempts": 10, "push_service": 3, "ending": 2, "role": 100,
            "path": 100, "email_domain": 10_000, "last_ip": 100_000, "given_name": 10_000, "family_name": 100_000,
        ]
        /// Fraction of a table's rows that are a person's own.
        private static let person = -0.1

        /// - Parameter name: nobody may be connected to it.
        package init(copying name: String) throws {
            database = try PostgreSQLCluster.started.makeDatabase(copying: name)
            handle = Mutex(PQconnectdb(database.uri))
            try run("SET session_replication_role = replica; SET plan_cache_mode = force_generic_plan; SET jit = off")
            let columns = try query(
                """
                SELECT relname, attname, format_type(atttypid, NULL), attgenerated FROM pg_class
                JOIN pg_attribute ON attrelid = pg_class.oid
                WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
                ORDER BY relname, attnum
                """)
            for (table, columns) in Dictionary(grouping: columns, by: { $0[0] }) {
                let stored = columns.filter { $0[3].isEmpty }
                let values = stored.map { ["bigint": "1", "double precision": "1"][$0[2]] ?? "'1'" }
                // A file of one page, whose density makes the number of rows.
                try run(
                    """
                    DELETE FROM "\(table)";
                    INSERT INTO "\(table)" (\(stored.map { "\"\($0[1])\"" }.joined(separator: ", ")))
                    VALUES (\(values.joined(separator: ", ")))
                    """)
                for column in columns {
                    let distinct =
                        column[1] == "user" ? "\(Self.person)" : Self.fewValues[column[1]].map { "\($0)" } ?? "-1"
                    try run(#"ALTER TABLE "\#(table)" ALTER COLUMN "\#(column[1])" SET (n_distinct = \#(distinct))"#)
                }
            }
            try run(
                """
                ANALYZE;
                UPDATE pg_class SET reltuples = 10000000, relpages = 1
                WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace
                """)
        }

        deinit { PQfinish(handle.withLock { $0 }) }

        /// Lines of the statement's generic plan.
        /// - Parameter types: names of the parameters' types; `unknown` lets the server choose.
        package func plan(of statement: String, types: [String]) throws -> [String] {
            let values = types.isEmpty ? "" : "(\(types.map { _ in "NULL" }.joined(separator: ", ")))"
            let declared = types.isEmpty ? "" : "(\(types.joined(separator: ", ")))"
            return try handle.withLock { handle in
                try Self.run(handle, "PREPARE judged \(declared) AS \(statement)")
                defer { _ = try? Self.run(handle, "DEALLOCATE judged") }
                return try Self.run(handle, "EXPLAIN EXECUTE judged \(values)").map { $0[0] }
            }
        }

        private func run(_ script: String) throws { _ = try query(script) }
        private func query(_ script: String) throws -> [[String]] {
            try handle.withLock { try Self.run($0, script) }
        }

        @discardableResult
        private static func run(_ handle: OpaquePointer?, _ script: String) throws -> [[String]] {
            let result = PQexec(handle, script)
            defer { PQclear(result) }
            guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
                throw Failure(description: String(cString: PQerrorMessage(handle)) + script)
            }
            return (0..<PQntuples(result)).map { row in
                (0..<PQnfields(result)).map { String(cString: PQgetvalue(result, row, $0)) }
            }
        }
    }
}
