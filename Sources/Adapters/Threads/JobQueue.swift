#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Answer to a new job.
package enum JobAdmission: Sendable {
    case queued
    /// Queued, and the caller must start another consumer, which counts already.
    case needsConsumer
    /// Refused: the queue is full, or closed.
    case full, closed
}

/// Jobs that wait for threads, in order.
///
/// `@unchecked Sendable` because every stored property is used under `mutex` only.
package final class JobQueue<Resource>: @unchecked Sendable {
    private let limit: Int
    private let maximumConsumers: Int
    private var consumers = 0
    private var sleepers = 0
    private var waiting: [any WaitingJob<Resource>] = []
    private var isClosed = false
    private var awaitingEnd: [CheckedContinuation<Void, Never>] = []
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let arrival: UnsafeMutablePointer<pthread_cond_t>

    /// - Parameters:
    ///   - limit: Maximum number of waiting jobs.
    ///   - consumers: Maximum number of threads that take jobs.
    package init(limit: Int, consumers: Int = 1) {
        self.limit = limit
        maximumConsumers = max(1, consumers)
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

    private func withLock<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    package func append(_ job: any WaitingJob<Resource>) -> JobAdmission {
        withLock {
            if isClosed { return .closed }
            if waiting.count >= limit { return .full }
            waiting.append(job)
            if sleepers > 0 { pthread_cond_signal(arrival) }
            guard waiting.count > sleepers, consumers < maximumConsumers else { return .queued }
            consumers += 1
            return .needsConsumer
        }
    }

    /// Counts a consumer that runs from the start.
    package func enlist() { withLock { consumers += 1 } }

    /// Ends a consumer. Returns false, and keeps it, if jobs wait.
    package func retire() -> Bool {
        let ended = withLock { () -> [CheckedContinuation<Void, Never>]? in
            guard waiting.isEmpty else { return nil }
            consumers -= 1
            guard isClosed, consumers == 0 else { return [] }
            defer { awaitingEnd = [] }
            return awaitingEnd
        }
        guard let ended else { return false }
        for continuation in ended { continuation.resume() }
        return true
    }

    /// Ends a consumer that could not be started. If it was the only one, nobody would run the waiting jobs, and they
    /// fail with `error`.
    package func abandon(_ error: any Error) {
        let left = withLock { () -> [any WaitingJob<Resource>] in
            consumers -= 1
            guard consumers == 0 else { return [] }
            defer { waiting = [] }
            return waiting
        }
        for job in left {
            job.fail(error)
            job.finish()
        }
    }

    /// Waits until the queue is closed and its last consumer has ended.
    package nonisolated(nonsending) func finished() async {
        await withCheckedContinuation { continuation in
            let isFinished = withLock {
                if !(isClosed && consumers == 0) { awaitingEnd.append(continuation) }
                return isClosed && consumers == 0
            }
            if isFinished { continuation.resume() }
        }
    }

    /// Refuses further work. Queued work is still done.
    package func close() {
        withLock {
            isClosed = true
            pthread_cond_broadcast(arrival)
        }
    }

    /// Jobs that no consumer has taken yet.
    package var count: Int { withLock { waiting.count } }

    /// Waits for jobs and takes at most `count`, oldest first. Empty if the queue is closed and drained. Nil if none
    /// came within `limit` milliseconds.
    package func take(atMost count: Int, within limit: Int? = nil) -> [any WaitingJob<Resource>]? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let end = limit.map(moment(in:))
        while waiting.isEmpty, !isClosed {
            sleepers += 1
            defer { sleepers -= 1 }
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
}

/// Uses the wall clock, as the condition does. Setting it makes one wait longer or shorter.
private func moment(in milliseconds: Int) -> timespec {
    var moment = timespec()
    clock_gettime(CLOCK_REALTIME, &moment)
    let nanoseconds = moment.tv_nsec + milliseconds % 1_000 * 1_000_000
    moment.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
    moment.tv_nsec = nanoseconds % 1_000_000_000
    return moment
}

/// Work for a thread with a resource, and the caller that waits for its outcome.
package protocol WaitingJob<Resource>: Sendable {
    associatedtype Resource

    /// Does the work and keeps the outcome. May be repeated.
    /// - Returns: the error of the work. Nil on success.
    func run(on resource: Resource) -> (any Error)?
    /// Replaces the outcome.
    func fail(_ error: any Error)
    /// Passes the outcome to the caller. Called once, last.
    func finish()
    var arrival: ContinuousClock.Instant { get }
}

/// `@unchecked Sendable` because only one thread uses it once queued.
package final class ContinuedJob<Resource, Value: Sendable>: WaitingJob, @unchecked Sendable {
    private let body: @Sendable (Resource) throws -> Value
    private let continuation: CheckedContinuation<Value, any Error>
    package let arrival = ContinuousClock.now
    private var outcome: Result<Value, any Error> = .failure(CancellationError())

    package init(
        _ continuation: CheckedContinuation<Value, any Error>, _ body: @escaping @Sendable (Resource) throws -> Value
    ) {
        self.body = body
        self.continuation = continuation
    }

    package func run(on resource: Resource) -> (any Error)? {
        outcome = Result { try body(resource) }
        return if case .failure(let error) = outcome { error } else { nil }
    }

    package func fail(_ error: any Error) { outcome = .failure(error) }

    /// Tells the caller of a job that was not queued.
    package func refuse(_ error: any Error) {
        fail(error)
        finish()
    }

    package func finish() { continuation.resume(with: outcome) }
}
