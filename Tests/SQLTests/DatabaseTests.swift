import Dispatch
import SQL
import SQLiteDriver
import Testing

@Suite("SQLite databases")
struct DatabaseTests {
    struct Refused: Error {}

    /// Property of the suite, so that it outlives the test's variables.
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test("Each commit syncs the write-ahead log before it is acknowledged")
    func durability() async throws {
        let database = try await folder.database()
        func pragma(_ name: StaticString) async throws -> String? {
            try await database.write { connection in
                try connection.first("PRAGMA \(raw: "\(name)")") { row in
                    if let text = try? row.text(0) { text } else { String(try row.int(0)) }
                }
            }
        }
        // 2 is FULL. With NORMAL, SQLite would sync only at checkpoints.
        #expect(try await pragma("synchronous") == "2")
        #expect(try await pragma("journal_mode") == "wal")
    }

    @Test("A change that throws is rolled back alone, without the rest of its batch")
    func batchIsolation() async throws {
        let database = try await folder.database()
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
                        }
                        return (id, true)
                    } catch is Refused {
                        return (id, false)
                    }
                }
            }
            group.addTask {
                await database.awaitQueued(20)
                gate.open()
                return (0, true)
            }
            var outcomes: [Int: Bool] = [:]
            for try await (id, succeeded) in group { outcomes[id] = succeeded }
            return outcomes
        }
        try await first
        let expected = (1...20).filter { !$0.isMultiple(of: 3) }
        #expect(outcomes.filter { $0.key > 0 && $0.value }.keys.sorted() == expected)
        #expect(try await database.ids() == expected)
    }

    @Test("A violated constraint in a batch fails only its own change")
    func batchConstraint() async throws {
        let database = try await folder.database()
        let failures = try await withThrowingTaskGroup(of: SQLError?.self) { group in
            for id in 1...50 {
                group.addTask {
                    do {
                        try await database.write { try $0.execute(insertItem(id, "name \(id % 10)")) }
                        return nil
                    } catch let error as SQLError {
                        return error
                    }
                }
            }
            return try await group.reduce(into: [SQLError]()) { if let error = $1 { $0.append(error) } }
        }
        #expect(failures.count == 40)
        #expect(Set(failures) == [.constraint(.unique, name: "items.name")])
        #expect(try await database.ids().count == 10)
    }

    @Test("An acknowledged change is visible to reads at once")
    func readYourWrites() async throws {
        let database = try await folder.database()
        let missing = try await withThrowingTaskGroup(of: Int.self) { group in
            for writer in 0..<32 {
                group.addTask {
                    var missing = 0
                    for number in 0..<20 {
                        let id = writer * 100 + number
                        try await database.write { try $0.execute(insertItem(id, "item \(id)")) }
                        let isThere = try await database.read { connection in
                            try connection.exists("SELECT 1 FROM items WHERE id = \(id)")
                        }
                        if !isThere { missing += 1 }
                    }
                    return missing
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(missing == 0)
        #expect(try await database.ids().count == 640)
    }

    @Test("Acknowledged changes survive a process that stops without closing")
    func uncleanStop() async throws {
        // The log is never moved. Copying the database file and then the log during changes gives the state that a kill
        // between two writes would leave.
        let database = try await folder.database {
            $0.checkpointWhenIdle = .max
            $0.checkpointAlways = .max
        }
        let acknowledged = Shared<Set<Int>>([])
        let atCopy = try await withThrowingTaskGroup(of: Set<Int>?.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<100 {
                        let id = writer * 1000 + number
                        try await database.write { try $0.execute(insertItem(id, "item \(id)")) }
                        acknowledged.withLock { _ = $0.insert(id) }
                    }
                    return nil
                }
            }
            group.addTask {
                while acknowledged.withLock({ $0.count }) < 100 { await Task.yield() }
                let known = acknowledged.withLock { $0 }
                try folder.copy("main.db", to: "copy.db")
                try folder.copy("main.db-wal", to: "copy.db-wal")
                return known
            }
            var atCopy: Set<Int> = []
            for try await known in group { if let known { atCopy = known } }
            return atCopy
        }
        let copy = try SQLiteDatabase(SQLiteConfiguration(path: "\(folder.path)/copy.db"))
        #expect(atCopy.count >= 100)
        #expect(try await atCopy.isSubset(of: copy.ids()))
        #expect(try await copy.read { try $0.first("PRAGMA integrity_check") { try $0.text(0) } } == "ok")
        await copy.close()
    }

    @Test("A read sees one snapshot, and neither waits for nor delays the writer")
    func readersAndWriter() async throws {
        let database = try await folder.database()
        try await database.write { try $0.execute(insertItem(1, "a")) }
        // During a change, reads continue and see the state before it.
        let gate = Gate()
        async let change = database.write { connection in
            try connection.execute(insertItem(2, "b"))
            gate.pass()
        }
        await gate.awaitArrival()
        #expect(try await database.ids() == [1])
        gate.open()
        try await change
        // A change that commits during a read is invisible to it.
        let reading = Gate()
        let counts = Shared<[Int]>([])
        let thread = DispatchQueue(label: "reader")
        thread.async {
            // Blocks this thread and none of the cooperative pool, because it does not suspend.
            _ = Task.immediate {
                let both = try await database.read { connection in
                    let before = try connection.query("SELECT id FROM items") { try $0.int(0) }.count
                    reading.pass()
                    return [before, try connection.query("SELECT id FROM items") { try $0.int(0) }.count]
                }
                counts.withLock { $0 = both }
            }
        }
        await reading.awaitArrival()
        try await database.write { try $0.execute(insertItem(3, "c")) }
        reading.open()
        await withCheckedContinuation { continuation in thread.async { continuation.resume() } }
        #expect(counts.withLock { $0 } == [2, 2])
        #expect(try await database.ids() == [1, 2, 3])
    }

    @Test("A read runs on its caller's thread, within the start of an immediate task")
    func readDoesNotSuspend() async throws {
        let database = try await folder.database()
        let answered = Shared(false)
        let isAnswered = {
            _ = Task.immediate {
                _ = try await database.read { try $0.exists("SELECT 1 FROM items") }
                answered.withLock { $0 = true }
            }
            return answered.withLock { $0 }
        }()
        #expect(isAnswered)
    }

    private static let endless: Statement =
        "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"

    @Test("A scan that takes too long ends, and its connection stays usable")
    func scanDeadline() async throws {
        let database = try await folder.database { $0.idleReaders = 1 }
        for _ in 0..<2 {
            await #expect(throws: SQLError.timedOut) {
                try await database.scan(within: .milliseconds(30)) { connection in
                    try connection.query(Self.endless) { try $0.int(0) }
                }
            }
            #expect(try await database.scan(within: .seconds(60)) { try $0.exists("SELECT 1") })
            // The deadline does not affect later work.
            #expect(try await database.read { try $0.exists("SELECT 1") })
        }
        await #expect(throws: SQLError.timedOut) { try await database.scan(within: .zero) { _ in true } }
        await #expect(throws: Refused.self) { try await database.scan(within: .seconds(60)) { _ in throw Refused() } }
    }

    @Test("A scan delays only other scans, and one too many is refused at once")
    func scanAdmission() async throws {
        let database = try await folder.database { configuration in
            configuration.scanners = 1
            configuration.scanQueueLimit = 1
        }
        let gate = Gate()
        async let first = database.scan(within: .seconds(60)) { _ in
            gate.pass()
            return 1
        }
        await gate.awaitArrival()
        try await database.write { try $0.execute(insertItem(1, "one")) }
        #expect(try await database.ids() == [1])
        let outcomes = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<2 {
                group.addTask { try? await database.scan(within: .seconds(60)) { _ in 2 } }
            }
            // The refused scan ends while the thread is still blocked.
            let refused = await group.next() ?? 0
            gate.open()
            return [refused, await group.next() ?? 0]
        }
        #expect(outcomes == [nil, 2])
        #expect(try await first == 1)
    }

    @Test("A scan sees acknowledged changes and cannot write")
    func scanSnapshot() async throws {
        let database = try await folder.database()
        try await database.write { try $0.execute(insertItem(1, "one")) }
        #expect(
            try await database.scan(within: .seconds(60)) { connection in
                try connection.query("SELECT id FROM items") { try $0.int(0) }
            } == [1])
        await #expect(throws: SQLError.self) {
            try await database.scan(within: .seconds(60)) { try $0.execute(insertItem(2, "two")) }
        }
        await database.close()
        await #expect(throws: SQLError.closed) { try await database.scan(within: .seconds(60)) { _ in true } }
    }

    @Test("A change waits for a writer in another process, and is refused as busy after the timeout")
    func busy() async throws {
        let server = try await folder.database { $0.busyTimeout = 20 }
        let command = try SQLiteDatabase(folder.configuration)
        let gate = Gate()
        async let held: Void = command.write { connection in
            try connection.execute(insertItem(1, "a"))
            gate.pass()
        }
        await gate.awaitArrival()
        await #expect(throws: SQLError.busy) { try await server.write { try $0.execute(insertItem(2, "b")) } }
        gate.open()
        try await held
        try await server.write { try $0.execute(insertItem(3, "c")) }
        #expect(try await server.ids() == [1, 3])
        await command.close()
    }

    @Test("A full queue refuses another change and completes the queued ones")
    func queueFull() async throws {
        let database = try await folder.database { $0.queueLimit = 2 }
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
        #expect(try await database.ids() == [1, 2])
    }

    @Test("Closing completes queued changes, empties the log and refuses later ones")
    func close() async throws {
        let database = try await folder.database()
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
        #expect(folder.status("main.db-wal") == nil)
        let again = try await folder.database()
        #expect(try await again.ids() == [1])
    }

    @Test("The write-ahead log does not grow with the number of changes")
    func logIsBounded() async throws {
        let database = try await folder.database {
            $0.checkpointWhenIdle = 20
            $0.checkpointAlways = 20
        }
        for id in 1...200 { try await database.write { try $0.execute(insertItem(id, "item \(id)")) } }
        let size = try #require(folder.status("main.db-wal")?.size)
        #expect(size < 60 * 4200)
    }

    @Test("An idle writer moves the log into the database", .timeLimit(.minutes(1)))
    func idleCheckpoint() async throws {
        let database = try await folder.database {
            $0.checkpointWhenIdle = 20
            $0.idleAfter = 1
            $0.checkpointAlways = .max
        }
        let before = try #require(folder.status("main.db")?.size)
        try await database.write { connection in
            for id in 1...2_000 { try connection.execute(insertItem(id, "item \(id)")) }
        }
        while try #require(folder.status("main.db")?.size) == before { await Task.yield() }
        #expect(try await database.ids().count == 2_000)
    }

    @Test("Files are created for their owner only")
    func modes() async throws {
        let database = try SQLiteDatabase(SQLiteConfiguration(path: "\(folder.path)/inner/main.db"))
        try await database.migrate([items])
        for (name, mode) in [("", 0o700), ("/main.db", 0o600), ("/main.db-wal", 0o600), ("/main.db-shm", 0o600)] {
            #expect(folder.status("inner\(name)")?.mode == mode)
        }
        await database.close()
    }

    @Test("A file that is not a database is refused")
    func notADatabase() throws {
        try folder.write(String(repeating: "this is not a database", count: 100), to: "main.db")
        #expect(throws: SQLError.corrupt) { try SQLiteDatabase(folder.configuration) }
    }
}
