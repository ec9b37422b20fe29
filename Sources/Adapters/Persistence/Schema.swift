package import SQL

/// The tables of a database, and the steps that bring an older one up to date.
///
/// The baseline is the whole schema, in a file for each subject. A later version appends a migration and leaves the
/// steps before it as they are.
///
/// In every table, times are milliseconds since 1970, booleans are 0 or 1, and JSON is text. A column that is named
/// `hash` holds SHA-256 of a secret that is not stored. A column that is named `sealed…` holds AES-256-GCM under the
/// master key and is listed in `SealedColumn.all`. Tables whose rows end by themselves have a key that grows, so that
/// the sweep walks them in the order in which they were written.
package enum Schema {
    package static let migrations = [Migration(baselineName, script: baseline)]

    static let baselineName = "001 baseline"

    private static let baseline = [
        configuration, accounts, userSearch, requests, login, tokens, audit, delivery,
    ].joined(separator: "\n")
}
