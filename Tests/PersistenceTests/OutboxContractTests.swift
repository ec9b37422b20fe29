import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import GuardianWire
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: the outbox")
struct OutboxContractTests {
    private let now = Samples.start + .seconds(10)

    private func filled(_ kind: StoreKind, _ count: Int = 3) async throws -> (TemporaryStore, [Int64]) {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        for index in 0..<count { try await made.started("r\(index)", devices: ["dev_one"]) }
        return (made, try await made.store.due(.all(but: []), limit: 100, now: now).map(\.id))
    }

    @Test("Entries come oldest first, so many at a time", arguments: StoreKind.all)
    func order(kind: StoreKind) async throws {
        let (made, ids) = try await filled(kind)
        #expect(ids.count == 3)
        #expect(ids == ids.sorted())
        #expect(try await made.store.due(.all(but: []), limit: 2, now: now).map(\.id) == Array(ids.prefix(2)))
    }

    @Test("Entries to devices that nobody reaches come as their ids", arguments: StoreKind.all)
    func unreachable(kind: StoreKind) async throws {
        let (made, ids) = try await filled(kind)
        try await made.enrolled(Samples.device("dev_two", identifier: "two"))
        try await made.started("r9", devices: ["dev_two"])
        let due = try await made.store.due(.all(but: []), limit: 100, now: now) { $0 == DeviceID("dev_two") }
        #expect(due.unreachable == ids)
        #expect(due.entries.map(\.device?.id) == [DeviceID("dev_two")])
    }

    @Test("Of entries that are done together, no other goes with them", arguments: StoreKind.all)
    func runs(kind: StoreKind) async throws {
        let (made, ids) = try await filled(kind, 7)
        let done = [ids[5], ids[0], ids[1], ids[3]]
        try await made.store.settle(done.map { .done($0) }, events: [], now: now)
        let left = try await made.store.due(.all(but: []), limit: 100, now: now).map(\.id)
        #expect(left == [ids[2], ids[4], ids[6]])
    }

    @Test("A lane has its own entries, and those of another do not count against its limit", arguments: StoreKind.all)
    func lanes(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for (id, service) in [("dev_a", PushCredentials.Service.apns), ("dev_g", .gcm), ("dev_none", nil)] {
            let push = service.map { PushCredentials(service: $0, token: "t") }
            try await made.enrolled(Samples.device(id, identifier: id, push: push))
        }
        for (index, device) in ["dev_a", "dev_a", "dev_a", "dev_g", "dev_none", "dev_gone"].enumerated() {
            try await made.started("r\(index)", devices: [device])
        }
        func devices(_ lane: OutboxLane, limit: Int = 100) async throws -> [String?] {
            try await made.store.due(lane, limit: limit, now: now).map { $0.device?.id.rawValue }
        }
        #expect(try await devices(.pushed(by: [.apns]), limit: 2) == ["dev_a", "dev_a"])
        #expect(try await devices(.pushed(by: [.gcm]), limit: 1) == ["dev_g"])
        #expect(try await devices(.pushed(by: [.gcm, .apns])) == ["dev_a", "dev_a", "dev_a", "dev_g"])
        #expect(try await devices(.pushed(by: [])) == [])
        #expect(try await devices(.all(but: [.apns]), limit: 2) == ["dev_g", "dev_none"])
        #expect(try await devices(.all(but: [.apns, .gcm]), limit: 2) == ["dev_none", nil])
        #expect(try await devices(.all(but: [])).count == 6)
    }

    @Test("A done entry is gone and its event is in the log", arguments: StoreKind.all)
    func done(kind: StoreKind) async throws {
        let (made, ids) = try await filled(kind, 1)
        let event = AuditEvent(.notificationSent, tenant: TenantID("dev"), at: now)
        try await made.store.settle([.done(ids[0])], events: [event], now: now)
        #expect(try await made.database.count("outbox") == 0)
        #expect(try await made.database.auditLog("gd_send_pn").count == 1)
    }

    @Test("An entry to retry is due again at its time, with one attempt more", arguments: StoreKind.all)
    func retry(kind: StoreKind) async throws {
        let (made, ids) = try await filled(kind, 1)
        try await made.store.settle([.retry(ids[0], at: now + .seconds(4))], events: [], now: now)
        #expect(try await made.store.due(.all(but: []), limit: 1, now: now + .milliseconds(3999)).isEmpty)
        let due = try await made.store.due(.all(but: []), limit: 1, now: now + .seconds(4))
        #expect(due.map(\.attempts) == [1])
    }

    @Test("A dead entry is kept with its reason and never comes again", arguments: StoreKind.all)
    func dead(kind: StoreKind) async throws {
        let (made, ids) = try await filled(kind, 1)
        for _ in 0..<2 {
            // A crash between delivery and settlement lets an entry be settled twice.
            try await made.store.settle([.dead(ids[0], reason: "token is dead")], events: [], now: now)
        }
        #expect(try await made.store.due(.all(but: []), limit: 1, now: now + .seconds(3600)).isEmpty)
        let kept = try await made.database.read { connection in
            try connection.query("SELECT id, device, reason, died_at FROM outbox_dead") {
                "\(try $0.int64(0)) \(try $0.text(1)) \(try $0.text(2)) \(try $0.timestamp(3).seconds)"
            }
        }
        #expect(kept == ["\(ids[0]) dev_one token is dead \(now.seconds)"])
    }

    @Test("An entry to the device of a blocked user comes without it", arguments: StoreKind.all)
    func blockedUser(kind: StoreKind) async throws {
        let (made, ids) = try await filled(kind, 1)
        try await made.store.change { transaction in
            try transaction.put(Samples.user { $0.blocked = true }, passwordHash: nil, in: TenantID("dev"))
        }
        let due = try await made.store.due(.all(but: []), limit: 9, now: now)
        #expect(due.map(\.id) == ids)
        #expect(due.map(\.device) == [nil])
    }

    @Test("An entry of a removed device comes without it", arguments: StoreKind.all)
    func removedDevice(kind: StoreKind) async throws {
        let (made, ids) = try await filled(kind, 1)
        _ = try await made.store.remove(
            DeviceID("dev_one"), tenant: TenantID("dev"),
            event: AuditEvent(.unenrolled, tenant: TenantID("dev"), at: now))
        let due = try await made.store.due(.all(but: []), limit: 1, now: now)
        #expect(due.map(\.id) == ids)
        #expect(due.allSatisfy { $0.device == nil })
    }
}
