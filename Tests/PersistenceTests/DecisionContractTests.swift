import Audit
import AuthorizationCore
import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: deciding and redeeming")
struct DecisionContractTests {
    private let hash = AuthReqIDHash(of: "request", Samples.hashing)

    @Test("A poll finds a request only with its client and tenant", arguments: StoreKind.all)
    func pollIsBound(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.started()
        #expect(try await made.poll() != nil)
        #expect(try await made.poll(client: "thief") == nil)
        #expect(try await made.poll(tenant: "other") == nil)
        #expect(try await made.poll("unknown") == nil)
    }

    @Test("The first decision counts", arguments: StoreKind.all)
    func firstWins(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started()
        #expect(try await made.resolve("request", .reject(reason: "not me")) == .resolved(hash))
        #expect(try await made.resolve("request", .allow) == .notPending)
        #expect(try await made.poll()?.state == .denied)
        #expect(try await made.redeem() == false)
        #expect(
            try await made.database.auditLog("gd_auth_succeed", "gd_auth_rejected").map(\.kind) == ["gd_auth_rejected"])
    }

    @Test("A device decides only while enrolled, and only for its user", arguments: StoreKind.all)
    func removedDevice(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.enrolled(Samples.device("dev_bob", user: "auth0|bob"))
        try await made.enrolled(Samples.device("dev_other", tenant: "other"))
        try await made.started()
        for device in ["dev_bob", "dev_other", "dev_none"] {
            #expect(try await made.resolve(device: device) == .notPending, "\(device)")
        }
        let gone = AuditEvent(.unenrolled, tenant: TenantID("dev"), at: Samples.start, device: DeviceID("dev_one"))
        #expect(try await made.store.remove(DeviceID("dev_one"), tenant: TenantID("dev"), event: gone))
        #expect(try await made.resolve() == .notPending)
        #expect(try await made.poll()?.state == .pending)
        #expect(try await made.database.auditLog("gd_auth_succeed").isEmpty)
        try await made.enrolled(Samples.device("dev_two"))
        #expect(try await made.resolve(device: "dev_two") == .resolved(hash))
    }

    @Test("One of 200 concurrent decisions is taken and logged", arguments: StoreKind.all)
    func racingDecisions(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started()
        let taken = try await withThrowingTaskGroup(of: Int?.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let decision: BackchannelRequest.Decision = index % 2 == 0 ? .allow : .reject(reason: nil)
                    return try await made.resolve("request", decision) == .notPending ? nil : index
                }
            }
            return try await group.reduce(into: [Int]()) { if let index = $1 { $0.append(index) } }
        }
        try #require(taken.count == 1)
        #expect(try await made.poll()?.state == (taken[0] % 2 == 0 ? .approved : .denied))
        #expect(try await made.database.auditLog("gd_auth_succeed", "gd_auth_rejected").count == 1)
    }

    @Test("200 concurrent exchanges give tokens exactly once", arguments: StoreKind.all)
    func racingExchanges(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started()
        _ = try await made.resolve()
        let given = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                group.addTask { try await made.redeem(refreshToken: LoginSamples.family([UInt8(index)])) }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(given == 1)
        #expect(try await made.database.count("refresh_token_family") == 1)
        #expect(try await made.database.auditLog("ciba_exchange_succeeded").count == 1)
        #expect(try await made.poll()?.state == .redeemed)
    }

    @Test("Only an approved request of this client and tenant can be redeemed", arguments: StoreKind.all)
    func redeemIsBound(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started()
        #expect(try await made.redeem() == false, "pending")
        _ = try await made.resolve()
        #expect(try await made.redeem(client: "thief", refreshToken: LoginSamples.family([1])) == false)
        #expect(try await made.redeem(tenant: "other", refreshToken: LoginSamples.family([2])) == false)
        #expect(try await made.database.count("refresh_token_family") == 0, "nothing is stored when it fails")
        #expect(try await made.redeem(user: "auth0|bob") == false, "another user's")
        #expect(try await made.redeem(login: [1]) == false, "a login's")
        #expect(try await made.redeem())
        #expect(try await made.redeem() == false, "a second time")
    }

    @Test("A login's request is found and redeemed by that login alone, for that user", arguments: StoreKind.all)
    func login(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started(login: [1])
        _ = try await made.resolve()
        for (login, isTheirs) in [(nil, false), ([2], false), ([1], true)] as [([UInt8]?, Bool)] {
            #expect(try await made.poll(login: login)?.state == (isTheirs ? .approved : nil))
        }
        #expect(try await made.redeem(refreshToken: LoginSamples.family([1])) == false, "the client's own poll")
        #expect(try await made.redeem(login: [2]) == false)
        #expect(try await made.redeem(user: "auth0|bob", login: [1]) == false)
        #expect(try await made.redeem(login: [1]))
        #expect(try await made.database.count("refresh_token_family") == 0)
    }

    @Test("Removing the device voids its decision", arguments: StoreKind.all)
    func removedDecider(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device("dev_one", identifier: "A"))
        try await made.enrolled(Samples.device("dev_two", identifier: "B"))
        try await made.started()
        _ = try await made.resolve()
        let gone = AuditEvent(.unenrolled, tenant: TenantID("dev"), at: Samples.start, device: DeviceID("dev_one"))
        #expect(try await made.store.remove(DeviceID("dev_one"), tenant: TenantID("dev"), event: gone))
        #expect(try await made.redeem(refreshToken: LoginSamples.family([1])) == false)
        #expect(try await made.database.count("refresh_token_family") == 0)
    }

    @Test("An expired request takes no decision and gives no tokens", arguments: StoreKind.all)
    func nothingAfterExpiry(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        let end = Samples.start + .seconds(300)
        try await made.started("late")
        #expect(try await made.resolve("late", at: end) == .notPending)
        #expect(try await made.resolve("late", at: end - .milliseconds(1)) != .notPending)
        #expect(try await made.redeem("late", at: end) == false)
        #expect(try await made.redeem("late", at: end - .milliseconds(1)))
    }

    @Test("Another tenant sees neither request nor device, and decides nothing", arguments: StoreKind.all)
    func foreignTenant(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started()
        let seen = try await made.store.transaction(
            hash.consentID, device: DeviceID("dev_one"), tenant: TenantID("other"))
        #expect(seen.request == nil)
        #expect(seen.device == nil)
        #expect(try await made.store.request(hash, tenant: TenantID("other")) == nil)
        #expect(try await made.resolve(tenant: "other") == .notPending)
        let pending = try await made.store.pending(
            user: UserID("auth0|ann"), tenant: TenantID("other"), after: 0, now: Samples.start, limit: 10)
        #expect(pending.isEmpty)
        #expect(try await made.poll()?.state == .pending)
    }

    @Test("A transaction has the request and the device, each if it exists", arguments: StoreKind.all)
    func transaction(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started()
        let tenant = TenantID("dev")
        let both = try await made.store.transaction(hash.consentID, device: DeviceID("dev_one"), tenant: tenant)
        #expect(both.request?.consentID == hash.consentID)
        #expect(both.device?.device.id == DeviceID("dev_one"))
        let noDevice = try await made.store.transaction(hash.consentID, device: DeviceID("dev_two"), tenant: tenant)
        #expect(noDevice.request != nil)
        #expect(noDevice.device == nil)
        for name in ["cns_", "cns_AAAA", "nonsense", "", hash.consentID.rawValue + "A"] {
            let none = try await made.store.transaction(ConsentID(name), device: DeviceID("dev_one"), tenant: tenant)
            #expect(none.request == nil, "\(name)")
        }
    }

    @Test(
        "A decision records device and time, and withdraws prompts on other devices", arguments: StoreKind.all)
    func decisionEffects(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device("dev_one", identifier: "A"))
        try await made.enrolled(Samples.device("dev_two", identifier: "B"))
        try await made.enrolled(Samples.device("dev_bob", user: "auth0|bob"))
        try await made.started()
        let now = Samples.start + .seconds(10)
        _ = try await made.resolve(at: now)
        let sealed = try #require(try await made.store.request(hash, tenant: TenantID("dev"))).request
        #expect(sealed.decidedBy == DeviceID("dev_one"))
        let request = try #require(try await Samples.vault.opened(sealed))
        #expect(request.state == .approved)
        #expect(request.outcome == BackchannelRequest.Outcome(.allow, at: now, by: .device(DeviceID("dev_one"))))
        let due = try await made.store.dueNotices(now: now)
        #expect(due.map(\.notice.kind) == [.withdrawal])
        #expect(due.map(\.device) == [DeviceID("dev_two")])
    }

    @Test("An approved request comes with its user, if not deleted", arguments: StoreKind.all)
    func approvedUser(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.started("known")
        try await made.started("orphan", user: "auth0|bob")
        try await made.delete(LoginSamples.bob)
        let known = try await made.store.request(AuthReqIDHash(of: "known", Samples.hashing), tenant: TenantID("dev"))
        #expect(known?.user?.id == UserID("auth0|ann"))
        let orphan = try await made.store.request(
            AuthReqIDHash(of: "orphan", Samples.hashing), tenant: TenantID("dev"))
        #expect(orphan != nil)
        #expect(orphan?.user == nil)
    }

    @Test(
        "A device resumes by sequence: undecided requests of its user, mailed ones too, in order",
        arguments: StoreKind.all)
    func resume(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        for name in ["a", "b", "decided", "c"] { try await made.started(name) }
        try await made.started("mail", channel: .email)
        try await made.started("bob", user: "auth0|bob")
        try await made.started("short", lifetime: .seconds(5))
        _ = try await made.resolve("decided", at: Samples.start + .seconds(1))
        func pending(after sequence: Int64, limit: Int = 10) async throws -> [SealedRequest] {
            try await made.store.pending(
                user: UserID("auth0|ann"), tenant: TenantID("dev"), after: sequence, now: Samples.start + .seconds(5),
                limit: limit)
        }
        func consents(_ names: String...) -> [ConsentID] {
            names.map { AuthReqIDHash(of: $0, Samples.hashing).consentID }
        }
        let all = try await pending(after: 0)
        #expect(all.map(\.consentID) == consents("a", "b", "c", "mail"))
        #expect(all.map(\.sequence) == all.map(\.sequence).sorted())
        #expect(try await pending(after: all[0].sequence).map(\.consentID) == consents("b", "c", "mail"))
        #expect(try await pending(after: 0, limit: 2).map(\.consentID) == consents("a", "b"))
        #expect(try await pending(after: all[3].sequence).isEmpty)
        #expect(try await made.store.newestSequence() >= all[3].sequence)
    }
}
