import Audit
import AuthorizationCore
import Configuration
import Flows
import GuardianWire
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: a person's decisions, phones and preferences")
struct PersonContractTests {
    private let tenant = TenantID("dev")
    private let ann = UserID("auth0|ann")
    private let bob = UserID("auth0|bob")
    private let night = PhonePreferences(quietHours: QuietHours(from: 1320, to: 420))

    private func put(
        _ preferences: PhonePreferences, by device: String = "dev_one", tenant: String = "dev", in made: TemporaryStore
    ) async throws -> Bool {
        try await made.store.put(
            preferences, by: DeviceID(device), tenant: TenantID(tenant),
            event: AuditEvent(.deviceUpdated, tenant: TenantID(tenant), at: Samples.start, device: DeviceID(device)))
    }

    @Test("Preferences belong to one user of one tenant, and each change is audited", arguments: StoreKind.all)
    func preferences(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        #expect(try await made.store.preferences(of: ann, tenant: tenant) == PhonePreferences())
        #expect(try await put(night, in: made))
        #expect(try await made.store.preferences(of: ann, tenant: tenant) == night)
        #expect(try await made.store.preferences(of: bob, tenant: tenant) == PhonePreferences())
        #expect(try await made.store.preferences(of: ann, tenant: TenantID("other")) == PhonePreferences())
        let noon = PhonePreferences(quietHours: QuietHours(from: 720, to: 780))
        #expect(try await put(noon, in: made))
        #expect(try await made.store.preferences(of: ann, tenant: tenant) == noon)
        #expect(try await put(PhonePreferences(), in: made))
        #expect(try await made.store.preferences(of: ann, tenant: tenant) == PhonePreferences())
        #expect(try await made.database.auditLog("gd_update_device_account").count == 3)
    }

    @Test("A removed device, a blocked user's and another tenant's change no preferences", arguments: StoreKind.all)
    func refusedPreferences(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        #expect(try await put(night, by: "dev_two", in: made) == false)
        #expect(try await put(night, tenant: "other", in: made) == false)
        try await made.store.change {
            try $0.put(Samples.user("auth0|ann") { $0.blocked = true }, passwordHash: nil, in: TenantID("dev"))
        }
        #expect(try await put(night, in: made) == false)
        #expect(try await made.database.count("phone_preference") == 0)
        #expect(try await made.database.auditLog("gd_update_device_account").isEmpty)
    }

    @Test("Preferences outlive the phone that set them, and end with the user", arguments: StoreKind.all)
    func deletedUser(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        #expect(try await put(night, in: made))
        _ = try await made.store.remove(
            DeviceID("dev_one"), tenant: tenant, event: AuditEvent(.unenrolled, tenant: tenant, at: Samples.start))
        #expect(try await made.store.preferences(of: ann, tenant: tenant) == night)
        try await made.store.change { _ = try $0.remove(user: UserID("auth0|ann"), from: TenantID("dev")) }
        #expect(try await made.database.count("phone_preference") == 0)
    }

    @Test("A user's devices come in the order of their enrolment", arguments: StoreKind.all)
    func devices(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for (id, user, seconds) in [("dev_b", "auth0|ann", 0), ("dev_a", "auth0|ann", 9), ("dev_c", "auth0|bob", 5)] {
            try await made.enrolled(
                Samples.device(id, user: user, identifier: id, enrolledAt: Samples.start + .seconds(seconds)))
        }
        try await made.enrolled(Samples.device("dev_o", tenant: "other"))
        #expect(
            try await made.store.devices(of: ann, tenant: tenant).map(\.device.id)
                == [DeviceID("dev_b"), DeviceID("dev_a")])
        #expect(try await made.store.devices(of: UserID("auth0|eve"), tenant: tenant).isEmpty)
    }

    @Test("A user's decisions come newest first, page by page, and nobody else's", arguments: StoreKind.all)
    func decisions(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let phones = [
            ("dev_one", "dev", "auth0|ann"), ("dev_bob", "dev", "auth0|bob"), ("dev_o", "other", "auth0|ann"),
        ]
        for (id, tenant, user) in phones {
            try await made.enrolled(Samples.device(id, tenant: tenant, user: user, identifier: id))
        }
        for name in ["a", "b", "c"] {
            for (id, tenant, user) in phones {
                try await made.started("\(name) \(id)", tenant: tenant, user: user)
                #expect(try await made.resolve("\(name) \(id)", tenant: tenant, device: id) != .notPending)
            }
        }
        let all = ["c", "b", "a"].map { AuthReqIDHash(of: "\($0) dev_one", Samples.hashing).consentID }
        func page(before sequence: Int64 = .max, limit: Int = 9) async throws -> [(
            sequence: Int64, approval: StoredApproval
        )] {
            try await made.store.approvals(of: ann, tenant: tenant, before: sequence, limit: limit)
        }
        let whole = try await page()
        #expect(whole.map(\.approval.consent) == all)
        #expect(whole.allSatisfy { $0.approval.user == ann && $0.approval.tenant == tenant && $0.approval.hasItsEntry })
        #expect(try await page(limit: 2).map(\.approval.consent) == Array(all[0...1]))
        #expect(try await page(before: whole[1].sequence).map(\.approval.consent) == [all[2]])
        #expect(try await page(before: whole[2].sequence).isEmpty)
        let single = try #require(try await made.store.approval(all[0], tenant: tenant))
        #expect(single.sealed == whole[0].approval.sealed)
        #expect(single.entry == whole[0].approval.entry)
    }
}
