import Audit
import AuthorizationCore
@testable import Flows
import GuardianWire
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: codes of tickets, tickets of phones, and lost keys")
struct EnrollmentCodeContractTests {
    private let tenant = TenantID("dev")
    private let ann = UserID("auth0|ann")

    private func event(_ kind: AuditEvent.Kind) -> AuditEvent {
        AuditEvent(kind, tenant: tenant, at: Samples.start, user: ann)
    }

    private func code(_ place: String, _ secret: UInt8 = 1, tenant: String = "dev") -> StoredEnrollmentCode {
        StoredEnrollmentCode(
            tenant: TenantID(tenant), place: place, hash: [UInt8](repeating: secret, count: 32))
    }

    private func add(
        _ name: String, to made: TemporaryStore, lifetime: Int = 3600, requestedBy: DeviceID? = nil
    ) async throws -> EnrollmentTicket {
        let ticket = EnrollmentTicket(
            hash: LoginSamples.hash(name), tenant: tenant, user: ann, createdAt: Samples.start,
            expiresAt: Samples.start + .seconds(lifetime), requestedBy: requestedBy)
        let made =
            requestedBy == nil
            ? try await made.store.createTicket(ticket, event: event(.enrollmentTicketCreated))
            : try await made.store.createTicket(ticket, confirmedBy: nil, event: event(.enrollmentTicketCreated))
        #expect(made)
        return ticket
    }

    private func keep(
        _ code: StoredEnrollmentCode, of ticket: EnrollmentTicket, in made: TemporaryStore,
        at now: Timestamp = Samples.start
    ) async throws -> Timestamp? {
        try await made.store.keep(code, until: now + .seconds(900), of: ticket.hash, now: now, event: nil)
    }

    private func opened(
        _ code: StoredEnrollmentCode, in made: TemporaryStore, at now: Timestamp = Samples.start
    ) async throws -> EnrollmentTicket? {
        try await made.store.ticket(of: code, tries: 5, now: now)
    }

    private func enroll(
        _ id: String, _ ticket: EnrollmentTicket, code: StoredEnrollmentCode?, in made: TemporaryStore,
        at now: Timestamp = Samples.start
    ) async throws -> Bool {
        var new = NewEnrollment(
            try Samples.device(id, identifier: id), tokenHash: [1], sealedTOTP: nil, ticket: ticket.hash)
        new.code = code?.hash
        new.farewellHash = LoginSamples.hash("farewell \(id)")
        return try await made.store.enroll(new, now: now, event: event(.enrolled))
    }

    @Test("A code stands for its ticket, in its tenant, until it or the ticket ends", arguments: StoreKind.all)
    func lookup(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let long = try await add("long", to: made)
        let short = try await add("short", to: made, lifetime: 60)
        #expect(try await keep(code("AAA"), of: long, in: made) == Samples.start + .seconds(900))
        #expect(try await keep(code("BBB"), of: short, in: made) == short.expiresAt)
        #expect(try await opened(code("AAA"), in: made) == long)
        #expect(try await opened(code("AAA", tenant: "other"), in: made) == nil)
        #expect(try await opened(code("CCC"), in: made) == nil)
        #expect(try await opened(code("AAA"), in: made, at: Samples.start + .seconds(900)) == nil)
        #expect(try await opened(code("BBB"), in: made, at: Samples.start + .seconds(60)) == nil)
    }

    @Test("A ticket has one code, and a place has one code until that ends", arguments: StoreKind.all)
    func single(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let (one, two) = (try await add("one", to: made), try await add("two", to: made))
        #expect(try await keep(code("AAA"), of: one, in: made) != nil)
        #expect(try await keep(code("AAA", 2), of: two, in: made) == nil)
        #expect(try await keep(code("BBB"), of: one, in: made) != nil)
        #expect(try await opened(code("AAA"), in: made) == nil)
        #expect(try await keep(code("AAA", 2), of: two, in: made) != nil)
        let later = Samples.start + .seconds(900)
        #expect(try await keep(code("AAA"), of: one, in: made, at: later) != nil)
        #expect(try await opened(code("AAA"), in: made, at: later) == one)
    }

    @Test(
        "A code has five tries in all, even if 50 guess at once, and then not even the right one",
        arguments: StoreKind.all)
    func tries(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let ticket = try await add("one", to: made)
        #expect(try await keep(code("AAA"), of: ticket, in: made) != nil)
        #expect(try await winners(of: 50) { _ in try await opened(code("AAA"), in: made) != nil } == 5)
        #expect(try await opened(code("AAA"), in: made) == nil)
        #expect(try await keep(code("AAA", 2), of: ticket, in: made) != nil)
        for guess in UInt8(10)..<15 { #expect(try await opened(code("AAA", guess), in: made) == nil) }
        #expect(try await opened(code("AAA", 2), in: made) == nil)
        #expect(try await made.store.ticket(ticket.hash, tenant: tenant, now: Samples.start) == ticket)
    }

    @Test("A code enrols one phone, and neither it nor the ticket another", arguments: StoreKind.all)
    func once(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let ticket = try await add("one", to: made)
        #expect(try await keep(code("AAA"), of: ticket, in: made) != nil)
        #expect(try await enroll("dev_wrong", ticket, code: code("AAA", 2), in: made) == false)
        #expect(
            try await enroll("dev_late", ticket, code: code("AAA"), in: made, at: Samples.start + .seconds(900))
                == false)
        #expect(
            try await winners(of: 20) { try await enroll("dev_\($0)", ticket, code: code("AAA"), in: made) } == 1)
        #expect(try await opened(code("AAA"), in: made) == nil)
        #expect(try await enroll("dev_again", ticket, code: nil, in: made) == false)
    }

    @Test("A phone's ticket ends with the phone, and with its key", arguments: StoreKind.all, [true, false])
    func requestedBy(kind: StoreKind, isRemoved: Bool) async throws {
        let made = try await kind.populated()
        let phone = DeviceID("dev_one")
        #expect(try await enroll("dev_one", add("first", to: made), code: nil, in: made))
        let ticket = try await add("second", to: made, requestedBy: phone)
        #expect(try await made.store.ticket(ticket.hash, tenant: tenant, now: Samples.start) == ticket)
        if isRemoved {
            #expect(try await made.store.remove(phone, tenant: tenant, event: event(.unenrolled)))
        } else {
            #expect(try await lose(phone, in: made))
        }
        #expect(try await made.store.ticket(ticket.hash, tenant: tenant, now: Samples.start) == nil)
        #expect(try await enroll("dev_two", ticket, code: nil, in: made) == false)
        let gone = EnrollmentTicket(
            hash: LoginSamples.hash("third"), tenant: tenant, user: ann, createdAt: Samples.start,
            expiresAt: Samples.start + .seconds(60), requestedBy: DeviceID("dev_unknown"))
        #expect(
            try await made.store.createTicket(gone, confirmedBy: nil, event: event(.enrollmentTicketCreated)) == false)
    }

    private func lose(_ id: DeviceID, secret: String? = nil, in made: TemporaryStore) async throws -> Bool {
        try await made.store.loseKey(
            of: id, farewell: LoginSamples.hash(secret ?? "farewell \(id)"), tenant: tenant,
            event: AuditEvent(.deviceKeyLost, tenant: tenant, at: Samples.start, device: id))
    }

    @Test(
        "A farewell works once, for its phone; requests and pushes leave the phone out, and factors do not",
        arguments: StoreKind.all)
    func farewell(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let (one, two) = (DeviceID("dev_one"), DeviceID("dev_two"))
        for name in ["dev_one", "dev_two"] {
            #expect(try await enroll(name, add(name, to: made), code: nil, in: made))
        }
        #expect(try await lose(one, secret: "farewell dev_two", in: made) == false)
        #expect(try await lose(one, in: made))
        #expect(try await lose(one, in: made) == false)
        let approver = try await made.store.approver(.id(ann), tenant: tenant)
        #expect(approver?.devices == [two])
        #expect(approver?.phones.count == 2)
        let device = try await made.store.device(one, tenant: tenant)?.device
        #expect(device?.keyLostAt == Samples.start)
        #expect(device?.push == nil)
        let log = try await made.database.auditLog("device_key_lost")
        #expect(log.map(\.device) == [one.rawValue])
        #expect(try await lose(two, in: made))
        let none = try await made.store.approver(.id(ann), tenant: tenant)
        #expect(none?.devices == [])
        #expect(none?.hasPhone == true)

        #expect(try await made.store.regainKey(of: one, tenant: tenant, event: event(.deviceUpdated)))
        #expect(try await made.store.regainKey(of: one, tenant: tenant, event: event(.deviceUpdated)) == false)
        #expect(try await made.store.approver(.id(ann), tenant: tenant)?.devices == [one])
        #expect(try await lose(one, in: made) == false)
    }
}
