import Audit
import AuthorizationCore
package import Primitives
package import SQL

/// Every port of the domain over one database. Each port has a file of its own.
package struct Store: Sendable {
    let database: any Database
    /// Chains the audit log.
    let hashing: any Hashing
    /// Binds rows (`RowSeal`).
    let rows: any RowAuthenticator
    let changedRows = ChangedRows()
    let gauge = PendingGauge()
    let auditWatch: AuditWatch
    let newEntries: NewEntries
    private let changes: ChangeHealth
    private let outage = StoreOutage()

    /// `database` must have been migrated with `Schema.migrations`.
    ///
    /// - Parameter traces: Records calls of the database. Nil records none.
    package init(
        database: any Database, hashing: any Hashing, rows: any RowAuthenticator, traces: StoreTraces? = nil
    ) {
        auditWatch = AuditWatch()
        newEntries = NewEntries()
        changes = ChangeHealth()
        self.database = WatchedDatabase(
            wrapped: database, watch: auditWatch, newEntries: newEntries, health: changes, outage: outage,
            traces: traces)
        self.hashing = hashing
        self.rows = rows
    }

    /// Calls `report` if audit entries that this process appended or saw are gone. Later entries take their numbers, so
    /// the chain alone does not show the loss.
    package func watchAuditLog(_ report: @escaping @Sendable (LostAuditEntries) -> Void) { auditWatch.watch(report) }

    /// Calls `report` when the database goes and when it is back, once each.
    package func watchOutages(_ report: @escaping @Sendable (StoreNews) -> Void) { outage.watch(report) }

    /// A table of another program, with what to do. Nil if this program may make its tables.
    package func foreignTable() async throws -> String? { try await database.read { try Schema.foreignTable($0) } }

    /// A trigger or view of somebody else in a migrated database, with what to do. Nil if there is none.
    package func foreignObject() async throws -> String? {
        try await database.read { try Schema.foreignObject($0) ?? Schema.foreignRight($0) }
    }

    /// True if the database answers and takes changes. After a failed change, for example on a full disk, this tries
    /// another.
    ///
    /// False if the clocks of this machine and of the database differ by more than 30 seconds: by its clock a node expires
    /// what others still serve.
    package func isReady(now: Timestamp) async -> Bool {
        do {
            if changes.areFailing { try await database.execute(Self.rewriteVersion()) }
            return try await database.read { connection in
                guard let clock = connection.dialect.clock else { return try connection.exists("SELECT 1") }
                return try connection.exists(
                    "SELECT 1 WHERE abs(\(raw: clock) - \(now)) <= \(Self.clockTolerance.milliseconds)")
            }
        } catch {
            return false
        }
    }

    /// Longest difference between the clocks of a node and of the database.
    static let clockTolerance = Duration.seconds(30)

    /// Runs a statement, and appends the event if that changed one row. False, with nothing changed, if it found none.
    nonisolated(nonsending) func execute(_ statement: Statement, recording event: AuditEvent) async throws -> Bool {
        let entry = UnchainedAuditEntry(event)
        return try await database.write { connection in
            guard try connection.execute(statement) == 1 else { return false }
            try append(entry, connection)
            return true
        }
    }

    /// Changes no value, but is written like any change.
    private static let rewriteVersion = StaticStatement("UPDATE configuration SET version = version")

    /// Thrown to roll a change back.
    struct TakenBack: Error {}

    /// Runs several statements as one change. Returns false, with nothing changed, if `body` returns false before any
    /// change or throws `TakenBack`, or if the user was deleted meanwhile. Returning false costs nothing. Throwing
    /// makes all changes of the same commit run again.
    nonisolated(nonsending) func allOrNothing(
        _ body: @escaping @Sendable (any Connection) throws -> Bool
    ) async throws -> Bool {
        try await allOrNothing { try body($0) ? true : nil } ?? false
    }

    /// The same for changes with a result. Nil stands for false.
    nonisolated(nonsending) func allOrNothing<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result?
    ) async throws -> Result? {
        do {
            return try await database.write(body)
        } catch is TakenBack {
            return nil
        } catch SQLError.constraint(.foreignKey, _) {
            return nil
        }
    }
}

extension Connection {
    /// Has changes of one person follow each other, for a rule about several rows. First in a change. A person's requests so
    /// become visible in the order of their sequences, after which phones resume.
    func lock(_ person: UserID, in tenant: TenantID) throws {
        try lock(.person(tenant: tenant.rawValue, id: person.rawValue))
    }
}

extension SQLError: TransientError {
    package var isTransient: Bool {
        switch self {
        // Operators make room, and of a pair of servers the other one takes changes soon.
        case .overloaded, .busy, .timedOut, .closed, .conflict, .unavailable, .unknownOutcome, .diskFull, .readOnly:
            true
        case .constraint, .corrupt, .mismatch, .other: false
        }
    }

    package var mayBeDone: Bool { self == .unknownOutcome }

    package var isOutage: Bool {
        switch self {
        case .unavailable, .diskFull, .readOnly: true
        case .overloaded, .busy, .timedOut, .closed, .conflict, .unknownOutcome, .constraint, .corrupt, .mismatch,
            .other:
            false
        }
    }
}
