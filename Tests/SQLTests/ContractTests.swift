import SQL
import Testing

/// Promises of every engine (`Database`, `Connection`).
@Suite("Contract of databases")
struct ContractTests {
    private struct Refused: Error {}

    @Test("Changes by two processes at once lose none, each statement with its own rule", arguments: Engine.all)
    func counted(_ engine: Engine) async throws {
        let made = try await Made(engine)
        let other = try made.another()
        try await made.database.write { try $0.execute("INSERT INTO items (id, name, size) VALUES (1, 'a', 1)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                let database = number.isMultiple(of: 2) ? made.database : other
                group.addTask { try await database.execute("UPDATE items SET size = size + 1 WHERE id = 1") }
            }
            try await group.waitForAll()
        }
        #expect(try await made.database.first("SELECT size FROM items") { try $0.int(0) } == 61)
        await other.close()
    }

    @Test("One of two changes that want the same once gets it", arguments: Engine.all)
    func once(_ engine: Engine) async throws {
        let made = try await Made(engine)
        let other = try made.another()
        try await made.database.write { connection in
            for id in 1...20 { try connection.execute(insertItem(id, "item \(id)")) }
        }
        let wins = try await withThrowingTaskGroup(of: Int.self) { group in
            for id in 1...20 {
                for database in [made.database, other] {
                    group.addTask {
                        let updated = try await database.execute(
                            "UPDATE items SET size = 1 WHERE id = \(id) AND size IS NULL")
                        let inserted = try await database.execute(
                            "INSERT INTO items (id, name) VALUES (\(100 + id), \("once \(id)")) ON CONFLICT DO NOTHING")
                        let deleted = try await database.execute("DELETE FROM items WHERE id = \(id) AND size = 1")
                        return updated + inserted + deleted
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        // One update, one insertion and one deletion for each.
        #expect(wins == 60)
        await other.close()
    }

    @Test("A count that a change reads under a lock stays true until it ends", arguments: Engine.all)
    func locked(_ engine: Engine) async throws {
        let made = try await Made(engine)
        let other = try made.another()
        // At most five rows, which two that look before they insert would pass.
        let inserted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                let database = number.isMultiple(of: 2) ? made.database : other
                group.addTask {
                    try await database.write { connection in
                        // A statement before the lock does not fix what later ones see.
                        _ = try connection.exists("SELECT 1 FROM items")
                        try connection.lock(.configuration)
                        let count = try connection.first("SELECT count(*) FROM items") { try $0.int(0) } ?? 0
                        guard count < 5 else { return false }
                        try connection.execute("INSERT INTO items (name) VALUES (\("item \(number)"))")
                        return true
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(inserted == 5)
        await other.close()
    }

    @Test(
        "Errors of statements whose result nobody waits for fail the change, or their savepoint", arguments: Engine.all)
    func performed(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        await #expect(throws: SQLError.self) {
            try await database.write { connection in
                try connection.perform(insertItem(1, "a"))
                try connection.perform(insertItem(2, "a"))
            }
        }
        try await database.write { connection in
            try connection.perform(insertItem(3, "c"))
            do {
                try connection.savepoint {
                    try connection.perform(insertItem(4, "d"))
                    try connection.perform(insertItem(5, "d"))
                }
                Issue.record("the savepoint had no error")
            } catch SQLError.constraint(.unique, _) {}
            try connection.perform(insertItem(6, "f"))
        }
        #expect(try await database.ids() == [3, 6])
    }

    @Test("A change that throws is rolled back alone, without the rest of its batch", arguments: Engine.all)
    func isolation(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        // The first change blocks until all others wait, so they share a batch.
        let gate = Gate()
        async let first: Void = database.write { _ in gate.pass() }
        await gate.awaitArrival()
        let outcomes = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
            for id in 1...20 {
                group.addTask {
                    do {
                        try await database.write { connection in
                            try connection.execute(insertItem(id, "item \(id)"))
                            if id.isMultiple(of: 3) { throw Refused() }
                            if id.isMultiple(of: 5) { try connection.execute(insertItem(id, "item \(id)")) }
                        }
                        return (id, true)
                    } catch {
                        return (id, false)
                    }
                }
            }
            group.addTask {
                await database.awaitQueued(20)
                gate.open()
                return (0, false)
            }
            return try await group.reduce(into: [Int]()) { if $1.1 { $0.append($1.0) } }
        }
        try await first
        let expected = (1...20).filter { !$0.isMultiple(of: 3) && !$0.isMultiple(of: 5) }
        #expect(outcomes.sorted() == expected)
        #expect(try await database.ids() == expected)
    }

    @Test("A violated deferred key in a batch fails only its own change", arguments: Engine.all)
    func deferred(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        let gate = Gate()
        async let first: Void = database.write { _ in gate.pass() }
        await gate.awaitArrival()
        async let good = database.write { try $0.execute(insertItem(1, "a")) }
        let bad = Task {
            try await database.write { try $0.execute("INSERT INTO items (id, name, owner) VALUES (2, 'b', 77)") }
        }
        await database.awaitQueued(2)
        gate.open()
        try await first
        #expect(try await good == 1)
        await #expect(throws: SQLError.constraint(.foreignKey, name: "")) { _ = try await bad.value }
        #expect(try await database.ids() == [1])
    }

    @Test("A read sees one snapshot", arguments: Engine.all)
    func snapshot(_ engine: Engine) async throws {
        let made = try await Made(engine)
        let database = made.database
        let gate = Gate()
        async let counts = database.scan(within: .seconds(60)) { connection in
            let before = try connection.query("SELECT id FROM items") { try $0.int(0) }.count
            gate.pass()
            return [before, try connection.query("SELECT id FROM items") { try $0.int(0) }.count]
        }
        await gate.awaitArrival()
        try await database.write { try $0.execute(insertItem(1, "a")) }
        gate.open()
        #expect(try await counts == [0, 0])
        #expect(try await database.ids() == [1])
    }

    private static let endless: Statement =
        "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"

    @Test("A scan that takes too long ends, and its connection stays usable", arguments: Engine.all)
    func deadline(_ engine: Engine) async throws {
        let database = try await Made(engine, scanners: 1).database
        for _ in 0..<2 {
            await #expect(throws: SQLError.timedOut) {
                try await database.scan(within: .milliseconds(30)) { connection in
                    try connection.query(Self.endless) { try $0.int(0) }
                }
            }
            #expect(try await database.scan(within: .seconds(60)) { try $0.exists("SELECT 1") })
        }
        await #expect(throws: SQLError.timedOut) { try await database.scan(within: .zero) { _ in true } }
        await #expect(throws: Refused.self) { try await database.scan(within: .seconds(60)) { _ in throw Refused() } }
    }

    @Test("No read changes anything, however it is made", arguments: Engine.all)
    func reading(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        await #expect(throws: SQLError.self) { try await database.read { try $0.execute(insertItem(1, "a")) } }
        await #expect(throws: SQLError.self) {
            try await database.scan(within: .seconds(60)) { try $0.execute(insertItem(1, "a")) }
        }
        await #expect(throws: SQLError.self) {
            try await database.query("INSERT INTO items (id, name) VALUES (1, 'a') RETURNING id") { try $0.int(0) }
        }
        #expect(try await database.ids() == [])
    }

    @Test("A full queue refuses another change and completes the queued ones", arguments: Engine.all)
    func queueFull(_ engine: Engine) async throws {
        let database = try await Made(engine, queueLimit: 2).database
        let gate = Gate()
        async let held: Void = database.write { _ in gate.pass() }
        await gate.awaitArrival()
        async let one = database.write { try $0.execute(insertItem(1, "a")) }
        async let two = database.write { try $0.execute(insertItem(2, "b")) }
        await database.awaitQueued(2)
        await #expect(throws: SQLError.overloaded) { try await database.write { try $0.execute(insertItem(3, "c")) } }
        gate.open()
        try await held
        #expect(try await [one, two] == [1, 1])
    }

    @Test("Closing completes queued changes and refuses later ones", arguments: Engine.all)
    func close(_ engine: Engine) async throws {
        let made = try await Made(engine)
        let database = made.database
        let gate = Gate()
        async let held = database.write { connection in
            gate.pass()
            return try connection.execute(insertItem(1, "a"))
        }
        await gate.awaitArrival()
        async let closed: Void = database.close()
        gate.open()
        #expect(try await held == 1)
        await closed
        await database.close()
        await #expect(throws: SQLError.closed) { try await database.write { try $0.execute(insertItem(2, "b")) } }
        await #expect(throws: SQLError.closed) { try await database.ids() }
        let again = try made.another()
        #expect(try await again.ids() == [1])
        await again.close()
    }

    @Test(
        "Patterns take the signs of their engine as they are, and texts have the order of their characters",
        arguments: Engine.all)
    func texts(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        let names = ["B", "a", "b", "x*[y]?%_\\end", "é", "x*[y]?%_\\enD"]
        try await database.write { connection in
            for (id, name) in names.enumerated() { try connection.execute(insertItem(id, name)) }
        }
        let sorted = try await database.query("SELECT name FROM items ORDER BY name") { try $0.text(0) }
        #expect(sorted == ["B", "a", "b", "x*[y]?%_\\enD", "x*[y]?%_\\end", "é"])
        let after = try await database.query("SELECT name FROM items WHERE name > \("a") ORDER BY name") {
            try $0.text(0)
        }
        #expect(after == Array(sorted.dropFirst(2)))
        for (pattern, expected) in [
            ([PatternPiece.literal("x*[y]?%_\\"), .anyNumber], 2), ([.literal("x*[y]?%_\\en"), .one], 2),
            ([.anyNumber, .literal("d")], 1), ([.literal("%")], 0), ([.one], 4),
        ] {
            let condition = database.dialect.matches("name", pattern)
            let found = try await database.query("SELECT id FROM items WHERE \(condition)") { try $0.int(0) }
            #expect(found.count == expected, "\(pattern)")
        }
    }

    @Test("Values that a statement first had as null may later be of any type", arguments: Engine.all)
    func nulls(_ engine: Engine) async throws {
        let database = try await Made(engine).database
        let insert = StaticStatement("INSERT INTO items (id, name, size, parent) VALUES ($1, $2, $3, $4)")
        try await database.write { connection in
            try connection.execute(insert(1, "a", Int?.none, Int?.none))
            try connection.execute(insert(2, "b", 5, 1))
            try connection.execute(insert(3, "c", Int?.none, 2))
        }
        let found = try await database.query("SELECT size, parent FROM items ORDER BY id") {
            [try $0.optionalInt64(0), try $0.optionalInt64(1)]
        }
        #expect(found == [[nil, nil], [5, 1], [nil, 2]])
    }
}
