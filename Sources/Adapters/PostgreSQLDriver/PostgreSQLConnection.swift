import CPostgreSQL
import SQL

/// One connection with its prepared statements; closed when released.
///
/// Commands whose answers nobody waits for travel with the next one: `BEGIN`, a lock and the first statement are one round
/// trip.
///
/// `@unchecked Sendable` because it moves between threads but belongs to one at a time. The pool ensures that.
final class PostgreSQLConnection: Connection, @unchecked Sendable {
    enum Role: Sendable { case writer, reader }

    /// A command whose answer was not read yet.
    private enum Sent {
        case command
        case preparation(PreparedStatement)
        case description(PreparedStatement)
        /// End of the transaction before.
        case ending
        /// End of an exchange.
        case sync
    }

    /// Commands sent without reading an answer. More would fill buffers on both sides.
    private static let unreadLimit = 64

    private let wire: Wire
    private var statements = PreparedStatements()
    private var parameters = ParameterBytes()
    private var unread: [Sent] = []
    /// Rows that a statement further out is visiting.
    private var rows: RowStream?
    /// First error since the transaction began. The server runs nothing more in it.
    private(set) var failure: SQLError?
    var remembered: AnyObject?

    /// - Throws: ``SQLError/unavailable(reason:)`` if no server lets this account in; ``SQLError/other(code:message:)`` for
    ///   a server that is too old.
    init(_ configuration: PostgreSQLConfiguration, as role: Role) throws(SQLError) {
        wire = try Wire(configuration, as: role)
        limit = wire.limit
        longestPlanLife = configuration.planLife
        planLife = min(.seconds(1), longestPlanLife)
        guard role == .writer else { return }
        do {
            let taken = try first(PostgreSQLDialect.takeLane()) {
                (lane: try $0.int64(0), process: try $0.int64(1))
            }
            guard let taken else { throw SQLError.unavailable(reason: "all lanes of the audit log are taken") }
            guard taken.process == Int64(PQbackendPID(wire.handle)) else {
                throw SQLError.unavailable(
                    reason: "something like PgBouncer stands in between; name the server itself, of which this program "
                        + "shares few connections")
            }
            lane = taken.lane
        } catch {
            throw error as? SQLError ?? .lost
        }
    }

    /// The session's, until the connection ends. A connection that only reads has none.
    private(set) var lane: Int64 = 0

    var dialect: any Dialect { PostgreSQLDialect() }

    /// True if the connection cannot be used again.
    var isLost: Bool { wire.isLost }

    /// Round trips since the connection was opened.
    var exchanges: Int { wire.exchanges }

    func close() { wire.close() }

    // MARK: statements

    func run(_ statement: Statement, _ visit: (borrowing Row) throws -> Bool) throws -> Int {
        try run(statement, returning: nil, visit)
    }

    private func run(
        _ statement: Statement, returning key: StaticString?, _ visit: (borrowing Row) throws -> Bool
    ) throws -> Int {
        try makeWay()
        try limitNext()
        try send(statement, returning: key)
        let stream = try noting { () throws(SQLError) in
            try wire.sync()
            try readUnread()
            return RowStream(wire)
        }
        let outer = rows
        rows = stream
        defer { rows = outer }
        var changes = 0
        var stop: (any Error)?
        var isVisiting = true
        while let result = try noting({ () throws(SQLError) in try stream.next() }) {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_SINGLE_TUPLE:
                guard isVisiting, failure == nil else { continue }
                do {
                    isVisiting = try visit(Row(PostgreSQLColumns(result: result, row: 0)))
                } catch {
                    (isVisiting, stop) = (false, error)
                }
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK: changes = Wire.changes(result)
            case PGRES_EMPTY_QUERY: note(.mismatch("the statement is empty"))
            case PGRES_PIPELINE_ABORTED: note(.aborted)
            default: note(wire.error(result))
            }
        }
        if let error = stop ?? failure { throw error }
        return changes
    }

    func insert(_ statement: Statement, key: StaticString) throws -> Int64? {
        var keys: [Int64] = []
        _ = try run(statement, returning: key) { row in
            keys.append(try row.int64(0))
            return keys.count < 2
        }
        guard keys.count < 2 else { throw SQLError.mismatch("the statement inserts one row") }
        return keys.first
    }

    func perform(_ statement: Statement) throws {
        try makeWay()
        try send(statement)
        unread.append(.command)
        if unread.count >= Self.unreadLimit { try settle() }
    }

    private static let lock = StaticStatement("SELECT pg_advisory_xact_lock($1)")

    func lock(_ lock: SQLLock) throws { try perform(Self.lock(lock.number)) }

    func columns(of table: String) throws -> [String] {
        try query(
            """
            SELECT attname FROM pg_attribute
            WHERE attrelid = to_regclass(quote_ident(\(table))) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
            ORDER BY attnum
            """
        ) { try $0.text(0) }
    }

    func script(_ text: String) throws(SQLError) {
        try makeWay()
        try settle()
        try noting { () throws(SQLError) in try wire.script(text) }
    }

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try perform(Control.savepoint())
        do {
            let result = try body()
            try perform(Control.release())
            // Errors of statements in `body` belong here.
            try settle()
            return result
        } catch {
            guard !isLost else { throw error }
            remembered = nil
            try? makeWay()
            try? settle()
            // A lost race undoes more than a savepoint.
            if failure == .conflict { throw SQLError.conflict }
            failure = nil
            for statement in [Control.rollbackTo, Control.release] {
                try send(statement())
                unread.append(.command)
            }
            try settle()
            throw error
        }
    }

    // MARK: transactions

    /// Forgets the failure of an earlier transaction, and plans that are old. For each job, before its first statement.
    func renew() throws {
        (remembered, failure) = (nil, nil)
        let now = ContinuousClock.now
        guard now - planned >= planLife else { return }
        (planned, planLife) = (now, min(planLife * 2, longestPlanLife))
        try perform(Control.forgetPlans())
    }

    private var planned = ContinuousClock.now
    /// Grows from plan to plan, because tables grow the fastest at first.
    private var planLife: Duration
    private let longestPlanLife: Duration

    /// Begins a transaction, together with its first statement.
    func begin() throws { try perform(Control.begin()) }

    /// - Throws: ``SQLError/unknownOutcome`` if the connection was lost before the answer came. Otherwise nothing was
    ///   committed.
    func commit() throws {
        if isLost { throw failure ?? .lost }
        if let failure {
            rollBack()
            throw failure
        }
        remembered = nil
        do {
            if let rows { try rows.keep() }
            try send(Control.commit())
            unread.append(.command)
            try settle()
        } catch {
            if isLost { throw SQLError.unknownOutcome }
            rollBack()
            throw error
        }
    }

    /// Undoes the transaction. A connection on which that fails is lost.
    func rollBack() { end(Control.rollback(), awaitsAnswer: true) }

    /// Ends a transaction that has changed nothing. Its answer is read before that of the next statement.
    func end() { end(failure == nil ? Control.commit() : Control.rollback(), awaitsAnswer: false) }

    private func end(_ statement: Statement, awaitsAnswer: Bool) {
        remembered = nil
        guard !isLost else { return }
        do {
            if let rows { try rows.keep() }
            if unread.contains(where: { if case .command = $0 { true } else { false } }) {
                try? settle()
            }
            failure = nil
            try send(statement)
            unread.append(.ending)
            if awaitsAnswer {
                try settle()
            } else {
                try wire.sync(isAwaited: false)
                unread.append(.sync)
            }
        } catch {
            wire.close()
        }
    }

    // MARK: limits

    private var limit: Duration
    /// End of the statements' time. Nil for the session's own limit.
    var deadline: ContinuousClock.Instant? {
        didSet { wire.limit = deadline.map { max(limit, $0 - .now) } ?? limit }
    }

    private static let setLimit = StaticStatement("SELECT set_config('statement_timeout', $1, true)")

    private func limitNext() throws {
        guard let deadline else { return }
        let left = Int((deadline - .now) / .milliseconds(1))
        guard left > 0 else { throw SQLError.timedOut }
        try perform(Self.setLimit(String(left)))
    }

    // MARK: the wire

    /// Makes the connection ready for the next command: rows that are still coming are kept aside.
    private func makeWay() throws(SQLError) {
        if let failure { throw failure }
        if let rows { try noting { () throws(SQLError) in try rows.keep() } }
    }

    private func send(_ statement: Statement, returning key: StaticString? = nil) throws(SQLError) {
        guard !isLost else { throw failure ?? .lost }
        try parameters.encode(statement.values)
        defer { parameters.clear() }
        let prepared =
            if let found = statements.find(statement) { found } else { try prepare(statement, returning: key) }
        let sent = parameters.withPointers { values, lengths, formats in
            PQsendQueryPrepared(wire.handle, prepared.name, Int32(statement.values.count), values, lengths, formats, 1)
        }
        guard sent == 1 else { throw note(wire.lose()) }
    }

    private func prepare(_ statement: Statement, returning key: StaticString?) throws(SQLError) -> PreparedStatement {
        var text = statement.text(in: dialect)
        if let key { text += " RETURNING \(key)" }
        let (prepared, forgotten) = statements.add(statement)
        if let forgotten {
            guard PQsendQueryParams(wire.handle, "DEALLOCATE \(forgotten)", 0, nil, nil, nil, nil, 1) == 1 else {
                throw note(wire.lose())
            }
            unread.append(.command)
        }
        guard PQsendPrepare(wire.handle, prepared.name, text, Int32(prepared.types.count), prepared.types) == 1,
            PQsendDescribePrepared(wire.handle, prepared.name) == 1
        else { throw note(wire.lose()) }
        unread += [.preparation(prepared), .description(prepared)]
        return prepared
    }

    /// Waits for the answers to all commands, and throws the first error.
    private func settle() throws(SQLError) {
        if !unread.isEmpty {
            try noting { () throws(SQLError) in
                try wire.sync()
                unread.append(.sync)
                try readUnread()
            }
        }
        if let failure { throw failure }
    }

    /// Reads all answers, and notes the first error.
    /// - Throws: ``SQLError/unavailable(reason:)`` if the connection is lost.
    private func readUnread() throws(SQLError) {
        let sent = unread
        unread.removeAll(keepingCapacity: true)
        for sent in sent {
            let error: SQLError?
            switch sent {
            case .command: error = try wire.readAnswer()
            case .preparation(let prepared):
                error = try wire.readAnswer()
                if error != nil { statements.remove(prepared) }
            case .description(let prepared): error = try wire.readAnswer { prepared.learn($0) }
            case .ending:
                if try wire.readAnswer() != nil { throw wire.lose() }
                error = nil
            case .sync:
                try wire.readSync()
                error = nil
            }
            if let error { note(error) }
        }
    }

    private func noting<Result>(_ body: () throws(SQLError) -> Result) throws(SQLError) -> Result {
        do { return try body() } catch { throw note(error) }
    }

    @discardableResult
    private func note(_ error: SQLError) -> SQLError {
        if failure == nil { failure = error }
        return failure ?? error
    }
}

/// Statements that frame transactions.
enum Control {
    static let begin = StaticStatement("BEGIN")
    /// In milliseconds. Shorter than the server's `deadlock_timeout`, which is a second.
    static let waitBriefly = StaticStatement("SET LOCAL lock_timeout = 50")
    static let commit = StaticStatement("COMMIT")
    static let rollback = StaticStatement("ROLLBACK")
    static let savepoint = StaticStatement("SAVEPOINT nested")
    static let release = StaticStatement("RELEASE SAVEPOINT nested")
    static let rollbackTo = StaticStatement("ROLLBACK TO SAVEPOINT nested")
    static let forgetPlans = StaticStatement("DISCARD PLANS")
}
