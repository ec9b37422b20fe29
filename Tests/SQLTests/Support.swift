import Dispatch
import SQL
import SQLiteDriver
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A folder of its own for a test, removed when released.
final class Folder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/countersign-sql-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SQLError.other(code: Int(errno), message: "mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in ["main.db", "main.db-wal", "main.db-shm", "copy.db", "copy.db-wal", "copy.db-shm"] {
            unlink("\(path)/\(name)")
        }
        rmdir("\(path)/inner")
        rmdir(path)
    }

    var configuration: SQLiteConfiguration { SQLiteConfiguration(path: "\(path)/main.db") }

    /// A database with a table `items`.
    func database(_ change: (inout SQLiteConfiguration) -> Void = { _ in }) async throws -> SQLiteDatabase {
        var configuration = configuration
        change(&configuration)
        let database = try SQLiteDatabase(configuration)
        try await database.migrate([items])
        return database
    }

    func copy(_ from: String, to: String) throws {
        guard let source = fopen("\(path)/\(from)", "r"), let target = fopen("\(path)/\(to)", "w") else {
            throw SQLError.other(code: Int(errno), message: "fopen")
        }
        defer {
            fclose(source)
            fclose(target)
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, source), count > 0 { fwrite(buffer, 1, count, target) }
    }
}

let items = Migration("001-items") { dialect in
    """
    CREATE TABLE items (
        id \(dialect.integer) PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        size \(dialect.integer) CONSTRAINT size_is_positive CHECK (size > 0),
        parent \(dialect.integer) REFERENCES items (id),
        owner \(dialect.integer) REFERENCES items (id) DEFERRABLE INITIALLY DEFERRED
    )\(dialect.strict);
    """
}

let insertItem = StaticStatement("INSERT INTO items (id, name) VALUES ($1, $2)")

/// Holds a thread at a place until the test lets it go on.
final class Gate: Sendable {
    private let reached = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    /// Called by the thread that is held.
    func pass() {
        reached.signal()
        opened.wait()
    }

    func open() { opened.signal() }

    /// Returns once somebody stands at the gate.
    func awaitArrival() async {
        await withCheckedContinuation { continuation in
            Thread.detach {
                self.reached.wait()
                continuation.resume()
            }
        }
    }
}

/// Work that blocks, away from the cooperative pool.
enum Thread {
    static func detach(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async(execute: body)
    }
}
