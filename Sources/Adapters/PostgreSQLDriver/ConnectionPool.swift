import SQL
import Synchronization
import Threads

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Threads with a connection each, started when jobs wait, and ended when none come for long.
final class ConnectionPool: Sendable {
    private let configuration: PostgreSQLConfiguration
    private let role: PostgreSQLConnection.Role
    private let link: Link
    private let statistics: WriterStatistics?
    private let queue: JobQueue<PostgreSQLConnection>

    /// - Parameter statistics: counts changes. Nil for reads.
    init(
        _ configuration: PostgreSQLConfiguration, as role: PostgreSQLConnection.Role, threads: Int, queueLimit: Int,
        link: Link, statistics: WriterStatistics? = nil
    ) {
        self.configuration = configuration
        self.role = role
        self.link = link
        self.statistics = statistics
        queue = JobQueue(limit: queueLimit, consumers: threads)
    }

    var waiting: Int { queue.count }

    /// Runs `body` on one of the threads, with its connection.
    nonisolated(nonsending) func run<Result: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let job = ContinuedJob(continuation, body)
            switch queue.append(job) {
            case .queued: break
            case .needsConsumer:
                do { try SystemThread.detach { [self] in serve() } } catch { queue.abandon(SQLError.overloaded) }
            case .full: job.refuse(SQLError.overloaded)
            case .closed: job.refuse(SQLError.closed)
            }
        }
    }

    /// Refuses further work. Queued work is still done.
    func close() { queue.close() }

    nonisolated(nonsending) func finished() async { await queue.finished() }

    private func serve() {
        var worker = Worker(configuration, role, link)
        while true {
            let limit = statistics == nil ? 1 : max(1, configuration.batchLimit)
            guard let batch = queue.take(atMost: limit, within: configuration.idleAfter), !batch.isEmpty else {
                // The connection ends before the pool does.
                worker.disconnect()
                if queue.retire() { return }
                continue
            }
            let taken = ContinuousClock.now
            if let statistics {
                worker.change(batch)
                statistics.add(arrivals: batch.map(\.arrival), taken: taken, ended: .now)
            } else {
                worker.read(batch[0])
            }
            worker.count()
            for job in batch { job.finish() }
        }
    }
}

/// Work of a thread with its connection.
private struct Worker {
    private let configuration: PostgreSQLConfiguration
    private let role: PostgreSQLConnection.Role
    private let link: Link
    private var connection: PostgreSQLConnection?
    /// Round trips of the connection that are counted already.
    private var counted = 0

    init(_ configuration: PostgreSQLConfiguration, _ role: PostgreSQLConnection.Role, _ link: Link) {
        self.configuration = configuration
        self.role = role
        self.link = link
    }

    mutating func disconnect() { (connection, counted) = (nil, 0) }

    /// Counts the round trips since the last count.
    mutating func count() {
        guard let connection else { return }
        link.exchanges.add(connection.exchanges - counted, ordering: .relaxed)
        counted = connection.exchanges
    }

    private mutating func connected() throws(SQLError) -> PostgreSQLConnection {
        if let connection, !connection.isLost { return connection }
        disconnect()
        let made = try link.connect { () throws(SQLError) in try PostgreSQLConnection(configuration, as: role) }
        connection = made
        return made
    }

    /// Runs a job that reads, which may be repeated at will.
    mutating func read(_ job: any WaitingJob<PostgreSQLConnection>) {
        var runs = 0
        while true {
            runs += 1
            do {
                let connection = try connected()
                try connection.renew()
                guard let error = job.run(on: connection) else { return }
                // A connection that ended while it was idle, and a replica that gave up a snapshot.
                guard runs < 3, connection.isLost || error as? SQLError == .conflict else { return }
            } catch {
                return job.fail(error)
            }
        }
    }

    /// Runs jobs in one transaction. If one fails, all are undone, and each is run again in a transaction of its own.
    mutating func change(_ batch: [any WaitingJob<PostgreSQLConnection>]) {
        // Waits of those before it add up, for example for one person's row. Its client asks again.
        if batch.count == 1, .now - batch[0].arrival > configuration.patience {
            return fail(batch, SQLError.overloaded)
        }
        var runs = 0
        while true {
            runs += 1
            let failure: any Error
            do {
                try commit(batch)
                return
            } catch {
                failure = error
            }
            let error = failure as? SQLError
            // A repetition could do it twice.
            if error == .unknownOutcome { return fail(batch, failure) }
            if let connection, !connection.isLost {
                switch error {
                // After a change of roles, another server takes changes.
                case .readOnly where runs == 1: disconnect()
                // Another change inserted the row since this one looked for it. The next run finds it.
                case .constraint(.unique, _) where batch.count == 1 && runs == 1: break
                case .conflict where batch.count == 1 && runs < configuration.attempts: Self.pause(runs)
                case _ where batch.count > 1:
                    for job in batch { change([job]) }
                    return
                default: return fail(batch, failure)
                }
            } else if connection == nil || runs > 2 {
                return fail(batch, failure)
            } else {
                disconnect()
            }
        }
    }

    private func fail(_ batch: [any WaitingJob<PostgreSQLConnection>], _ error: any Error) {
        for job in batch { job.fail(error) }
    }

    private mutating func commit(_ batch: [any WaitingJob<PostgreSQLConnection>]) throws {
        let connection = try connected()
        try connection.renew()
        try connection.begin()
        // Changes that share a transaction take locks in the order in which they came. Two such transactions can wait for
        // each other, although no two changes would. Alone, they then do not.
        if batch.count > 1 { try connection.perform(Control.waitBriefly()) }
        for job in batch {
            // A job that does not mind its error is undone all the same: the server has given the transaction up.
            guard let error = job.run(on: connection) ?? connection.failure else { continue }
            connection.rollBack()
            throw error
        }
        try connection.commit()
    }

    /// Waits up to a few milliseconds, longer after each run, so that those who met do not meet again.
    private static func pause(_ runs: Int) {
        var time = timespec(tv_sec: 0, tv_nsec: Int.random(in: 100_000...500_000 << min(runs, 6)))
        nanosleep(&time, nil)
    }
}

/// Way to the server, which all connections share: after a failure, none tries again at once.
final class Link: Sendable {
    private struct State {
        var failures = 0
        var rest: (until: ContinuousClock.Instant, reason: SQLError)?
    }

    private let state = Mutex(State())
    /// Round trips of all connections.
    let exchanges = Atomic<Int>(0)

    /// - Throws: the reason of the last failure while the way rests.
    func connect(
        _ open: () throws(SQLError) -> PostgreSQLConnection
    ) throws(SQLError) -> PostgreSQLConnection {
        if let rest = state.withLock({ $0.rest }), rest.until > .now { throw rest.reason }
        do {
            let connection = try open()
            state.withLock { $0 = State() }
            return connection
        } catch {
            state.withLock { state in
                state.failures += 1
                let longest = Duration.milliseconds(50) * (1 << min(state.failures, 4))
                state.rest = (until: .now + longest * Double.random(in: 0.5...1), reason: error)
            }
            throw error
        }
    }
}
