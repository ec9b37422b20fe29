@testable import Flows
import Primitives
import TestSupport
import Testing

@Suite("Limits of requests to a person, shared by clients")
struct StartCountsTests {
    private typealias Group = StartCounts.Group
    private static let moment = Samples.start

    private func isRefused(
        recent: (all: Int, own: Int, others: Int) = (0, 0, 0), brief: (all: Int, own: Int, others: Int) = (0, 0, 0),
        pending: Int? = nil, isBrief: Bool = true, limit: Int
    ) -> Bool {
        let counts = StartCounts(
            recent: Group(ofAll: recent.all, ofClient: recent.own, otherClients: recent.others), oldest: Self.moment,
            oldestOfClient: recent.own > 0 ? Self.moment : nil,
            brief: Group(ofAll: brief.all, ofClient: brief.own, otherClients: brief.others),
            pendingOfClient: pending ?? brief.own)
        let limits = StartLimits(
            perMinute: limit, windowStart: Self.moment, pendingPerUser: limit, pendingPerTenant: .max)
        return counts.refusal(of: isBrief, limits) != nil
    }

    @Test("A client alone may use up the limit, and no more")
    func alone() {
        for own in 0...6 {
            #expect(isRefused(recent: (own, own, 0), limit: 5) == (own >= 5))
            #expect(isRefused(brief: (own, own, 0), limit: 5) == (own >= 5))
        }
    }

    @Test("Clients that used up the limit leave the others their share, up to twice the limit in all")
    func shares() {
        // Others, their requests, the client's own requests, and whether one more is refused.
        let rows: [(others: Int, ofOthers: Int, own: Int, isRefused: Bool)] = [
            (1, 6, 0, false), (1, 6, 2, false), (1, 6, 3, true), (1, 3, 2, false), (1, 5, 1, false),
            (2, 6, 1, false), (2, 6, 2, true), (5, 6, 0, false), (5, 6, 1, true), (9, 11, 0, false), (9, 12, 0, true),
        ]
        for row in rows {
            let counts = (row.ofOthers + row.own, row.own, row.others)
            #expect(isRefused(recent: counts, limit: 6) == row.isRefused, "\(row)")
            #expect(isRefused(brief: counts, limit: 6) == row.isRefused, "\(row)")
        }
    }

    @Test("No number of requests keeps a client that has none from the person, until twice the limit is reached")
    func neverShutOut() {
        for limit in 1...12 {
            for others in 1...12 {
                for all in 0..<2 * limit {
                    #expect(!isRefused(recent: (all, 0, others), brief: (all, 0, others), limit: limit))
                }
            }
        }
    }

    @Test("Requests that wait for long count for their client alone")
    func patient() {
        #expect(!isRefused(brief: (40, 0, 3), pending: 4, isBrief: false, limit: 5))
        #expect(isRefused(brief: (0, 0, 0), pending: 5, isBrief: false, limit: 5))
        #expect(isRefused(brief: (0, 0, 0), pending: 5, isBrief: true, limit: 5))
    }

    @Test("Sums of large limits do not overflow")
    func large() {
        #expect(!isRefused(recent: (.max - 1, 0, .max - 1), brief: (.max - 1, 0, .max - 1), limit: .max))
    }
}
