import Primitives
import SQL
import SQLiteDriver
import Testing

@Suite("Connections to a database")
struct ConnectionTests {
    @Test("A value that looks like SQL is stored unchanged", arguments: Engine.all)
    func injection(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        let name = "x'); DROP TABLE items; --"
        try await database.write { try $0.execute("INSERT INTO items (id, name) VALUES (\(1), \(name))") }
        let found = try await database.read { connection in
            try connection.first("SELECT name FROM items WHERE name = \(name)") { try $0.text(0) }
        }
        #expect(found == name)
    }

    @Test("Every storage class survives, also empty", arguments: Engine.all)
    func roundTrip(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        let statement: Statement = """
            SELECT \(-(Int64(1) << 53)), \(0.25), \("a\u{1}b"), \(""), \([UInt8]([0, 255])), \([UInt8]()), \(SQLValue.null)
            """
        let row = try await database.read { connection in
            try connection.first(statement) { row in
                let texts = [try row.text(2), try row.text(3), try row.optionalText(6)]
                let blobs = [try row.blob(4), try row.blob(5), try row.optionalBlob(6)]
                return (try row.int64(0), try row.double(1), texts, blobs)
            }
        }
        #expect(row?.0 == -(1 << 53))
        #expect(row?.1 == 0.25)
        #expect(row?.2 == ["a\u{1}b", "", nil])
        #expect(row?.3 == [[0, 255], [], nil])
    }

    @Test("A text with a NUL, which PostgreSQL cannot store, is refused", arguments: Engine.all)
    func nul(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        await #expect(throws: SQLError.mismatch("a text has a NUL")) {
            try await database.write { try $0.execute(insertItem(1, "a\u{0}b")) }
        }
        await #expect(throws: SQLError.mismatch("a text has a NUL")) {
            try await database.query("SELECT id FROM items WHERE name = \("a\u{0}b")") { try $0.int(0) }
        }
        try await database.write { try $0.execute(insertItem(1, "ab")) }
        #expect(try await database.ids() == [1])
    }

    @Test("A column of another type, a null or a missing column is a mismatch", arguments: Engine.all)
    func mismatch(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        await #expect(throws: SQLError.mismatch("column 0 is not an integer")) {
            try await database.read { try $0.first("SELECT 'text', NULL, 2") { try $0.int64(0) } }
        }
        for column in [1, 3, -1] {
            await #expect(throws: SQLError.self) {
                try await database.read { try $0.first("SELECT 'text', NULL, 2") { try $0.text(column) } }
            }
        }
        await #expect(throws: SQLError.mismatch("column 2 is neither 0 nor 1")) {
            try await database.read { try $0.first("SELECT 'text', NULL, 2") { try $0.bool(2) } }
        }
    }

    @Test("Parameters are bound by number, in any order and repeatedly", arguments: Engine.all)
    func parameterOrder(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        let statement = StaticStatement("SELECT $2, $1, $2")
        let row = try await database.read { connection in
            try connection.first(statement("a", "b")) { try $0.text(0) + $0.text(1) + $0.text(2) }
        }
        #expect(row == "bab")
    }

    @Test(
        "A wrong number of values, unnumbered parameters and two statements in one text are refused",
        arguments: Engine.all)
    func malformed(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        let two = StaticStatement("SELECT $1, $2")
        let wrong: [Statement] = [two(1), "SELECT ?", "SELECT 1; SELECT 2", ""]
        for statement in wrong {
            await #expect(throws: SQLError.self) { try await database.read { try $0.execute(statement) } }
        }
    }

    @Test("A statement may run inside its own row callback", arguments: Engine.all)
    func reentrant(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        let statement = StaticStatement("SELECT $1 UNION ALL SELECT $1 + 1")
        let sums = try await database.read { connection in
            try connection.query(statement(1)) { outer in
                try connection.query(statement(10)) { try $0.int(0) }.reduce(try outer.int(0), +)
            }
        }
        #expect(sums == [22, 23])
    }

    @Test("RETURNING changes all rows even if only the first is read", arguments: Engine.all)
    func returning(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        let (first, left) = try await database.write { connection in
            for id in 1...3 { try connection.execute(insertItem(id, "item \(id)")) }
            let first = try connection.first("UPDATE items SET size = 5 RETURNING id") { try $0.int(0) }
            return (first, try connection.query("SELECT id FROM items WHERE size IS NULL") { try $0.int(0) })
        }
        #expect(first != nil)
        #expect(left == [])
    }

    @Test(
        "An insert returns its row's key, nil if its conditions insert none, and takes no other statement",
        arguments: Engine.all)
    func insertion(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        let keys = try await database.write { connection in
            try ["a", "b"].map { try connection.insert("INSERT INTO items (name) VALUES (\($0))", key: "id") }
        }
        let found = try await database.read { connection in
            try connection.query("SELECT id FROM items ORDER BY name") { try $0.int64(0) }
        }
        #expect(keys == found)
        let none = try await database.write {
            try $0.insert("INSERT INTO items (name) SELECT 'c' WHERE 1 = 0", key: "id")
        }
        #expect(none == nil)
        await #expect(throws: SQLError.self) {
            try await database.write { try $0.insert("UPDATE items SET size = 2", key: "id") }
        }
    }

    @Test("State that a change leaves for later ones ends with its transaction or its rollback", arguments: Engine.all)
    func remembered(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        final class Number {
            let value: Int
            init(_ value: Int) { self.value = value }
        }
        @Sendable func number(_ connection: any Connection) -> Int? { (connection.remembered as? Number)?.value }
        let seen = try await database.write { connection in
            var seen = [number(connection)]
            connection.remembered = Number(1)
            seen.append(number(connection))
            _ = try? connection.savepoint { throw SQLError.closed }
            seen.append(number(connection))
            connection.remembered = Number(2)
            return seen
        }
        #expect(seen == [nil, 1, nil])
        #expect(try await database.write { number($0) } == nil)
    }

    @Test("Execute returns the number of changed rows", arguments: Engine.all)
    func changes(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        let counts = try await database.write { connection in
            let inserted = try connection.execute(insertItem(1, "a"))
            let updated = try connection.execute("UPDATE items SET size = 1 WHERE id > 0")
            let deleted = try connection.execute("DELETE FROM items WHERE id = 9")
            return [inserted, updated, deleted, try connection.execute("SELECT 1")]
        }
        #expect(counts == [1, 1, 0, 0])
    }

    @Test("A savepoint that throws rolls back its own changes only", arguments: Engine.all)
    func savepoint(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        struct Refused: Error {}
        try await database.write { connection in
            try connection.execute(insertItem(1, "a"))
            do {
                try connection.savepoint {
                    try connection.execute(insertItem(2, "b"))
                    throw Refused()
                }
            } catch is Refused {
                try connection.execute(insertItem(4, "d"))
            }
            try connection.savepoint { _ = try connection.execute(insertItem(3, "c")) }
        }
        #expect(try await database.ids() == [1, 3, 4])
    }

    @Test("A violated constraint is reported by kind and name, without values", arguments: Engine.all)
    func constraints(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        try await database.write { try $0.execute(insertItem(1, "taken")) }
        let isServer = engine == .postgreSQL
        let cases: [(Statement, SQLError)] = [
            (
                "INSERT INTO items (id, name) VALUES (2, \("taken"))",
                .constraint(.unique, name: isServer ? "items_name_key" : "items.name")
            ),
            (
                "INSERT INTO items (id, name) VALUES (1, \("b"))",
                .constraint(.unique, name: isServer ? "items_pkey" : "items.id")
            ),
            ("INSERT INTO items (id) VALUES (2)", .constraint(.notNull, name: "items.name")),
            (
                "INSERT INTO items (id, name, size) VALUES (2, 'b', \(-77))",
                .constraint(.check, name: "size_is_positive")
            ),
            ("INSERT INTO items (id, name, parent) VALUES (2, 'b', \(77))", .constraint(.foreignKey, name: "")),
            ("INSERT INTO items (id, name, owner) VALUES (2, 'b', \(77))", .constraint(.foreignKey, name: "")),
        ]
        for (statement, expected) in cases {
            await #expect(throws: expected) { try await database.write { try $0.execute(statement) } }
        }
        let error = await #expect(throws: SQLError.self) {
            try await database.write { connection in
                try connection.execute("INSERT INTO items (id, name, size) VALUES (2, 'b', \("secret"))")
            }
        }
        guard case .mismatch(let text) = error else { throw error ?? .closed }
        #expect(!text.contains("secret"))
    }

    @Test("A read cannot change anything", arguments: Engine.all)
    func readOnly(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        await #expect(throws: SQLError.self) { try await database.read { try $0.execute(insertItem(1, "a")) } }
        #expect(try await database.ids() == [])
    }

    @Test(
        "RFC 8259 6: a number that not every program reads exactly is refused, so that none overflows",
        arguments: Engine.all)
    func numbers(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        for number in [Int64.min, -(1 << 53) - 1, (1 << 53) + 1, .max] {
            await #expect(throws: SQLError.self) {
                _ = try await database.first("SELECT \(number)") { try $0.int64(0) }
            }
            await #expect(throws: SQLError.self) {
                _ = try await database.first("SELECT \(number)") { try $0.timestamp(0) }
            }
        }
    }

    @Test("Triggers and views of somebody else change and show nothing")
    func distrusted() async throws {
        let folder = try Folder()
        let database = try await folder.database()
        try await database.write { connection in
            try connection.script(
                """
                CREATE TABLE other (name TEXT);
                CREATE TABLE kept (name TEXT);
                CREATE VIEW shown AS SELECT 'evil' AS name;
                CREATE TRIGGER evil AFTER INSERT ON other BEGIN UPDATE other SET name = 'evil'; END;
                CREATE TRIGGER guard BEFORE DELETE ON kept BEGIN SELECT RAISE(ABORT, 'no'); END;
                """)
        }
        await #expect(throws: SQLError.self) { try await database.execute("INSERT INTO other VALUES ('own')") }
        await #expect(throws: SQLError.self) {
            _ = try await database.query("SELECT name FROM shown") { try $0.text(0) }
        }
        try await database.execute("INSERT INTO kept VALUES ('own')")
        await #expect(throws: SQLError.self) { try await database.execute("DELETE FROM kept") }
    }
}

extension Database {
    func ids() async throws -> [Int] {
        try await read { try $0.query("SELECT id FROM items ORDER BY id") { try $0.int(0) } }
    }
}
