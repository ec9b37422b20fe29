import SQL
import SQLiteDriver
import Testing

@Suite("Migrations")
struct MigrationTests {
    struct Refused: Error {}

    let folder: Folder
    let database: SQLiteDatabase

    init() throws {
        folder = try Folder()
        database = try SQLiteDatabase(folder.configuration)
    }

    func step(_ name: String) -> Migration {
        Migration(name) { try $0.script("CREATE TABLE \(name) (id INTEGER PRIMARY KEY) STRICT;") }
    }

    func tables() async throws -> [String] {
        try await database.read { connection in
            try connection.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") { try $0.text(0) }
        }
    }

    @Test("Each step is applied once, in order")
    func once() async throws {
        #expect(try await database.migrate([step("a")]) == ["a"])
        #expect(try await database.migrate([step("a"), step("b"), step("c")]) == ["b", "c"])
        #expect(try await database.migrate([step("a"), step("b"), step("c")]) == [])
        #expect(try await tables() == ["a", "b", "c", "schema_migrations"])
    }

    @Test("A failing step is rolled back, and the steps before it stay")
    func failure() async throws {
        let broken = Migration("b") { connection in
            try connection.script("CREATE TABLE b (id INTEGER) STRICT; CREATE TABLE a (id INTEGER) STRICT;")
        }
        await #expect(throws: SQLError.self) { try await database.migrate([step("a"), broken, step("c")]) }
        #expect(try await tables() == ["a", "schema_migrations"])
        #expect(try await database.migrate([step("a"), step("b")]) == ["b"])
    }

    @Test("A database with unknown steps is refused and not changed")
    func newer() async throws {
        try await database.migrate([step("a"), step("b")])
        await #expect(throws: MigrationError.newerDatabase(step: "b")) { try await database.migrate([step("a")]) }
        await #expect(throws: MigrationError.newerDatabase(step: "a")) { try await database.migrate([]) }
    }

    @Test("A reader applies no steps and requires all of them")
    func required() async throws {
        await #expect(throws: MigrationError.olderDatabase(lacks: "a")) {
            try await database.requireMigrated([step("a")])
        }
        #expect(try await tables() == [])
        try await database.migrate([step("a")])
        try await database.requireMigrated([step("a")])
        await #expect(throws: MigrationError.olderDatabase(lacks: "b")) {
            try await database.requireMigrated([step("a"), step("b")])
        }
        await #expect(throws: MigrationError.newerDatabase(step: "a")) { try await database.requireMigrated([]) }
    }

    @Test("A database with another history is refused")
    func differentHistory() async throws {
        try await database.migrate([step("a"), step("b")])
        await #expect(throws: MigrationError.differentHistory(found: "b", expected: "x")) {
            try await database.migrate([step("a"), step("x"), step("c")])
        }
        #expect(try await tables() == ["a", "b", "schema_migrations"])
    }

    @Test("Two processes that start at once apply each step once")
    func concurrently() async throws {
        let other = try SQLiteDatabase(folder.configuration)
        let steps = ["a", "b", "c", "d"].map(step)
        async let one = database.migrate(steps)
        async let two = other.migrate(steps)
        #expect(try await (one + two).sorted() == ["a", "b", "c", "d"])
        await other.close()
    }
}
