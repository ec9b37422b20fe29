import CSQLite
import SQL
import Threads

/// The only thread that changes the database.
///
/// It takes all waiting changes, runs them, commits once, and only then resumes the callers. Concurrent changes share
/// the cost of one sync, and none is acknowledged before it is durable. If one fails, all are undone and run again,
/// each inside a savepoint.
///
/// `@unchecked Sendable` because, once started, only its own thread uses anything but the queue.
final class Writer: @unchecked Sendable {
    private let queue: JobQueue<SQLiteConnection>
    private let connection: SQLiteConnection
    private let configuration: SQLiteConfiguration
    private let statistics: WriterStatistics
    /// Pages in the write-ahead log, reported by SQLite after each commit.
    private let logPages: UnsafeMutablePointer<Int32>
    /// The log's size after the previous batch. A smaller log has begun again.
    private var logPagesBefore: Int32 = 0
    /// Log size below which another checkpoint would do little.
    private var nextCheckpoint = 0

    init(
        _ connection: SQLiteConnection, queue: JobQueue<SQLiteConnection>, configuration: SQLiteConfiguration,
        statistics: WriterStatistics
    ) {
        self.connection = connection
        self.statistics = statistics
        self.queue = queue
        self.configuration = configuration
        logPages = .allocate(capacity: 1)
        logPages.initialize(to: 0)
        sqlite3_wal_hook(
            connection.handle,
            { context, _, _, pages in
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logPages)
    }

    deinit { logPages.deallocate() }

    /// Starts the thread, which ends when the queue is closed and empty.
    func start() throws(SQLError) {
        queue.enlist()
        do {
            try SystemThread.detach { [self] in run() }
        } catch {
            throw .other(code: Int(error.code), message: "the writer thread cannot be started")
        }
    }

    private func run() {
        work()
        sqlite3_wal_hook(connection.handle, nil, nil)
        // An error is harmless: the next process reads the log.
        sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        connection.close()
        _ = queue.retire()
    }

    private func work() {
        while true {
            let batch = queue.take(
                atMost: max(1, configuration.batchLimit),
                within: isCheckpointDue(from: configuration.checkpointWhenIdle) ? configuration.idleAfter : nil)
            guard let batch else {
                checkpoint()
                continue
            }
            if batch.isEmpty { return }
            commit(batch)
            if logPages.pointee < logPagesBefore { nextCheckpoint = 0 }
            logPagesBefore = logPages.pointee
            if isCheckpointDue(from: configuration.checkpointAlways) { checkpoint() }
        }
    }

    private func commit(_ batch: [any WaitingJob<SQLiteConnection>]) {
        let taken = ContinuousClock.now
        do {
            // SQLite waits here, up to the busy timeout, for a writer in another process.
            try connection.control(Control.beginImmediate)
            if batch.count == 1 {
                try runAlone(batch[0])
            } else if try runTogether(batch) {
                try connection.control(Control.commit)
            } else {
                try connection.control(Control.rollback)
                try connection.control(Control.beginImmediate)
                try runIsolated(batch)
            }
        } catch {
            if !connection.isOutsideTransaction { _ = try? connection.control(Control.rollback) }
            for job in batch { job.fail(error) }
        }
        statistics.add(arrivals: batch.map(\.arrival), taken: taken, ended: .now)
        for job in batch { job.finish() }
    }

    /// A single change needs no savepoint but the transaction.
    private func runAlone(_ job: any WaitingJob<SQLiteConnection>) throws {
        let succeeded = job.run(on: connection) == nil && hasNoForeignKeyDebt(job)
        if succeeded {
            try requireTransaction()
            try connection.control(Control.commit)
        } else if !connection.isOutsideTransaction {
            try connection.control(Control.rollback)
        }
    }

    /// Runs all without savepoints, for which SQLite would copy every page before a change. Returns false if one
    /// failed: its effects cannot be told from the others', so all must be undone and run again.
    private func runTogether(_ batch: [any WaitingJob<SQLiteConnection>]) throws -> Bool {
        for job in batch {
            let succeeded = job.run(on: connection) == nil && hasNoForeignKeyDebt(job)
            // When SQLite has ended the transaction, the changes before this one are gone too.
            try requireTransaction()
            if !succeeded { return false }
        }
        return true
    }

    private func runIsolated(_ batch: [any WaitingJob<SQLiteConnection>]) throws {
        for job in batch {
            try connection.execute(Control.savepoint())
            let succeeded = job.run(on: connection) == nil && hasNoForeignKeyDebt(job)
            // When SQLite has ended the transaction, the changes before this one are gone too.
            try requireTransaction()
            if !succeeded { try connection.control(Control.rollbackTo) }
            try connection.execute(Control.release())
        }
        try connection.control(Control.commit)
    }

    /// At the commit, a violated deferred foreign key would fail the whole batch.
    private func hasNoForeignKeyDebt(_ job: any WaitingJob<SQLiteConnection>) -> Bool {
        guard connection.hasForeignKeyDebt else { return true }
        job.fail(SQLError.constraint(.foreignKey, name: ""))
        return false
    }

    private func requireTransaction() throws(SQLError) {
        guard connection.isOutsideTransaction else { return }
        let code = sqlite3_extended_errcode(connection.handle)
        if code == SQLITE_OK { throw .other(code: 0, message: "a change ended its transaction itself") }
        throw .last(code, of: connection.handle)
    }

    private func isCheckpointDue(from limit: Int) -> Bool { Int(logPages.pointee) >= max(limit, nextCheckpoint) }

    /// Moves the log into the database without waiting for readers. Writers have already been answered.
    private func checkpoint() {
        // If a reader holds an old snapshot, only part can be moved. An error shows again at the next commit.
        sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        nextCheckpoint = Int(logPages.pointee) + configuration.checkpointWhenIdle
    }
}
