import CSQLite
import Primitives
import SQL

/// One connection with its prepared statements; closed when released.
///
/// `@unchecked Sendable` because it moves between threads but belongs to one at a time. The pool and the writer ensure
/// that.
final class SQLiteConnection: Connection, @unchecked Sendable {
    enum Role { case writer, reader }

    /// Cached statements that are not a `StaticStatement`.
    private static let textCacheLimit = 64

    /// Runs once per process. If SQLite is already in use, the setting stays off and SQLite is only slower.
    private static let countsNoMemory = countersign_sqlite_count_no_memory() == SQLITE_OK

    let handle: OpaquePointer
    private var prepared: [PreparedStatement?] = []
    private var preparedByText: [String: PreparedStatement] = [:]
    private var uses = 0
    private var isOpen = true
    var remembered: AnyObject?

    /// The writer must be opened first: it makes the file and the write-ahead log that readers need. Without a writer,
    /// both must exist.
    init(_ configuration: SQLiteConfiguration, as role: Role) throws(SQLError) {
        _ = Self.countsNoMemory
        var opened: OpaquePointer?
        // No mutex: two threads never use a connection at once.
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        flags |= role == .writer ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
        var name = configuration.path
        if configuration.isImmutable {
            flags |= SQLITE_OPEN_URI
            name = "file:\(PercentEncoding.encode(name))?immutable=1"
        }
        let code = sqlite3_open_v2(name, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let error = SQLError.last(code, of: opened)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        sqlite3_busy_timeout(handle, Int32(clamping: configuration.busyTimeout))
        let distrust = countersign_sqlite_distrust_schema(handle)
        guard distrust == SQLITE_OK else { throw .last(distrust, of: handle) }
        let cache = role == .writer ? configuration.writerCache : configuration.readerCache
        try script(
            """
            PRAGMA trusted_schema = OFF;
            PRAGMA foreign_keys = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -\(cache);
            PRAGMA mmap_size = \(configuration.mappedBytes);
            """)
        if role == .writer {
            try requireWriteAheadLog()
            // FULL syncs the log at every commit. FAST overwrites deleted data if that costs no extra writes.
            try script(
                """
                PRAGMA synchronous = FULL;
                PRAGMA secure_delete = \(configuration.overwritesDeleted ? "ON" : "FAST");
                PRAGMA wal_autocheckpoint = 0;
                PRAGMA journal_size_limit = 67108864;
                """)
        }
    }

    deinit { close() }

    /// Closes the file. The connection is unusable afterwards.
    func close() {
        guard isOpen else { return }
        isOpen = false
        prepared = []
        preparedByText = [:]
        sqlite3_close_v2(handle)
    }

    /// True if no transaction is open. SQLite ends one itself after some errors, such as a full disk.
    var isOutsideTransaction: Bool { sqlite3_get_autocommit(handle) != 0 }

    func run(_ statement: Statement, _ visit: (borrowing Row) throws -> Bool) throws -> Int {
        let prepared = try prepared(for: statement)
        prepared.isInUse = true
        defer {
            prepared.reset()
            prepared.isInUse = false
        }
        try prepared.bind(statement.values)
        let row = Row(prepared.row)
        var isVisiting = true
        while true {
            switch sqlite3_step(prepared.handle) {
            case SQLITE_ROW:
                if isVisiting { isVisiting = try visit(row) }
                if !isVisiting, prepared.isReadOnly { return 0 }
            case SQLITE_DONE: return prepared.isReadOnly ? 0 : Int(sqlite3_changes64(handle))
            case let code: throw SQLError.last(code, of: handle)
            }
        }
    }

    var dialect: any Dialect { SQLiteDialect() }

    var lane: Int64 { 0 }

    /// A change has the file's only writer to itself (`BEGIN IMMEDIATE`).
    func lock(_ lock: SQLLock) throws {}

    func columns(of table: String) throws -> [String] {
        try query("SELECT name FROM pragma_table_info(\(table)) ORDER BY cid") { try $0.text(0) }
    }

    func perform(_ statement: Statement) throws { try execute(statement) }

    func insert(_ statement: Statement, key: StaticString) throws -> Int64? {
        switch try execute(statement) {
        case 0: return nil
        case 1: return sqlite3_last_insert_rowid(handle)
        default: throw SQLError.mismatch("the statement inserts one row")
        }
    }

    /// Begins or ends a transaction, or rolls back a part of it.
    func control(_ statement: StaticStatement) throws {
        remembered = nil
        try execute(statement())
    }

    func script(_ text: String) throws(SQLError) {
        let code = sqlite3_exec(handle, text, nil, nil, nil)
        guard code == SQLITE_OK else { throw .last(code, of: handle) }
    }

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try execute(Control.savepoint())
        do {
            let result = try body()
            try execute(Control.release())
            return result
        } catch {
            // Nothing is left to undo if SQLite has ended the whole transaction.
            if !isOutsideTransaction {
                try control(Control.rollbackTo)
                try execute(Control.release())
            }
            throw error
        }
    }

    /// Runs `body` on one snapshot.
    func read<Result>(_ body: (any Connection) throws -> Result) throws -> Result {
        try control(Control.begin)
        defer { if !isOutsideTransaction { _ = try? control(Control.commit) } }
        return try body(self)
    }

    /// Runs `body` on one snapshot. Statements end with `SQLError.timedOut` at the deadline.
    func read<Result>(
        until deadline: ContinuousClock.Instant, _ work: (any Connection) throws -> Result
    ) throws -> Result {
        // SQLite calls this regularly while it reads rows.
        let context = UnsafeMutablePointer<ContinuousClock.Instant>.allocate(capacity: 1)
        context.initialize(to: deadline)
        defer { context.deallocate() }
        sqlite3_progress_handler(
            handle, 10_000,
            { context in
                guard let context else { return 0 }
                return context.assumingMemoryBound(to: ContinuousClock.Instant.self).pointee <= .now ? 1 : 0
            }, context)
        // Reset before the transaction ends, which must not be interrupted.
        func body(_ connection: any Connection) throws -> Result {
            defer { sqlite3_progress_handler(handle, 0, nil, nil) }
            return try work(connection)
        }
        return try read(body)
    }

    /// True if a deferred foreign key is violated, which otherwise only the commit reports.
    var hasForeignKeyDebt: Bool {
        var current: Int32 = 0
        var highest: Int32 = 0
        sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
        return current != 0
    }

    private func requireWriteAheadLog() throws(SQLError) {
        let mode: String?
        do {
            mode = try first("PRAGMA journal_mode = WAL") { row in try row.text(0) }
        } catch {
            throw error as? SQLError ?? .corrupt
        }
        guard mode == "wal" else {
            throw .other(code: Int(SQLITE_CANTOPEN), message: "the file system does not support a write-ahead log")
        }
    }

    private func prepared(for statement: Statement) throws(SQLError) -> PreparedStatement {
        switch statement.text {
        case .template(let template):
            let number = template.number
            if number < prepared.count, let found = prepared[number], !found.isInUse { return found }
            let made = try PreparedStatement(template.text(in: dialect), on: handle)
            while prepared.count <= number { prepared.append(nil) }
            prepared[number] = made
            return made
        case .built(let text):
            uses += 1
            if let found = preparedByText[text], !found.isInUse {
                found.lastUse = uses
                return found
            }
            let made = try PreparedStatement(text, on: handle)
            made.lastUse = uses
            if preparedByText.count >= Self.textCacheLimit,
                let oldest = preparedByText.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                preparedByText[oldest.key] = nil
            }
            preparedByText[text] = made
            return made
        }
    }
}

/// Statements that frame transactions.
enum Control {
    static let begin = StaticStatement("BEGIN")
    static let beginImmediate = StaticStatement("BEGIN IMMEDIATE")
    static let commit = StaticStatement("COMMIT")
    static let rollback = StaticStatement("ROLLBACK")
    static let savepoint = StaticStatement("SAVEPOINT nested")
    static let release = StaticStatement("RELEASE nested")
    static let rollbackTo = StaticStatement("ROLLBACK TO nested")
}
