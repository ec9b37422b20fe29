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
            try await store.create(
                LogIn.session(name, user: user), replacing: nil, event: LogIn.event(.loggedIn))
        }
        #expect(try await made.complete(use: LogIn.use("ann's")))
        try await store.change { try $0.endAccess(of: LogIn.bob, in: LogIn.other, now: LogIn.start) }
        #expect(try await made.database.count("session") == 2)
        try await store.change { try $0.endAccess(of: LogIn.ann, in: LogIn.tenant, now: LogIn.start) }
        #expect(try await made.database.count("session") == 1)
        #expect(try await made.logouts() == ["agent auth0|ann ann's"])
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
