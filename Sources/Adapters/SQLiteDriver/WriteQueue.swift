import SQL

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Changes that wait for the writer thread, in order.
///
/// `@unchecked Sendable` because every stored property is used under `mutex` only.
final class WriteQueue: @unchecked Sendable {
    private let limit: Int
    private var waiting: [any WriteJob] = []
    private var isClosed = false
    private var isFinished = false
    private var awaitingEnd: [CheckedContinuation<Void, Never>] = []
    private var isWriterAsleep = false
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let arrival: UnsafeMutablePointer<pthread_cond_t>

    init(limit: Int) {
        self.limit = limit
        mutex = .allocate(capacity: 1)
        arrival = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(arrival, nil)
    }

    deinit {
        pthread_cond_destroy(arrival)
        pthread_mutex_destroy(mutex)
        arrival.deallocate()
        mutex.deallocate()
    }

    func append(_ job: any WriteJob) throws(SQLError) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if isClosed { throw .closed }
        if waiting.count >= limit { throw .overloaded }
        waiting.append(job)
        if isWriterAsleep { pthread_cond_signal(arrival) }
    }

    /// Waits until the writer has ended.
    nonisolated(nonsending) func finished() async {
        await withCheckedContinuation { continuation in
            pthread_mutex_lock(mutex)
            let isFinished = isFinished
            if !isFinished { awaitingEnd.append(continuation) }
            pthread_mutex_unlock(mutex)
            if isFinished { continuation.resume() }
        }
    }

    /// Wakes `finished()`.
    func finish() {
        pthread_mutex_lock(mutex)
        isFinished = true
        let waiting = awaitingEnd
        awaitingEnd = []
        pthread_mutex_unlock(mutex)
        for continuation in waiting { continuation.resume() }
    }

    /// Refuses further work. Queued work is still done.
    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        pthread_cond_signal(arrival)
        pthread_mutex_unlock(mutex)
    }

    /// Changes that the writer has not taken yet.
    var count: Int {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return waiting.count
    }

    /// Waits for changes and takes at most `count`, oldest first. Empty if the queue is closed and drained. Nil if none
    /// came within `limit` milliseconds.
    func take(atMost count: Int, within limit: Int? = nil) -> [any WriteJob]? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let end = limit.map(Self.moment(in:))
        while waiting.isEmpty, !isClosed {
            isWriterAsleep = true
            defer { isWriterAsleep = false }
            if var end {
                if pthread_cond_timedwait(arrival, mutex, &end) == ETIMEDOUT, waiting.isEmpty, !isClosed { return nil }
            } else {
                pthread_cond_wait(arrival, mutex)
            }
        }
        if waiting.count <= count {
            let all = waiting
            waiting = []
            return all
        }
        let first = Array(waiting.prefix(count))
        waiting.removeFirst(count)
        return first
    }

    /// Uses the wall clock, as the condition does. Setting it makes one wait longer or shorter.
    private static func moment(in milliseconds: Int) -> timespec {
        var moment = timespec()
        clock_gettime(CLOCK_REALTIME, &moment)
        let nanoseconds = moment.tv_nsec + milliseconds % 1_000 * 1_000_000
        moment.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
        moment.tv_nsec = nanoseconds % 1_000_000_000
        return moment
    }
}

/// Work for the writer thread, and the caller that waits for its outcome.
protocol WriteJob: Sendable {
    /// Does the work and keeps the outcome. Returns true on success.
    func run(on connection: SQLiteConnection) -> Bool
    /// Replaces the outcome.
    func fail(_ error: any Error)
    /// Passes the outcome to the caller. Called once, last.
    func finish()
    var arrival: ContinuousClock.Instant { get }
}

/// `@unchecked Sendable` because only the writer thread uses it once queued.
final class ContinuedJob<Value: Sendable>: WriteJob, @unchecked Sendable {
    private let body: @Sendable (SQLiteConnection) throws -> Value
    private let continuation: CheckedContinuation<Value, any Error>
    let arrival = ContinuousClock.now
    private var outcome: Result<Value, any Error> = .failure(SQLError.closed)

    init(
        _ continuation: CheckedContinuation<Value, any Error>,
        _ body: @escaping @Sendable (SQLiteConnection) throws -> Value
    ) {
        self.body = body
        self.continuation = continuation
    }

    func run(on connection: SQLiteConnection) -> Bool {
        outcome = Result { try body(connection) }
        return if case .success = outcome { true } else { false }
    }

    func fail(_ error: any Error) { outcome = .failure(error) }

    func finish() { continuation.resume(with: outcome) }
}
