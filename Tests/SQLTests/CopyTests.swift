import Primitives
import SQL
import SQLiteDriver
import Synchronization
import Testing

@Suite("Copies of a database in use")
struct CopyTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func count(_ database: SQLiteDatabase) async throws -> Int {
        try await database.first("SELECT count(*) FROM items") { try $0.int(0) } ?? 0
    }

    private func insert(_ ids: ClosedRange<Int>, into database: SQLiteDatabase) async throws {
        let padding = String(repeating: "x", count: 2000)
        try await database.write { connection in
            for id in ids {
                _ = try connection.execute("INSERT INTO items (id, name) VALUES (\(id), \("\(id)" + padding))")
            }
        }
    }

    @Test("A copy is a snapshot, reads during it agree with it, and writers continue")
    func moment() async throws {
        let database = try await folder.database()
        try await insert(1...500, into: database)
        // A second connection, like another process.
        let other = try SQLiteDatabase(folder.configuration)
        let gate = Gate()
        try folder.write("", to: "copy.db")
        let steps = Mutex(0)
        async let seen = database.copy(to: "\(folder.path)/copy.db", pagesPerStep: 1) { progress in
            // The copy pauses after its first page until others have written.
            if steps.withLock({ count in
                count += 1; return count == 1
            }) {
                gate.pass()
            }
            #expect(progress.copied <= progress.total)
        } seeing: { connection in
            try connection.first("SELECT count(*) FROM items") { try $0.int(0) }
        }
        await gate.awaitArrival()
        try await insert(501...600, into: database)
        try await insert(601...700, into: other)
        gate.open()
        #expect(try await seen == 500)
        #expect(steps.withLock { $0 } > 100, "a step is a page")
        let copy = try SQLiteDatabase(unshared: SQLiteConfiguration(path: "\(folder.path)/copy.db"))
        #expect(try await count(copy) == 500)
        #expect(try await count(database) == 700)
        #expect(folder.status("copy.db-wal") == nil)
        await copy.close()
        await other.close()
        await database.close()
    }

    @Test("A database that another connection has open cannot be closed for good")
    func closing() async throws {
        let database = try await folder.database()
        try await insert(1...3, into: database)
        let configuration = folder.configuration
        await #expect(throws: SQLError.busy) { try await SQLiteDatabase.closeForGood(configuration) }
        await database.close()
        try await SQLiteDatabase.closeForGood(configuration)
        #expect(folder.status("main.db-wal") == nil)
        let again = try await folder.database()
        #expect(try await count(again) == 3)
        await again.close()
    }

    @Test("Metrics count every change with its wait and every commit with its size")
    func measurements() async throws {
        let database = try await folder.database()
        let before = database.measurements
        for id in 1...5 { try await insert(id...id, into: database) }
        let after = database.measurements
        #expect(after.waits.count == before.waits.count + 5)
        #expect(after.changes.sum == before.changes.sum + 5)
        #expect(after.commits.count == after.changes.count)
        await database.close()
    }
}
