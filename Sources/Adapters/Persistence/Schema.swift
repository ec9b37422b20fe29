package import SQL

/// Tables of a database, and the migrations of older ones.
///
/// The baseline is the schema of the first release, one file for each subject. Every later change is a migration behind
/// the others, which removes no table or column: docs/changing.md says how, and `SchemaStepTests` refuse a changed step.
///
/// In every table, times are milliseconds since 1970, booleans are 0 or 1, and JSON is text. A column named `hash`
/// holds SHA-256 of a secret that is not stored. A column named `sealed…` holds AES-256-GCM under the master key and is
/// listed in `SealedColumn.all`. A column named `seal` holds the row's MAC under the master key, and its table is listed
/// in `RowSeal.all`. Tables with expiring rows have a growing key, so that the sweep walks them in the
/// order of writing.
package enum Schema {
    package static let migrations = [
        Migration(baselineName) { connection in
            try connection.define(baseline)
            try connection.script(attributeIndexes(connection.dialect))
            for trigger in auditGuards { try connection.script(connection.dialect.definition(trigger)) }
            try connection.script(connection.dialect.statistics(statistics))
        },
        Migration("002 jobs of users (0.2.0)", script: jobs),
        Migration("003 limited jobs of users (0.2.0)", script: limitedJobs),
        Migration("004 authenticator apps (0.2.0)", script: authenticators),
        Migration("005 failures by comparison (0.2.0)", script: comparedFailures),
    ]

    static let baselineName = "001 the tables"

    static let baseline = [
        configuration, accounts, userSearch, requests, login, tokens, audit, delivery, nodes,
    ].joined(separator: "\n")
}
