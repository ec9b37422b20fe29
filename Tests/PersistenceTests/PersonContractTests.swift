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
        func page(before number: Int64 = .max, limit: Int = 9) async throws -> [StoredApproval] {
            let page = try await made.store.endings(
                of: ann, tenant: tenant, before: number, unanswered: true, limit: limit)
            return try page.map { ending in
                guard case .decided(let approval) = ending else { throw Unexpected("\(ending)") }
                return approval
            }
        }
        let whole = try await page()
        #expect(whole.map(\.consent) == all)
        #expect(whole.allSatisfy { $0.user == ann && $0.tenant == tenant && $0.hasItsEntry })
        #expect(try await page(limit: 2).map(\.consent) == Array(all[0...1]))
        #expect(try await page(before: whole[1].entryNumber).map(\.consent) == [all[2]])
        #expect(try await page(before: whole[2].entryNumber).isEmpty)
        let single = try #require(try await made.store.approval(all[0], tenant: tenant))
        #expect(single.approval.sealed == whole[0].sealed)
        #expect(single.approval.entry == whole[0].entry)
        #expect(single.head.place.lane == single.approval.entry.place.lane)
        #expect(single.head.place >= single.approval.entry.place)
    }

    // MARK: requests without an answer

    private struct Unexpected: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    /// Sweeps with a tenant that keeps decisions for `retention` seconds.
    private func expire(_ made: TemporaryStore, at second: Int, retention: Int = 40 * 86_400) async throws {
        var cursor = SweepCursor()
        repeat {
            _ = try await made.store.sweep(
                &cursor, endedBefore: Samples.start + .seconds(second), now: Samples.start + .seconds(second)
            ) { _ in retention }
        } while !cursor.isAtStart
    }

    private func withdraw(_ id: String, in made: TemporaryStore) async throws {
        let hash = AuthReqIDHash(of: id, Samples.hashing)
        let cancelled = try await made.store.cancel(
            BackchannelCancellation(
                hash: hash, client: ClientID("agent"), tenant: tenant, now: Samples.start + .seconds(5), outcome: [1],
                keptUntil: Samples.start + .seconds(86_400),
                event: AuditEvent(
                    .cancelled, tenant: tenant, at: Samples.start, client: ClientID("agent"), consent: hash.consentID)))
        #expect(cancelled)
    }

    private func told(_ made: TemporaryStore, before number: Int64 = .max, limit: Int = 9) async throws -> [String] {
        try await made.store.endings(of: ann, tenant: tenant, before: number, unanswered: true, limit: limit).map {
            switch $0 {
            case .decided(let approval): "decided \(approval.consent)"
            case .unanswered(let request): "\(request.ending) \(request.consent)"
            }
        }
    }

    private func entry(_ ending: String, _ id: String) -> String {
        "\(ending) \(AuthReqIDHash(of: id, Samples.hashing).consentID)"
    }

    @Test("Requests that expired or were withdrawn stand among the decisions, newest first", arguments: StoreKind.all)
    func unanswered(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.enrolled(Samples.device("dev_bob", user: "auth0|bob", identifier: "B"))
        for id in ["decided", "late", "withdrawn"] { try await made.started(id, lifetime: .seconds(60)) }
        try await made.started("login", lifetime: .seconds(60), login: [7])
        try await made.started("bob", user: "auth0|bob", lifetime: .seconds(60))
        #expect(try await made.resolve("decided") != .notPending)
        try await withdraw("withdrawn", in: made)
        try await expire(made, at: 60)
        let all = [entry("expired", "late"), entry("withdrawn", "withdrawn"), entry("decided", "decided")]
        #expect(try await told(made) == all)
        let numbers = try await made.store.endings(of: ann, tenant: tenant, before: .max, unanswered: true, limit: 9)
            .map(\.number)
        #expect(numbers == numbers.sorted(by: >) && Set(numbers).count == 3)
        #expect(try await told(made, limit: 2) == Array(all[0...1]))
        #expect(try await told(made, before: numbers[1]) == [all[2]])
        let decisions = try await made.store.endings(
            of: ann, tenant: tenant, before: .max, unanswered: false, limit: 9)
        #expect(decisions.map(\.number) == [numbers[2]])
        // A second sweep repeats nothing.
        try await expire(made, at: 61)
        #expect(try await told(made) == all)
    }

    @Test(
        "A request without an answer is kept for 30 days, or as long as the tenant keeps decisions if that is shorter",
        arguments: StoreKind.all, [40, 2])
    func unansweredRetention(kind: StoreKind, days: Int) async throws {
        let made = try await kind.populated()
        try await made.started("late", lifetime: .seconds(60))
        try await expire(made, at: 60, retention: days * 86_400)
        let end = 60 + min(days, 30) * 86_400
        try await expire(made, at: end, retention: days * 86_400)
        #expect(try await told(made) == [entry("expired", "late")])
        try await expire(made, at: end + 1, retention: days * 86_400)
        #expect(try await told(made) == [])
        try await made.started("unkept", lifetime: .seconds(60))
        try await expire(made, at: 60, retention: 0)
        #expect(try await told(made) == [])
    }

    @Test("The history of a deleted user is deleted", arguments: StoreKind.all)
    func historyOfDeleted(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for id in ["before", "after"] { try await made.started(id, lifetime: .seconds(id == "before" ? 10 : 60)) }
        try await expire(made, at: 10)
        #expect(try await made.database.count("unanswered_request") == 1)
        try await made.store.change { _ = try $0.remove(user: UserID("auth0|ann"), from: TenantID("dev")) }
        #expect(try await made.database.count("unanswered_request") == 0)
        try await expire(made, at: 60)
        #expect(try await made.database.count("unanswered_request") == 0)
    }

    @Test("An end whose entry of the audit log says another thing does not have its entry", arguments: StoreKind.all)
    func changedEnd(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.started("late", lifetime: .seconds(60))
        try await expire(made, at: 60)
        try await made.database.write { _ = try $0.execute("UPDATE unanswered_request SET ending = 'withdrawn'") }
        let found = try await made.store.endings(of: ann, tenant: tenant, before: .max, unanswered: true, limit: 9)
        guard case .unanswered(let request)? = found.first else { throw Unexpected("\(found)") }
        #expect(!request.hasItsEntry)
    }
}
