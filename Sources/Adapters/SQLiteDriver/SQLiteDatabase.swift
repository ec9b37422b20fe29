public import SQL
import Threads

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A SQLite file in WAL mode: reads on the caller's thread, changes by one writer thread with group commit.
///
/// A change is acknowledged when its commit was synced (`synchronous=FULL`), so it survives a crash of the process or
/// of the machine. When a commit itself fails with an I/O error, every change in it gets that error and is rolled back.
///
/// Other processes may use the file at the same time.
public final class SQLiteDatabase: Database {
    private let readers: ReaderPool
    private let queue: WriteQueue
    private let scanners: Workers

    public var dialect: Dialect { .sqlite }

    /// Opens the file, or makes it with mode 0600 (and its folder with mode 0700). Blocks while it does so.
    public init(_ configuration: SQLiteConfiguration) throws(SQLError) {
        try makePrivateFile(configuration.path)
        let connection = try SQLiteConnection(configuration, as: .writer)
        queue = WriteQueue(limit: configuration.queueLimit)
        readers = ReaderPool(configuration)
        scanners = Workers(threads: configuration.scanners, queueLimit: configuration.scanQueueLimit)
        try Writer(connection, queue: queue, configuration: configuration).start()
    }

    deinit {
        readers.close()
        queue.close()
    }

    public nonisolated(nonsending)
        func read<Result: Sendable>(_ body: (any Connection) throws -> Result) async throws -> Result
    {
        try readers.read(body)
    }

    public nonisolated(nonsending)
        func scan<Result: Sendable>(
            within limit: Duration, _ body: @escaping @Sendable (any Connection) throws -> Result
        ) async throws -> Result
    {
        let deadline = ContinuousClock.now + limit
        do {
            return try await scanners.run { [readers] in try readers.read(until: deadline, body) }
        } catch is Workers.Busy {
            throw SQLError.overloaded
        }
    }

    @discardableResult
    public nonisolated(nonsending)
        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any Connection) throws -> Result
        ) async throws -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            let job = ContinuedJob(continuation) { try body($0) }
            do {
                try queue.append(job)
            } catch {
                job.fail(error)
                job.finish()
            }
        }
    }

    /// Changes that wait for the writer, of `queueLimit` that may.
    public var queuedChanges: Int { queue.count }

    /// Refuses new work, finishes what waits, moves the log into the database and closes the file. May be repeated.
    public nonisolated(nonsending)
        func close() async
    {
        readers.close()
        queue.close()
        await queue.finished()
    }
}

/// SQLite gives its other files the mode of this one.
private func makePrivateFile(_ path: String) throws(SQLError) {
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
        let folder = String(path[..<slash])
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw .cannotMake(folder, errno) }
    }
    // Only a new file may be opened here: closing a descriptor drops the locks this process holds on the file.
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
        close(descriptor)
    } else if errno != EEXIST {
        throw .cannotMake(path, errno)
    }
}

extension SQLError {
    fileprivate static func cannotMake(_ path: String, _ number: Int32) -> SQLError {
        .other(code: Int(number), message: "cannot make \(path): \(String(cString: strerror(number)))")
    }
}
