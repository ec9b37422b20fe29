package import Primitives
package import SQL

/// Every port of the domain over one database. Each port's statements stand in a file of their own.
package struct Store: Sendable {
    let database: any Database
    /// Chains the audit log.
    let hashing: any Hashing
    let gauge = PendingGauge()
    let auditWatch: AuditWatch
    private let changes: ChangeHealth

    /// `database` must have been migrated with `Schema.migrations`.
    package init(database: any Database, hashing: any Hashing) {
        auditWatch = AuditWatch()
        changes = ChangeHealth()
        self.database = WatchedDatabase(database, auditWatch, changes)
        self.hashing = hashing
    }

    /// Has `report` told where entries of the audit log that this process appended or saw have left it: what is appended
    /// from then on takes their numbers, and the chain alone shows nothing of them.
    package func watchAuditLog(_ report: @escaping @Sendable (LostAuditEntries) -> Void) {
        auditWatch.watch(report)
    }

    /// True if the database answers and takes changes. After a change that failed for want of space, for example, another is
    /// tried.
    package func isReady() async -> Bool {
        do {
            if changes.areFailing { try await database.write { try $0.execute(Self.rewriteVersion()) } }
            return try await database.read { try $0.exists("SELECT 1") }
        } catch {
            return false
        }
    }

    /// Changes nothing, and has to be written like anything else.
    private static let rewriteVersion = StaticStatement("UPDATE configuration SET version = version")

    /// Thrown by a change to take back what it did.
    struct TakenBack: Error {}

    /// A change of several statements. False, with nothing changed, if `body` returns false before it changed
    /// anything or throws `TakenBack` after, or if the user of the change was deleted meanwhile. Returning false costs
    /// nothing, while throwing makes all changes of the same commit run anew.
    nonisolated(nonsending)
        func allOrNothing(_ body: @escaping @Sendable (any Connection) throws -> Bool) async throws -> Bool
    {
        do {
            return try await database.write(body)
        } catch is TakenBack {
            return false
        } catch SQLError.constraint(.foreignKey, _) {
            return false
        }
    }
}
