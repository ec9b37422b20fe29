import CSQLite
package import SQL
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
/// A change is acknowledged after its commit was synced (`synchronous=FULL`), so it survives a crash of the process or
/// of the machine. If a commit fails with an I/O error, every change in it gets that error and is rolled back.
///
/// Other processes may use the file at the same time.
package final class SQLiteDatabase: ServedDatabase {
    package var dialect: any Dialect { SQLiteDialect() }

    private let readers: ReaderPool
    /// Nil if the file is only read.
    private let queue: JobQueue<SQLiteConnection>?
    private let scanners: Workers
    private let statistics = WriterStatistics()

    /// Opens the file, or creates it with mode 0600 (and its folder with mode 0700). Blocks meanwhile.
    package init(_ configuration: SQLiteConfiguration) throws(SQLError) {
        try makePrivateFile(configuration.path)
        let connection = try SQLiteConnection(configuration, as: .writer)
        let queue = JobQueue<SQLiteConnection>(limit: configuration.queueLimit)
        self.queue = queue
        readers = ReaderPool(configuration)
        scanners = Workers(threads: configuration.scanners, queueLimit: configuration.scanQueueLimit)
        try Writer(connection, queue: queue, configuration: configuration, statistics: statistics).start()
    }

    /// Opens an existing file for reading, while others may change it. Every change throws ``SQLError/readOnly``. This
    /// process needs no write access to the file or its folder.
    package init(reading configuration: SQLiteConfiguration) throws(SQLError) {
        queue = nil
        readers = ReaderPool(try configuration.forReadingAlone())
        scanners = Workers(threads: configuration.scanners, queueLimit: configuration.scanQueueLimit)
    }

    /// Opens a file that does not change meanwhile, such as a copy, for reading. Makes no file beside it, and ignores a
    /// write-ahead log beside it.
    package init(unshared configuration: SQLiteConfiguration) throws(SQLError) {
        var alone = configuration
        alone.isImmutable = true
        try alone.probe()
        queue = nil
        readers = ReaderPool(alone)
        scanners = Workers(threads: configuration.scanners, queueLimit: configuration.scanQueueLimit)
    }

    deinit {
        readers.close()
        queue?.close()
    }

    /// Runs `work` on a thread that may be kept busy.
    func onScanner<Result: Sendable>(_ work: @escaping @Sendable (ReaderPool) throws -> Result) async throws -> Result {
        do {
            return try await scanners.run { [readers] in try work(readers) }
        } catch is Workers.Busy {
            throw SQLError.overloaded
        }
    }

    package nonisolated(nonsending) func read<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try readers.read(body)
    }

    package nonisolated(nonsending) func reduce<Result: Sendable>(
        _ statement: Statement, into initial: Result,
        _ visit: @escaping @Sendable (inout Result, borrowing Row) throws -> Bool
    ) async throws -> Result {
        var result = initial
        try readers.withConnection { _ = try $0.run(statement) { try visit(&result, $0) } }
        return result
    }

    package nonisolated(nonsending) func scan<Result: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        let deadline = ContinuousClock.now + limit
        return try await onScanner { try $0.read(until: deadline, body) }
    }

    @discardableResult
    package nonisolated(nonsending) func write<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        guard let queue else { throw SQLError.readOnly }
        return try await withCheckedThrowingContinuation { continuation in
            let job = ContinuedJob<SQLiteConnection, Result>(continuation) { try body($0) }
            switch queue.append(job) {
            case .queued, .needsConsumer: break
            case .full: job.refuse(SQLError.overloaded)
            case .closed: job.refuse(SQLError.closed)
            }
        }
    }

    /// Changes that wait for the writer, at most `queueLimit`.
    package var queuedChanges: Int { queue?.count ?? 0 }

    /// Reads run on their callers' threads.
    package var queuedWork: Int { queuedChanges }

    package var measurements: WriterMeasurements { statistics.current }

    /// Refuses new work, finishes queued work, moves the log into the database and closes the file. May be repeated.
    package nonisolated(nonsending) func close() async {
        readers.close()
        queue?.close()
        await queue?.finished()
    }
}

extension SQLiteConfiguration {
    /// A write-ahead log is shared through a second file, which readers must be able to open or make. If it is missing
    /// and the folder is read-only, no process has the database open. If the log is also missing or empty, the database
    /// file is complete and can be read alone.
    fileprivate func forReadingAlone() throws(SQLError) -> SQLiteConfiguration {
        do {
            try probe()
            return self
        } catch {
            guard error.isOfSharing, !hasWriteAheadLog else { throw error }
            var alone = self
            alone.isImmutable = true
            try alone.probe()
            return alone
        }
    }

    /// SQLite opens its files only at the first read.
    fileprivate func probe() throws(SQLError) {
        do {
            _ = try SQLiteConnection(self, as: .reader).read { try $0.exists("SELECT 1 FROM sqlite_schema") }
        } catch {
            throw error as? SQLError ?? .corrupt
        }
    }

    private var hasWriteAheadLog: Bool {
        var status = stat()
        return stat(path + "-wal", &status) == 0 && status.st_size > 0
    }
}

/// SQLite gives its other files the mode of this one.
private func makePrivateFile(_ path: String) throws(SQLError) {
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
        let folder = String(path[..<slash])
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw .cannotMake(folder, errno) }
    }
    // Only a new file may be opened here: closing a descriptor drops this process's locks on the file.
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
        close(descriptor)
    } else if errno != EEXIST {
        throw .cannotMake(path, errno)
    }
}

extension SQLError {
    /// True if files could not be opened or made.
    fileprivate var isOfSharing: Bool {
        switch self {
        case .readOnly: true
        case .other(let code, _): code & 0xff == SQLITE_CANTOPEN
        default: false
        }
    }

    fileprivate static func cannotMake(_ path: String, _ number: Int32) -> SQLError {
        .other(code: Int(number), message: "cannot make \(path): \(String(cString: strerror(number)))")
    }
}
