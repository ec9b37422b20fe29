import AuthorizationCore
import Flows
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
        return (made, try await made.store.due(limit: 100, except: [], now: now).map(\.id))
    }

    @Test("Entries come oldest first, so many at a time, but for those in hand", arguments: StoreKind.all)
    func order(kind: StoreKind) async throws {
        let (made, ids) = try await filled(kind)
        #expect(ids.count == 3)
        #expect(ids == ids.sorted())
        #expect(try await made.store.due(limit: 2, except: [], now: now).map(\.id) == Array(ids.prefix(2)))
        #expect(try await made.store.due(limit: 2, except: [ids[0]], now: now).map(\.id) == Array(ids.suffix(2)))
        #expect(try await made.store.due(limit: 1, except: [ids[0]], now: now).map(\.id) == [ids[1]], "the limit holds")
        #expect(try await made.store.due(limit: 2, except: Set(ids), now: now).isEmpty)
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
        #expect(try await made.store.due(limit: 1, except: [], now: now + .milliseconds(3999)).isEmpty)
        let due = try await made.store.due(limit: 1, except: [], now: now + .seconds(4))
        #expect(due.map(\.attempts) == [1])
    }

    @Test("A dead entry is kept with its reason and never comes again", arguments: StoreKind.all)
    func dead(kind: StoreKind) async throws {
        let (made, ids) = try await filled(kind, 1)
        for _ in 0..<2 {
            // A crash between delivery and settlement lets an entry be settled twice.
            try await made.store.settle([.dead(ids[0], reason: "token is dead")], events: [], now: now)
        }
        #expect(try await made.store.due(limit: 1, except: [], now: now + .seconds(3600)).isEmpty)
        let kept = try await made.database.read { connection in
            try connection.query("SELECT id, device, reason, died_at FROM outbox_dead") {
                "\(try $0.int64(0)) \(try $0.text(1)) \(try $0.text(2)) \(try $0.timestamp(3).seconds)"
            }
        }
        #expect(kept == ["\(ids[0]) dev_one token is dead \(now.seconds)"])
    }

    @Test("An entry of a removed device comes without it", arguments: StoreKind.all)
    func removedDevice(kind: StoreKind) async throws {
        let (made, ids) = try await filled(kind, 1)
        _ = try await made.store.remove(
            DeviceID("dev_one"), tenant: TenantID("dev"),
            event: AuditEvent(.unenrolled, tenant: TenantID("dev"), at: now))
        let due = try await made.store.due(limit: 1, except: [], now: now)
        #expect(due.map(\.id) == ids)
        #expect(due.allSatisfy { $0.device == nil })
    }
}
