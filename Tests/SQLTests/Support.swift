import Dispatch
import PostgreSQLCluster
import PostgreSQLDriver
import SQL
import SQLiteDriver
import Synchronization
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A test's own folder, removed on deinit.
final class Folder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/countersign-sql-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SQLError.other(code: Int(errno), message: "mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for database in ["main.db", "copy.db", "inner/main.db"] {
            for suffix in ["", "-wal", "-shm"] { unlink("\(path)/\(database)\(suffix)") }
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

    /// Size in bytes and permissions of a file. Nil if it does not exist.
    func status(_ name: String) -> (size: Int, mode: Int)? {
        var status = stat()
        guard stat("\(path)/\(name)", &status) == 0 else { return nil }
        return (Int(status.st_size), Int(status.st_mode & 0o777))
    }

    func write(_ text: String, to name: String) throws {
        guard let file = fopen("\(path)/\(name)", "w") else {
            throw SQLError.other(code: Int(errno), message: "fopen")
        }
        fputs(text, file)
        fclose(file)
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

/// An engine whose driver keeps the contract of `Database`.
enum Engine: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case sqlite
    case postgreSQL

    /// Those of which this machine has the server.
    static let all = allCases.filter { $0 != .postgreSQL || PostgreSQLCluster.isInstalled }

    var testDescription: String { rawValue }
}

/// A database of an engine, with what a test needs to hold it.
struct Made: Sendable {
    let database: any ServedDatabase
    /// Opens the same database again, like another process.
    let another: @Sendable () throws -> any ServedDatabase

    /// - Parameters:
    ///   - queueLimit: Maximum number of waiting changes.
    ///   - migrations: Its steps. With the table `items` if none are given.
    init(
        _ engine: Engine, queueLimit: Int = 1000, scanners: Int = 2, scanQueueLimit: Int = 64, batchLimit: Int = 64,
        migrations: [Migration] = [items]
    ) async throws {
        switch engine {
        case .sqlite:
            let folder = try Folder()
            var configuration = folder.configuration
            configuration.queueLimit = queueLimit
            configuration.batchLimit = batchLimit
            configuration.scanners = scanners
            configuration.scanQueueLimit = scanQueueLimit
            let chosen = configuration
            another = {
                defer { withExtendedLifetime(folder) {} }
                return try SQLiteDatabase(chosen)
            }
        case .postgreSQL:
            let made = try PostgreSQLCluster.started.makeDatabase()
            var configuration = try made.configuration
            configuration.queueLimit = queueLimit
            configuration.batchLimit = batchLimit
            configuration.writers = 1
            configuration.scanners = scanners
            configuration.scanQueueLimit = scanQueueLimit
            // Each job begins as after a minute.
            configuration.planLife = .zero
            let chosen = configuration
            another = {
                defer { withExtendedLifetime(made) {} }
                return try PostgreSQLDatabase(chosen)
            }
        }
        database = HeldDatabase(try another(), holding: another)
        if !migrations.isEmpty { try await database.migrate(migrations) }
    }
}

/// A database whose folder, or server's database, stays as long as it.
private final class HeldDatabase: ServedDatabase {
    private let wrapped: any ServedDatabase
    private let held: @Sendable () throws -> any ServedDatabase

    init(_ wrapped: any ServedDatabase, holding held: @escaping @Sendable () throws -> any ServedDatabase) {
        self.wrapped = wrapped
        self.held = held
    }

    var dialect: any Dialect { wrapped.dialect }
    var queuedChanges: Int { wrapped.queuedChanges }
    var queuedWork: Int { wrapped.queuedWork }
    var measurements: WriterMeasurements { wrapped.measurements }

    nonisolated(nonsending) func read<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await wrapped.read(body)
    }

    nonisolated(nonsending) func reduce<Result: Sendable>(
        _ statement: Statement, into initial: Result,
        _ visit: @escaping @Sendable (inout Result, borrowing Row) throws -> Bool
    ) async throws -> Result {
        try await wrapped.reduce(statement, into: initial, visit)
    }

    nonisolated(nonsending) func scan<Result: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await wrapped.scan(within: limit, body)
    }

    @discardableResult
    nonisolated(nonsending) func write<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await wrapped.write(body)
    }

    nonisolated(nonsending) func close() async { await wrapped.close() }
}

let items = Migration(
    "001-items",
    script: """
        CREATE TABLE items (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            size INTEGER CONSTRAINT size_is_positive CHECK (size > 0),
            parent INTEGER REFERENCES items (id),
            owner INTEGER REFERENCES items (id) DEFERRABLE INITIALLY DEFERRED
        ) STRICT;
        """)

let insertItem = StaticStatement("INSERT INTO items (id, name) VALUES ($1, $2)")

/// Blocks a thread until the test opens the gate.
final class Gate: Sendable {
    private enum Arrival {
        case pending
        case awaited(CheckedContinuation<Void, Never>)
        case happened
    }

    private let arrival = Mutex(Arrival.pending)
    private let opened = DispatchSemaphore(value: 0)

    /// Blocks the calling thread, which must not be one of the cooperative pool.
    func pass() {
        let waiter = arrival.withLock { arrival in
            defer { arrival = .happened }
            if case .awaited(let continuation) = arrival { return continuation as CheckedContinuation? }
            return nil
        }
        waiter?.resume()
        opened.wait()
    }

    func open() { opened.signal() }

    /// Returns once a thread waits at the gate. Called once.
    func awaitArrival() async {
        await withCheckedContinuation { continuation in
            let hasHappened = arrival.withLock { arrival in
                if case .happened = arrival { return true }
                arrival = .awaited(continuation)
                return false
            }
            if hasHappened { continuation.resume() }
        }
    }
}

/// A value shared by several tasks.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { value in body(&value) }
    }
}

extension ServedDatabase {
    /// Returns once `count` changes wait for a writer that is blocked at a gate.
    func awaitQueued(_ count: Int) async {
        while queuedChanges < count { await Task.yield() }
    }
}

/// A port of the loopback address that takes each client's first bytes and hangs up, as a proxy before a server that is gone
/// does.
final class HangingUp: Sendable {
    let port: UInt16
    private let listener: Int32

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 ? getsockname(listener, $0, &size) : -1
            }
        }
        guard result == 0, listen(listener, 16) == 0 else {
            throw SQLError.other(code: Int(errno), message: "listen")
        }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        DispatchQueue.global().async {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                var byte: UInt8 = 0
                _ = recv(client, &byte, 1, 0)
                _ = shutdown(client, Int32(SHUT_RDWR))
                _ = Glibc.close(client)
            }
        }
    }

    /// Ends the thread, too.
    func close() {
        _ = shutdown(listener, Int32(SHUT_RDWR))
        _ = Glibc.close(listener)
    }
}
