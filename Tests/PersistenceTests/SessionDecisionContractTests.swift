import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: decisions in a session")
struct SessionDecisionContractTests {
    private static let hash = AuthReqIDHash(of: "request", Samples.hashing)
    private static let session = LoginSamples.session()

    @Test("A session decides, and the row and its seal name it", arguments: StoreKind.all)
    func decides(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device("dev_one", identifier: "A"))
        try await made.enrolled(Samples.device("dev_bob", user: "auth0|bob"))
        try await made.loggedIn()
        try await made.started(channel: .page)
        let now = Samples.start + .seconds(10)
        #expect(try await made.resolve(session: Self.session, at: now) == .resolved(Self.hash))
        let sealed = try #require(try await made.store.request(Self.hash, tenant: TenantID("dev"))).request
        #expect(sealed.decidedBy == nil && sealed.decidedIn == Self.session.id)
        let request = try #require(try await Samples.vault.opened(sealed))
        #expect(request.state == .approved && request.outcome?.session?.methods == ["pwd", "mfa"])
        #expect(request.outcome?.session?.authenticatedAt == Self.session.authentication.at)
        #expect(try await made.store.dueNotices(now: now).map(\.device) == [DeviceID("dev_one")], "every phone of Ann")
        #expect(try await made.redeem())
        #expect(try await made.redeem() == false)
    }

    @Test(
        "A logout between decision and exchange takes nothing back; the end of all access does",
        arguments: StoreKind.all)
    func loggedOut(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for (name, access) in [("a", false), ("b", true)] {
            try await made.loggedIn()
            try await made.started(name, channel: .page)
            #expect(try await made.resolve(name, session: Self.session) != .notPending)
            if access {
                try await made.store.change {
                    try $0.endAccess(of: LoginSamples.ann, in: LoginSamples.tenant, now: Samples.start)
                }
            } else {
                _ = try await made.store.end(
                    .id(Self.session.id), tenant: LoginSamples.tenant, event: LoginSamples.event(.loggedOut))
            }
            #expect(try await made.redeem(name) == !access)
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var tenant = "dev"
        var session = SessionDecisionContractTests.session
        var second = 10
        var prepare: @Sendable (TemporaryStore) async throws -> Void = { _ in }
    }

    static let faults: [Fault] = [
        Fault(testDescription: "of another user", session: LoginSamples.session("bob", user: LoginSamples.bob)) {
            try await $0.loggedIn(LoginSamples.session("bob", user: LoginSamples.bob))
        },
        Fault(testDescription: "of another tenant", session: LoginSamples.session("else", tenant: LoginSamples.other)) {
            try await $0.loggedIn(LoginSamples.session("else", tenant: LoginSamples.other))
        },
        Fault(testDescription: "in another tenant", tenant: "other"),
        Fault(testDescription: "that never was", session: LoginSamples.session("none")),
        Fault(testDescription: "that idled too long", second: 100),
        Fault(testDescription: "that ended") {
            _ = try await $0.store.end(
                .id(SessionDecisionContractTests.session.id), tenant: LoginSamples.tenant,
                event: LoginSamples.event(.loggedOut))
        },
        Fault(testDescription: "whose user logged in again") {
            var again = SessionDecisionContractTests.session
            again = Session(
                hash: LoginSamples.hash("again"), id: again.id, tenant: again.tenant,
                authentication: again.authentication, createdAt: again.createdAt, lastUsedAt: again.lastUsedAt,
                expiresAt: again.expiresAt, idleExpiresAt: again.idleExpiresAt)
            try await $0.loggedIn(again, replacing: SessionDecisionContractTests.session.hash)
        },
        Fault(testDescription: "of a blocked user") {
            let ann = Samples.user("auth0|ann") { $0.blocked = true }
            try await $0.store.change { try $0.put(ann, passwordHash: nil, in: LoginSamples.tenant) }
        },
    ]

    @Test("Nothing is decided by a session", arguments: StoreKind.all, faults)
    func refused(kind: StoreKind, fault: Fault) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        try await made.started(channel: .page)
        try await fault.prepare(made)
        let outcome = try await made.resolve(
            tenant: fault.tenant, session: fault.session, at: Samples.start + .seconds(fault.second))
        #expect(outcome == .notPending)
        #expect(try await made.poll()?.state == .pending)
        #expect(try await made.database.auditLog("gd_auth_succeed").isEmpty)
        #expect(try await made.database.count("approval") == 0)
    }

    @Test("A login's request is not decided by a session", arguments: StoreKind.all)
    func login(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        try await made.started(login: [1])
        #expect(try await made.resolve(session: Self.session) == .notPending)
    }

    @Test("One of several decisions by a session and a phone on two servers counts", arguments: StoreKind.all)
    func racing(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.loggedIn()
        try await made.started(channel: .page)
        let taken = try await made.withSecondStore { second in
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for index in 0..<200 {
                    group.addTask {
                        let decision: BackchannelRequest.Decision = index % 4 < 2 ? .allow : .reject(reason: nil)
                        let outcome = try await made.resolve(
                            "request", decision, session: index % 2 == 0 ? Self.session : nil,
                            in: index % 3 == 0 ? second : made.store)
                        return outcome == .notPending ? nil : index
                    }
                }
                return try await group.reduce(into: [Int]()) { if let index = $1 { $0.append(index) } }
            }
        }
        try #require(taken.count == 1)
        #expect(try await made.poll()?.state == (taken[0] % 4 < 2 ? .approved : .denied))
        #expect(try await made.database.auditLog("gd_auth_succeed", "gd_auth_rejected").count == 1)
    }

    @Test("A finished login is gone, and only at its revision", arguments: StoreKind.all)
    func finishedLogin(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let login = LoginSamples.transaction()
        try await made.store.create(login)
        #expect(try await made.store.update(login))
        #expect(try await made.store.finish(login) == false)
        let stored = try #require(
            try await made.store.transaction(login.hash, tenant: login.tenant, now: LoginSamples.start))
        #expect(try await made.store.finish(stored))
        #expect(try await made.store.finish(stored) == false)
        #expect(try await made.database.count("authorization_code") == 0)
    }
}
