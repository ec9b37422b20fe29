import Audit
import AuthorizationCore
package import Persistence
import PostgreSQLCluster
import PostgreSQLDriver
package import Primitives
package import SQL
import SQLiteDriver
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A migrated SQLite store in its own folder, which is removed with the last reference.
package struct TemporaryStore: Sendable {
    package let store: Store
    package var database: any Database { temporary }
    private let temporary: TemporaryDatabase

    /// A database in such a folder, without tables.
    package static func emptyDatabase(_ driver: Driver = .chosen) throws -> any Database {
        try TemporaryDatabase(driver, isMigrated: false, writers: 4)
    }

    package enum Driver: String, Sendable, CaseIterable {
        case sqlite
        /// SQLite, with the habits of a database server (``ServerLikeDatabase``).
        case serverLike
        /// A server of this process (``PostgreSQLCluster``).
        case postgreSQL

        /// Those that this machine can run.
        package static let available = allCases.filter { $0 != .postgreSQL || PostgreSQLCluster.isInstalled }

        /// Chosen by the variable `COUNTERSIGN_TEST_STORE`, so that whole suites run over another driver.
        package static let chosen =
            getenv("COUNTERSIGN_TEST_STORE").flatMap { Driver(rawValue: String(cString: $0)) } ?? .sqlite
    }

    /// - Parameter writers: Connections to a server that change it.
    package init(_ driver: Driver = .chosen, traces: StoreTraces? = nil, writers: Int = 4) async throws {
        if driver == .postgreSQL { try await MigratedTemplate.shared.make() }
        temporary = try TemporaryDatabase(driver, isMigrated: true, writers: writers)
        try await temporary.migrate(Schema.migrations)
        judge = driver == .postgreSQL ? try await MigratedTemplate.shared.judge() : driver == .sqlite ? .sqlite : nil
        store = Self.store(temporary, over: temporary.opened, judge, traces)
    }

    /// Judges the plans of the store's statements. Nil for a driver that changes them.
    private let judge: PlanJudge?

    /// - Parameter opened: The driver's database, which counts no accesses.
    private static func store(
        _ database: any Database, over opened: any Database, _ judge: PlanJudge?, _ traces: StoreTraces? = nil
    ) -> Store {
        Store(
            database: judge.map { JudgedDatabase(wrapped: database, judge: $0, planned: opened) } ?? database,
            hashing: Samples.hashing, rows: Samples.sealer, traces: traces)
    }

    /// Calls `body` with a store that has its own connections to the database, like another server's.
    package func withSecondStore<Result: Sendable>(_ body: (Store) async throws -> Result) async throws -> Result {
        let second = try temporary.another()
        do {
            let result = try await body(Self.store(second, over: second, judge))
            await second.close()
            return result
        } catch {
            await second.close()
            throw error
        }
    }

    /// Numbers of reads and changes of the database.
    package var accesses: (reads: Int, changes: Int) { temporary.accesses.withLock { $0 } }

    /// Round trips to a server. Nil for a file.
    package var exchanges: Int? { (temporary.opened as? PostgreSQLDatabase)?.exchanges }

    /// Makes every change fail with `error`. Nil ends that.
    package func failChanges(with error: SQLError?) { temporary.failure.withLock { $0 = error } }
}

/// Database with the schema, of which each store gets a copy: making the tables takes longer.
private actor MigratedTemplate {
    static let shared = MigratedTemplate()
    private(set) nonisolated(unsafe) static var made: PostgreSQLCluster.Database?
    private var making: Task<Void, any Error>?

    func make() async throws {
        let task =
            making
            ?? Task {
                let made = try PostgreSQLCluster.started.makeDatabase()
                let database = try PostgreSQLDatabase(made.configuration)
                try await database.migrate(Schema.migrations)
                // Nobody may be connected to a database that is copied.
                await database.close()
                Self.made = made
            }
        making = task
        try await task.value
    }

    private var judging: PlanJudge?

    func judge() throws -> PlanJudge? {
        if judging == nil { judging = try Self.made.map { try PlanJudge.postgreSQL($0.name) } }
        return judging
    }
}

private final class TemporaryDatabase: Database {
    private struct NoFolder: Error {}

    let failure = Mutex<SQLError?>(nil)
    let accesses = Mutex((reads: 0, changes: 0))
    private let wrapped: any Database
    let opened: any ServedDatabase
    private let place: Place
    var dialect: any Dialect { wrapped.dialect }

    private enum Place {
        case folder(String)
        case server(PostgreSQLCluster.Database)

        func open() throws -> any ServedDatabase {
            switch self {
            case .folder(let folder): try SQLiteDatabase(SQLiteConfiguration(path: "\(folder)/main.db"))
            case .server(let database): try PostgreSQLDatabase(database.configuration)
            }
        }
    }

    init(_ driver: TemporaryStore.Driver, isMigrated: Bool, writers: Int) throws {
        switch driver {
        case .sqlite, .serverLike:
            var template = Array("/tmp/countersign-store-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { throw NoFolder() }
            place = .folder(String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        case .postgreSQL:
            let template = isMigrated ? MigratedTemplate.made?.name : nil
            place = .server(
                try PostgreSQLCluster.started.makeDatabase(copying: template ?? "template0", writers: writers))
        }
        opened = try place.open()
        wrapped = driver == .serverLike ? ServerLikeDatabase(opened) : opened
    }

    deinit {
        guard case .folder(let folder) = place else { return }
        for name in ["main.db", "main.db-wal", "main.db-shm"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    func another() throws -> any ServedDatabase { try place.open() }

    nonisolated(nonsending) func read<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        accesses.withLock { $0.reads += 1 }
        return try await wrapped.read(body)
    }

    nonisolated(nonsending) func reduce<Result: Sendable>(
        _ statement: Statement, into initial: Result,
        _ visit: @escaping @Sendable (inout Result, borrowing Row) throws -> Bool
    ) async throws -> Result {
        accesses.withLock { $0.reads += 1 }
        return try await wrapped.reduce(statement, into: initial, visit)
    }

    nonisolated(nonsending)
        func scan<Result: Sendable>(
            within limit: Duration, _ body: @escaping @Sendable (any Connection) throws -> Result
        ) async throws -> Result
    {
        try await wrapped.scan(within: limit, body)
    }

    @discardableResult
    nonisolated(nonsending)
        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any Connection) throws -> Result
        ) async throws -> Result
    {
        if let error = failure.withLock({ $0 }) { throw error }
        accesses.withLock { $0.changes += 1 }
        return try await wrapped.write(body)
    }
}

/// One line of the audit log as it is stored.
package struct AuditRow: Sendable, Equatable {
    /// Kind and id.
    package let object: String?
    package let actor: String?
    package let userAgent: String?
    package let correlationID: String?
    package let kind: String
    package let tenant: String
    package let user: String?
    package let client: String?
    package let device: String?
    package let consent: String?
    package let remoteAddress: String?
    package let details: String
    package let at: Timestamp
}

extension Database {
    /// Entries of the audit log, oldest first. `kinds` selects kinds.
    package func auditLog(_ kinds: String...) async throws -> [AuditRow] {
        let rows = try await read { connection in
            try connection.query(
                """
                SELECT kind, tenant, "user", client, device, consent, remote_address, details, at, object_kind, object,
                    actor, user_agent, correlation_id FROM audit_log
                ORDER BY id
                """
            ) { row in
                let object = try row.optionalText(10)
                return AuditRow(
                    object: try row.optionalText(9).map { "\($0) \(object ?? "")" }, actor: try row.optionalText(11),
                    userAgent: try row.optionalText(12), correlationID: try row.optionalText(13), kind: try row.text(0),
                    tenant: try row.text(1), user: try row.optionalText(2),
                    client: try row.optionalText(3), device: try row.optionalText(4), consent: try row.optionalText(5),
                    remoteAddress: try row.optionalText(6), details: try row.text(7), at: try row.timestamp(8))
            }
        }
        return kinds.isEmpty ? rows : rows.filter { kinds.contains($0.kind) }
    }

    /// Number of rows of a table.
    package func count(_ table: StaticString) async throws -> Int {
        // Unquoted, the name is a word of SQL.
        let name = table.description == "user" ? #""user""# : table.description
        return try await read { try $0.first("SELECT count(*) FROM \(raw: name)") { try $0.int(0) } ?? 0 }
    }
}

/// Runs a script on a server's database through another connection.
package func alterDatabase(_ path: String, _ script: String) async throws {
    let database = try SQLiteDatabase(SQLiteConfiguration(path: path))
    do {
        try await database.write { try $0.script(script) }
    } catch {
        await database.close()
        throw error
    }
    await database.close()
}

/// Creates a database whose audit log begins with `count` entries of one tenant, a second apart from `first` on.
/// - Parameter isLaned: True writes them in several lanes, in turns.
package func makeDatabase(
    _ path: String, tenant: String, logging count: Int, from first: Timestamp, isLaned: Bool = false
) async throws {
    let database = try SQLiteDatabase(SQLiteConfiguration(path: path))
    do {
        try await database.migrate(Schema.migrations)
        let events = (0..<count).map { number in
            AuditEvent(
                .loggedIn, tenant: TenantID(tenant), at: first + .seconds(number), user: UserID("auth0|ann"),
                remoteAddress: "192.0.2.1", details: ["number": .number(JSONNumber(number)), "text": "é\n\"x\""])
        }
        let store = Store(
            database: isLaned ? ServerLikeDatabase(database) : database, hashing: Samples.hashing, rows: Samples.sealer)
        if isLaned {
            for event in events { try await store.record([event]) }
        } else {
            try await store.record(events)
        }
    } catch {
        await database.close()
        throw error
    }
    await database.close()
}
