import SQL
import Synchronization
import Tracing

/// Remembers if the last change failed for a reason that stops others too.
final class ChangeHealth: Sendable {
    private let isFailing = Atomic<Bool>(false)

    var areFailing: Bool { isFailing.load(ordering: .relaxed) }

    func noteSuccess() { if areFailing { isFailing.store(false, ordering: .relaxed) } }

    func note(_ error: any Error) {
        switch error as? SQLError {
        case .diskFull, .readOnly, .corrupt, .unavailable, .other: isFailing.store(true, ordering: .relaxed)
        // Transient, or the change's own fault.
        case .busy, .overloaded, .timedOut, .closed, .constraint, .conflict, .unknownOutcome, .mismatch, nil: break
        }
    }
}

/// Reports acknowledged audit entries to the watch, announces new entries of the delivery queue, and tracks whether changes
/// succeed and the database is there.
struct WatchedDatabase: Database {
    var dialect: any Dialect { wrapped.dialect }

    let wrapped: any Database
    let watch: AuditWatch
    let newEntries: NewEntries
    let health: ChangeHealth
    let outage: StoreOutage
    let traces: StoreTraces?

    nonisolated(nonsending) func read<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        guard let span = traces?.begin("read") else { return try await outage.noting { try await wrapped.read(body) } }
        return try await outage.noting { try await span.around { try await wrapped.read(body) } }
    }

    nonisolated(nonsending) func reduce<Result: Sendable>(
        _ statement: Statement, into initial: Result,
        _ visit: @escaping @Sendable (inout Result, borrowing Row) throws -> Bool
    ) async throws -> Result {
        guard let span = traces?.begin("read") else {
            return try await outage.noting { try await wrapped.reduce(statement, into: initial, visit) }
        }
        return try await outage.noting {
            try await span.around { try await wrapped.reduce(statement, into: initial, visit) }
        }
    }

    nonisolated(nonsending) func scan<Result: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        guard let span = traces?.begin("scan") else {
            return try await outage.noting { try await wrapped.scan(within: limit, body) }
        }
        return try await outage.noting { try await span.around { try await wrapped.scan(within: limit, body) } }
    }

    @discardableResult
    nonisolated(nonsending) func write<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        guard let span = traces?.begin("change") else { return try await change(body, tracedBy: nil) }
        return try await span.around { try await change(body, tracedBy: Tracer.current) }
    }

    private nonisolated(nonsending) func change<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result, tracedBy trace: TraceContext?
    ) async throws -> Result {
        do {
            let (result, notes) = try await wrapped.write { connection in
                // An earlier change of the same commit has left the last entry. The rest is its own.
                let earlier = connection.remembered as? ChangeNotes
                connection.remembered = ChangeNotes(last: earlier?.noted.last, trace: trace)
                let result = try body(connection)
                return (result, (connection.remembered as? ChangeNotes)?.noted)
            }
            health.noteSuccess()
            outage.noteSuccess(isChange: true)
            if let notes {
                watch.know(notes)
                newEntries.announce(notes.queues)
            }
            return result
        } catch {
            health.note(error)
            if let error = error as? SQLError, error.isOutage { outage.note(error, isChange: true) }
            throw error
        }
    }
}
