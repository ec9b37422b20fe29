import AuthorizationCore
import Flows
import Primitives
import TestSupport
import Testing

@Suite("Places for mails in flight")
struct DeliverySlotsTests {
    private func entry(_ id: Int64, _ tenant: String) -> DeliveryEntry {
        DeliveryEntry(
            id: id,
            delivery: Delivery(
                tenant: TenantID(tenant), queue: .mail, createdAt: Samples.start,
                expiresAt: Samples.start + .seconds(3600)))
    }

    /// Tenants whose mails take a time each, second by second. Returns the longest wait of a mail by tenant.
    private func simulated(
        _ tenants: [(name: String, takes: Int, isOwn: Bool, every: Int)], seconds: Int
    ) -> [String: Int] {
        var inFlight = DeliveriesInFlight(limit: 16, perTenant: 4, perRecipient: 4, ownServices: 64, sharesByTime: true)
        let own = Set(tenants.filter(\.isOwn).map(\.name))
        let takes = Dictionary(uniqueKeysWithValues: tenants.map { ($0.name, $0.takes) })
        var waiting: [(entry: DeliveryEntry, since: Int)] = []
        var running: [(entry: DeliveryEntry, end: Int)] = []
        var waits: [String: Int] = [:]
        var nextID: Int64 = 0
        for now in 0..<seconds {
            let uptime = Duration.seconds(now)
            for ended in running where ended.end == now {
                // A slow success.
                _ = inFlight.giveBack(ended.entry, after: .sent, at: uptime)
            }
            running.removeAll { $0.end == now }
            for tenant in tenants where now % tenant.every == 0 {
                // More of one tenant's are never in flight.
                guard waiting.count(where: { $0.entry.delivery.tenant.rawValue == tenant.name }) < 8 else { continue }
                nextID += 1
                waiting.append((entry(nextID, tenant.name), now))
            }
            let taken = inFlight.take(waiting.map(\.entry), at: uptime) { own.contains($0.delivery.tenant.rawValue) }
            for entry in taken { running.append((entry, now + (takes[entry.delivery.tenant.rawValue] ?? 1))) }
            let ids = Set(taken.map(\.id))
            for (entry, since) in waiting {
                let name = entry.delivery.tenant.rawValue
                waits[name] = max(waits[name] ?? 0, now - since)
            }
            waiting.removeAll { ids.contains($0.entry.id) }
        }
        return waits
    }

    @Test(
        "Tenants with slow mail servers delay nobody else, however slow and many",
        arguments: [(4, 50), (4, 600), (40, 50)])
    func slow(count: Int, takes: Int) {
        let slow = (0..<count).map { (name: "slow\($0)", takes: takes, isOwn: true, every: 1) }
        let waits = simulated(
            slow + [("quick", 1, true, 1), ("operators", 1, false, 1), ("rare", 1, true, 97)], seconds: 900)
        #expect(waits["quick"] == 0 && waits["operators"] == 0 && waits["rare"] == 0, "\(waits)")
        #expect((waits["slow0"] ?? 0) > 0, "its own mails wait")
    }

    @Test("A tenant with much to send by the operator's server leaves room for others")
    func bulk() {
        let waits = simulated([("bulk", 3, false, 1), ("more", 5, false, 1), ("rare", 1, false, 7)], seconds: 600)
        #expect(waits["rare"] == 0, "\(waits)")
    }

    @Test("The last half of the places is for tenants with nothing in flight, the last quarter for light ones")
    func reserve() {
        var slots = DeliverySlots(limit: 8, perTenant: 4, perRecipient: 4, sharesByTime: true)
        func take(_ ids: ClosedRange<Int64>, _ tenant: String, at seconds: Int = 0) -> Int {
            slots.take(ids.map { entry($0, tenant) }, at: .seconds(seconds)).count
        }
        #expect(take(1...6, "a") == 4)
        #expect(take(11...14, "b") == 1, "more than half is in flight")
        _ = slots.giveBack(entry(11, "b"), after: .sent, at: .seconds(50))
        // b used 50 seconds of a place.
        #expect(take(21...24, "c", at: 50) == 1)
        #expect(take(31...34, "d", at: 50) == 1)
        #expect(take(12...14, "b", at: 50) == 0, "two are left, for light tenants")
        #expect(take(41...44, "e", at: 50) == 1)
        _ = slots.giveBack(entry(1, "a"), after: .sent, at: .seconds(110))
        #expect(take(12...14, "b", at: 110) == 0)
        #expect(take(12...14, "b", at: 250) == 1, "time used is forgotten")
    }

    @Test("A tenant that gets a mail server of its own does not send a mail twice at a time")
    func changed() {
        var inFlight = DeliveriesInFlight(limit: 2, perTenant: 2, perRecipient: 2, ownServices: 2, sharesByTime: true)
        func take(isOwn: Bool) -> Int { inFlight.take([entry(1, "a")]) { _ in isOwn }.count }
        #expect(take(isOwn: false) == 1)
        #expect(take(isOwn: true) == 0)
        let isRoomy = inFlight.giveBack(entry(1, "a"), after: .sent)
        #expect(isRoomy && inFlight.room == 4)
    }
}
