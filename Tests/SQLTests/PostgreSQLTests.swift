import PostgreSQLCluster
import PostgreSQLDriver
import SQL
import Testing

@Suite("PostgreSQL", .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL server is installed"))
struct PostgreSQLTests {
    private let made: PostgreSQLCluster.Database

    init() throws { made = try PostgreSQLCluster.started.makeDatabase() }

    private func database(_ change: (inout PostgreSQLConfiguration) -> Void = { _ in }) async throws
        -> PostgreSQLDatabase
    {
        var configuration = try made.configuration
        change(&configuration)
        let database = try PostgreSQLDatabase(configuration)
        try await database.migrate([items])
        return database
    }

    /// Ends a connection of the server, as an administrator's restart does.
    private static let end = StaticStatement("SELECT pg_terminate_backend(CAST($1 AS integer))")
    private static let own: Statement = "SELECT pg_backend_pid()"

    @Test("A change whose connection ends before its commit is done again, once", .timeLimit(.minutes(1)))
    func lostInTheMiddle() async throws {
        let (database, other) = (try await database(), try await database())
        let (runs, gate) = (Shared(0), Gate())
        let process = Shared(0)
        async let change: Void = database.write { connection in
            try connection.execute(insertItem(1, "a"))
            let number = try connection.first(Self.own) { try $0.int(0) } ?? 0
            process.withLock { $0 = number }
            if runs.withLock({ runs in
                runs += 1; return runs
            }) == 1 {
                gate.pass()
            }
            try connection.execute("UPDATE items SET size = coalesce(size, 0) + 1")
        }
        await gate.awaitArrival()
        let ended = process.withLock { $0 }
        _ = try await other.write { try $0.execute(Self.end(ended)) }
        gate.open()
        try await change
        #expect(runs.withLock { $0 } == 2)
        #expect(try await database.first("SELECT size FROM items") { try $0.int(0) } == 1)
    }

    @Test("A commit whose answer was lost is reported as unknown, and not done again", .timeLimit(.minutes(1)))
    func unknownOutcome() async throws {
        let database = try await database { $0.writers = 1 }
        let runs = Shared(0)
        // A deferred trigger runs within the commit, and ends the connection there.
        try await database.write { connection in
            try connection.script(
                """
                CREATE FUNCTION vanish() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
                CREATE CONSTRAINT TRIGGER vanish AFTER INSERT ON items DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION vanish();
                """)
        }
        await #expect(throws: SQLError.unknownOutcome) {
            try await database.write { connection in
                runs.withLock { $0 += 1 }
                try connection.execute(insertItem(1, "a"))
            }
        }
        #expect(runs.withLock { $0 } == 1)
        // The next change has a connection again.
        try await database.execute("DELETE FROM items")
    }

    @Test("Idle connections that ended are replaced without an error", .timeLimit(.minutes(1)))
    func reconnection() async throws {
        let (database, other) = (
            try await database {
                $0.readers = 1; $0.writers = 1
            }, try await database()
        )
        for id in 1...3 {
            let processes = [
                try await database.first(Self.own) { try $0.int(0) },
                try await database.write { try $0.first(Self.own) { try $0.int(0) } },
                try await database.scan(within: .seconds(60)) { try $0.first(Self.own) { try $0.int(0) } },
            ]
            for process in processes { _ = try await other.write { try $0.execute(Self.end(process ?? 0)) } }
            try await database.write { try $0.execute(insertItem(id, "item \(id)")) }
            #expect(try await database.ids().count == id)
            #expect(try await database.scan(within: .seconds(60)) { try $0.exists("SELECT 1") })
        }
    }

    @Test(
        "Changes that share a transaction wait briefly for a lock, and then each runs alone: two such transactions may have taken the same locks in opposite order",
        .timeLimit(.minutes(1)))
    func opposite() async throws {
        let made = try await Made(.postgreSQL, batchLimit: 2)
        let other = try made.another()
        try await made.database.write { connection in
            for id in 1...2 {
                try connection.execute("INSERT INTO items (id, name, size) VALUES (\(id), \("\(id)"), 1)")
            }
        }
        let hasBoth = [Gate(), Gate()]
        let limits = Shared<[String]>([])
        @Sendable func queue(_ ids: [Int], _ own: Int, on database: any ServedDatabase) async throws {
            let first = Gate()
            async let held: Void = database.write { _ in first.pass() }
            await first.awaitArrival()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, id) in ids.enumerated() {
                    let isFirstRun = Shared(true)
                    group.addTask {
                        try await database.write { connection in
                            try connection.execute("UPDATE items SET size = size + 1 WHERE id = \(id)")
                            let limit = try connection.first("SELECT current_setting('lock_timeout')") {
                                try $0.text(0)
                            }
                            limits.withLock { $0.append(limit ?? "") }
                            // Each transaction has one row before it asks for the other's.
                            let meets = isFirstRun.withLock { isFirst in
                                defer { isFirst = false }
                                return isFirst && place == 0
                            }
                            if meets { hasBoth[own].pass() }
                        }
                    }
                    await database.awaitQueued(place + 1)
                }
                first.open()
                try await group.waitForAll()
            }
            try await held
        }
        async let one: Void = queue([1, 2], 0, on: made.database)
        async let two: Void = queue([2, 1], 1, on: other)
        for gate in hasBoth { await gate.awaitArrival() }
        for gate in hasBoth { gate.open() }
        _ = try await (one, two)
        #expect(try await made.database.query("SELECT size FROM items ORDER BY id") { try $0.int(0) } == [3, 3])
        #expect(limits.withLock { $0.contains("50ms") && $0.contains { $0 != "50ms" } })
        await other.close()
    }

    @Test("A server that accepts connections and hangs up hides none after it", .timeLimit(.minutes(1)))
    func hangingUp() async throws {
        let rude = try HangingUp()
        defer { rude.close() }
        var configuration = try made.configuration
        let folder = try #require(made.uri.split(separator: "?host=").last)
        configuration.address = try PostgreSQLAddress(
            parsing: "postgres://countersign@/\(made.name)?host=127.0.0.1,\(folder)&port=\(rude.port),5432")
        let database = try PostgreSQLDatabase(configuration)
        #expect(try await database.first("SELECT 1") { try $0.int(0) } == 1)
        await database.close()
        configuration.address = try PostgreSQLAddress(
            parsing: "postgres://countersign@127.0.0.1:\(rude.port)/\(made.name)")
        #expect(throws: SQLError.self) { try PostgreSQLDatabase(configuration) }
    }

    @Test("Two changes that wait for each other both happen: one is done again", .timeLimit(.minutes(1)))
    func deadlock() async throws {
        let database = try await database {
            $0.writers = 2
            // In one transaction, the second would not begin before the first ended.
            $0.batchLimit = 1
        }
        try await database.write { connection in
            for id in 1...2 {
                try connection.execute("INSERT INTO items (id, name, size) VALUES (\(id), \("\(id)"), 1)")
            }
        }
        let gates = [Gate(), Gate()]
        let runs = Shared([0, 0])
        @Sendable func both(_ own: Int, _ ids: [Int]) async throws {
            try await database.write { connection in
                let run = runs.withLock { runs in
                    runs[own] += 1
                    return runs[own]
                }
                try connection.execute("UPDATE items SET size = size + 1 WHERE id = \(ids[0])")
                // Each has one row before it asks for the other's.
                if run == 1 { gates[own].pass() }
                try connection.execute("UPDATE items SET size = size + 1 WHERE id = \(ids[1])")
            }
        }
        async let one: Void = both(0, [1, 2])
        async let two: Void = both(1, [2, 1])
        for gate in gates { await gate.awaitArrival() }
        for gate in gates { gate.open() }
        _ = try await (one, two)
        #expect(try await database.query("SELECT size FROM items ORDER BY id") { try $0.int(0) } == [3, 3])
        #expect(runs.withLock { $0[0] + $0[1] } >= 3)
    }

    @Test("A conflict that a change swallowed still has it done again", .timeLimit(.minutes(1)))
    func swallowed() async throws {
        let database = try await database { $0.writers = 1 }
        let runs = Shared(0)
        try await database.write { connection in
            let run = runs.withLock { runs in
                runs += 1; return runs
            }
            try connection.execute(insertItem(run, "item \(run)"))
            if run < 3 {
                _ = try? connection.script("DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''40001''; END'")
            }
        }
        #expect(try await database.ids() == [3])
        await #expect(throws: SQLError.conflict) {
            try await database.write { try $0.script("DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''40001''; END'") }
        }
    }

    @Test(
        "A statement that waits too long for a lock is refused as busy, and one that runs too long ends",
        .timeLimit(.minutes(1)))
    func limits() async throws {
        let database = try await database {
            $0.writers = 2; $0.lockTimeout = 50; $0.batchLimit = 1
        }
        try await database.write { try $0.execute(insertItem(1, "a")) }
        let gate = Gate()
        async let held: Void = database.write { connection in
            try connection.execute("UPDATE items SET size = 1")
            gate.pass()
        }
        await gate.awaitArrival()
        await #expect(throws: SQLError.busy) { try await database.execute("UPDATE items SET size = 2") }
        gate.open()
        try await held
        let hasty = try await self.database { $0.statementTimeout = 1000 }
        await #expect(throws: SQLError.timedOut) {
            _ = try await hasty.query("SELECT 1 FROM pg_sleep(60)") { try $0.int(0) }
        }
        await #expect(throws: SQLError.timedOut) { try await hasty.execute("SELECT pg_sleep(60)") }
        #expect(try await hasty.first("SELECT size FROM items") { try $0.int(0) } == 1)
    }

    @Test(
        "Reads beyond the bounded pool wait in a bounded queue, and one too many is refused at once",
        .timeLimit(.minutes(1)))
    func pool() async throws {
        let database = try await database {
            $0.readers = 1; $0.readQueueLimit = 1
        }
        let gate = Gate()
        async let first = database.read { _ in
            gate.pass()
            return 1
        }
        await gate.awaitArrival()
        let outcomes = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<2 { group.addTask { try? await database.read { _ in 2 } } }
            let refused = await group.next() ?? 0
            gate.open()
            return [refused, await group.next() ?? 0]
        }
        #expect(outcomes == [nil, 2])
        #expect(try await first == 1)
    }

    @Test("A result of many rows comes in pieces, and a visit that ends early leaves the connection usable")
    func streaming() async throws {
        let database = try await database { $0.readers = 1 }
        let sum = try await database.reduce("SELECT x FROM generate_series(1, 200000) AS x", into: 0) { sum, row in
            sum += try row.int(0)
            return true
        }
        #expect(sum == 200_000 * 200_001 / 2)
        #expect(try await database.first("SELECT x FROM generate_series(1, 1000) AS x") { try $0.int(0) } == 1)
        #expect(try await database.first("SELECT 7") { try $0.int(0) } == 7)
    }

    @Test("Hundreds of different statements take a bounded place on a connection")
    func statements() async throws {
        let database = try await database { $0.writers = 1 }
        let count = try await database.write { connection in
            for number in 0..<400 { _ = try connection.exists("SELECT \(raw: String(number))") }
            return try connection.first("SELECT count(*) FROM pg_prepared_statements") { try $0.int(0) } ?? 0
        }
        #expect(count < 200)
    }

    private static let byHash = StaticStatement("SELECT size FROM plain WHERE hash = $1 AND tenant = $2")

    @Test("A plan that was made for an empty table does not stay when the table has grown")
    func plans() async throws {
        let database = try await database {
            $0.writers = 1
            $0.planLife = .zero
        }
        // Rows of many columns, of which the server expects a few in an empty table.
        let texts = (0..<12).map { "text\($0) TEXT" }.joined(separator: ", ")
        try await database.write { connection in
            try connection.script(
                """
                CREATE TABLE plain (id BIGINT PRIMARY KEY, hash TEXT UNIQUE, tenant TEXT, size BIGINT, \(texts));
                CREATE INDEX plain_by_tenant ON plain (tenant, id);
                """)
        }
        func index() async throws -> String {
            // The server makes one plan for all values after five runs.
            for _ in 0..<6 { _ = try await database.write { try $0.exists(Self.byHash("a", "b")) } }
            return try await database.write { connection in
                let prepared =
                    try connection.first(
                        "SELECT name FROM pg_prepared_statements WHERE statement LIKE 'SELECT size FROM plain%'"
                    ) { try $0.text(0) } ?? ""
                return try connection.first("EXPLAIN EXECUTE \(raw: prepared) ('a', 'b')") { try $0.text(0) } ?? ""
            }
        }
        let before = try await index()
        #expect(before.contains("plain_by_tenant"), "\(before): the server does not make the mistake any more")
        try await database.execute(
            "INSERT INTO plain (id, hash, tenant) SELECT n, 'h' || n, 'b' FROM generate_series(1, 5000) AS n")
        let after = try await index()
        #expect(after.contains("plain_hash_key"), "\(after)")
    }

    @Test(
        "A server that cannot be reached fails at once, and again without another try meanwhile",
        .timeLimit(.minutes(1)))
    func unreachable() throws {
        var configuration = try made.configuration
        configuration.address = try PostgreSQLAddress(parsing: "postgres://countersign:secret@/db?host=/nowhere")
        let error = #expect(throws: SQLError.self) { try PostgreSQLDatabase(configuration) }
        guard case .unavailable(let reason) = error else { throw error ?? .closed }
        #expect(reason.contains("/nowhere"))
        #expect(!reason.contains("secret"))
    }

    @Test(
        "An address has verified TLS unless it is of this machine or says otherwise, and is never shown with its password"
    )
    func addresses() throws {
        for (text, mode) in [
            ("postgres://u:secret@db.example/c", "verify-full"),
            ("postgresql://db.example:5433,db2.example/c", "verify-full"),
            ("postgres://10.0.0.1/c", "verify-full"), ("postgres://localhost.example/c", "verify-full"),
            ("postgres://127.example/c", "verify-full"), ("postgres://localhost,db.example/c", "verify-full"),
            ("postgres://localhost/c", "prefer"), ("postgres://127.0.0.1/c", "prefer"),
            ("postgres://[::1]/c", "prefer"),
            ("postgres:///c?host=/run/postgresql", "prefer"), ("postgres:///c", "prefer"),
            ("postgres://db.example/c?sslmode=require", "require"),
        ] {
            let address = try PostgreSQLAddress(parsing: text)
            #expect(address.sslMode == mode, "\(text)")
            #expect(!"\(address)".contains("secret"))
        }
    }

    @Test(
        "An address that is malformed, or sets what the program sets, is refused without its text",
        arguments: [
            "", "db.example", "mysql://db/c", "postgres://secret@db/", "postgres://secret@db",
            "postgres://secret@db:x/c%",
            "postgres://secret@db/c?nonsense=1", "postgres://secret@db/c?options=-c%20fsync=off",
            "postgres://secret@db/c?replication=true", "postgres://secret@db/c?client_encoding=LATIN1",
        ])
    func malformed(text: String) {
        let error = #expect(throws: PostgreSQLAddress.Failure.self) { try PostgreSQLAddress(parsing: text) }
        #expect(error?.description.contains("secret") == false)
    }

    @Test(
        "The refusal of an unknown option names it, unless it could be a part of a password",
        arguments: [
            ("postgres://u@db/c?nonsense=1", "nonsense"), ("postgres://db/c?sslmode=require&sslMode=x", "sslMode"),
            ("postgres://u:pa?ss=wo%rd@db/c", nil), ("postgres://db/c?a%62=1", nil), ("postgres://db/c?x", nil),
            ("postgres://db/c%?nonsense=1", "nonsense"), ("postgres://db/c?ssl=true&x", nil),
        ] as [(String, String?)])
    func unknownOption(text: String, option: String?) {
        #expect(throws: option.map { .unknown(option: $0) } ?? PostgreSQLAddress.Failure.malformed) {
            try PostgreSQLAddress(parsing: text)
        }
    }
}
