import SQL

extension Schema {
    /// For a server that starts: which proofs were accepted of late stands in the entries of readings, and the end of
    /// the log that it would otherwise go through is long where the server was busy.
    static func readings(_ dialect: Dialect) -> String {
        "CREATE INDEX audit_log_readings ON audit_log (at) WHERE kind = 'rich_consents_access';"
    }
}
