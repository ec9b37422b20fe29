import Dispatch
import Persistence
import SQL
import Synchronization
import TestSupport

/// A database whose change stops once, before a statement that begins with certain words, until another change is made or
/// waits for it.
final class MeetingDatabase: DatabaseWrapper {
    let wrapped: any Database
    private let words: String
    private let other: @Sendable () async throws -> Void
    private let number: Int
    private let seen = Atomic<Int>(0)
    private let waits = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)
    private let task = Mutex<Task<Void, any Error>?>(nil)

    /// - Parameter number: 1 stops before the first such statement.
    init(
        _ wrapped: any Database, before words: String, number: Int, other: @escaping @Sendable () async throws -> Void
    ) {
        self.number = number
        self.wrapped = wrapped
        self.words = words
        self.other = other
    }

    /// True if the other change waited for this one.
    var hasWaited: Bool { waits.load(ordering: .relaxed) }

    /// Waits for the end of the other change.
    func finished() async throws { try await task.withLock { $0 }?.value }

    /// On the thread of the change.
    fileprivate func meet(_ text: String) {
        guard text.hasPrefix(words), seen.add(1, ordering: .relaxed).newValue == number else { return }
        let goesOn = DispatchSemaphore(value: 0)
        let change = Task { [self] in
            defer {
                hasEnded.store(true, ordering: .relaxed)
                goesOn.signal()
            }
            try await other()
        }
        task.withLock { $0 = change }
        Task { [self] in
            while !hasEnded.load(ordering: .relaxed) {
                let isWaiting = try await wrapped.read { connection in
                    try connection.exists(
                        """
                        SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
                        """)
                }
                if isWaiting {
                    waits.store(true, ordering: .relaxed)
                    goesOn.signal()
                    return
                }
            }
        }
        _ = goesOn.wait(timeout: .now() + 60)
    }

    func connection(_ connection: any Connection) -> any Connection {
        MeetingConnection(wrapped: connection, database: self)
    }
}

private struct MeetingConnection: ConnectionWrapper {
    let wrapped: any Connection
    let database: MeetingDatabase

    func note(_ statement: Statement) { database.meet(statement.text(in: dialect)) }
}

extension TemporaryStore {
    /// Makes two changes over PostgreSQL of which the second comes before a statement of the first.
    /// - Parameter withoutWait: Throws if the second change had to wait for the first.
    func meet<First: Sendable, Second: Sendable>(
        before words: String, number: Int = 1, withoutWait: Bool = false, _ first: (Store) async throws -> First,
        _ second: @escaping @Sendable (Store) async throws -> Second
    ) async throws -> (First, Second) {
        try await withSecondStore { other in
            let result = Mutex<Second?>(nil)
            let meeting = MeetingDatabase(database, before: words, number: number) {
                let made = try await second(other)
                result.withLock { $0 = made }
            }
            let made = try await first(
                Store(database: meeting, hashing: Samples.hashing, rows: Samples.sealer))
            try await meeting.finished()
            guard let second = result.withLock({ $0 }) else { throw NeverMet(words: words) }
            if withoutWait && meeting.hasWaited { throw HasWaited() }
            return (made, second)
        }
    }
}

/// The first change has no such statement.
struct NeverMet: Error { let words: String }

struct HasWaited: Error {}
