import Synchronization

/// Threads for work that takes long: at most `threads` at once, each ending when nothing is left. To start one costs
/// little beside the work it is for, so none is kept.
package final class Workers: Sendable {
    /// As much work as allowed is being done or waits. Ask again later.
    package struct Busy: Error, Sendable {}

    private struct Job: Sendable {
        let run: @Sendable () -> Void
        /// Tells the one who waits that it will never run.
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
    ///   - threads: how many run at once.
    ///   - queueLimit: how many more pieces of work may wait before `Busy`.
    package init(threads: Int, queueLimit: Int) {
        self.threads = max(1, threads)
        self.queueLimit = max(0, queueLimit)
    }

    /// Runs `work` on one of the threads. Throws `Busy` at once where the queue is full.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            admit(
                Job(
                    run: {
                        do {
                            continuation.resume(returning: try work())
                        } catch {
                            continuation.resume(throwing: error)
                        }
                    },
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
            // Without any thread left, nobody would come for what was queued meanwhile.
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

    /// Nil ends the thread: it is then counted out under the same lock, so that no job is left behind.
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
