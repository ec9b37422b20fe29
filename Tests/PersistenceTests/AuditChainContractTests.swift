import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import OpenSSLCrypto
import Persistence
import PostgreSQLDriver
import Primitives
import SQL
import SQLiteDriver
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("The audit log is append-only, and each entry is chained to the one before")
struct AuditChainContractTests {
    private static let dev = TenantID("dev")

    private static func event(_ number: Int, tenant: TenantID = dev) -> AuditEvent {
        AuditEvent(
            .loggedIn, tenant: tenant, at: Samples.start + .seconds(number), user: UserID("auth0|ann"),
            client: ClientID("agent"), remoteAddress: "192.0.2.1", details: ["number": .number(JSONNumber(number))])
    }

    private func logged(_ count: Int, _ kind: StoreKind) async throws -> TemporaryStore {
        let made = try await kind.make()
        try await made.store.change { for number in 0..<count { try $0.record(Self.event(number)) } }
        return made
    }

    private func verify(
        _ made: TemporaryStore, expecting heads: AuditHeads = AuditHeads()
    ) async throws -> VerifyAuditLog.Report {
        try await VerifyAuditLog(store: made.store, hashing: Samples.hashing, verifier: OpenSSLVerifier()).verify(
            expecting: heads)
    }

    @Test("An empty log verifies and has no head", arguments: StoreKind.all)
    func empty(_ kind: StoreKind) async throws {
        let report = try await verify(try await kind.make())
        #expect(report.entries == 0)
        #expect(report.heads == AuditHeads())
        #expect(report.finding == nil)
    }

    @Test("Appended entries verify, over several batches, and the head is the last entry", arguments: StoreKind.all)
    func whole(_ kind: StoreKind) async throws {
        let made = try await logged(2500, kind)
        let report = try await verify(made)
        #expect(report.finding == nil)
        #expect(report.entries == 2500)
        #expect(report.heads.total == 2500)
        #expect(report.heads == (try await made.store.auditHeads()))
        #expect(try await verify(made, expecting: report.heads).finding == nil)
    }

    @Test("Concurrent appends, some of them rolled back, make one chain without a gap", arguments: StoreKind.all)
    func concurrent(_ kind: StoreKind) async throws {
        struct Refused: Error {}
        let made = try await kind.populated()
        let appended = try await winners(of: 200) { number in
            if number % 5 == 0 {
                try? await made.store.change { transaction in
                    try transaction.record(Self.event(number))
                    throw Refused()
                }
                return false
            }
            try await made.store.record(Self.event(number))
            return true
        }
        let report = try await verify(made)
        #expect(report.finding == nil)
        #expect(report.entries == Int64(appended))
    }

    @Test(
        "The database refuses to alter, remove or replace entries, and to insert any but at the end",
        arguments: [
            "UPDATE audit_log SET kind = 'f' WHERE id = 2",
            "DELETE FROM audit_log WHERE id = 3",
            "DELETE FROM audit_log",
            "INSERT OR REPLACE INTO audit_log SELECT * FROM audit_log WHERE id = 2",
            """
            INSERT INTO audit_log (id, lane, place, kind, tenant, at, details, hash)
            SELECT 9, 0, 4, kind, tenant, at, details, hash FROM audit_log WHERE id = 2
            """,
            """
            INSERT INTO audit_log (id, lane, place, kind, tenant, at, details, hash)
            SELECT 4, 0, 5, kind, tenant, at, details, hash FROM audit_log WHERE id = 2
            """,
            """
            INSERT INTO audit_log (id, lane, place, kind, tenant, at, details, hash)
            SELECT 4, 1, 2, kind, tenant, at, details, hash FROM audit_log WHERE id = 2
            """,
        ])
    func appendOnly(_ change: String) async throws {
        let made = try await logged(3, StoreKind.all[0])
        await #expect(throws: SQLError.self) {
            try await made.database.write { try $0.execute("\(raw: change)") }
        }
        let report = try await verify(made)
        #expect(report.finding == nil)
        #expect(report.entries == 3)
    }

    struct Tampering: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let script: String
        let finding: VerifyAuditLog.Finding

        static let all = [
            altered("kind", "'f'"), altered("tenant", "'other'"), altered("at", "at + 1"),
            altered("user", "'auth0|bob'"), altered("user", "NULL"), altered("client", "'other'"),
            altered("device", "'dev_two'"), altered("consent", "'cns_x'"), altered("remote_address", "'198.51.100.1'"),
            altered("user_agent", "''"), altered("correlation_id", "'x'"), altered("actor", "'system'"),
            altered("object_kind", "'client'"), altered("object", "'x'"), altered("details", "'{}'"),
            altered("hash", "zeroblob(32)"), altered("id", "40"),
            Tampering(
                testDescription: "an unreadable hash", script: "UPDATE audit_log SET hash = x'00' WHERE id = 4",
                finding: .unreadable(4)),
            Tampering(
                testDescription: "text moved from one column into the next",
                script: "UPDATE audit_log SET client = 'auth0|annagent', \"user\" = '' WHERE id = 4",
                finding: .altered(4)),
            Tampering(
                testDescription: "one removed", script: "DELETE FROM audit_log WHERE id = 4", finding: .missing(4...4)),
            Tampering(
                testDescription: "the first ones removed", script: "DELETE FROM audit_log WHERE id < 3",
                finding: .missing(1...2)),
            Tampering(
                testDescription: "one removed and the others moved up",
                script: """
                    DELETE FROM audit_log WHERE id = 4;
                    UPDATE audit_log SET id = id - 1, place = id - 1 WHERE id > 4;
                    """, finding: .altered(4)),
            Tampering(
                testDescription: "two in the other order",
                script: """
                    UPDATE audit_log SET id = 100, place = 100 WHERE id = 4;
                    UPDATE audit_log SET id = 4, place = 4 WHERE id = 5;
                    UPDATE audit_log SET id = 5, place = 5 WHERE id = 100;
                    """, finding: .altered(4)),
            Tampering(
                testDescription: "one inserted and the others moved down",
                script: """
                    UPDATE audit_log SET id = -id - 1, place = -id - 1 WHERE id > 3;
                    UPDATE audit_log SET id = -id, place = -id WHERE id < 0;
                    INSERT INTO audit_log (id, lane, place, kind, tenant, at, details, hash)
                    SELECT 4, 0, 4, kind, tenant, at, details, hash FROM audit_log WHERE id = 3;
                    """, finding: .altered(4)),
            Tampering(
                testDescription: "one put in front",
                script: """
                    INSERT INTO audit_log (id, lane, place, kind, tenant, at, details, hash)
                    SELECT 0, 0, 0, kind, tenant, at, details, hash FROM audit_log WHERE id = 3;
                    """, finding: .inserted(0)),
            Tampering(
                testDescription: "one added at the end with a hash of its own",
                script: """
                    INSERT INTO audit_log (id, lane, place, kind, tenant, at, details, hash)
                    SELECT 7, 0, 7, kind, tenant, at, details, hash FROM audit_log WHERE id = 6;
                    """, finding: .altered(7)),
        ]

        private static func altered(_ column: String, _ value: String) -> Tampering {
            Tampering(
                testDescription: "\(column) altered to \(value)",
                script: "UPDATE audit_log SET \"\(column)\" = \(value) WHERE id = 4", finding: .altered(4))
        }
    }

    @Test("Tampering with an entry is found, and every earlier entry still verifies", arguments: Tampering.all)
    func tampering(_ tampering: Tampering) async throws {
        let made = try await logged(6, StoreKind.all[0])
        try await made.tamper(tampering.script)
        let report = try await verify(made)
        #expect(report.finding == tampering.finding)
        #expect(report.heads.total == report.entries)
    }

    private func verifyEnd(_ made: TemporaryStore, _ count: Int) async throws -> VerifyAuditLog.Report {
        try await VerifyAuditLog(store: made.store, hashing: Samples.hashing, verifier: OpenSSLVerifier())
            .verifyEnd(count)
    }

    @Test("The end of the log verifies by itself, and only tampering in it is found")
    func end() async throws {
        let made = try await logged(6, StoreKind.all[0])
        for (count, entries) in [(1, 1), (3, 3), (6, 6), (100, 6)] {
            let report = try await verifyEnd(made, count)
            #expect(report.finding == nil && report.entries == Int64(entries) && report.heads.total == 6)
        }
        try await made.tamper("UPDATE audit_log SET client = 'other' WHERE id = 4")
        #expect(try await verifyEnd(made, 2).finding == nil)
        #expect(try await verifyEnd(made, 3).finding == .altered(4))
        #expect(try await verifyEnd(made, 100).finding == .altered(4))
        try await made.tamper("DELETE FROM audit_log WHERE id = 3")
        #expect(try await verifyEnd(made, 3).finding == .missing(3...3))
        try await made.database.write { try $0.script("DROP TRIGGER audit_log_keeps_entries") }
        #expect(try await verifyEnd(made, 2).finding == .unguarded(["audit_log_keeps_entries"]))
    }

    @Test("A truncated log is found if its head was noted")
    func cutOff() async throws {
        let made = try await logged(6, StoreKind.all[0])
        let noted = try await verify(made).heads
        try await made.tamper("DELETE FROM audit_log WHERE id > 4")
        #expect(try await verify(made).finding == nil, "a shorter chain is whole in itself")
        #expect(try await verify(made, expecting: noted).finding == .ended(after: 4))
    }

    @Test("A rewritten chain does not match the noted head")
    func writtenAnew() async throws {
        let made = try await logged(6, StoreKind.all[0])
        let noted = try await verify(made).heads
        try await made.tamper("DELETE FROM audit_log")
        for number in 0..<8 { try await made.store.record(Self.event(number == 2 ? 100 : number)) }
        #expect(try await verify(made).finding == nil)
        #expect(try await verify(made, expecting: noted).finding == .anotherChain(at: 6))
    }

    @Test(
        "Missing or changed triggers of the log are a finding",
        arguments: [
            "audit_log_keeps_entries": "DROP TRIGGER audit_log_keeps_entries",
            "audit_log_grows_at_its_end": """
            DROP TRIGGER audit_log_grows_at_its_end;
            CREATE TRIGGER audit_log_grows_at_its_end BEFORE INSERT ON audit_log BEGIN SELECT 1; END;
            """,
        ])
    func unguarded(_ name: String, _ script: String) async throws {
        let made = try await logged(3, StoreKind.all[0])
        try await made.database.write { try $0.script(script) }
        let report = try await verify(made)
        #expect(report.finding == .unguarded([name]))
        #expect(report.entries == 3, "what is there fits all the same")
    }

    @Test(
        "A missing or different log table is a finding",
        arguments: [
            "DROP TABLE audit_log", "ALTER TABLE audit_log RENAME TO old",
            "DROP TABLE audit_log; CREATE TABLE audit_log (id INTEGER PRIMARY KEY, kind TEXT)",
            "ALTER TABLE audit_log DROP COLUMN details",
            "ALTER TABLE audit_log RENAME COLUMN lane TO track",
        ])
    func gone(_ script: String) async throws {
        let made = try await logged(3, StoreKind.all[0])
        try await made.database.write { try $0.script(script) }
        let report = try await verify(made)
        #expect(report.finding == .gone)
        #expect(report.entries == 0 && report.heads == AuditHeads())
    }

    @Test("An empty log with tenants is a finding: each tenant left entries")
    func emptied() async throws {
        let made = try await StoreKind.all[0].populated()
        try await made.store.record(Self.event(1))
        #expect(try await verify(made).finding == nil)
        try await made.tamper("DELETE FROM audit_log")
        #expect(try await verify(made).finding == .emptied(tenants: 2))
    }

    @Test("Two processes that append to one file keep one chain")
    func twoWriters() async throws {
        let shared = try SharedFile()
        let databases = [try shared.open(), try shared.open()]
        try await databases[0].migrate(Schema.migrations)
        let stores = databases.map { Store(database: $0, hashing: Samples.hashing, rows: Samples.sealer) }
        let appended = try await winners(of: 300) { number in
            try await stores[number % 2].record(Self.event(number))
            return true
        }
        let report = try await VerifyAuditLog(store: stores[0], hashing: Samples.hashing, verifier: OpenSSLVerifier())
            .verify()
        #expect(report.finding == nil)
        #expect(report.entries == Int64(appended))
        for database in databases { await database.close() }
    }
}

/// A database file that several processes may open.
private final class SharedFile {
    private struct NoFolder: Error {}

    private let folder: String

    init() throws {
        var template = Array("/tmp/countersign-audit-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw NoFolder() }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func open() throws -> SQLiteDatabase { try SQLiteDatabase(SQLiteConfiguration(path: "\(folder)/main.db")) }

    deinit {
        for name in ["main.db", "main.db-wal", "main.db-shm"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }
}

/// A place in lane 0.
extension AuditPlace: ExpressibleByIntegerLiteral {
    package init(integerLiteral number: Int64) { self.init(lane: 0, number) }
}

extension TemporaryStore {
    /// Tampers as a database account with write access can: drops the triggers, runs `script`, restores them.
    func tamper(_ script: String) async throws {
        try await database.write { connection in
            let triggers = try connection.query(connection.dialect.actingObjects) {
                (name: try $0.text(1), definition: try $0.text(2))
            }
            let isServer = connection.dialect is PostgreSQLDialect
            for trigger in triggers {
                let table = trigger.definition.prefix { $0 != " " }
                try connection.script(
                    isServer
                        ? "ALTER TABLE \(table) DISABLE TRIGGER \(trigger.name)" : "DROP TRIGGER \(trigger.name)")
            }
            try connection.script(script)
            for trigger in triggers {
                let table = trigger.definition.prefix { $0 != " " }
                try connection.script(
                    isServer ? "ALTER TABLE \(table) ENABLE TRIGGER \(trigger.name)" : trigger.definition)
            }
        }
    }
}
