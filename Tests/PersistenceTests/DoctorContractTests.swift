import Audit
import AuthorizationCore
import Flows
import GuardianWire
@testable import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Bounded reads of an operator's check")
struct DoctorContractTests {
    private let now = Samples.start
    private let dev = TenantID("dev")

    @Test(
        "Devices that a push service refused are counted by tenant, until they register again",
        arguments: StoreKind.all)
    func refusedPushes(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let push = PushCredentials(service: .webPush, token: "token")
        for name in ["refused", "back", "quiet"] {
            try await made.enrolled(
                Samples.device("dev_\(name)", identifier: name, push: push), tokenHash: Array(name.utf8))
        }
        for name in ["refused", "back"] {
            _ = try await made.store.retire(
                push, of: DeviceID("dev_\(name)"), tenant: dev,
                event: AuditEvent(
                    .deviceUpdated, tenant: dev, at: now, device: DeviceID("dev_\(name)"), details: ["reason": "gone"]))
        }
        _ = try await made.store.update(
            DeviceID("dev_back"), tenant: dev, with: DeviceAccountUpdate(push: .register(push)),
            event: AuditEvent(.deviceUpdated, tenant: dev, at: now))
        #expect(try await made.store.refusedPushes(since: now, within: .seconds(60)) == [dev: 1])
        #expect(try await made.store.refusedPushes(since: now + .seconds(1), within: .seconds(60)).isEmpty)
        let refused = try await made.store.device(DeviceID("dev_refused"), tenant: dev)?.device
        #expect(refused?.endedPush == EndedPush(.webPush, at: now, reason: "gone"))
        await #expect(throws: SQLError.timedOut) {
            try await made.store.refusedPushes(since: now, within: .zero)
        }
    }

    @Test("Sealed values are opened up to a limit, and those that do not open are named", arguments: StoreKind.all)
    func sealedValues(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let sealer = Samples.sealer
        for label in ["a", "b", "c"] {
            let context = Store.derivationContext(label == "b" ? "another" : label)
            try await made.store.keepDerivationKey(label, sealed: try sealer.seal([1, 2, 3], context: context))
        }
        func count(_ limit: Int) async throws -> SealedValueCount? {
            try await made.store.sealedValues(limit, within: .seconds(60), opening: sealer)
                .first { $0.table == "derivation_key" }
        }
        #expect(
            try await count(10)
                == SealedValueCount(table: "derivation_key", checked: 3, unreadable: ["derivation_key b"]))
        #expect(try await count(1)?.checked == 1)
        let tables = try await made.store.sealedValues(1, within: .seconds(60), opening: sealer).map(\.table)
        #expect(tables == SealedColumn.all.map(\.table) + RowSeal.all.map(\.table))
    }

    @Test("A sound file has no fault, and the last entry of the log has its time", arguments: StoreKind.all)
    func structure(kind: StoreKind) async throws {
        let made = try await kind.populated()
        #expect(try await made.store.structureFault(within: .seconds(60)) == nil)
        try await made.store.record([AuditEvent(.deviceUpdated, tenant: dev, at: now + .seconds(77))])
        #expect(try await made.store.timeOfLastEntry() == now + .seconds(77))
        #expect(try await kind.make().store.timeOfLastEntry() == nil)
    }

    @Test("A tenant has passwords if a user of it has one", arguments: StoreKind.all)
    func passwords(kind: StoreKind) async throws {
        let made = try await kind.populated()
        #expect(try await made.store.tenantsWithPasswords(within: .seconds(60)).isEmpty)
        try await made.database.execute(#"UPDATE "user" SET password_hash = 'hash' WHERE tenant = 'dev'"#)
        #expect(try await made.store.tenantsWithPasswords(within: .seconds(60)) == [dev])
        await #expect(throws: SQLError.timedOut) { try await made.store.tenantsWithPasswords(within: .zero) }
    }

    @Test("Dead letters are counted from a time on", arguments: StoreKind.all)
    func deadLetters(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for died in [now, now + .seconds(60)] {
            try await made.database.execute(
                """
                INSERT INTO delivery (tenant, queue, recipient, payload, sealed, created_at, due_at, expires_at, attempts,
                    state)
                VALUES ('dev', 'mail', '', '', \([UInt8]()), 1, \(died), \(died), 1, 1)
                """)
        }
        func count(since: Timestamp?) async throws -> Int? {
            try await made.store.deadLetters(since: since).first { $0.name == "mail" }?.count
        }
        #expect(try await count(since: nil) == 2)
        #expect(try await count(since: now + .seconds(1)) == 1)
        #expect(try await count(since: now + .seconds(61)) == 0)
    }
}
