public import SQL

/// Every port of the domain over one database. Each port's statements stand in a file of their own.
public struct Store: Sendable {
    let database: any Database
    let gauge = PendingGauge()

    /// `database` must have been migrated with `Schema.migrations`.
    public init(database: any Database) { self.database = database }

    /// Whether the database answers.
    public func isReady() async -> Bool {
        (try? await database.read { try $0.exists("SELECT 1") }) ?? false
    }
}
