package import SQL
import Synchronization

/// Tells once that the database is away, and once that it is back. Nobody else logs such errors (`isOutage`), which every
/// request and all work in the background meet.
final class StoreOutage: Sendable {
    /// Time without a failure after which the database is back. So one that comes and goes fills no log.
    static let calm = Duration.seconds(2)

    private struct Outage {
        let since: ContinuousClock.Instant
        /// True if reading goes on, and so proves nothing.
        let isOfChanges: Bool
        /// The first success after the last failure.
        var recovered: ContinuousClock.Instant?
    }

    private let isAway = Atomic<Bool>(false)
    private let state = Mutex((report: Report?.none, outage: Outage?.none))

    typealias Report = @Sendable (StoreNews) -> Void

    func watch(_ report: @escaping Report) { state.withLock { $0.report = report } }

    /// Notes how reading ended.
    nonisolated(nonsending) func noting<Result>(
        _ read: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await read()
            noteSuccess(isChange: false)
            return result
        } catch {
            if let error = error as? SQLError, error.isOutage { note(error, isChange: false) }
            throw error
        }
    }

    func noteSuccess(isChange: Bool, at now: ContinuousClock.Instant = .now) {
        guard isAway.load(ordering: .relaxed) else { return }
        let news = state.withLock { state -> (report: Report?, after: Duration)? in
            guard let outage = state.outage, isChange || !outage.isOfChanges else { return nil }
            let recovered = outage.recovered ?? now
            state.outage?.recovered = recovered
            guard now - recovered >= Self.calm else { return nil }
            state.outage = nil
            isAway.store(false, ordering: .relaxed)
            return (state.report, recovered - outage.since)
        }
        if let news { news.report?(.back(after: news.after)) }
    }

    func note(_ error: SQLError, isChange: Bool, at now: ContinuousClock.Instant = .now) {
        let report = state.withLock { state -> Report? in
            if state.outage != nil {
                state.outage?.recovered = nil
                return nil
            }
            let isOfServer = if case .unavailable = error { true } else { false }
            state.outage = Outage(since: now, isOfChanges: isChange && !isOfServer)
            isAway.store(true, ordering: .relaxed)
            return state.report
        }
        report?(.away(error))
    }
}

/// A database went or came back.
package enum StoreNews: Sendable, Equatable {
    case away(SQLError)
    case back(after: Duration)
}
