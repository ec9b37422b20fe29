import SQL
import Testing

@Suite("Migrations")
struct MigrationTests {
    struct Refused: Error {}

    func step(_ name: String) -> Migration {
        Migration(name) { try $0.define("CREATE TABLE \(name) (id INTEGER PRIMARY KEY) STRICT;") }
    }

    func tables(_ database: any Database) async throws -> [String] {
        try await database.query(database.dialect.tables) { try $0.text(0) }.sorted()
    }

    @Test("Each step is applied once, in order", arguments: Engine.all)
    func once(_ engine: Engine) async throws {
        let database = try await Made(engine, migrations: []).database
        #expect(try await database.migrate([step("a")]) == ["a"])
        #expect(try await database.migrate([step("a"), step("b"), step("c")]) == ["b", "c"])
        #expect(try await database.migrate([step("a"), step("b"), step("c")]) == [])
        #expect(try await tables(database) == ["a", "b", "c", "schema_migrations"])
    }

    @Test("A failing step is rolled back, and the steps before it stay", arguments: Engine.all)
    func failure(_ engine: Engine) async throws {
        let database = try await Made(engine, migrations: []).database
        let broken = Migration("b") { connection in
            try connection.define("CREATE TABLE b (id INTEGER) STRICT; CREATE TABLE a (id INTEGER) STRICT;")
        }
        await #expect(throws: SQLError.self) { try await database.migrate([step("a"), broken, step("c")]) }
        #expect(try await tables(database) == ["a", "schema_migrations"])
        #expect(try await database.migrate([step("a"), step("b")]) == ["b"])
    }

    @Test("A database with unknown steps is refused and not changed", arguments: Engine.all)
    func newer(_ engine: Engine) async throws {
        let database = try await Made(engine, migrations: []).database
        try await database.migrate([step("a"), step("b")])
        await #expect(throws: MigrationError.newerDatabase(step: "b")) { try await database.migrate([step("a")]) }
        await #expect(throws: MigrationError.newerDatabase(step: "b")) { try await database.migrate([]) }
    }

    @Test("A reader applies no steps and requires all of them", arguments: Engine.all)
    func required(_ engine: Engine) async throws {
        let database = try await Made(engine, migrations: []).database
        await #expect(throws: MigrationError.olderDatabase(lacks: "a")) {
            try await database.requireMigrated([step("a")])
        }
        #expect(try await tables(database) == [])
        try await database.migrate([step("a")])
        try await database.requireMigrated([step("a")])
        await #expect(throws: MigrationError.olderDatabase(lacks: "b")) {
            try await database.requireMigrated([step("a"), step("b")])
        }
        await #expect(throws: MigrationError.newerDatabase(step: "a")) { try await database.requireMigrated([]) }
    }

    @Test("A database with another history is refused", arguments: Engine.all)
    func differentHistory(_ engine: Engine) async throws {
        let database = try await Made(engine, migrations: []).database
        try await database.migrate([step("a"), step("b")])
        await #expect(throws: MigrationError.differentHistory(found: "b", expected: "x")) {
            try await database.migrate([step("a"), step("x"), step("c")])
        }
        #expect(try await tables(database) == ["a", "b", "schema_migrations"])
    }

    @Test("Two processes that start at once apply each step once", arguments: Engine.all)
    func concurrently(_ engine: Engine) async throws {
        let made = try await Made(engine, migrations: [])
        let database = made.database
        let other = try made.another()
        let steps = ["a", "b", "c", "d"].map(step)
        async let one = database.migrate(steps)
        async let two = other.migrate(steps)
        #expect(try await (one + two).sorted() == ["a", "b", "c", "d"])
        await other.close()
    }
}
