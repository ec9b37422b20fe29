import Audit
import AuthorizationCore
import Configuration
import Flows
import OpenSSLCrypto
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: people who are moved from an old server")
struct MovingPeopleContractTests {
    private let tenant = LoginSamples.tenant

    private func eve(_ id: String = "auth0|eve", _ change: (inout User) -> Void = { _ in }) -> MovedUser {
        MovedUser(
            user: Samples.user(id) {
                $0.email = "eve@example.org"
                change(&$0)
            }, metadata: UserMetadata(user: ["a": 1], app: ["b": 2]), event: LoginSamples.event(.moved))
    }

    @Test("A moved user has password and metadata, and keeps address and id", arguments: StoreKind.all)
    func move(kind: StoreKind) async throws {
        let made = try await kind.populated()
        #expect(try await made.store.move(eve(), passwordHash: "$argon2", tenant: tenant))
        let account = try await made.store.account(UserID("auth0|eve"), tenant: tenant)
        #expect(account == Account(user: eve().user, passwordHash: "$argon2"))
        #expect(try await made.store.record(of: UserID("auth0|eve"), tenant: tenant)?.metadata == eve().metadata)
        #expect(try await !made.store.move(eve("auth0|other"), passwordHash: "x", tenant: tenant))
        #expect(try await !made.store.move(eve { $0.email = "other@example.org" }, passwordHash: "x", tenant: tenant))
        #expect(try await made.store.account(UserID("auth0|eve"), tenant: tenant) == account)
        #expect(try await made.database.auditLog("user_moved").count == 1)
    }

    @Test("Only one of the users who are moved at once is kept", arguments: StoreKind.all)
    func atOnce(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let kept = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<6 { group.addTask { try await made.store.move(eve(), passwordHash: "x", tenant: tenant) } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(kept == 1)
        #expect(try await made.database.auditLog("user_moved").count == 1)
    }

    @Test("A first password is kept for the user as they were read, and only once", arguments: StoreKind.all)
    func firstPassword(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let ann = Samples.user { $0.email = "ann@example.org" }
        try await made.store.change { try $0.put(ann, passwordHash: nil, in: LoginSamples.tenant) }
        let event = LoginSamples.event(.moved)
        let apps = try [app(of: ann.id)]
        func keep(_ change: (inout User) -> Void = { _ in }) async throws -> Bool {
            var user = ann
            change(&user)
            let moved = MovedUser(user: user, metadata: UserMetadata(), authenticators: apps, event: event)
            return try await made.store.keepFirstPassword("$first", of: moved, tenant: tenant)
        }
        #expect(try await !keep { $0.roles = [RoleID("admin")] })
        #expect(try await !keep { $0.permissions = [Role.Permission(resourceServer: "a", scope: "b")] })
        #expect(try await !keep { $0.email = "other@example.org" })
        try await made.store.change { transaction in
            var blocked = ann
            blocked.blocked = true
            try transaction.put(blocked, passwordHash: nil, in: LoginSamples.tenant)
        }
        #expect(try await !keep())
        try await made.store.change { try $0.put(ann, passwordHash: nil, in: LoginSamples.tenant) }
        #expect(try await keep())
        #expect(try await !keep(), "it has a password now")
        #expect(try await made.database.count("authenticator") == 1, "the old server's second factor comes with it")
        #expect(try await made.store.account(ann.id, tenant: tenant)?.passwordHash == "$first")
        #expect(try await made.database.auditLog("user_moved").count == 1)
    }

    private func app(of user: UserID) throws -> NewAuthenticator {
        try NewAuthenticator(
            ForeignAuthenticator(TimedPassword(base32: "JBSWY3DPEHPK3PXP")), of: user, tenant: tenant,
            at: LoginSamples.start, Samples.sealer, SystemRandom())
    }

    @Test(
        "A link to a first password brings the old server's second factor, unless there is one",
        arguments: StoreKind.all)
    func factors(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let ann = Samples.user { $0.email = "ann@example.org" }
        func moved() throws -> MovedUser {
            MovedUser(
                user: ann, metadata: UserMetadata(), authenticators: [try app(of: ann.id)],
                event: LoginSamples.event(.moved))
        }
        for hash in ["$hash", nil] {
            try await made.store.change { try $0.put(ann, passwordHash: hash, in: LoginSamples.tenant) }
            try await made.give(joining: moved())
            #expect(try await made.database.count("authenticator") == (hash == nil ? 1 : 0))
        }
        let entry = try #require(try await made.database.auditLog("user_moved").first)
        #expect(entry.details.contains(#""authenticators":1"#))
        let first = try await made.store.authenticators(of: ann.id, tenant: tenant)
        try await made.give(joining: moved())
        let second = try await made.store.authenticators(of: ann.id, tenant: tenant)
        #expect(second.count == 1 && first.map(\.id) != second.map(\.id), "the app of today counts")
        let given = try NewAuthenticator(
            ForeignAuthenticator(TimedPassword(base32: "JBSWY3DPEHPK3PXP")), of: ann.id, tenant: tenant,
            at: LoginSamples.start, isOfAdministrator: true, Samples.sealer, SystemRandom())
        try await made.store.change { try $0.add(given, in: tenant) }
        try await made.give(joining: moved())
        let kept = try await made.store.authenticators(of: ann.id, tenant: tenant)
        #expect(Set(kept.map(\.id)) == Set(second.map(\.id) + [given.authenticator.id]))
    }

    @Test("A link of somebody who is not here yet keeps the person, without a password", arguments: StoreKind.all)
    func ticket(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.give(LoginSamples.ticket(user: UserID("auth0|eve"), email: "eve@example.org"), of: eve())
        #expect(try await made.store.account(UserID("auth0|eve"), tenant: tenant)?.passwordHash == nil)
        #expect(try await made.database.auditLog("user_moved").count == 1)
        #expect(try await made.database.auditLog("scpr").count == 1)
        try await made.give(
            LoginSamples.ticket(user: UserID("auth0|other"), email: "eve@example.org"), of: eve("auth0|other"))
        #expect(try await made.store.account(UserID("auth0|other"), tenant: tenant) == nil, "the address is taken")
        #expect(try await made.database.auditLog("fcpr").count == 1)
    }

    @Test("An attempt that is taken back leaves the others", arguments: StoreKind.all)
    func takenBack(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let key = AttemptKey(.password, account: "eve@example.org", hashing: Samples.hashing)
        let window = LoginSamples.start - .seconds(600)
        func count() async throws -> [Int] {
            try await made.store.failures([key], tenant: tenant, windowStart: window).map(\.count)
        }
        for _ in 0..<2 {
            _ = try await made.store.countFailure(
                [AttemptLimit(key, 5)], tenant: tenant, now: LoginSamples.start, windowStart: window, event: nil)
        }
        try await made.store.takeBackFailure([key], tenant: tenant, windowStart: window)
        #expect(try await count() == [1])
        for _ in 0..<2 { try await made.store.takeBackFailure([key], tenant: tenant, windowStart: window) }
        #expect(try await count() == [0])
    }
}
