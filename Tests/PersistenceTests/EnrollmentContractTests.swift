import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import GuardianWire
import JOSE
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: tickets and devices")
struct EnrollmentContractTests {
    private let tenant = TenantID("dev")
    private let ann = UserID("auth0|ann")
    private let hash = [UInt8](repeating: 7, count: 32)

    private func ticket(user: String = "auth0|ann", tenant: String = "dev") -> EnrollmentTicket {
        EnrollmentTicket(
            hash: hash, tenant: TenantID(tenant), user: UserID(user), createdAt: Samples.start,
            expiresAt: Samples.start + .seconds(60))
    }

    private func event(_ kind: AuditEvent.Kind, device: String? = nil) -> AuditEvent {
        AuditEvent(kind, tenant: tenant, at: Samples.start, user: ann, device: device.map { DeviceID($0) })
    }

    @Test("A ticket needs an existing user", arguments: StoreKind.all)
    func ticketNeedsUser(kind: StoreKind) async throws {
        let made = try await kind.populated()
        #expect(
            try await made.store.createTicket(ticket(user: "auth0|eve"), event: event(.enrollmentTicketCreated))
                == false)
        #expect(try await made.database.auditLog().isEmpty)
        #expect(try await made.store.createTicket(ticket(), event: event(.enrollmentTicketCreated)))
        #expect(try await made.database.auditLog().map(\.kind) == ["gd_start_enroll"])
    }

    @Test("A ticket is found in its tenant until it expires", arguments: StoreKind.all)
    func ticketLookup(kind: StoreKind) async throws {
        let made = try await kind.populated()
        _ = try await made.store.createTicket(ticket(), event: event(.enrollmentTicketCreated))
        #expect(try await made.store.ticket(hash, tenant: tenant, now: Samples.start) == ticket())
        #expect(try await made.store.ticket(hash, tenant: TenantID("other"), now: Samples.start) == nil)
        #expect(try await made.store.ticket([1], tenant: tenant, now: Samples.start) == nil)
        #expect(try await made.store.ticket(hash, tenant: tenant, now: Samples.start + .seconds(60)) == nil)
    }

    @Test("A ticket enrols one device, even if 50 try at once", arguments: StoreKind.all)
    func ticketIsUsedOnce(kind: StoreKind) async throws {
        let made = try await kind.populated()
        _ = try await made.store.createTicket(ticket(), event: event(.enrollmentTicketCreated))
        let key = try Keys.signer(.es256).publicKey
        let enrolled = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<50 {
                group.addTask {
                    let device = try Samples.device("dev_\(index)", identifier: "PHONE-\(index)", key: key)
                    return try await made.store.enroll(
                        device, tokenHash: [1], sealedTOTP: nil, ticket: hash, now: Samples.start,
                        event: event(.enrolled, device: "dev_\(index)"))
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(enrolled == 1)
        #expect(try await made.devices(of: ann, tenant: tenant).count == 1)
        #expect(try await made.database.auditLog("gd_enrollment_complete").count == 1)
    }

    @Test("A ticket enrols no device after expiry, for another user, or in another tenant", arguments: StoreKind.all)
    func ticketIsBound(kind: StoreKind) async throws {
        let made = try await kind.populated()
        _ = try await made.store.createTicket(ticket(), event: event(.enrollmentTicketCreated))
        func enroll(_ device: Device, at now: Timestamp) async throws -> Bool {
            try await made.store.enroll(
                device, tokenHash: [1], sealedTOTP: nil, ticket: hash, now: now,
                event: event(.enrolled, device: device.id.rawValue))
        }
        #expect(try await enroll(Samples.device(), at: Samples.start + .seconds(60)) == false)
        #expect(try await enroll(Samples.device(user: "auth0|bob"), at: Samples.start) == false)
        #expect(try await enroll(Samples.device(tenant: "other"), at: Samples.start) == false)
        #expect(try await made.database.count("device") == 0)
        #expect(try await enroll(Samples.device(), at: Samples.start))
    }

    @Test("A ticket of a login enrols only a first device, even if several try at once", arguments: StoreKind.all)
    func firstDevice(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let names = (0..<20).map { "\($0)" }
        func create(_ name: String, endings: Int?, isFirst: Bool? = nil, isUsable: Bool = true) async throws {
            let ticket = EnrollmentTicket(
                hash: LoginSamples.hash(name), tenant: tenant, user: ann, createdAt: Samples.start,
                expiresAt: Samples.start + .seconds(60), accessEndings: endings, isForFirstDevice: isFirst)
            #expect(try await made.store.createTicket(ticket, event: event(.enrollmentTicketCreated)))
            let found = try await made.store.ticket(ticket.hash, tenant: tenant, now: Samples.start)
            #expect(found == (isUsable ? ticket : nil))
        }
        @Sendable func enroll(_ name: String) async throws -> Bool {
            try await made.store.enroll(
                Samples.device("dev_\(name)", identifier: "PHONE-\(name)"), tokenHash: [1], sealedTOTP: nil,
                ticket: LoginSamples.hash(name), now: Samples.start, event: event(.enrolled))
        }
        for name in names { try await create(name, endings: 0) }
        #expect(try await winners(of: names.count) { try await enroll(names[$0]) } == 1)
        for (name, endings) in [("late", 0), ("by an operator, for a first device", nil)] as [(String, Int?)] {
            try await create(name, endings: endings, isFirst: true, isUsable: false)
            #expect(try await enroll(name) == false)
        }
        try await create("by an operator", endings: nil)
        #expect(try await enroll("by an operator"))
        #expect(try await made.devices(of: ann, tenant: tenant).count == 2)
    }

    @Test("A ticket of a login from before access was ended enrols no device", arguments: StoreKind.all)
    func endedLogin(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.change { try $0.endAccess(of: ann, in: tenant, now: Samples.start) }
        for (name, endings) in [("old", 0), ("new", 1)] {
            let ticket = EnrollmentTicket(
                hash: LoginSamples.hash(name), tenant: tenant, user: ann, createdAt: Samples.start,
                expiresAt: Samples.start + .seconds(60), accessEndings: endings)
            #expect(try await made.store.createTicket(ticket, event: event(.enrollmentTicketCreated)))
            let enrolled = try await made.store.enroll(
                Samples.device(), tokenHash: [1], sealedTOTP: nil, ticket: ticket.hash, now: Samples.start,
                event: event(.enrolled))
            #expect(enrolled == (name == "new"))
        }
    }

    @Test(
        "A used ticket names its device to its page, until it expires or the device is removed",
        arguments: StoreKind.all)
    func usedTicket(kind: StoreKind) async throws {
        let made = try await kind.populated()
        _ = try await made.store.createTicket(ticket(), event: event(.enrollmentTicketCreated))
        func device(_ tenant: String = "dev", after seconds: Int = 0) async throws -> Device? {
            try await made.store.device(
                enrolledBy: hash, tenant: TenantID(tenant), now: Samples.start + .seconds(seconds))
        }
        #expect(try await device() == nil)
        let phone = try Samples.device()
        #expect(
            try await made.store.enroll(
                phone, tokenHash: [1], sealedTOTP: nil, ticket: hash, now: Samples.start, event: event(.enrolled)))
        #expect(try await made.store.ticket(hash, tenant: tenant, now: Samples.start) == nil)
        #expect(try await device(after: 59) == phone)
        #expect(try await device(after: 60) == nil)
        #expect(try await device("other") == nil)
        #expect(try await made.store.remove(phone.id, tenant: tenant, event: event(.unenrolled)))
        #expect(try await device() == nil)
        // The ticket stays used.
        #expect(try await made.store.ticket(hash, tenant: tenant, now: Samples.start) == nil)
    }

    @Test("Every field of a device is stored", arguments: StoreKind.all)
    func deviceFields(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let apple = try Samples.device(
            "dev_rsa", identifier: "A", key: Keys.signer(.rs256).publicKey,
            push: PushCredentials(service: .apns, token: "0A1B"))
        let android = try Samples.device("dev_ec", identifier: "B", push: PushCredentials(service: .gcm, token: "x:y"))
        let listener = try Samples.device("dev_none", identifier: "C")
        for device in [apple, android, listener] { try await made.enrolled(device, tokenHash: [9, 9]) }
        for device in [apple, android, listener] {
            let stored = try await made.store.device(device.id, tenant: tenant)
            #expect(stored?.device == device)
            #expect(stored?.tokenHash == [9, 9])
        }
        #expect(try await made.store.device(apple.id, tenant: TenantID("other")) == nil)
    }

    @Test("A phone that is set up again replaces its earlier enrolment, and the log names it", arguments: StoreKind.all)
    func reenrolment(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device("dev_old", identifier: "PHONE"))
        try await made.enrolled(Samples.device("dev_else", identifier: "OTHER"))
        try await made.enrolled(Samples.device("dev_bob", user: "auth0|bob", identifier: "PHONE"))
        try await made.enrolled(
            Samples.device("dev_new", identifier: "PHONE", key: Keys.signer(.es256, "new").publicKey),
            trace: RequestTrace(userAgent: "Guardian", correlationID: "corr-1"))
        let devices = try await made.devices(of: ann, tenant: tenant).map(\.id)
        #expect(Set(devices) == [DeviceID("dev_new"), DeviceID("dev_else")])
        #expect(try await made.store.device(DeviceID("dev_old"), tenant: tenant) == nil)
        #expect(try await made.store.device(DeviceID("dev_bob"), tenant: tenant) != nil)
        let removed = try await made.database.auditLog("gd_unenroll")
        #expect(removed.map(\.device) == ["dev_old"])
        #expect(removed.map(\.user) == ["auth0|ann"])
        #expect(removed.map(\.userAgent) == ["Guardian"])
        #expect(removed.map(\.correlationID) == ["corr-1"])
    }

    @Test("An update changes only the named fields", arguments: StoreKind.all)
    func update(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let push = PushCredentials(service: .apns, token: "AA")
        let device = try Samples.device(push: push)
        try await made.enrolled(device)
        let renamed = try await made.store.update(
            device.id, tenant: tenant, with: DeviceAccountUpdate(name: "Ann's"),
            event: event(.deviceUpdated, device: "dev_one")
        ).device
        #expect(renamed?.name == "Ann's")
        #expect(renamed?.identifier == "PHONE-1")
        #expect(renamed?.push == push)
        let moved = try await made.store.update(
            device.id, tenant: tenant,
            with: DeviceAccountUpdate(
                identifier: "PHONE-2", push: .register(PushCredentials(service: .gcm, token: "BB"))),
            event: event(.deviceUpdated, device: "dev_one")
        ).device
        #expect(moved?.name == "Ann's")
        #expect(try await made.store.device(device.id, tenant: tenant)?.device == moved)
        #expect(moved?.push == PushCredentials(service: .gcm, token: "BB"))
        #expect(try await made.database.auditLog("gd_update_device_account").count == 2)
    }

    @Test("A device keeps its capabilities, until an update names others", arguments: StoreKind.all)
    func capabilities(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let device = try Samples.device(capabilities: [.signedDigest])
        try await made.enrolled(device)
        func update(_ update: DeviceAccountUpdate) async throws -> Set<DeviceCapability> {
            let changed = try await made.store.update(
                device.id, tenant: tenant, with: update, event: event(.deviceUpdated, device: "dev_one")
            ).device
            #expect(try await made.store.device(device.id, tenant: tenant)?.device == changed)
            let capabilities = try #require(changed).capabilities
            #expect(try await made.devices(of: ann, tenant: tenant).map(\.capabilities) == [capabilities])
            let approver = try await made.store.approver(.id(ann), tenant: tenant)
            #expect(approver?.phones.map(\.capabilities) == [capabilities])
            return capabilities
        }
        #expect(try await update(DeviceAccountUpdate(name: "Ann's")) == [.signedDigest])
        for capabilities in [[], [.numberMatching], [.numberTyping], Set(DeviceCapability.allCases)]
            as [Set<DeviceCapability>]
        {
            #expect(try await update(DeviceAccountUpdate(capabilities: capabilities)) == capabilities)
            #expect(try await update(DeviceAccountUpdate(name: "Hers")) == capabilities)
        }
    }

    @Test(
        "An update to the identifier of the user's other device changes nothing",
        arguments: StoreKind.all)
    func identifierTaken(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device("dev_one", identifier: "A"))
        try await made.enrolled(Samples.device("dev_two", identifier: "B"))
        try await made.enrolled(Samples.device("dev_bob", user: "auth0|bob", identifier: "C"))
        let before = try await made.devices(of: ann, tenant: tenant)
        func update(_ update: DeviceAccountUpdate) async throws -> DeviceUpdateOutcome {
            try await made.store.update(
                DeviceID("dev_one"), tenant: tenant, with: update, event: event(.deviceUpdated, device: "dev_one"))
        }
        #expect(try await update(DeviceAccountUpdate(identifier: "B", name: "Stolen")) == .identifierTaken)
        #expect(try await made.devices(of: ann, tenant: tenant) == before)
        #expect(try await made.database.auditLog("gd_unenroll", "gd_update_device_account").isEmpty)
        #expect(try await update(DeviceAccountUpdate(identifier: "A", name: "Same")).device?.name == "Same")
        #expect(try await update(DeviceAccountUpdate(identifier: "C")).device?.identifier == "C", "another user's")
    }

    @Test("Another tenant neither changes nor removes a device", arguments: StoreKind.all)
    func foreignTenant(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        let other = TenantID("other")
        let updated = try await made.store.update(
            DeviceID("dev_one"), tenant: other, with: DeviceAccountUpdate(name: "x"), event: event(.deviceUpdated))
        #expect(updated == .gone)
        #expect(try await made.store.remove(DeviceID("dev_one"), tenant: other, event: event(.unenrolled)) == false)
        #expect(try await made.store.device(DeviceID("dev_one"), tenant: tenant)?.device.name == "Phone dev_one")
        #expect(try await made.database.auditLog("gd_update_device_account", "gd_unenroll").isEmpty)
    }

    @Test("A device is removed once", arguments: StoreKind.all)
    func remove(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        let gone = event(.unenrolled, device: "dev_one")
        #expect(try await made.store.remove(DeviceID("dev_one"), tenant: tenant, event: gone))
        #expect(try await made.store.remove(DeviceID("dev_one"), tenant: tenant, event: gone) == false)
        #expect(try await made.database.auditLog("gd_unenroll").count == 1)
    }

    @Test("Devices are listed oldest first", arguments: StoreKind.all)
    func order(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for (name, second) in [("dev_b", 2), ("dev_c", 3), ("dev_a", 1)] {
            try await made.enrolled(
                Samples.device(name, identifier: name, enrolledAt: Samples.start + .seconds(second)))
        }
        #expect(
            try await made.devices(of: ann, tenant: tenant).map(\.id)
                == [DeviceID("dev_a"), DeviceID("dev_b"), DeviceID("dev_c")])
    }
}

extension DeviceUpdateOutcome {
    fileprivate var device: Device? { if case .updated(let device) = self { device } else { nil } }
}
