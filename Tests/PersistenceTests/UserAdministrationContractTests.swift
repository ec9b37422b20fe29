import Administration
import AuthorizationCore
import Flows
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: administration of users")
struct UserAdministrationContractTests {
    @Test("Ending access removes sessions, refresh tokens and codes of that user alone", arguments: StoreKind.all)
    func endAccess(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let store = made.store
        for (user, name) in [(LogIn.ann, "ann's"), (LogIn.bob, "bob's")] {
            try await made.loggedIn(LogIn.session(name, user: user))
        }
        #expect(try await made.complete(use: LogIn.use("ann's")))
        try await store.change { try $0.endAccess(of: LogIn.bob, in: LogIn.other, now: LogIn.start) }
        #expect(try await made.database.count("session") == 2)
        try await store.change { try $0.endAccess(of: LogIn.ann, in: LogIn.tenant, now: LogIn.start) }
        #expect(try await made.database.count("session") == 1)
        #expect(try await made.logouts() == ["agent auth0|ann ann's"])
    }

    @Test(
        "Ending access counts, takes enrolment tickets back, and keeps no session of before", arguments: StoreKind.all)
    func endings(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let store = made.store
        func ticket(_ user: UserID) -> EnrollmentTicket {
            EnrollmentTicket(
                hash: LogIn.hash(user.rawValue), tenant: LogIn.tenant, user: user, createdAt: LogIn.start,
                expiresAt: LogIn.start + .seconds(60))
        }
        func create(_ name: String, endings: Int) async throws -> Bool {
            let session = LogIn.session(name)
            let authentication = Authentication(
                user: LogIn.ann, at: LogIn.start, methods: ["pwd"], connection: "database", accessEndings: endings)
            return try await store.create(
                Session(
                    hash: session.hash, id: session.id, tenant: session.tenant, authentication: authentication,
                    createdAt: session.createdAt, lastUsedAt: session.lastUsedAt, expiresAt: session.expiresAt,
                    idleExpiresAt: session.idleExpiresAt),
                replacing: LogIn.hash("bob's"), event: LogIn.event(.loggedIn))
        }
        for user in [LogIn.ann, LogIn.bob] {
            #expect(try await store.createTicket(ticket(user), event: LogIn.event(.enrollmentTicketCreated)))
        }
        try await made.loggedIn(LogIn.session("bob's", user: LogIn.bob))
        #expect(try await store.accessEndings(of: LogIn.ann, tenant: LogIn.tenant) == 0)
        try await store.change { try $0.endAccess(of: LogIn.ann, in: LogIn.tenant, now: LogIn.start) }
        #expect(try await store.accessEndings(of: LogIn.ann, tenant: LogIn.tenant) == 1)
        #expect(try await store.accessEndings(of: LogIn.ann, tenant: LogIn.other) == 0)
        #expect(try await store.accessEndings(of: UserID("auth0|gone"), tenant: LogIn.tenant) == nil)
        #expect(try await store.account(LogIn.ann, tenant: LogIn.tenant)?.accessEndings == 1)
        #expect(try await made.database.count("enrollment_ticket") == 1)
        #expect(try await store.ticket(ticket(LogIn.bob).hash, tenant: LogIn.tenant, now: LogIn.start) != nil)
        let entries = try await made.database.auditLog("s").count
        #expect(try await !create("before", endings: 0))
        #expect(try await made.database.count("session") == 1, "and the browser's old one stays")
        #expect(try await made.database.auditLog("s").count == entries)
        #expect(try await create("after", endings: 1))
        let found = try await store.session(LogIn.hash("after"), tenant: LogIn.tenant, now: LogIn.start)
        #expect(found?.session.authentication.accessEndings == 1)
        #expect(try await made.database.count("session") == 1)
        try await made.delete(LogIn.ann)
        #expect(try await !create("of nobody", endings: 0))
    }

    @Test("Requests that gave no tokens are removed with their user's; others stay", arguments: StoreKind.all)
    func requests(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let (hash, request) = Samples.request("one")
        let (_, bobs) = Samples.request("two", user: "auth0|bob")
        let limits = StartLimits(
            perMinute: 5, windowStart: LogIn.start - .seconds(60), pendingPerUser: 5, pendingPerTenant: 5)
        for (name, request) in [("one", request), ("two", bobs)] {
            let new = NewBackchannelRequest(
                hash: AuthReqIDHash(of: name, Samples.hashing), request: request, devices: [],
                event: LogIn.event(.backchannelStarted))
            #expect(try await made.store.start(new, limits: limits) == .started)
        }
        let removed = try await made.store.change { try $0.removeRequests(to: LogIn.ann, in: LogIn.tenant) }
        #expect(removed == [hash.bytes])
        #expect(try await made.database.count("backchannel_request") == 1)
    }

    @Test("Requests for an API that gave no tokens are removed with it; others stay", arguments: StoreKind.all)
    func requestsForAPI(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        for name in ["pending", "approved", "denied", "redeemed"] { try await made.started(name) }
        try await made.started("other tenant's", tenant: "other")
        for name in ["approved", "redeemed"] { #expect(try await made.resolve(name) != .notPending) }
        #expect(try await made.resolve("denied", .reject(reason: nil)) != .notPending)
        #expect(try await made.redeem("redeemed"))
        let none = try await made.store.change {
            try $0.remove(resourceServer: "https://else.example/", from: LogIn.tenant, now: LogIn.start)
        }
        #expect(none.isEmpty)
        let removed = try await made.store.change {
            try $0.remove(resourceServer: Samples.api, from: LogIn.tenant, now: LogIn.start)
        }
        #expect(
            Set(removed) == Set(["pending", "approved"].map { AuthReqIDHash(of: $0, Samples.hashing).bytes }))
        #expect(try await made.poll("denied")?.state == .denied)
        #expect(try await made.poll("redeemed")?.state == .redeemed)
        #expect(try await made.poll("other tenant's", tenant: "other") != nil)
    }

    @Test(
        "With an API and with a client end the access tokens that came of what users allowed; redeemed codes are known",
        arguments: StoreKind.all, ["an API", "a client"])
    func endedTokens(kind: StoreKind, removed: String) async throws {
        let made = try await kind.populated()
        let elsewhere = "https://else.example/"
        func access(_ id: String, _ isRemoved: Bool) -> GrantedAccess {
            switch removed {
            case "an API": LogIn.access(id, audience: isRemoved ? Samples.api : elsewhere)
            default: LogIn.access(id, client: ClientID(isRemoved ? "agent" : "else"))
            }
        }
        for (name, isRemoved) in [("its", true), ("other", false)] {
            try await made.kept(LogIn.family(LogIn.hash(name), access: access("\(name) family", isRemoved)))
            let code = LogIn.code("\(name) code", access: access("\(name) code", isRemoved))
            let client = code.access.client
            try await made.loggedIn(LogIn.session(name))
            #expect(try await made.complete(code: code, use: LogIn.use(name, client: client)))
            #expect(try await made.exchange("\(name) code", client: client))
        }
        try await made.store.change { transaction in
            if removed == "an API" {
                _ = try transaction.remove(resourceServer: Samples.api, from: LogIn.tenant, now: LogIn.start)
            } else {
                try transaction.remove(client: LogIn.agent, from: LogIn.tenant, now: LogIn.start)
            }
        }
        for (name, isRemoved) in [("its", true), ("other", false)] {
            for id in ["\(name) family", "\(name) code"] {
                #expect(
                    try await made.store.isRevoked(AuthorizationID(id), tenant: LogIn.tenant) == isRemoved, "\(id)")
            }
            let family = try await made.store.refreshTokens(LogIn.hash(name), tenant: LogIn.tenant)
            #expect((family == nil) == isRemoved)
            // A replay is told from a code that never was.
            let code = try await made.store.code(LogIn.hash("\(name) code"), tenant: LogIn.tenant)
            #expect(code?.code.isRedeemed == true)
        }
    }

    @Test("Users are found by address in every connection", arguments: StoreKind.all)
    func finding(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.change { transaction in
            for id in ["auth0|one", "corp|one"] {
                try transaction.put(
                    Samples.user(id) { $0.email = "one@example.com" }, passwordHash: nil, in: LogIn.tenant)
            }
        }
        let (found, other) = try await made.store.read { reader in
            (
                try reader.users(email: "one@example.com", in: LogIn.tenant),
                try reader.users(email: "one@example.com", in: LogIn.other)
            )
        }
        #expect(found == [UserID("auth0|one"), UserID("corp|one")])
        #expect(other.isEmpty)
    }

    @Test(
        "A family's metadata stay, and its removal ends the access tokens of its authorization",
        arguments: StoreKind.all)
    func refreshTokens(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let hash = LogIn.hash("family")
        let start = LogIn.start
        try await made.kept(LogIn.family(hash))
        let id = AuthorizationID("authorization")
        let filter = RefreshTokenFilter(ids: [id], user: LogIn.ann)
        try await made.store.change { transaction in
            #expect(try transaction.put(metadata: ["a": "b"], ofRefreshToken: id, in: LogIn.tenant))
            #expect(try !transaction.put(metadata: ["a": "b"], ofRefreshToken: id, in: LogIn.other))
            let found = try transaction.refreshTokens(filter, in: LogIn.tenant, limit: nil, now: start)
            #expect(found.map(\.metadata) == [["a": "b"]])
            #expect(try transaction.refreshTokens(filter, in: LogIn.tenant, limit: 0, now: start).isEmpty)
            let later = start + .seconds(3600)
            #expect(try transaction.refreshTokens(filter, in: LogIn.tenant, limit: nil, now: later).isEmpty)
            let nothing = RefreshTokenFilter(ids: [])
            #expect(try transaction.refreshTokens(nothing, in: LogIn.tenant, limit: nil, now: start).isEmpty)
            #expect(
                try transaction.removeRefreshTokens(filter, from: LogIn.other, tokensExpireAt: start).isEmpty)
            #expect(
                try transaction.removeRefreshTokens(
                    filter, from: LogIn.tenant, tokensExpireAt: start + .seconds(60)) == [id])
        }
        #expect(try await made.store.isRevoked(id, tenant: LogIn.tenant))
    }

    @Test("A ticket to prove an address works once, and only while the address is the user's", arguments: StoreKind.all)
    func emailTickets(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.change { transaction in
            try transaction.put(
                Samples.user { $0.email = "ann@example.com" }, passwordHash: nil, in: LogIn.tenant)
        }
        func put(_ name: String) async throws {
            let ticket = UserTicket(
                kind: .email, hash: LogIn.hash(name), user: LogIn.ann, email: "ann@example.com", provesEmail: true,
                resultURL: nil, createdAt: LogIn.start, expiresAt: LogIn.start + .seconds(60))
            try await made.store.change { try $0.put(ticket, in: LogIn.tenant) }
        }
        func found(_ name: String, tenant: TenantID = LogIn.tenant, second: Int = 0) async throws -> Bool {
            let now = LogIn.start + .seconds(second)
            return try await made.store.emailTicket(LogIn.hash(name), tenant: tenant, now: now) != nil
        }
        try await put("one")
        #expect(try await found("one"))
        #expect(try await !found("one", tenant: LogIn.other))
        #expect(try await !found("one", second: 60))
        try await put("two")
        #expect(try await !found("one"))
        let event = LogIn.event(.emailVerified)
        let verified = try await winners(of: 10) { _ in
            try await made.store.verifyEmail(
                ticket: LogIn.hash("two"), tenant: LogIn.tenant, now: LogIn.start, event: event)
        }
        #expect(verified == 1)
        #expect(try await made.store.account(LogIn.ann, tenant: LogIn.tenant)?.user.emailVerified == true)
        try await put("three")
        try await made.store.change { transaction in
            try transaction.put(
                Samples.user { $0.email = "new@example.com" }, passwordHash: nil, in: LogIn.tenant)
        }
        #expect(try await !found("three"))
    }
}
