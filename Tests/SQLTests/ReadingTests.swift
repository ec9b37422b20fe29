import SQL
import SQLiteDriver
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

@Suite("Read-only SQLite databases")
struct ReadingTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func add(_ id: Int, to database: SQLiteDatabase) async throws {
        try await database.write { _ = try $0.execute(insertItem(id, "item \(id)")) }
    }

    private func count(_ database: SQLiteDatabase) async throws -> Int? {
        try await database.read { try $0.first("SELECT count(*) FROM items") { try $0.int(0) } }
    }

    /// Blocks the file that is shared by open connections. It cannot be opened, as in a read-only folder.
    private func blockSharing(_ name: String) { symlink("/dev/null/nowhere", "\(folder.path)/\(name)-shm") }

    private func allowSharing(_ name: String) { unlink("\(folder.path)/\(name)-shm") }

    @Test("Other connections' changes are visible; own changes are refused")
    func reading() async throws {
        let writer = try await folder.database()
        let reader = try SQLiteDatabase(reading: folder.configuration)
        try await add(1, to: writer)
        #expect(try await count(reader) == 1)
        try await add(2, to: writer)
        #expect(try await count(reader) == 2)
        await #expect(throws: SQLError.readOnly) { try await add(3, to: reader) }
        await #expect(throws: SQLError.readOnly) {
            try await reader.read { _ = try $0.execute(insertItem(3, "item 3")) }
        }
        let scanned = try await reader.scan(within: .seconds(10)) {
            try $0.query("SELECT id FROM items") { try $0.int(0) }
        }
        #expect(scanned == [1, 2])
        await reader.close()
        await #expect(throws: SQLError.closed) { try await count(reader) }
        await writer.close()
    }

    @Test("A missing file is not created")
    func missing() throws {
        #expect(throws: SQLError.self) { try SQLiteDatabase(reading: folder.configuration) }
        #expect(folder.status("main.db") == nil)
    }

    @Test("A copy in a read-only folder can be read")
    func copy() async throws {
        let writer = try await folder.database()
        try await add(1, to: writer)
        await writer.close()
        blockSharing("main.db")
        defer { allowSharing("main.db") }
        let reader = try SQLiteDatabase(reading: folder.configuration)
        #expect(try await count(reader) == 1)
        await reader.close()
    }

    @Test("A copy is not read without the changes in its log")
    func unreadableLog() async throws {
        let writer = try await folder.database()
        try await add(1, to: writer)
        try folder.copy("main.db", to: "copy.db")
        try folder.copy("main.db-wal", to: "copy.db-wal")
        await writer.close()
        blockSharing("copy.db")
        defer { allowSharing("copy.db") }
        #expect(throws: SQLError.self) {
            try SQLiteDatabase(reading: SQLiteConfiguration(path: "\(folder.path)/copy.db"))
        }
        allowSharing("copy.db")
        let reader = try SQLiteDatabase(reading: SQLiteConfiguration(path: "\(folder.path)/copy.db"))
        #expect(try await count(reader) == 1)
        await reader.close()
    }
}
