import Administration
import Audit
import AuthorizationCore
import Configuration
@testable import Flows
import GuardianWire
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: the delivery queue")
struct DeliveryContractTests {
    private let now = Samples.start + .seconds(10)

    private func filled(_ kind: StoreKind, _ count: Int = 3) async throws -> (TemporaryStore, [DeliveryEntry]) {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        for index in 0..<count { try await made.started("r\(index)", devices: ["dev_one"]) }
        return (made, try await due(made))
    }

    private func due(
        _ made: TemporaryStore, _ queue: DeliveryQueue = .notifications, perLane: Int? = nil,
        limit: Int = 100, at now: Timestamp? = nil
    ) async throws -> [DeliveryEntry] {
        try await made.store.dueDeliveries(queue, perLane: perLane ?? limit, limit: limit, now: now ?? self.now)
    }

    private func settle(
        _ made: TemporaryStore, _ entry: DeliveryEntry, _ step: DeliveryStep, _ event: AuditEvent? = nil,
        by owner: String = "node"
    ) async throws {
        try await made.store.settle(
            [DeliverySettlement(id: entry.id, step: step, event: event)], by: owner, now: now)
    }

    @Test("Entries come in the order in which they are due, up to the limit", arguments: StoreKind.all)
    func order(kind: StoreKind) async throws {
        let (made, entries) = try await filled(kind)
        #expect(entries.count == 3)
        let ids = entries.map(\.id)
        #expect(ids == ids.sorted())
        #expect(try await due(made, limit: 2).map(\.id) == Array(ids.prefix(2)))
        #expect(try await due(made, at: Samples.start - .milliseconds(1)).isEmpty)
        try await settle(made, entries[0], .retry(at: now, problem: "503"))
        #expect(try await due(made).map(\.id) == [ids[1], ids[2], ids[0]])
    }

    @Test("A notification names its request and its expiry", arguments: StoreKind.all)
    func content(kind: StoreKind) async throws {
        let (made, entries) = try await filled(kind, 1)
        let delivery = try #require(entries.first).delivery
        #expect(delivery.tenant == TenantID("dev"))
        #expect(delivery.queue == .notifications)
        #expect(delivery.recipient == "dev_one")
        #expect(delivery.sealed.isEmpty)
        #expect(delivery.createdAt == Samples.start)
        #expect(delivery.expiresAt == Samples.start + .seconds(300))
        let notice = try #require(DeviceNotice(payload: delivery.payload))
        let found = try #require(try await made.store.notification(of: notice.request, to: DeviceID("dev_one")))
        #expect(found.request.consentID == Samples.request("r0").request.consentID)
        #expect(found.device?.id == DeviceID("dev_one"))
        #expect(try await made.store.notification(of: notice.request + 1, to: DeviceID("dev_one")) == nil)
    }

    @Test("Settling several entries at once deletes no other entry", arguments: StoreKind.all)
    func runs(kind: StoreKind) async throws {
        let (made, entries) = try await filled(kind, 7)
        let done = [5, 0, 1, 3].map { DeliverySettlement(id: entries[$0].id, step: .done) }
        try await made.store.settle(done, by: "node", now: now)
        #expect(try await due(made).map(\.id) == [entries[2].id, entries[4].id, entries[6].id])
    }

    @Test("A device with a subscription to Web Push gets a push beside the channel's entry", arguments: StoreKind.all)
    func queues(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for (id, service) in [("dev_a", PushCredentials.Service.apns), ("dev_w", .webPush), ("dev_none", nil)] {
            let push = service.map { PushCredentials(service: $0, token: "t") }
            try await made.enrolled(Samples.device(id, identifier: id, push: push))
        }
        for (index, device) in ["dev_a", "dev_w", "dev_w", "dev_none", "dev_gone"].enumerated() {
            try await made.started("r\(index)", devices: [device])
        }
        try await made.store.enqueue(LoginSamples.mail())
        func devices(_ queue: DeliveryQueue, limit: Int = 100) async throws -> [String] {
            try await due(made, queue, limit: limit).map(\.delivery.recipient)
        }
        #expect(try await devices(.notifications) == ["dev_a", "dev_w", "dev_w", "dev_none", "dev_gone"])
        #expect(try await devices(.webPushes) == ["dev_w", "dev_w"])
        #expect(try await devices(.applePushes) == ["dev_a"])
        #expect(try await devices(.webPushes, limit: 1) == ["dev_w"])
        let (channel, push) = (try await due(made), try await due(made, .webPushes))
        #expect(push.map(\.delivery.payload) == channel[1...2].map(\.delivery.payload))
        #expect(push.map(\.delivery.expiresAt) == channel[1...2].map(\.delivery.expiresAt))
        #expect(try await due(made, .mail, at: LoginSamples.start).count == 1)
        #expect(try await due(made, .logoutNotices).isEmpty)
    }

    @Test("A retired subscription is removed and audited once, and never its successor", arguments: StoreKind.all)
    func retire(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let push = PushCredentials(service: .webPush, token: "old")
        try await made.enrolled(Samples.device(push: push))
        let device = DeviceID("dev_one")
        func stored() async throws -> PushCredentials? {
            try await made.store.device(device, tenant: TenantID("dev"))?.device.push
        }
        func retire(_ token: String, tenant: String = "dev") async throws -> Bool {
            try await made.store.retire(
                PushCredentials(service: .webPush, token: token), of: device, tenant: TenantID(tenant),
                event: AuditEvent(.deviceUpdated, tenant: TenantID("dev"), at: now, device: device))
        }
        #expect(try await !retire("other"))
        #expect(try await !retire("old", tenant: "other"))
        #expect(try await stored() == push, "the device has another subscription by now, or is another tenant's")
        #expect(try await made.database.auditLog("gd_update_device_account").isEmpty)
        #expect(try await retire("old"))
        #expect(try await !retire("old"))
        #expect(try await stored() == nil)
        #expect(try await made.database.auditLog("gd_update_device_account").count == 1)
        #expect(try await made.store.device(device, tenant: TenantID("dev")) != nil, "the channel still reaches it")
    }

    @Test("Mails of one tenant's many users hide no other tenant's mail", arguments: StoreKind.all)
    func mailsByTenant(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for index in 0..<20 {
            try await made.database.execute(
                """
                INSERT INTO delivery (tenant, queue, recipient, payload, sealed, created_at, due_at, expires_at, attempts,
                    state)
                VALUES ('dev', 'mail', 'user \(raw: String(index))', '', \([UInt8]()), 1, 1, \(now + .seconds(99)), 0, 0)
                """)
        }
        try await made.database.execute(
            """
            INSERT INTO delivery (tenant, queue, recipient, payload, sealed, created_at, due_at, expires_at, attempts, state)
            VALUES ('other', 'mail', '', '', \([UInt8]()), 2, 2, \(now + .seconds(99)), 0, 0)
            """)
        let found = try await due(made, .mail, perLane: 4, limit: 10)
        #expect(found.map(\.delivery.tenant.rawValue) == ["dev", "other", "dev", "dev", "dev"])
    }

    @Test("A tenant's lane gives at most the requested number of entries, the oldest first", arguments: StoreKind.all)
    func perLane(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        for (index, device) in ["one", "one", "one", "two"].enumerated() {
            try await made.started("r\(index)", devices: [device])
        }
        #expect(try await due(made, perLane: 2).map(\.delivery.recipient) == ["one", "one"])
        #expect(try await due(made, perLane: 9).map(\.delivery.recipient) == ["one", "one", "one", "two"])
        #expect(try await due(made, perLane: 9, limit: 1).map(\.delivery.recipient) == ["one"])
    }

    @Test("More lanes than places share them, and each has one at least", arguments: StoreKind.all)
    func manyLanes(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for index in 0..<12 {
            try await made.database.execute(
                """
                INSERT INTO delivery (tenant, queue, recipient, payload, sealed, created_at, due_at, expires_at, attempts,
                    state)
                VALUES ('dev', 'logout_notices', 'client \(raw: String(index % 4))', '', \([UInt8]()), 1, \(index),
                    \(now + .seconds(99)), 0, 0)
                """)
        }
        func clients(_ perLane: Int, _ limit: Int) async throws -> [String] {
            try await due(made, .logoutNotices, perLane: perLane, limit: limit).map {
                String($0.delivery.recipient.suffix(1))
            }
        }
        #expect(try await clients(9, 8) == ["0", "1", "2", "3", "0", "1", "2", "3"])
        #expect(try await clients(1, 99) == ["0", "1", "2", "3"])
        #expect(try await clients(9, 2).count == 2)
    }

    @Test("A done entry is gone and its event is in the log, once", arguments: StoreKind.all)
    func done(kind: StoreKind) async throws {
        let (made, entries) = try await filled(kind, 1)
        let event = AuditEvent(.notificationSent, tenant: TenantID("dev"), at: now)
        for _ in 0..<2 { try await settle(made, entries[0], .done, event) }
        #expect(try await made.database.count("delivery") == 0)
        #expect(try await made.database.auditLog("gd_send_pn").count == 1)
    }

    @Test("A retried entry is due again at its time, with one more attempt and the reason", arguments: StoreKind.all)
    func retry(kind: StoreKind) async throws {
        let (made, entries) = try await filled(kind, 1)
        #expect(entries[0].problem == nil)
        try await settle(made, entries[0], .retry(at: now + .seconds(4), problem: "503"))
        #expect(try await due(made, at: now + .milliseconds(3999)).isEmpty)
        let again = try await due(made, at: now + .seconds(4))
        #expect(again.map(\.attempts) == [1])
        #expect(again.map(\.problem) == ["503"])
        try await settle(made, again[0], .retry(at: now + .seconds(5), problem: "busy", isTried: false))
        #expect(try await due(made, at: now + .seconds(4)).isEmpty)
        let untried = try await due(made, at: now + .seconds(5))
        #expect(untried.map(\.attempts) == [1])
        #expect(untried.map(\.problem) == ["busy"])
    }

    @Test("A dead letter keeps its reason but not its message, and is never due again", arguments: StoreKind.all)
    func dead(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.enqueue(LoginSamples.mail())
        let entry = try #require(try await due(made, .mail).first)
        #expect(!entry.delivery.sealed.isEmpty)
        let event = AuditEvent(.notificationFailed, tenant: TenantID("dev"), at: now)
        // A crash between delivery and settlement lets an entry be settled twice.
        for _ in 0..<2 { try await settle(made, entry, .dead(problem: "550 nobody"), event) }
        #expect(try await due(made, .mail, at: now + .seconds(3600)).isEmpty)
        let kept = try await made.database.read { connection in
            try connection.query("SELECT id, length(sealed), problem, due_at, state FROM delivery") {
                "\(try $0.int64(0)) \(try $0.int(1)) \(try $0.text(2)) \(try $0.timestamp(3).seconds) \(try $0.int(4))"
            }
        }
        #expect(kept == ["\(entry.id) 0 550 nobody \(now.seconds) 1"])
        #expect(try await made.database.auditLog("gd_send_pn_failure").count == 1)
        let depths = try await made.store.queueDepths(now: now)
        #expect(depths.allSatisfy { $0.depth.entries == 0 }, "a dead letter does not wait")
        let dead = try await made.store.deadLetters()
        #expect(dead.map(\.name) == DeliveryQueue.allCases.map(\.rawValue))
        #expect(dead.filter { $0.count > 0 }.map(\.name) == ["mail"])
    }

    @Test("Only its owner has a leased entry until the lease ends or is released", arguments: StoreKind.all)
    func leases(kind: StoreKind) async throws {
        let (made, entries) = try await filled(kind, 2)
        func lease(_ owner: String, at moment: Timestamp) async throws -> Set<Int64> {
            try await made.store.lease(entries, to: owner, until: moment + .seconds(60), now: moment)
        }
        #expect(try await lease("one", at: now) == Set(entries.map(\.id)))
        #expect(try await due(made).isEmpty)
        #expect(try await lease("two", at: now).isEmpty)
        #expect(try await due(made, at: now + .seconds(59)).isEmpty)
        #expect(try await due(made, at: now + .seconds(60)).count == 2)
        try await made.store.releaseLeases(of: "two")
        #expect(try await due(made).isEmpty)
        try await made.store.releaseLeases(of: "one")
        #expect(try await due(made).count == 2)
    }

    @Test("If two nodes lease an entry at once, one gets it", arguments: StoreKind.all)
    func leaseRace(kind: StoreKind) async throws {
        let (made, entries) = try await filled(kind, 1)
        let won = try await winners(of: 20) { number in
            try await !made.store.lease(entries, to: "node \(number)", until: now + .seconds(60), now: now).isEmpty
        }
        #expect(won == 1)
    }

    @Test("An entry that was settled after it was read is not leased", arguments: StoreKind.all)
    func staleLease(kind: StoreKind) async throws {
        let (made, entries) = try await filled(kind, 2)
        try await settle(made, entries[0], .retry(at: now, problem: "503"))
        try await settle(made, entries[1], .done)
        #expect(try await made.store.lease(entries, to: "node", until: now + .seconds(60), now: now).isEmpty)
    }

    @Test("A node whose lease ended cannot retry or give up an entry that another has leased", arguments: StoreKind.all)
    func lostLease(kind: StoreKind) async throws {
        let (made, entries) = try await filled(kind, 1)
        let later = now + .seconds(60)
        _ = try await made.store.lease(entries, to: "slow", until: later, now: now)
        _ = try await made.store.lease(entries, to: "quick", until: later + .seconds(60), now: later)
        let event = AuditEvent(.notificationFailed, tenant: TenantID("dev"), at: later)
        try await settle(made, entries[0], .dead(problem: "late"), event, by: "slow")
        try await settle(made, entries[0], .retry(at: now, problem: "late"), by: "slow")
        #expect(try await due(made, at: later).isEmpty)
        let left = try await due(made, at: later + .seconds(60))
        #expect(left.map(\.attempts) == [0])
        #expect(try await made.database.auditLog("gd_send_pn_failure").isEmpty)
        try await settle(made, entries[0], .retry(at: later, problem: "503"), by: "quick")
        #expect(try await due(made, at: later).map(\.problem) == ["503"], "and its lease is over")
    }

    @Test("A blocked user's device and a removed device get no notification", arguments: StoreKind.all)
    func goneDevices(kind: StoreKind) async throws {
        let (made, entries) = try await filled(kind, 1)
        let request = try #require(DeviceNotice(payload: entries[0].delivery.payload)).request
        func device() async throws -> DeviceID? {
            let found = try #require(try await made.store.notification(of: request, to: DeviceID("dev_one")))
            return found.device?.id
        }
        for isBlocked in [true, false] {
            try await made.store.change { transaction in
                try transaction.put(Samples.user { $0.blocked = isBlocked }, passwordHash: nil, in: TenantID("dev"))
            }
            #expect(try await device() == (isBlocked ? nil : DeviceID("dev_one")))
        }
        _ = try await made.store.remove(
            DeviceID("dev_one"), tenant: TenantID("dev"),
            event: AuditEvent(.unenrolled, tenant: TenantID("dev"), at: now))
        #expect(try await device() == nil)
        #expect(try await due(made).map(\.id) == entries.map(\.id))
    }

    @Test("Mails come as they were written, oldest first, until they are removed", arguments: StoreKind.all)
    func mails(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let mails = [
            LoginSamples.mail([1], lifetime: 10), LoginSamples.mail([2], tenant: LoginSamples.other),
            LoginSamples.mail([3]),
        ]
        for mail in mails { try await made.store.enqueue(mail) }
        let all = try await due(made, .mail, at: LoginSamples.start)
        #expect(all.map { SealedMail($0.delivery) } == mails)
        #expect(all.map(\.attempts) == [0, 0, 0])
        try await settle(made, all[1], .done)
        #expect(try await due(made, .mail).map(\.id) == [all[0].id, all[2].id])
    }

    @Test("A removed entry's key is never used again", arguments: StoreKind.all)
    func keys(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.enqueue(LoginSamples.mail())
        let first = try #require(try await due(made, .mail).first)
        try await settle(made, first, .done)
        try await made.store.enqueue(LoginSamples.mail())
        #expect(try await due(made, .mail).first?.id != first.id)
    }

    @Test("Deleting a tenant deletes its entries", arguments: StoreKind.all)
    func tenants(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.enqueue(LoginSamples.mail())
        try await made.store.enqueue(LoginSamples.mail(tenant: LoginSamples.other))
        try await made.database.write { _ = try $0.execute("DELETE FROM tenant WHERE id = 'dev'") }
        #expect(try await due(made, .mail).map(\.delivery.tenant) == [LoginSamples.other])
    }

    @Test("A queue's depth counts waiting entries, and its age begins with the oldest", arguments: StoreKind.all)
    func depths(kind: StoreKind) async throws {
        let (made, entries) = try await filled(kind, 2)
        try await settle(made, entries[0], .retry(at: now + .seconds(60), problem: "503"))
        let depths = try await made.store.queueDepths(now: now)
        #expect(depths.map(\.name) == DeliveryQueue.allCases.map(\.rawValue))
        #expect(depths.map(\.depth.entries) == [2, 0, 0, 0, 0, 0])
        #expect(depths.map(\.depth.age) == [.seconds(10), .zero, .zero, .zero, .zero, .zero])
    }
}
