import AuthorizationCore
@testable import Flows
import Primitives
import TestSupport
import Testing

@Suite("Rules of the delivery queue")
struct DeliveryPolicyTests {
    private let clock = ManualClock()
    private let policy = DeliveryPolicy(
        pace: .leased(for: .seconds(60), inFlight: 8, perTenant: 8, perRecipient: 2), attempts: 4,
        firstDelay: .seconds(5),
        longestDelay: .seconds(30))

    private func entry(
        _ id: Int64 = 1, to recipient: String = "a", tenant: String = "dev", attempts: Int = 0,
        lifetime: Duration = .seconds(600)
    ) -> DeliveryEntry {
        DeliveryEntry(
            id: id,
            delivery: Delivery(
                tenant: TenantID(tenant), queue: .notifications, recipient: recipient, createdAt: Samples.start,
                expiresAt: Samples.start + lifetime),
            attempts: attempts)
    }

    private func step(
        _ result: DeliveryResult, attempts: Int = 0, lifetime: Duration = .seconds(600), jitter: Double = 0
    ) -> DeliveryStep {
        policy.step(
            after: result, of: entry(attempts: attempts, lifetime: lifetime), now: clock.now, jitter: jitter)
    }

    @Test("A delivered or needless entry is done; a refused one is dead, with the reason")
    func ends() {
        #expect(step(.delivered) == .done)
        #expect(step(.unneeded) == .done)
        #expect(step(.refused(reason: "410")) == .dead(problem: "410"))
    }

    @Test("Waits double from the first to the longest", arguments: [(1, 5), (2, 10), (3, 20), (4, 30), (60, 30)])
    func delays(attempts: Int, seconds: Int) {
        #expect(policy.delay(afterAttempts: attempts, jitter: 0) == .seconds(seconds))
    }

    @Test("Jitter shortens a wait by a quarter at most", arguments: [(0, 20_000), (0.5, 17_500), (1, 15_000)])
    func jitter(jitter: Double, milliseconds: Int) {
        #expect(policy.delay(afterAttempts: 3, jitter: jitter) == .milliseconds(milliseconds))
    }

    @Test("A wait that the receiver names counts if it is longer", arguments: [(1, 5), (5, 5), (40, 40)])
    func retryAfter(named: Int, waited: Int) {
        #expect(
            step(.failed(reason: "429", retryAfter: .seconds(named)))
                == .retry(at: clock.now + .seconds(waited), problem: "429"))
    }

    @Test("A try that this server could not begin counts for nothing, and waits longer for an older entry")
    func notTried() {
        for attempts in [0, 3] {
            #expect(
                step(.notTried(reason: "busy"), attempts: attempts)
                    == .retry(at: clock.now + .seconds(5), problem: "busy", isTried: false))
        }
        #expect(step(.notTried(reason: "busy"), lifetime: .seconds(5)) == .dead(problem: "busy"))
        #expect(
            step(.notTried(reason: "full", wait: .seconds(2)))
                == .retry(at: clock.now + .seconds(2), problem: "full", isTried: false))
        for (age, wait) in [(4, 5), (12, 12), (200, 30)] {
            let now = clock.now + .seconds(age)
            #expect(
                policy.step(after: .notTried(reason: "busy"), of: entry(), now: now, jitter: 0)
                    == .retry(at: now + .seconds(wait), problem: "busy", isTried: false))
        }
    }

    @Test("The last try is followed by no other")
    func attempts() {
        #expect(step(.failed(reason: "503"), attempts: 2) == .retry(at: clock.now + .seconds(20), problem: "503"))
        #expect(step(.failed(reason: "503"), attempts: 3) == .dead(problem: "503"))
    }

    @Test("An entry that would expire before its next try is given up at once", arguments: [(5, true), (6, false)])
    func deadline(lifetime: Int, isDead: Bool) {
        let expected =
            isDead ? DeliveryStep.dead(problem: "503") : .retry(at: clock.now + .seconds(5), problem: "503")
        #expect(step(.failed(reason: "503"), lifetime: .seconds(lifetime)) == expected)
    }

    @Test("The first 200 characters of a reason are kept")
    func reasons() {
        #expect(
            step(.refused(reason: String(repeating: "é", count: 500)))
                == .dead(problem: String(repeating: "é", count: 200)))
    }

    @Test("Entries in flight are limited in total, and for each recipient of a tenant")
    func limits() {
        var inFlight = DeliveriesInFlight(limit: 4, perTenant: 4, perRecipient: 2)
        let due = [
            entry(1), entry(2), entry(3), entry(4, tenant: "other"), entry(5, to: "b"), entry(6, to: "c"),
        ]
        func take(_ entries: [DeliveryEntry]) -> [Int64] { inFlight.take(entries).map(\.id) }
        func giveBack(_ entry: DeliveryEntry) -> Bool { inFlight.giveBack(entry, after: .done) }
        #expect(take(due) == [1, 4, 2, 5])
        #expect(inFlight.room == 0)
        #expect(take(due).isEmpty)
        #expect(giveBack(entry(1)))
        #expect(!giveBack(entry(1)), "it is not in flight any more")
        #expect(take([entry(2), entry(3)]) == [3], "2 is still in flight")
    }

    @Test("A tenant with many recipients leaves room for other tenants")
    func tenants() {
        var inFlight = DeliveriesInFlight(limit: 9, perTenant: 3, perRecipient: 1)
        let due = (1...6).map { entry(Int64($0), to: "phone \($0)") } + [entry(7, tenant: "other")]
        func take(_ entries: some Sequence<DeliveryEntry>) -> [Int64] { inFlight.take(Array(entries)).map(\.id) }
        func giveBack(_ entry: DeliveryEntry) -> Bool { inFlight.giveBack(entry, after: .sent) }
        #expect(take(due) == [1, 7, 2, 3])
        #expect(!giveBack(due[0]), "two are more than half of a tenant's room")
        #expect(giveBack(due[1]))
        #expect(take(due.suffix(4)) == [4, 5])
    }

    @Test("Tenants with a backlog get the same share, whichever comes first")
    func turns() {
        var inFlight = DeliveriesInFlight(limit: 4, perTenant: 3, perRecipient: 1)
        var waiting = (0..<60).map { entry(Int64($0), to: "phone \($0)", tenant: "t\($0 / 20)") }
        var served: [String: Int] = [:]
        var running: [DeliveryEntry] = []
        for _ in 0..<30 {
            let taken = inFlight.take(waiting)
            for entry in taken { served[entry.delivery.tenant.rawValue, default: 0] += 1 }
            waiting.removeAll { entry in taken.contains { $0.id == entry.id } }
            running += taken
            _ = inFlight.giveBack(running.removeFirst(), after: .sent)
        }
        #expect(served == ["t0": 11, "t1": 11, "t2": 11])
    }

    @Test(
        "A request goes on elsewhere after a tenth of its life without success, and 20 seconds at least",
        arguments: [(60, 20), (300, 30), (3600, 360), (10, 20)])
    func overdue(life: Int, seconds: Int) {
        let delivery = entry(lifetime: .seconds(life)).delivery
        func isOverdue(_ delivery: Delivery, at moment: Duration, next: Duration = .zero) -> Bool {
            Reachability.isOverdue(delivery, nextTry: Samples.start + next, now: Samples.start + moment)
        }
        #expect(!isOverdue(delivery, at: .seconds(seconds) - .milliseconds(1)))
        #expect(isOverdue(delivery, at: .seconds(seconds)))
        #expect(isOverdue(delivery, at: .zero, next: .seconds(life)), "no other try fits")
        let mail = Delivery(
            tenant: TenantID("dev"), queue: .mail, request: 7, createdAt: Samples.start,
            expiresAt: Samples.start + .seconds(life))
        #expect(!isOverdue(mail, at: .seconds(life - 1)) && isOverdue(mail, at: .zero, next: .seconds(life)))
    }

    @Test("An entry of a request waits until the request's expiry, even if no other try fits before")
    func waits() {
        let delivery = Delivery(
            tenant: TenantID("dev"), queue: .applePushes, recipient: "a", request: 7, createdAt: Samples.start,
            expiresAt: Samples.start + .seconds(300))
        func step(at moment: Int) -> DeliveryStep {
            policy.step(
                after: .failed(reason: "503", retryAfter: .seconds(600)), of: DeliveryEntry(id: 1, delivery: delivery),
                now: Samples.start + .seconds(moment), jitter: 0)
        }
        #expect(step(at: 10) == .retry(at: delivery.expiresAt, problem: "503"))
        #expect(step(at: 300) == .dead(problem: "503"))
    }

    @Test("A recipient that fails is tried with one entry at a time until one is delivered or given up")
    func failing() {
        for end in [DeliveryStep.done, .dead(problem: "410")] {
            var inFlight = DeliveriesInFlight(limit: 9, perTenant: 9, perRecipient: 2)
            let due = (1...5).map { entry(Int64($0)) }
            func take(_ entries: some Sequence<DeliveryEntry>) -> [Int64] { inFlight.take(Array(entries)).map(\.id) }
            #expect(take(due) == [1, 2])
            _ = inFlight.giveBack(due[0], after: .retry(at: clock.now, problem: "503"))
            #expect(take(due).isEmpty)
            _ = inFlight.giveBack(due[1], after: .retry(at: clock.now, problem: "503"))
            #expect(take(due.suffix(3)) == [3])
            _ = inFlight.giveBack(due[2], after: end)
            #expect(take(due.suffix(2)) == [4, 5])
        }
    }

    @Test(
        "The payload of a notification is read as written, and any other text is refused",
        arguments: [
            DeviceNotice(.notification, request: 1), DeviceNotice(.withdrawal, request: .max),
        ])
    func notices(notice: DeviceNotice) {
        #expect(DeviceNotice(payload: notice.payload) == notice)
        for text in [
            "", "notification", "notification x", "other 1", "notification 1 2", "notification 99999999999999999999",
        ] {
            #expect(DeviceNotice(payload: text) == nil, "\(text)")
        }
    }
}
