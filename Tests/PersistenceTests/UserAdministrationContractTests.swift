import Administration
import Audit
import AuthorizationCore
import Configuration
@testable import Flows
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: administration of users")
struct UserAdministrationContractTests {
    @Test("Ending access removes only that user's sessions, refresh tokens and codes", arguments: StoreKind.all)
    func endAccess(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let store = made.store
        for (user, name) in [(LoginSamples.ann, "ann's"), (LoginSamples.bob, "bob's")] {
            try await made.loggedIn(LoginSamples.session(name, user: user))
        }
        #expect(try await made.complete(use: LoginSamples.use("ann's")))
        try await store.change {
            try $0.endAccess(of: LoginSamples.bob, in: LoginSamples.other, now: LoginSamples.start)
        }
        #expect(try await made.database.count("session") == 2)
        try await store.change {
            try $0.endAccess(of: LoginSamples.ann, in: LoginSamples.tenant, now: LoginSamples.start)
        }
        #expect(try await made.database.count("session") == 1)
        #expect(try await made.logouts() == ["agent auth0|ann ann's"])
    }

    @Test(
        "Ending access is counted, deletes enrolment tickets, and refuses older sessions", arguments: StoreKind.all)
    func endings(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let store = made.store
        func ticket(_ user: UserID) -> EnrollmentTicket {
            EnrollmentTicket(
                hash: LoginSamples.hash(user.rawValue), tenant: LoginSamples.tenant, user: user,
                createdAt: LoginSamples.start,
                expiresAt: LoginSamples.start + .seconds(60))
        }
        func create(_ name: String, endings: Int) async throws -> Bool {
            let session = LoginSamples.session(name)
            let authentication = Authentication(
                user: LoginSamples.ann, at: LoginSamples.start, methods: ["pwd"], connection: "database",
                accessEndings: endings)
            return try await store.create(
                Session(
                    hash: session.hash, id: session.id, tenant: session.tenant, authentication: authentication,
                    createdAt: session.createdAt, lastUsedAt: session.lastUsedAt, expiresAt: session.expiresAt,
                    idleExpiresAt: session.idleExpiresAt),
                replacing: LoginSamples.hash("bob's"), event: LoginSamples.event(.loggedIn))
        }
        for user in [LoginSamples.ann, LoginSamples.bob] {
            #expect(try await store.createTicket(ticket(user), event: LoginSamples.event(.enrollmentTicketCreated)))
        }
        try await made.loggedIn(LoginSamples.session("bob's", user: LoginSamples.bob))
        #expect(try await store.accessEndings(of: LoginSamples.ann, tenant: LoginSamples.tenant) == 0)
        try await store.change {
            try $0.endAccess(of: LoginSamples.ann, in: LoginSamples.tenant, now: LoginSamples.start)
        }
        #expect(try await store.accessEndings(of: LoginSamples.ann, tenant: LoginSamples.tenant) == 1)
        #expect(try await store.accessEndings(of: LoginSamples.ann, tenant: LoginSamples.other) == 0)
        #expect(try await store.accessEndings(of: UserID("auth0|gone"), tenant: LoginSamples.tenant) == nil)
        #expect(try await store.account(LoginSamples.ann, tenant: LoginSamples.tenant)?.accessEndings == 1)
        #expect(try await made.database.count("enrollment_ticket") == 1)
        #expect(
            try await store.ticket(ticket(LoginSamples.bob).hash, tenant: LoginSamples.tenant, now: LoginSamples.start)
                != nil)
        let entries = try await made.database.auditLog("s").count
        #expect(try await !create("before", endings: 0))
        #expect(try await made.database.count("session") == 1, "and the browser's old one stays")
        #expect(try await made.database.auditLog("s").count == entries)
        #expect(try await create("after", endings: 1))
        let found = try await store.session(
            LoginSamples.hash("after"), tenant: LoginSamples.tenant, now: LoginSamples.start)
        #expect(found?.session.authentication.accessEndings == 1)
        #expect(try await made.database.count("session") == 1)
        try await made.delete(LoginSamples.ann)
        #expect(try await !create("of nobody", endings: 0))
    }

    @Test("Removing a user's requests leaves those of others", arguments: StoreKind.all)
    func requests(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let (hash, request) = Samples.request("one")
        let (_, bobs) = Samples.request("two", user: "auth0|bob")
        let limits = StartLimits(
            perMinute: 5, windowStart: LoginSamples.start - .seconds(60), pendingPerUser: 5, pendingPerTenant: 5)
        for (name, request) in [("one", request), ("two", bobs)] {
            let new = NewBackchannelRequest(
                request: try Samples.vault.seal(request, AuthReqIDHash(of: name, Samples.hashing)), devices: [],
                event: LoginSamples.event(.backchannelStarted))
            #expect(try await made.store.start(new, limits: limits) == .started)
        }
        let removed = try await made.store.change {
            try $0.removeRequests(to: LoginSamples.ann, in: LoginSamples.tenant)
        }
        #expect(removed == [hash.bytes])
        #expect(try await made.database.count("backchannel_request") == 1)
    }

    @Test("Removing an API removes its pending and approved requests; others stay", arguments: StoreKind.all)
    func requestsForAPI(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        for name in ["pending", "approved", "denied", "redeemed"] { try await made.started(name) }
        try await made.started("other tenant's", tenant: "other")
        for name in ["approved", "redeemed"] { #expect(try await made.resolve(name) != .notPending) }
        #expect(try await made.resolve("denied", .reject(reason: nil)) != .notPending)
        #expect(try await made.redeem("redeemed"))
        let none = try await made.store.change {
            try $0.remove(resourceServer: "https://else.example/", from: LoginSamples.tenant, now: LoginSamples.start)
        }
        #expect(none.isEmpty)
        let removed = try await made.store.change {
            try $0.remove(resourceServer: Samples.api, from: LoginSamples.tenant, now: LoginSamples.start)
        }
        #expect(
            Set(removed) == Set(["pending", "approved"].map { AuthReqIDHash(of: $0, Samples.hashing).bytes }))
        #expect(try await made.poll("denied")?.state == .denied)
        #expect(try await made.poll("redeemed")?.state == .redeemed)
        #expect(try await made.poll("other tenant's", tenant: "other") != nil)
    }

    @Test(
        "Removing an API or a client ends the access tokens of its authorizations; redeemed codes stay known",
        arguments: StoreKind.all, ["an API", "a client"])
    func endedTokens(kind: StoreKind, removed: String) async throws {
        let made = try await kind.populated()
        let elsewhere = "https://else.example/"
        func access(_ id: String, _ isRemoved: Bool) -> GrantedAccess {
            switch removed {
            case "an API": LoginSamples.access(id, audience: isRemoved ? Samples.api : elsewhere)
            default: LoginSamples.access(id, client: ClientID(isRemoved ? "agent" : "else"))
            }
        }
        for (name, isRemoved) in [("its", true), ("other", false)] {
            try await made.kept(
                LoginSamples.family(LoginSamples.hash(name), access: access("\(name) family", isRemoved)))
            let code = LoginSamples.code("\(name) code", access: access("\(name) code", isRemoved))
            let client = code.access.client
            try await made.loggedIn(LoginSamples.session(name))
            #expect(try await made.complete(code: code, use: LoginSamples.use(name, client: client)))
            #expect(try await made.exchange("\(name) code", client: client))
        }
        try await made.store.change { transaction in
            if removed == "an API" {
                _ = try transaction.remove(
                    resourceServer: Samples.api, from: LoginSamples.tenant, now: LoginSamples.start)
            } else {
                try transaction.remove(client: LoginSamples.agent, from: LoginSamples.tenant, now: LoginSamples.start)
            }
        }
        for (name, isRemoved) in [("its", true), ("other", false)] {
            for id in ["\(name) family", "\(name) code"] {
                #expect(
                    try await made.store.isRevoked(AuthorizationID(id), tenant: LoginSamples.tenant) == isRemoved,
                    "\(id)")
            }
            let family = try await made.store.refreshTokens(LoginSamples.hash(name), tenant: LoginSamples.tenant)
            #expect((family == nil) == isRemoved)
            // A replay differs from an unknown code.
            let code = try await made.store.code(LoginSamples.hash("\(name) code"), tenant: LoginSamples.tenant)
            #expect(code?.code.isRedeemed == true)
        }
    }

    @Test("Users are found by address in every connection", arguments: StoreKind.all)
    func finding(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.change { transaction in
            for id in ["auth0|one", "corp|one"] {
                try transaction.put(
                    Samples.user(id) { $0.email = "one@example.com" }, passwordHash: nil, in: LoginSamples.tenant)
            }
        }
        let (found, other) = try await made.store.read { reader in
            (
                try reader.users(email: "one@example.com", in: LoginSamples.tenant),
                try reader.users(email: "one@example.com", in: LoginSamples.other)
            )
        }
        #expect(found == [UserID("auth0|one"), UserID("corp|one")])
        #expect(other.isEmpty)
    }

    @Test(
        "A family's metadata is stored, and its removal ends its authorization's access tokens",
        arguments: StoreKind.all)
    func refreshTokens(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let hash = LoginSamples.hash("family")
        let start = LoginSamples.start
        try await made.kept(LoginSamples.family(hash))
        let id = AuthorizationID("authorization")
        let filter = RefreshTokenFilter(ids: [id], user: LoginSamples.ann)
        try await made.store.change { transaction in
            #expect(try transaction.put(metadata: ["a": "b"], ofRefreshToken: id, in: LoginSamples.tenant))
            #expect(try !transaction.put(metadata: ["a": "b"], ofRefreshToken: id, in: LoginSamples.other))
            let found = try transaction.refreshTokens(filter, in: LoginSamples.tenant, limit: nil, now: start)
            #expect(found.map(\.metadata) == [["a": "b"]])
            #expect(try transaction.refreshTokens(filter, in: LoginSamples.tenant, limit: 0, now: start).isEmpty)
            let later = start + .seconds(3600)
            #expect(try transaction.refreshTokens(filter, in: LoginSamples.tenant, limit: nil, now: later).isEmpty)
            let nothing = RefreshTokenFilter(ids: [])
            #expect(try transaction.refreshTokens(nothing, in: LoginSamples.tenant, limit: nil, now: start).isEmpty)
            #expect(
                try transaction.removeRefreshTokens(filter, from: LoginSamples.other, tokensExpireAt: start).isEmpty)
            #expect(
                try transaction.removeRefreshTokens(
                    filter, from: LoginSamples.tenant, tokensExpireAt: start + .seconds(60)) == [id])
        }
        #expect(try await made.store.isRevoked(id, tenant: LoginSamples.tenant))
    }

    @Test("A ticket to enrol is open until it is used, expires or ends", arguments: StoreKind.all)
    func openEnrollment(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let (tenant, start) = (LoginSamples.tenant, LoginSamples.start)
        func isOpen(_ user: UserID, at now: Timestamp) async throws -> Bool {
            try await made.store.read { try $0.hasEnrollmentTicket(of: user, in: tenant, now: now) }
        }
        #expect(try await !isOpen(LoginSamples.ann, at: start))
        let ticket = UserTicket(
            kind: .enrollment, hash: LoginSamples.hash("ticket"), user: LoginSamples.ann, email: nil,
            provesEmail: false, resultURL: nil, createdAt: start, expiresAt: start + .seconds(60))
        try await made.store.change { try $0.put(ticket, in: tenant) }
        #expect(try await isOpen(LoginSamples.ann, at: start))
        #expect(try await !isOpen(LoginSamples.bob, at: start))
        #expect(try await !isOpen(LoginSamples.ann, at: start + .seconds(60)))
        try await made.store.change { try $0.removeTickets(of: LoginSamples.ann, in: tenant) }
        #expect(try await !isOpen(LoginSamples.ann, at: start))
    }

    @Test("A ticket to confirm an address works once, while it is the user's address", arguments: StoreKind.all)
    func emailTickets(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.change { transaction in
            try transaction.put(
                Samples.user { $0.email = "ann@example.com" }, passwordHash: nil, in: LoginSamples.tenant)
        }
        func put(_ name: String) async throws {
            let ticket = UserTicket(
                kind: .email, hash: LoginSamples.hash(name), user: LoginSamples.ann, email: "ann@example.com",
                provesEmail: true,
                resultURL: nil, createdAt: LoginSamples.start, expiresAt: LoginSamples.start + .seconds(60))
            try await made.store.change { try $0.put(ticket, in: LoginSamples.tenant) }
        }
        func found(_ name: String, tenant: TenantID = LoginSamples.tenant, second: Int = 0) async throws -> Bool {
            let now = LoginSamples.start + .seconds(second)
            return try await made.store.emailTicket(LoginSamples.hash(name), tenant: tenant, now: now) != nil
        }
        try await put("one")
        #expect(try await found("one"))
        #expect(try await !found("one", tenant: LoginSamples.other))
        #expect(try await !found("one", second: 60))
        try await put("two")
        #expect(try await !found("one"))
        let event = LoginSamples.event(.emailVerified)
        let verified = try await winners(of: 10) { _ in
            try await made.store.verifyEmail(
                ticket: LoginSamples.hash("two"), tenant: LoginSamples.tenant, now: LoginSamples.start, event: event)
        }
        #expect(verified == 1)
        #expect(try await made.store.account(LoginSamples.ann, tenant: LoginSamples.tenant)?.user.emailVerified == true)
        try await put("three")
        try await made.store.change { transaction in
            try transaction.put(
                Samples.user { $0.email = "new@example.com" }, passwordHash: nil, in: LoginSamples.tenant)
        }
        #expect(try await !found("three"))
    }
}
