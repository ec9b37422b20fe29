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

    /// What a change throws to take itself back.
    private struct NotApplicable: Error {}

    static func require(_ condition: Bool) throws {
        guard condition else { throw NotApplicable() }
    }

    /// A change of several statements. False, with nothing changed, where `body` required what was not so, or where
    /// the user it concerns was deleted meanwhile.
    nonisolated(nonsending)
        func allOrNothing(_ body: @escaping @Sendable (any Connection) throws -> Void) async throws -> Bool
    {
        do {
            try await database.write(body)
            return true
        } catch is NotApplicable {
            return false
        } catch SQLError.constraint(.foreignKey, _) {
            return false
        }
    }
}
