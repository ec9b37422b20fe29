import HTTPModel
import Primitives

/// The one place that refuses requests because the server has more to do than it can. It decides before the tenant, the
/// client or the store is looked up, so that a refusal costs a small part of the work that it spares.
///
/// Two measures tell that the machine is behind, whatever keeps it: the time for which the request lay unread, and the
/// work that waits for the database. New work gets a quarter of each limit, so that what was begun is finished first.
/// Probes and polls of pending requests are always answered, since a refusal would cost as much.
package struct Admission: Sendable {
    /// Rank of a route's requests.
    package enum Work: String, Sendable, CaseIterable {
        /// Begins something that the client can begin later.
        case new
        /// Goes on with what was begun: a decision, a redemption, a step of a login.
        case begun
    }

    package struct Limits: Sendable {
        /// Longest time that a request may lie unread: 10 ms to 1 min.
        package var wait: Duration = .seconds(4)
        /// Most reads and changes that may wait for the database: `1...10_000`.
        package var queuedWork = 4_000

        package init() {}
    }

    private let limits: Limits
    private let queuedWork: @Sendable () -> Int
    private let refusals = Work.allCases.map { _ in Counter() }

    /// - Parameter queuedWork: Reads and changes that wait for the database now.
    package init(_ limits: Limits = Limits(), queuedWork: @escaping @Sendable () -> Int = { 0 }) {
        self.limits = limits
        self.queuedWork = queuedWork
    }

    /// Refused requests by the rank of their work.
    package var refused: [(work: Work, count: Int)] { zip(Work.allCases, refusals).map { ($0, $1.count) } }

    /// Throws `ServerFailure` with 503 and `Retry-After` (RFC 9110 clause 15.6.4).
    func admit(_ request: Request, as work: Work) throws(ServerFailure) {
        let share = work == .new ? 4 : 1
        guard queuedWork() * share >= limits.queuedWork || (request.client?.silence ?? .zero) * share > limits.wait
        else { return }
        refusals[work == .new ? 0 : 1].increment()
        throw .tooBusy()
    }
}
