import Synchronization

/// Threads for long work, at most `threads` at once. Each ends when no work is left, since starting one costs little
/// compared to its work.
package final class Workers: Sendable {
    /// The queue is full. Try again later.
    package struct Busy: Error, Sendable {}

    private struct Job: Sendable {
        let run: @Sendable () -> Void
        /// Tells the waiting caller that the job will not run.
        let refuse: @Sendable () -> Void
    }

    private struct State {
        var running = 0
        var waiting: [Job] = []
    }

    private enum Admission { case queued, startThread, refused }

    private let threads: Int
    private let queueLimit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - threads: Maximum number of threads.
    ///   - queueLimit: Maximum number of waiting jobs. Further ones fail with `Busy`.
    package init(threads: Int, queueLimit: Int) {
        self.threads = max(1, threads)
        self.queueLimit = max(0, queueLimit)
    }

    /// Runs `work` on one of the threads. Throws `Busy` at once if the queue is full.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            admit(
                Job(
                    run: { continuation.resume(with: Swift.Result { try work() }) },
                    refuse: { continuation.resume(throwing: Busy()) }))
        }
    }

    private func admit(_ job: Job) {
        let admission = state.withLock { state -> Admission in
            if state.running < threads {
                state.running += 1
                return .startThread
            }
            guard state.waiting.count < queueLimit else { return .refused }
            state.waiting.append(job)
            return .queued
        }
        switch admission {
        case .queued: break
        case .refused: job.refuse()
        case .startThread:
            guard !startThread(job) else { return }
            job.refuse()
            // If no thread is left, nothing would run the jobs that were queued meanwhile.
            let abandoned = state.withLock { state -> [Job] in
                state.running -= 1
                guard state.running == 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for job in abandoned { job.refuse() }
        }
    }

    private func startThread(_ first: Job) -> Bool {
        let started: Void? = try? SystemThread.detach { [self] in
            first.run()
            while let job = nextJob() { job.run() }
        }
        return started != nil
    }

    /// Nil ends the thread. The count changes under the same lock, so that no job is left behind.
    private func nextJob() -> Job? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}
