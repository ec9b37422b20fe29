import Audit
import AuthorizationCore
@testable import Flows
import Primitives
import TestSupport
import Testing

@Suite("A request reached somebody, or nobody")
struct ReachabilityTests {
    private static let phones = [DeviceID("dev_1"), DeviceID("dev_2")]
    private static let request = Samples.request("r")

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var reach = Reach()
        var isRetried = false
        /// True if the request ends, false if another channel is left.
        var ends = true
        let expected: Reachability
    }

    private static let rows: [Row] = [
        Row(testDescription: "nothing else", expected: .nobody),
        Row(testDescription: "nothing else, and another channel", ends: false, expected: .nobody),
        Row(testDescription: "nothing else, and a retry", isRetried: true, ends: false, expected: .nobody),
        Row(testDescription: "another was delivered", reach: Reach(isSent: true), expected: .reached),
        Row(
            testDescription: "another was delivered, retried", reach: Reach(isSent: true), isRetried: true,
            expected: .reached),
        Row(testDescription: "a phone read it", reach: Reach(isRead: true), expected: .reached),
        Row(
            testDescription: "a phone read it, another channel", reach: Reach(isRead: true), ends: false,
            expected: .reached),
        Row(testDescription: "another was not tried", reach: Reach(waiting: [.mail: .untried]), expected: .reached),
        Row(
            testDescription: "another was not tried, retried", reach: Reach(waiting: [.applePushes: .untried]),
            isRetried: true, ends: false, expected: .reached),
        Row(
            testDescription: "another is tried again", reach: Reach(waiting: [.googlePushes: .failing]),
            expected: .reached),
        Row(
            testDescription: "another keeps failing, too", reach: Reach(waiting: [.googlePushes: .failing]),
            isRetried: true, ends: false, expected: .nobody),
        Row(
            testDescription: "one of two others was not tried",
            reach: Reach(waiting: [.googlePushes: .failing, .webPushes: .untried]), isRetried: true, ends: false,
            expected: .reached),
        Row(
            testDescription: "the device channel was not tried", reach: Reach(waiting: [.notifications: .untried]),
            expected: .unknown),
        Row(
            testDescription: "the device channel was not tried, and another was delivered",
            reach: Reach(waiting: [.notifications: .failing], isSent: true), ends: false, expected: .unknown),
        Row(testDescription: "a phone fetches by itself", reach: Reach(fetching: [phones[1]]), expected: .reached),
        Row(
            testDescription: "a phone whose answer is no evidence fetches by itself",
            reach: Reach(fetching: [DeviceID("dev_3")]), expected: .nobody),
        Row(
            testDescription: "a phone fetches by itself, and another channel is left",
            reach: Reach(fetching: [phones[0]]),
            ends: false, expected: .nobody),
    ]

    @Test(
        "A phone whose push was skipped fetches by itself, if its answer is evidence",
        arguments: [(0, true), (1, false)])
    func skipped(place: Int, isReached: Bool) throws {
        let phone = [Self.phones[0], DeviceID("dev_3")][place]
        let reach = Reach(phone: phone)
        let ends = DeliveryConsequence.Change.undelivered(phones: Self.phones)
        let skipped = DeliveryStep.skipped(problem: "no credentials")
        #expect((Reachability(reach, after: skipped, before: ends) == .reached) == isReached)
        #expect(Reachability(reach, after: Self.failed, before: ends) == .nobody, "the push was refused")
    }

    private static func change(_ row: Row) throws -> DeliveryConsequence.Change {
        row.ends
            ? .undelivered(phones: phones)
            : .rerouted(try Samples.vault.seal(request.request, request.hash), devices: [])
    }

    private static let failed = DeliveryStep.dead(problem: "410")
    private static let retried = DeliveryStep.retry(at: Samples.start + .seconds(60), problem: "503")

    @Test("The other deliveries, the readers and the phones that fetch decide", arguments: rows)
    func decides(row: Row) throws {
        let step = row.isRetried ? Self.retried : Self.failed
        #expect(Reachability(row.reach, after: step, before: try Self.change(row)) == row.expected)
    }

    @Test(
        "A settlement keeps its consequence for nobody alone, and is put off while the channel was not tried",
        arguments: rows)
    func settles(row: Row) throws {
        let now = Samples.start + .seconds(10)
        let step = row.isRetried ? Self.retried : Self.failed
        let consequence = DeliveryConsequence(
            try Self.change(row), of: try Samples.vault.seal(Self.request.request, Self.request.hash),
            event: AuditEvent(.undelivered, tenant: TenantID("dev"), at: now))
        let settled = DeliverySettlement(id: 1, step: step, consequence: consequence).decided(by: row.reach, now: now)
        #expect(settled.id == 1)
        #expect((settled.consequence != nil) == (row.expected == .nobody))
        let isPutOff = row.expected == .unknown && !row.isRetried
        #expect(settled.step == (isPutOff ? .retry(at: now + .seconds(1), problem: "410", isTried: false) : step))
        let without = DeliverySettlement(id: 1, step: step).decided(by: row.reach, now: now)
        #expect(without.step == step && without.consequence == nil)
    }

    @Test(
        "Each failed delivery of a request by mail or push is at stake, and no other", arguments: DeliveryQueue.allCases
    )
    func stake(queue: DeliveryQueue) {
        func isAtStake(_ step: DeliveryStep, request: Int64? = 7) -> Bool {
            let delivery = Delivery(
                tenant: TenantID("dev"), queue: queue, request: request, createdAt: Samples.start,
                expiresAt: Samples.start + .seconds(300))
            return Reachability.isAtStake(delivery, after: step, now: Samples.start + .seconds(30))
        }
        let tells = queue == .mail || queue.pushService != nil
        for step in [Self.failed, .ended(problem: "gone"), .skipped(problem: "no credentials")] {
            #expect(isAtStake(step) == tells)
            #expect(!isAtStake(step, request: nil))
        }
        #expect(!isAtStake(.sent) && !isAtStake(.done))
        #expect(isAtStake(Self.retried) == (queue.pushService != nil), "a mail is not overdue yet")
        #expect(isAtStake(.retry(at: Samples.start + .seconds(300), problem: "503")) == tells, "no other try fits")
    }
}
