import Administration
import Audit
import AuthorizationCore
import Configuration
@testable import Flows
@testable import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: sessions")
struct SessionContractTests {
    private func stored(
        _ made: TemporaryStore, _ name: String = "session", tenant: TenantID = LoginSamples.tenant, second: Int = 0
    ) async throws -> Session? {
        try await made.store.session(
            LoginSamples.hash(name), tenant: tenant, now: LoginSamples.start + .seconds(second))?.session
    }

    @Test("Every field of a session is stored, and found with its user in its tenant only", arguments: StoreKind.all)
    func fields(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        let found = try #require(
            try await made.store.session(
                LoginSamples.hash("session"), tenant: LoginSamples.tenant, now: LoginSamples.start))
        #expect(found.session == LoginSamples.session())
        #expect(found.user.id == LoginSamples.ann)
        #expect(try await stored(made, tenant: LoginSamples.other) == nil)
        #expect(try await stored(made, "else") == nil)
        #expect(try await made.database.auditLog().map(\.kind) == ["s"])
    }

    @Test("A session ends after its idle time, and at its expiry however much it is used", arguments: StoreKind.all)
    func expiry(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        #expect(try await stored(made, second: 99) != nil)
        #expect(try await stored(made, second: 100) == nil)
        for second in stride(from: 90, to: 1000, by: 90) {
            #expect(
                try await made.complete(code: LoginSamples.code("\(second)"), use: LoginSamples.use(second: second)))
        }
        #expect(try await stored(made, second: 999) != nil)
        #expect(try await stored(made, second: 1000) == nil)
        #expect(try await made.complete(code: LoginSamples.code("late"), use: LoginSamples.use(second: 1000)) == false)
    }

    @Test("A new session ends the browser's old one, in the same tenant", arguments: StoreKind.all)
    func replacing(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn(LoginSamples.session("old"))
        try await made.loggedIn(
            LoginSamples.session("foreign", tenant: LoginSamples.other), replacing: LoginSamples.hash("old"))
        #expect(try await stored(made, "old") != nil)
        try await made.loggedIn(
            LoginSamples.session("new", user: LoginSamples.bob), replacing: LoginSamples.hash("old"))
        #expect(try await stored(made, "old") == nil)
        #expect(try await stored(made, "new")?.authentication.user == LoginSamples.bob)
    }

    @Test("The store keeps if the time of an authentication is known", arguments: StoreKind.all)
    func time(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for isKnown in [false, true] {
            var session = LoginSamples.session()
            session.authentication = Authentication(
                user: LoginSamples.ann, at: LoginSamples.start, isTimeKnown: isKnown, methods: ["fed"],
                connection: "github")
            try await made.loggedIn(session)
            #expect(try await stored(made)?.authentication == session.authentication)
        }
    }

    @Test(
        "OIDC Back-Channel Logout: every end of a session enqueues notices for its clients",
        arguments: StoreKind.all)
    func logouts(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let event = LoginSamples.event(.loggedOut)
        for name in ["by cookie", "by id", "by another", "by an administrator", "not"] {
            try await made.loggedIn(LoginSamples.session(name))
            for client in ["app", "shop"] {
                #expect(
                    try await made.complete(
                        code: LoginSamples.code("\(name) \(client)"),
                        use: LoginSamples.use(name, client: ClientID(client))))
            }
        }
        #expect(try await made.logouts() == [])
        _ = try await made.store.end(
            .cookie(hash: LoginSamples.hash("by cookie")), tenant: LoginSamples.tenant, event: event)
        _ = try await made.store.end(.id(SessionID("by id")), tenant: LoginSamples.tenant, event: event)
        try await made.loggedIn(
            LoginSamples.session("another", user: LoginSamples.bob), replacing: LoginSamples.hash("by another"))
        _ = try await made.store.change { transaction in
            try transaction.end(
                session: SessionID("by an administrator"), in: LoginSamples.tenant, now: LoginSamples.start)
        }
        let ended = ["by cookie", "by id", "by another", "by an administrator"]
        #expect(
            try await made.logouts() == ended.flatMap { ["app auth0|ann \($0)", "shop auth0|ann \($0)"] })
        // A renewed session goes on.
        try await made.loggedIn(LoginSamples.session("not"), replacing: LoginSamples.hash("not"))
        #expect(try await made.logouts().count == 8)
    }

    @Test("Logout notices wait until they are sent, with a limit per client", arguments: StoreKind.all)
    func dueLogouts(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for index in 0..<5 {
            let name = "\(index)"
            try await made.loggedIn(LoginSamples.session(name))
            for client in index == 4 ? ["app", "shop"] : ["app"] {
                #expect(
                    try await made.complete(
                        code: LoginSamples.code("\(name) \(client)"),
                        use: LoginSamples.use(name, client: ClientID(client), host: "\(client).dev.example")))
            }
            _ = try await made.store.end(
                .id(SessionID(name)), tenant: LoginSamples.tenant, event: LoginSamples.event(.loggedOut))
        }
        func due(second: Int = 0, perClient: Int = 2, limit: Int = 9) async throws -> [DeliveryEntry] {
            try await made.store.dueDeliveries(
                .logoutNotices, perLane: perClient, limit: limit,
                now: LoginSamples.start + .seconds(second))
        }
        func sessions(_ entries: [DeliveryEntry]) throws -> [String] {
            try entries.map { try LogoutNotice($0.delivery).session.rawValue }
        }
        let first = try await due()
        #expect(try sessions(first) == ["0", "4", "1"])
        let notices = try first.map { try LogoutNotice($0.delivery) }
        #expect(notices.map(\.client) == [ClientID("app"), ClientID("shop"), ClientID("app")])
        #expect(notices.map(\.host) == ["app.dev.example", "shop.dev.example", "app.dev.example"])
        #expect(notices.map(\.user) == [UserID("auth0|ann"), UserID("auth0|ann"), UserID("auth0|ann")])
        #expect(first.allSatisfy { $0.delivery.expiresAt == $0.delivery.createdAt + .seconds(1800) })
        #expect(try await due(limit: 1).count == 1)
        func settle(_ index: Int, _ step: DeliveryStep, _ event: AuditEvent? = nil) async throws {
            try await made.store.settle(
                [DeliverySettlement(id: first[index].id, step: step, event: event)], by: "node",
                now: LoginSamples.start)
        }
        try await settle(0, .retry(at: LoginSamples.start + .seconds(5), problem: "down"))
        for _ in 0..<2 { try await settle(1, .done, LoginSamples.event(.backchannelLogoutSent)) }
        #expect(try await made.database.auditLog("oidc_backchannel_logout_succeeded").count == 1, "it was told once")
        #expect(try sessions(try await due()) == ["1", "2"])
        let later = try await due(second: 5, perClient: 9)
        #expect(try sessions(later) == ["1", "2", "3", "4", "0"])
        #expect(later.map(\.attempts) == [0, 0, 0, 0, 1])
        #expect(later.map(\.problem) == [nil, nil, nil, nil, "down"])
    }

    @Test(
        "OIDC Back-Channel Logout: each client that got a code in a session gets one notice",
        arguments: StoreKind.all)
    func end(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        for (index, client) in ["b", "a", "b"].enumerated() {
            #expect(
                try await made.complete(
                    code: LoginSamples.code("\(index)"), use: LoginSamples.use(client: ClientID(client), second: index))
            )
        }
        let event = LoginSamples.event(.loggedOut)
        let id = SessionID("session")
        #expect(try await made.store.end(.id(id), tenant: LoginSamples.other, event: event) == nil)
        #expect(try await made.store.end(.id(SessionID("else")), tenant: LoginSamples.tenant, event: event) == nil)
        #expect(
            try await made.store.end(.id(id), tenant: LoginSamples.tenant, event: event)
                == SessionEnd(id: id, user: LoginSamples.ann))
        #expect(try await made.logouts() == ["a auth0|ann session", "b auth0|ann session"])
        #expect(try await stored(made) == nil)
        #expect(try await made.store.end(.id(id), tenant: LoginSamples.tenant, event: event) == nil)
        #expect(try await made.database.count("session_client") == 0)
        #expect(try await made.database.auditLog("slo").count == 1)
    }

    @Test("One of 100 concurrent logouts by cookie ends the session", arguments: StoreKind.all)
    func endByCookie(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        let cookie = EndedSession.cookie(hash: LoginSamples.hash("session"))
        #expect(
            try await made.store.end(cookie, tenant: LoginSamples.other, event: LoginSamples.event(.loggedOut)) == nil)
        let ended = try await winners { _ in
            try await made.store.end(cookie, tenant: LoginSamples.tenant, event: LoginSamples.event(.loggedOut)) != nil
        }
        #expect(ended == 1)
        #expect(try await made.database.auditLog("slo").count == 1)
    }

    @Test("Changes of one session at once leave its seal whole", arguments: StoreKind.all)
    func sealedAtOnce(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        let id = LoginSamples.session().id
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let column = number.isMultiple(of: 2) ? "access_endings" : "second_factor_at"
                    let isKept = try await made.store.database.write { connection in
                        try made.store.rewrite(
                            .session, where: "id = \(id)", setting: [(column, .integer(Int64(number)))], connection)
                    }
                    #expect(isKept)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await stored(made) != nil)
        #expect(made.store.changedRowCount == 0)
    }

    @Test("Deleting a user deletes their sessions", arguments: StoreKind.all)
    func deletedUser(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        #expect(try await made.complete())
        try await made.delete(LoginSamples.ann)
        #expect(try await stored(made) == nil)
        #expect(try await made.database.count("session") == 0)
        #expect(try await made.database.count("session_client") == 0)
    }
}
