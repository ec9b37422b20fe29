import SQL

extension Installation {
    /// A database that cannot be opened or changed.
    package struct UnusableDatabase: Error, CustomStringConvertible {
        let place: String
        let reason: SQLError

        package var description: String {
            let isFile = !place.hasPrefix("PostgreSQL")
            return "\(place): \(reason)" + (Self.advice(after: reason, isFile: isFile).map { "; \($0)" } ?? "")
        }

        /// The next step of an operator.
        /// - Parameter isFile: False for a database of a server.
        static func advice(after reason: SQLError, isFile: Bool) -> String? {
            switch reason {
            case .corrupt: isFile ? "restore a backup; docs/operations.md says how under Backups" : restoring
            case .unavailable:
                "check that its server runs and has room for connections, and the address, the account and its password"
            case .readOnly where !isFile:
                "name the server that takes changes, or all servers with commas; a full or failed one may refuse them, too"
            case .diskFull: isFile ? "make room on the file system" : "make room on the disk of its server"
            case .busy where !isFile: "find who holds its locks (pg_locks and pg_stat_activity), and end that"
            case .other where !isFile: "check the account's rights there; docs/postgresql.md names them"
            case .readOnly, .other: "check that this account may write the file and its folder"
            default: nil
            }
        }

        private static let restoring = "restore a backup; docs/postgresql.md says how"
    }
}
