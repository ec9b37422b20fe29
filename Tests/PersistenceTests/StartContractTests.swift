import Administration
import Audit
import AuthorizationCore
import Configuration
@testable import Flows
import OAuthWire
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: starting a request")
struct StartContractTests {
    @Test("A user comes with their devices", arguments: StoreKind.all)
    func approver(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device("dev_one", identifier: "A"))
        try await made.enrolled(Samples.device("dev_two", identifier: "B"))
        try await made.enrolled(Samples.device("dev_bob", user: "auth0|bob"))
        let ann = try await made.store.approver(.id(UserID("auth0|ann")), tenant: TenantID("dev"))
        #expect(ann?.user.id == UserID("auth0|ann"))
        #expect(Set(ann?.devices ?? []) == [DeviceID("dev_one"), DeviceID("dev_two")])
        #expect(try await made.store.approver(.id(UserID("auth0|eve")), tenant: TenantID("dev")) == nil)
    }

    @Test("Another tenant's user of the same id has none of these devices", arguments: StoreKind.all)
    func approverOfAnotherTenant(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        let other = try await made.store.approver(.id(UserID("auth0|ann")), tenant: TenantID("other"))
        #expect(other?.devices == [])
        #expect(try await made.store.approver(.id(UserID("auth0|ann")), tenant: TenantID("nowhere")) == nil)
    }

    @Test("A started request is pending, with every field stored", arguments: StoreKind.all)
    func everyField(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let details: JSONValue = [
            ["type": "payment", "amount": .number(JSONNumber(12)), "note": "é \"quoted\" \u{1F4B6}"]
        ]
        #expect(try await made.started(details: details, channel: .email) == .started)
        let (hash, request) = Samples.request(details: details, channel: .email)
        let sealed = try #require(try await made.store.request(hash, tenant: TenantID("dev"))).request
        let stored = try #require(try await Samples.vault.opened(sealed))
        var expected = request
        expected.sequence = stored.sequence
        #expect(stored == expected)
        #expect(stored.sequence > 0)
        #expect(
            try await made.poll()
                == PolledRequest(state: .pending, expiresAt: Samples.start + .seconds(300), interval: 5))
    }

    @Test("CIBA limits: requests to a user are limited within the window", arguments: StoreKind.all)
    func perMinute(kind: StoreKind) async throws {
        let made = try await kind.populated()
        func start(_ name: String, _ second: Int, user: String = "auth0|ann", tenant: String = "dev") async throws
            -> StartOutcome
        {
            let now = Samples.start + .seconds(second)
            return try await made.started(
                name, tenant: tenant, user: user, at: now,
                limits: StartLimits(
                    perMinute: 2, windowStart: now - .seconds(60), pendingPerUser: 100, pendingPerTenant: 100))
        }
        #expect(try await start("a", 0) == .started)
        #expect(try await start("b", 30) == .started)
        #expect(try await start("c", 59) == .rateLimited(oldest: Samples.start))
        #expect(try await start("d", 59, user: "auth0|bob") == .started, "another user is not concerned")
        #expect(try await start("e", 59, tenant: "other") == .started, "another tenant's user is not concerned")
        #expect(try await start("f", 60) == .started, "the first one has left the window")
        #expect(try await start("g", 61) == .rateLimited(oldest: Samples.start + .seconds(30)))
    }

    @Test("Requests of logins do not count for a user's limits", arguments: StoreKind.all)
    func logins(kind: StoreKind) async throws {
        let made = try await kind.populated()
        func start(_ name: String, scope: String = "", details: JSONValue? = nil) async throws -> StartOutcome {
            let hash: AuthReqIDHash
            var request: BackchannelRequest
            (hash, request) = Samples.request(name, scope: scope, details: details)
            if name.hasPrefix("login") { request.login = [1] }
            return try await made.store.start(
                NewBackchannelRequest(
                    request: try Samples.vault.seal(request, hash), devices: [],
                    event: AuditEvent(.backchannelStarted, tenant: request.tenant, at: Samples.start)),
                limits: StartLimits(
                    perMinute: name.hasPrefix("login") ? .max : 2, windowStart: Samples.start - .seconds(60),
                    pendingPerUser: .max, pendingPerTenant: 100))
        }
        for number in 1...3 { #expect(try await start("login \(number)", scope: "openid") == .started) }
        #expect(try await start("a", scope: "openid") == .started)
        #expect(try await start("b", details: [["type": "payment"]]) == .started)
        #expect(try await start("c", scope: "openid") == .rateLimited(oldest: Samples.start))
        #expect(try await start("login 4") == .started)
    }

    @Test("A refused start stores nothing", arguments: StoreKind.all)
    func refusedStoresNothing(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        let none = StartLimits(
            perMinute: 1, windowStart: Samples.start - .seconds(60), pendingPerUser: 1, pendingPerTenant: 10)
        #expect(try await made.started("a", devices: ["dev_one"], limits: none) == .started)
        #expect(try await made.started("b", devices: ["dev_one"], limits: none) == .rateLimited(oldest: Samples.start))
        #expect(try await made.poll("b") == nil)
        #expect(try await made.database.count("backchannel_request") == 1)
        #expect(try await made.database.count("delivery") == 1)
        #expect(try await made.database.auditLog("ciba_start_succeeded").count == 1)
    }

    @Test("Undecided requests of a user are limited; decided and expired ones do not count", arguments: StoreKind.all)
    func pendingPerUser(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        func start(_ name: String, _ second: Int) async throws -> StartOutcome {
            let now = Samples.start + .seconds(second)
            return try await made.started(
                name, at: now, lifetime: .seconds(100),
                limits: StartLimits(
                    perMinute: 100, windowStart: now - .seconds(60), pendingPerUser: 2, pendingPerTenant: 100))
        }
        #expect(try await start("a", 0) == .started)
        #expect(try await start("b", 1) == .started)
        #expect(try await start("c", 2) == .tooManyPendingForUser)
        _ = try await made.resolve("a", at: Samples.start + .seconds(3))
        #expect(try await start("d", 4) == .started)
        #expect(try await start("e", 5) == .tooManyPendingForUser)
        #expect(try await start("f", 101) == .started, "b expired at 101 s")
    }

    @Test(
        "Requests that wait on a page or for long count for their client alone: they use up no limit of others",
        arguments: StoreKind.all)
    func patientPerClient(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        func start(
            _ name: String, _ client: String, _ channel: Client.NotificationChannel, _ life: Int = 300
        ) async throws -> StartOutcome {
            try await made.started(
                name, client: client, channel: channel, at: Samples.start, lifetime: .seconds(life),
                limits: StartLimits(
                    perMinute: 100, windowStart: Samples.start - .seconds(60), pendingPerUser: 3, pendingPerTenant: 100)
            )
        }
        #expect(try await start("a", "agent", .page) == .started)
        #expect(try await start("b", "agent", .email) == .started)
        #expect(try await start("c", "agent", .guardianPush, 259_200) == .started)
        for channel in [Client.NotificationChannel.page, .email, .guardianPush] {
            #expect(try await start("d", "agent", channel) == .tooManyPendingForUser)
        }
        for name in ["e", "f", "g"] { #expect(try await start(name, "other", .guardianPush) == .started) }
        #expect(try await start("h", "other", .guardianPush) == .tooManyPendingForUser)
        #expect(try await start("i", "third", .guardianPush) == .started, "its share")
        #expect(try await start("j", "third", .guardianPush) == .tooManyPendingForUser)
        #expect(try await start("k", "third", .page) == .started)
    }

    @Test("A client that used up a person's minute leaves others their share of it", arguments: StoreKind.all)
    func sharedMinute(kind: StoreKind) async throws {
        let made = try await kind.populated()
        func start(_ name: String, _ client: String, _ second: Int) async throws -> StartOutcome {
            let now = Samples.start + .seconds(second)
            return try await made.started(
                name, client: client, at: now,
                limits: StartLimits(
                    perMinute: 4, windowStart: now - .seconds(60), pendingPerUser: 100, pendingPerTenant: 100))
        }
        for second in 1...4 { #expect(try await start("a\(second)", "agent", second) == .started) }
        #expect(try await start("b", "agent", 5) == .rateLimited(oldest: Samples.start + .seconds(1)))
        #expect(try await start("c", "other", 6) == .started)
        #expect(try await start("d", "other", 7) == .started)
        #expect(try await start("e", "other", 8) == .rateLimited(oldest: Samples.start + .seconds(1)))
        #expect(try await start("f", "third", 9) == .started)
        #expect(try await start("g", "agent", 61) == .rateLimited(oldest: Samples.start + .seconds(2)))
        #expect(try await start("h", "agent", 64) == .started)
    }

    @Test("Concurrent starts do not exceed a user's limit", arguments: StoreKind.all)
    func concurrentStarts(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let limits = StartLimits(
            perMinute: 5, windowStart: Samples.start - .seconds(60), pendingPerUser: 100, pendingPerTenant: 1000)
        let started = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<100 {
                group.addTask { try await made.started("r\(index)", limits: limits) == .started }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(started == 5)
    }

    @Test("Undecided requests of a tenant are limited, counted by this process", arguments: StoreKind.all)
    func pendingPerTenant(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        let limits = StartLimits(
            perMinute: 100, windowStart: Samples.start - .seconds(60), pendingPerUser: 100, pendingPerTenant: 2)
        #expect(try await made.started("a", limits: limits) == .started)
        #expect(try await made.started("b", user: "auth0|bob", limits: limits) == .started)
        #expect(try await made.started("c", limits: limits) == .tooManyPendingForTenant)
        #expect(try await made.started("d", tenant: "other", limits: limits) == .started)
        _ = try await made.resolve("a")
        #expect(try await made.started("e", limits: limits) == .started)
    }

    @Test("A start adds a queue entry for each device and one audit entry", arguments: StoreKind.all)
    func effects(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device("dev_one", identifier: "A"))
        try await made.enrolled(Samples.device("dev_two", identifier: "B"))
        try await made.started(devices: ["dev_one", "dev_two"])
        let due = try await made.store.dueNotices(now: Samples.start)
        #expect(due.map(\.notice.kind) == [.notification, .notification])
        #expect(due.map(\.device) == [DeviceID("dev_one"), DeviceID("dev_two")])
        #expect(due.allSatisfy { $0.attempts == 0 })
        for waiting in due {
            let found = try #require(
                try await made.store.notification(of: waiting.notice.request, to: waiting.device))
            #expect(found.request.audience == Samples.api)
            #expect(found.device?.id == waiting.device)
        }
        let log = try await made.database.auditLog("ciba_start_succeeded")
        #expect(log.map(\.consent) == [AuthReqIDHash(of: "request", Samples.hashing).consentID.rawValue])
    }

    @Test(
        "A user is found by a verified address or number, with their devices, in their own tenant",
        arguments: StoreKind.all)
    func references(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let bob = Samples.user("auth0|bob") {
            $0.email = "bob@shop.example"
            $0.emailVerified = true
            $0.phoneNumber = "+4930123456"
            $0.phoneVerified = true
        }
        try await made.store.change { try $0.put(bob, passwordHash: nil, in: TenantID("dev")) }
        for id in ["dev_one", "dev_two"] {
            try await made.enrolled(Samples.device(id, user: "auth0|bob", identifier: id))
        }
        let address = try #require(EmailAddress(parsing: "bob@shop.example"))
        func found(_ reference: UserReference, tenant: String) async throws -> Approver? {
            try await made.store.approver(reference, tenant: TenantID(tenant))
        }
        for reference in [UserReference.id(bob.id), .email(address), .phoneNumber("+4930123456")] {
            let approver = try await found(reference, tenant: "dev")
            #expect(approver?.user.id == bob.id)
            #expect(approver?.devices.map(\.rawValue).sorted() == ["dev_one", "dev_two"])
        }
        for reference in [UserReference.email(address), .phoneNumber("+4930123456")] {
            #expect(try await found(reference, tenant: "other") == nil)
        }
    }

    /// Changes of a user between read and start.
    enum UserChange: CaseIterable {
        case deleted, blocked, withoutDevice
    }

    @Test(
        "A user who was deleted or blocked, or lost the last device, after being read gets no request",
        arguments: StoreKind.all, UserChange.allCases)
    func changedUser(kind: StoreKind, change: UserChange) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.enrolled(Samples.device("dev_bob", user: "auth0|bob"))
        let dev = TenantID("dev")
        let approver = try #require(try await made.store.approver(.id(UserID("auth0|ann")), tenant: dev))
        switch change {
        case .deleted: try await made.delete(approver.user.id)
        case .blocked:
            try await made.store.change {
                try $0.put(Samples.user("auth0|ann") { $0.blocked = true }, passwordHash: nil, in: dev)
            }
        case .withoutDevice:
            let event = AuditEvent(.unenrolled, tenant: dev, at: Samples.start)
            #expect(try await made.store.remove(approver.devices[0], tenant: dev, event: event))
        }
        #expect(try await made.started(devices: approver.devices.map(\.rawValue)) == .approverChanged)
        #expect(try await made.poll() == nil)
        #expect(try await made.database.count("backchannel_request") == 0)
        #expect(try await made.database.count("delivery") == 0)
        #expect(try await made.database.auditLog("ciba_start_succeeded").isEmpty)
        // A request by e-mail needs no device.
        let byMail = try await made.started("mail", channel: .email)
        #expect(byMail == (change == .withoutDevice ? .started : .approverChanged))
    }

    @Test("A refused request does not affect others of its commit", arguments: StoreKind.all)
    func refusedAmongOthers(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        let (started, refused) = try await withThrowingTaskGroup(of: StartOutcome.self) { group in
            for index in 0..<60 {
                let user = index % 3 == 0 ? "auth0|ann" : "auth0|eve"
                group.addTask { try await made.started("r\(index)", user: user, devices: ["dev_one"]) }
            }
            return try await group.reduce(into: (0, 0)) { if $1 == .started { $0.0 += 1 } else { $0.1 += 1 } }
        }
        #expect((started, refused) == (20, 40))
        #expect(try await made.database.count("backchannel_request") == 20)
        #expect(try await made.database.count("delivery") == 20)
        #expect(try await made.database.auditLog("ciba_start_succeeded").count == 20)
    }
}
