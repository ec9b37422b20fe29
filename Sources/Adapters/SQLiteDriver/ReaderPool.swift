import SQL
import Synchronization

/// Reading connections, lent to one thread at a time. No thread waits: if all are lent, another is opened.
final class ReaderPool: Sendable {
    private struct State {
        /// The last one used is taken first, since its cache is the warmest.
        var idle: [SQLiteConnection] = []
        var isClosed = false
    }

    private let configuration: SQLiteConfiguration
    private let state = Mutex(State())

    init(_ configuration: SQLiteConfiguration) { self.configuration = configuration }

    /// `SQLError.timedOut` ends reads that pass the deadline.
    func read<Result>(
        until deadline: ContinuousClock.Instant? = nil, _ body: (any Connection) throws -> Result
    ) throws -> Result {
        if let deadline, deadline <= .now { throw SQLError.timedOut }
        return try withConnection { connection in
            guard let deadline else { return try connection.read(body) }
            return try connection.read(until: deadline, body)
        }
    }

    /// Lends a connection outside a transaction.
    func withConnection<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// Closes idle connections now, and lent ones when they come back.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.idle = []
        }
    }

    private func take() throws(SQLError) -> SQLiteConnection {
        let (idle, isClosed) = state.withLock { state in (state.idle.popLast(), state.isClosed) }
        if isClosed { throw .closed }
        if let idle { return idle }
        return try SQLiteConnection(configuration, as: .reader)
    }

    private func giveBack(_ connection: SQLiteConnection) {
        state.withLock { state in
            if !state.isClosed, state.idle.count < configuration.idleReaders { state.idle.append(connection) }
        }
    }
}
