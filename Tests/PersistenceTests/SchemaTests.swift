import Persistence
import SQL
import TestSupport
import Testing

@Suite("Schema")
struct SchemaTests {
    @Test("A later migration is applied to a baseline database and keeps its rows")
    func laterMigration() async throws {
        let made = try await StoreKind.all[0].populated()
        let before = try await made.database.count("\"user\"")
        let later = Migration("002 shoe size", script: #"ALTER TABLE "user" ADD COLUMN shoe_size INTEGER;"#)
        await #expect(throws: MigrationError.olderDatabase(lacks: later.name)) {
            try await made.database.requireMigrated(Schema.migrations + [later])
        }
        #expect(try await made.database.migrate(Schema.migrations + [later]) == [later.name])
        #expect(try await made.database.count("\"user\" WHERE shoe_size IS NULL") == before)
        #expect(before > 0)
    }

    @Test("A database of a newer version is refused")
    func newer() async throws {
        let made = try await TemporaryStore()
        let later = Migration("002 later", script: "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;")
        try await made.database.migrate(Schema.migrations + [later])
        await #expect(throws: MigrationError.newerDatabase(step: later.name)) {
            try await made.database.migrate(Schema.migrations)
        }
    }

    @Test("A database from before the baseline is refused unchanged, and the error says what to do")
    func beforeBaseline() async throws {
        let database = try TemporaryStore.emptyDatabase()
        try await database.migrate([
            Migration("001 configuration", script: "CREATE TABLE tenant (id TEXT PRIMARY KEY) STRICT;")
        ])
        let error = await #expect(throws: MigrationError.self) { try await database.migrate(Schema.migrations) }
        #expect(error?.description.contains("before its first release") == true)
        #expect(error?.description.contains("another data folder") == true)
        #expect(try await database.read { try $0.columns(of: "delivery") }.isEmpty)
    }
}
