import Audit
import AuthorizationCore
@testable import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: a login's request supersedes older ones of its browser")
struct SupersessionContractTests {
    private func start(
        _ made: TemporaryStore, _ name: String, browser: [UInt8] = [1], user: String = "auth0|ann",
        tenant: String = "dev",
        at now: Timestamp = Samples.start
    ) async throws -> StartOutcome {
        var (hash, request) = Samples.request(name, tenant: tenant, user: user, at: now, lifetime: .seconds(120))
        request.login = Samples.hashing.sha256(Array(name.utf8))
        request.browser = browser
        func event(_ kind: AuditEvent.Kind) -> AuditEvent {
            AuditEvent(kind, tenant: request.tenant, at: now, user: request.user, client: request.client)
        }
        var new = NewBackchannelRequest(
            request: try Samples.vault.seal(request, hash), devices: [], event: event(.multiFactorStarted))
        new.supersession = event(.superseded)
        return try await made.store.start(new, limits: wide)
    }

    private func hash(_ name: String) -> AuthReqIDHash { AuthReqIDHash(of: name, Samples.hashing) }

    private func state(_ made: TemporaryStore, _ name: String, tenant: String = "dev") async throws
        -> BackchannelRequest.State?
    {
        try await made.store.request(hash(name), tenant: TenantID(tenant))?.request.state
    }

    @Test(
        "The older request ends, its entry names it, every device is told, and no later answer counts",
        arguments: StoreKind.all)
    func superseded(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.enrolled(Samples.device("dev_two", identifier: "B"))
        #expect(try await start(made, "old") == .started)
        let before = try await made.database.count("delivery")
        #expect(try await start(made, "new") == .superseding([hash("old")]))
        #expect(try await state(made, "old") == .superseded)
        #expect(try await state(made, "new") == .pending)
        #expect(try await made.database.count("delivery") == before + 2)
        let entry = try #require(try await made.database.auditLog("ciba_superseded").first)
        #expect(entry.consent == hash("old").consentID.rawValue && entry.user == "auth0|ann")
        #expect(try await made.resolve("old") == .notPending)
        #expect(try await made.resolve("new") != .notPending)
        let sealed = try #require(try await made.store.request(hash("old"), tenant: TenantID("dev"))).request
        #expect(try await Samples.vault.opened(sealed)?.state == .superseded)
    }

    @Test(
        "A login's request ends once its person gave another factor; that of a client or another user goes on",
        arguments: StoreKind.all)
    func otherFactor(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        #expect(try await start(made, "login") == .started)
        let event = AuditEvent(.superseded, tenant: TenantID("dev"), at: Samples.start)
        func end(_ name: String, of user: String = "auth0|ann", in tenant: String = "dev") async throws -> Bool {
            try await made.store.supersede(
                hash(name), of: UserID(user), tenant: TenantID(tenant), now: Samples.start, event: event)
        }
        #expect(try await !end("login", of: "auth0|bob"))
        #expect(try await !end("login", in: "other"))
        #expect(try await !end("other"))
        #expect(try await state(made, "login") == .pending)
        let before = try await made.database.count("delivery")
        #expect(try await end("login"))
        #expect(try await !end("login"), "once")
        #expect(try await state(made, "login") == .superseded)
        #expect(try await made.database.count("delivery") == before + 1)
        let ended = try await made.database.auditLog("ciba_superseded").map(\.consent)
        #expect(ended == [hash("login").consentID.rawValue])
    }

    @Test(
        "Requests of another browser, user or tenant, of a client, and those that are decided or over stay as they are",
        arguments: StoreKind.all)
    func others(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.enrolled(Samples.device("dev_bob", user: "auth0|bob"))
        try await made.enrolled(Samples.device("dev_other", tenant: "other"))
        #expect(try await start(made, "elsewhere", browser: [2]) == .started)
        #expect(try await start(made, "bob", user: "auth0|bob") == .started)
        #expect(try await start(made, "other", tenant: "other") == .started)
        #expect(try await made.started("client") == .started)
        #expect(try await start(made, "late", at: Samples.start - .seconds(120)) == .started)
        #expect(try await start(made, "decided") == .started)
        _ = try await made.resolve("decided")
        #expect(try await start(made, "new") == .started)
        for name in ["elsewhere", "bob", "client", "late"] {
            #expect(try await state(made, name) == .pending, "\(name)")
        }
        #expect(try await state(made, "other", tenant: "other") == .pending)
        #expect(try await state(made, "decided") == .approved)
        #expect(try await made.started("after") == .started)
        #expect(try await state(made, "new") == .pending, "a client's request supersedes nothing")
    }

    @Test("Many logins at once in one browser leave one request that waits", arguments: StoreKind.all)
    func racing(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        let ended = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<50 {
                group.addTask {
                    if case .superseding(let older) = try await start(made, "login \(index)") { older.count } else { 0 }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(ended == 49)
        #expect(try await made.database.auditLog("ciba_superseded").count == 49)
    }
}
