import Administration
import Audit
import AuthorizationCore
import Flows
import OpenSSLCrypto
@testable import Persistence
import PostgreSQLCluster
import Primitives
import SQL
import Synchronization
import TestSupport
import Testing

@Suite("A copy of a store on another engine")
struct StoreCopyTests {
    /// Engines that a copy leads through, after SQLite.
    struct Way: Sendable, CustomTestStringConvertible {
        let drivers: [TemporaryStore.Driver]
        var testDescription: String { drivers.map(\.rawValue).joined(separator: ", ") }

        static let all = [[.sqlite], [.postgreSQL], [.postgreSQL, .sqlite], [.postgreSQL, .postgreSQL]]
            .map(Way.init(drivers:))
            .filter { !$0.drivers.contains(.postgreSQL) || PostgreSQLCluster.isInstalled }
    }

    private func copy(_ source: any Database, to driver: TemporaryStore.Driver) async throws -> any Database {
        let target = try TemporaryStore.emptyDatabase(driver)
        let copy = StoreCopy(from: source, to: target, hashing: Samples.hashing)
        _ = try await copy.run { _ in }
        try await copy.finish()
        return target
    }

    private func digests(_ database: any Database) async throws -> [TableDigest] {
        var digests: [TableDigest] = []
        for table in try await database.read({ try StoredTable.all($0) }).sorted(by: { $0.name < $1.name }) {
            digests.append(try await database.digest(of: table, Samples.hashing))
        }
        return digests
    }

    @Test(
        "Every table of the schema has its rows, the guards of the log stand, and programs take it", arguments: Way.all)
    func everyTable(way: Way) async throws {
        let made = try await EveryTable.store()
        let before = try await digests(made.database)
        #expect(before.allSatisfy { $0.rows > 0 }, "a table without a row proves nothing")
        var last = made.database
        for driver in way.drivers { last = try await copy(last, to: driver) }
        #expect(try await digests(last) == before)
        try await last.requireMigrated(Schema.migrations)
        #expect(try await last.read { try Schema.missingAuditGuards($0) } == [])
        #expect(try await last.read { try Schema.foreignObject($0) } == nil)
    }

    @Test("The hash of a table shows a changed, a lost and an added row, and not their order")
    func digest() {
        func digest(_ rows: [[SQLValue]], of table: String = "t") -> TableDigest {
            rows.reduce(into: TableDigest(table)) { $0.add($1, Samples.hashing) }
        }
        let rows: [[SQLValue]] = [[.integer(1), .text("a")], [.integer(2), .null], [.real(0), .blob([])]]
        let whole = digest(rows)
        #expect(whole.hash.count == 64 && digest(rows.reversed()) == whole)
        #expect(digest([rows[0], rows[1], [.real(-0.0), .blob([])]]) == whole)
        for other in [
            [rows[0], rows[1]], rows + [rows[0]], [rows[0], rows[1], [.real(0), .text("")]],
            [rows[0], [.integer(2), .text("")], rows[2]],
        ] { #expect(digest(other).hash != whole.hash) }
        #expect(digest(rows, of: "u").hash != whole.hash)
    }

    @Test("Numbers are not used again, also those of rows that were deleted before the copy", arguments: Way.all)
    func numbers(way: Way) async throws {
        let made = try await StoreKind.all[0].populated()
        for id in ["first", "second"] { try await made.started(id) }
        try await made.database.execute("DELETE FROM backchannel_request WHERE sequence = 2")
        var last = made.database
        for driver in way.drivers { last = try await copy(last, to: driver) }
        let store = Store(database: last, hashing: Samples.hashing, rows: Samples.sealer)
        try await made.started("third", in: store)
        #expect(
            try await last.query("SELECT sequence FROM backchannel_request ORDER BY sequence") { try $0.int(0) } == [
                1, 3,
            ])
        // The log goes on behind its last entry, in whichever lane.
        let report = try await verification(of: store).verify()
        #expect(report.finding == nil && report.entries > 2)
    }

    @Test("A chain of before, lanes, tree heads and archives verify in the copy and go on", arguments: Way.all)
    func auditLog(way: Way) async throws {
        let log = try await LanedLog(entries: 9)
        try await log.made.withSecondStore { embedded in
            try await embedded.record([AuditEvent(.approved, tenant: TenantID("dev"), at: Samples.start)])
        }
        try await log.sign()
        let noted = try await log.verify()
        var last = log.made.database
        for driver in way.drivers { last = try await copy(last, to: driver) }
        let store = Store(database: last, hashing: Samples.hashing, rows: Samples.sealer)
        try await store.record([AuditEvent(.approved, tenant: TenantID("dev"), at: Samples.start)])
        let report = try await verification(of: store).verify(expecting: noted.heads, treeHead: noted.treeHead?.id)
        #expect(report.finding == nil && report.entries == noted.entries + 1)
    }

    private func verification(of store: Store) -> VerifyAuditLog {
        VerifyAuditLog(store: store, hashing: Samples.hashing, verifier: OpenSSLVerifier())
    }

    @Test("Until a copy is finished, every program refuses its target", arguments: TemporaryStore.Driver.available)
    func unfinished(driver: TemporaryStore.Driver) async throws {
        let made = try await StoreKind.all[0].populated()
        let target = try TemporaryStore.emptyDatabase(driver)
        let copy = StoreCopy(from: made.database, to: target, hashing: Samples.hashing)
        _ = try await copy.run { _ in }
        await #expect(throws: MigrationError.unfinishedCopy) { try await target.requireMigrated(Schema.migrations) }
        await #expect(throws: MigrationError.unfinishedCopy) { try await target.migrate(Schema.migrations) }
        #expect(MigrationError.unfinishedCopy.description.contains("copy again"))
        // A copy into it would mix two.
        await #expect(throws: (any Error).self) { _ = try await copy.run { _ in } }
        try await copy.finish()
        try await target.requireMigrated(Schema.migrations)
    }

    @Test("A change of the source during the copy is noticed")
    func changed() async throws {
        let made = try await StoreKind.all[0].populated()
        let target = try TemporaryStore.emptyDatabase(.sqlite)
        let copy = StoreCopy(from: Changing(wrapped: made.database), to: target, hashing: Samples.hashing)
        let failure = await #expect(throws: StoreCopy.Failure.self) { _ = try await copy.run { _ in } }
        #expect(failure?.description.contains("differs from the source in user:") == true)
        await #expect(throws: MigrationError.unfinishedCopy) { try await target.requireMigrated(Schema.migrations) }
    }

    @Test(
        "A row that the target cannot take is named by its table",
        .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL server is installed"))
    func refused() async throws {
        let made = try await StoreKind.all[0].populated()
        try await made.database.execute(#"UPDATE "user" SET name = 'a' || char(0)"#)
        let failure = await #expect(throws: StoreCopy.Failure.self) {
            _ = try await copy(made.database, to: .postgreSQL)
        }
        #expect(failure?.description.contains("table user cannot be copied: ") == true)
        #expect(failure?.description.contains("NUL") == true)
    }
}

/// A database that somebody changes once all rows were read.
private struct Changing: Database {
    let wrapped: any Database
    var dialect: any SQL.Dialect { wrapped.dialect }

    nonisolated(nonsending) func read<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result { try await wrapped.read(body) }

    /// The numbers that the engine counts are read behind the rows.
    nonisolated(nonsending) func reduce<Result: Sendable>(
        _ statement: Statement, into initial: Result,
        _ visit: @escaping @Sendable (inout Result, borrowing Row) throws -> Bool
    ) async throws -> Result {
        try await wrapped.execute(#"UPDATE "user" SET name = 'changed'"#)
        return try await wrapped.reduce(statement, into: initial, visit)
    }

    nonisolated(nonsending) func scan<Result: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result { try await wrapped.scan(within: limit, body) }

    nonisolated(nonsending) func write<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result { try await wrapped.write(body) }
}
