import Administration
import AuthorizationCore
import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: passwords")
struct PasswordContractTests {
    private func set(
        _ made: TemporaryStore, _ hash: String = "new", ticket: String = "ticket", tenant: TenantID = LogIn.tenant,
        forgiving key: AttemptKey? = nil, second: Int = 10,
        notice: @escaping @Sendable (RemovedAccess) throws -> SealedMail? = { _ in nil }
    ) async throws -> Bool {
        try await made.store.setPassword(
            hash, ticket: LogIn.hash(ticket), forgiving: key, tenant: tenant, now: LogIn.start + .seconds(second),
            event: LogIn.event(.passwordChanged, tenant: tenant), notice: notice)
    }

    @Test("A ticket is found in its tenant until it expires, and comes with its mail", arguments: StoreKind.all)
    func ticket(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.give()
        func found(_ tenant: TenantID, second: Int) async throws -> PasswordTicket? {
            try await made.store.passwordTicket(
                LogIn.hash("ticket"), tenant: tenant, now: LogIn.start + .seconds(second))
        }
        #expect(try await found(LogIn.tenant, second: 599) == LogIn.ticket())
        #expect(try await found(LogIn.tenant, second: 600) == nil)
        #expect(try await found(LogIn.other, second: 0) == nil)
        #expect(try await made.store.dueMail(now: LogIn.start, limit: 9).map(\.mail) == [LogIn.mail()])
        #expect(try await made.database.auditLog("scpr").count == 1)
    }

    @Test("A ticket that is asked for too often is not kept, nor its mail", arguments: StoreKind.all)
    func limited(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let limits = ["a", "b"].map { AttemptLimit(key($0), $0 == "a" ? 3 : 2) }
        for name in ["first", "second", "third", "fourth"] { try await made.give(LogIn.ticket(name), limits: limits) }
        #expect(try await made.store.dueMail(now: LogIn.start, limit: 9).count == 2)
        #expect(try await set(made, ticket: "third") == false)
        #expect(try await set(made, ticket: "second"))
        #expect(try await made.database.auditLog("scpr", "fcpr").map(\.kind) == ["scpr", "scpr", "fcpr", "fcpr"])
        #expect(try await failures(made, ["a", "b"], second: 1) == [4, 3])
    }

    @Test("A user's new ticket takes the place of the one before", arguments: StoreKind.all)
    func newTicket(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.give()
        try await made.give(LogIn.ticket("bob", user: LogIn.bob))
        try await made.give(LogIn.ticket("second"))
        #expect(try await set(made) == false)
        #expect(try await set(made, ticket: "second"))
        #expect(try await set(made, ticket: "bob"))
    }

    @Test("A ticket sets a password once, in its tenant, until it expires", arguments: StoreKind.all)
    func bound(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.give()
        #expect(try await set(made, tenant: LogIn.other) == false)
        #expect(try await set(made, ticket: "else") == false)
        #expect(try await set(made, second: 600) == false)
        #expect(try await made.store.account(LogIn.ann, tenant: LogIn.tenant)?.passwordHash == nil)
        #expect(try await set(made, second: 599))
        #expect(try await set(made, "second") == false)
        #expect(try await made.store.account(LogIn.ann, tenant: LogIn.tenant)?.passwordHash == "new")
        #expect(try await made.database.auditLog("scp").count == 1)
    }

    @Test("A hash is replaced only while it is the one that was checked, in its tenant", arguments: StoreKind.all)
    func replacedHash(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.change { transaction in
            try transaction.put(Samples.user(), passwordHash: "old", in: LogIn.tenant)
        }
        func replace(_ old: String, by new: String, tenant: TenantID = LogIn.tenant) async throws -> Bool {
            try await made.store.replacePasswordHash(of: LogIn.ann, old, by: new, tenant: tenant)
        }
        #expect(try await replace("old", by: "new", tenant: LogIn.other) == false)
        #expect(try await replace("else", by: "new") == false)
        #expect(try await replace("old", by: "new"))
        #expect(try await replace("old", by: "third") == false)
        #expect(try await made.store.account(LogIn.ann, tenant: LogIn.tenant)?.passwordHash == "new")
    }

    @Test("A ticket is worth nothing once the user has another address than when it was made", arguments: StoreKind.all)
    func otherAddress(kind: StoreKind) async throws {
        let made = try await kind.populated()
        func change(to email: String?) async throws {
            try await made.store.change { transaction in
                try transaction.put(Samples.user { $0.email = email }, passwordHash: "old", in: LogIn.tenant)
            }
        }
        func found() async throws -> PasswordTicket? {
            try await made.store.passwordTicket(LogIn.hash("ticket"), tenant: LogIn.tenant, now: LogIn.start)
        }
        let ticket = LogIn.ticket(email: "ann@example.org")
        for email in ["new@example.org", nil] {
            try await change(to: "ann@example.org")
            try await made.give(ticket)
            #expect(try await found() == ticket)
            try await change(to: email)
            #expect(try await found() == nil)
            #expect(try await set(made) == false)
        }
        try await made.give()
        #expect(try await found() == LogIn.ticket(), "one without an address")
        try await change(to: "ann@example.org")
        #expect(try await set(made) == false)
        let account = try #require(await made.store.account(LogIn.ann, tenant: LogIn.tenant))
        #expect(account.passwordHash == "old" && !account.user.emailVerified)
    }

    @Test("100 uses of a ticket at once: one password is set", arguments: StoreKind.all)
    func race(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.give()
        #expect(try await winners { try await set(made, "\($0)") } == 1)
        #expect(try await made.database.auditLog("scp").count == 1)
    }

    @Test(
        "A new password ends the user's sessions, refresh tokens and codes, and verifies the address",
        arguments: StoreKind.all)
    func effects(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.change { transaction in
            try transaction.put(Samples.user { $0.email = "ann@example.org" }, passwordHash: "old", in: LogIn.tenant)
        }
        try await made.kept(LogIn.family(LogIn.hash("family"), access: LogIn.access("of the family")))
        try await made.kept(LogIn.family(LogIn.hash("bob"), access: LogIn.access("bob's", user: LogIn.bob)))
        try await made.loggedIn()
        #expect(try await made.complete())
        #expect(
            try await made.complete(code: LogIn.code("redeemed", access: LogIn.access("of a redeemed code"))))
        #expect(try await made.exchange("redeemed"))
        try await made.give(LogIn.ticket(email: "ann@example.org"))
        #expect(try await set(made))
        #expect(
            try await made.logouts() == [
                "agent auth0|ann for \(Hex.encode(LogIn.hash("family")))", "agent auth0|ann session",
            ])
        let account = try #require(await made.store.account(LogIn.ann, tenant: LogIn.tenant))
        #expect(account.user.emailVerified)
        #expect(account.user.updatedAt == LogIn.start + .seconds(10))
        let now = LogIn.start
        #expect(try await made.store.session(LogIn.hash("session"), tenant: LogIn.tenant, now: now) == nil)
        #expect(try await made.store.refreshTokens(LogIn.hash("family"), tenant: LogIn.tenant) == nil)
        #expect(try await made.exchange() == false)
        #expect(try await made.store.isRevoked(AuthorizationID("of the family"), tenant: LogIn.tenant))
        #expect(try await made.store.isRevoked(AuthorizationID("of a redeemed code"), tenant: LogIn.tenant))
        #expect(try await !made.store.isRevoked(AuthorizationID("bob's"), tenant: LogIn.tenant))
        #expect(try await made.store.refreshTokens(LogIn.hash("bob"), tenant: LogIn.tenant) != nil)
        #expect(try await made.database.count("session") == 1)
    }

    @Test(
        "The first proof of an address removes devices that were enrolled while logging in, notes it and writes of it",
        arguments: StoreKind.all, [(false, true), (false, false), (true, true)])
    func foreignDevices(kind: StoreKind, how: (wasVerified: Bool, atLogIn: Bool)) async throws {
        let (wasVerified, atLogIn) = how
        let isRemoved = !wasVerified && atLogIn
        let made = try await kind.populated()
        try await made.store.change { transaction in
            let ann = Samples.user { user in
                user.email = "ann@example.org"
                user.emailVerified = wasVerified
            }
            try transaction.put(ann, passwordHash: "old", in: LogIn.tenant)
        }
        let ticket = EnrollmentTicket(
            hash: LogIn.hash("enrolment"), tenant: LogIn.tenant, user: LogIn.ann, createdAt: LogIn.start,
            expiresAt: LogIn.start + .seconds(60), accessEndings: atLogIn ? 0 : nil)
        let event = AuditEvent(.enrolled, tenant: LogIn.tenant, at: LogIn.start, user: LogIn.ann)
        #expect(try await made.store.createTicket(ticket, event: event))
        let enrolled = try await made.store.enroll(
            Samples.device(), tokenHash: LogIn.hash("token"), sealedTOTP: nil, ticket: ticket.hash, now: LogIn.start,
            event: event)
        #expect(enrolled)
        try await made.give(LogIn.ticket(email: "ann@example.org"))
        let identity = UpstreamIdentity(provider: "idp", id: "7")
        #expect(
            try await made.store.link(
                identity, to: LogIn.ann, tenant: LogIn.tenant, event: LogIn.event(.identityLinked)))
        let before = try await made.store.dueMail(now: LogIn.start, limit: 9).count
        let isSet = try await set(made) { removed in
            #expect(removed.devices.map(\.name) == (isRemoved ? ["Phone dev_one"] : []))
            #expect(removed.identities == [identity])
            return LogIn.mail()
        }
        #expect(isSet)
        #expect(try await made.store.devices(of: LogIn.ann, tenant: LogIn.tenant).count == (isRemoved ? 0 : 1))
        #expect(try await made.store.dueMail(now: LogIn.start, limit: 9).count == before + (wasVerified ? 0 : 1))
        let log = try await made.database.auditLog("gd_unenroll", "identity_unlinked")
        #expect(
            log.map(\.kind) == (isRemoved ? ["gd_unenroll"] : []) + (wasVerified ? [] : ["identity_unlinked"]))
        #expect(log.allSatisfy { $0.user == "auth0|ann" && $0.details.contains("not proven") })
        #expect(try await made.store.accessEndings(of: LogIn.ann, tenant: LogIn.tenant) == 1)
    }

    @Test("A user's ticket goes with the user", arguments: StoreKind.all)
    func deletedUser(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.give()
        try await made.delete(LogIn.ann)
        #expect(try await set(made) == false)
    }

    @Test(
        "A new password forgives failed attempts, and a ticket that does not work forgives none",
        arguments: StoreKind.all)
    func forgiven(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.give()
        _ = try await count(made, ["a", "b"], second: 0)
        #expect(try await set(made, ticket: "else", forgiving: key("a")) == false)
        #expect(try await failures(made, ["a", "b"], second: 2) == [1, 1])
        #expect(try await set(made, forgiving: key("a")))
        #expect(try await failures(made, ["a", "b"], second: 2) == [0, 1])
    }

    private func key(_ name: String) -> AttemptKey {
        AttemptKey(.password, account: name, hashing: Samples.hashing)
    }

    private func count(
        _ made: TemporaryStore, _ keys: [String], limit: Int = 99, tenant: TenantID = LogIn.tenant, second: Int,
        window: Int = 100
    ) async throws -> [Int] {
        try await made.store.countFailure(
            keys.map { AttemptLimit(key($0), limit) }, tenant: tenant, now: LogIn.start + .seconds(second),
            windowStart: LogIn.start + .seconds(second - window),
            event: LogIn.event(.wrongPassword, tenant: tenant))
    }

    private func failures(
        _ made: TemporaryStore, _ keys: [String], tenant: TenantID = LogIn.tenant, second: Int
    ) async throws -> [Int] {
        try await made.store.failures(
            keys.map(key), tenant: tenant, windowStart: LogIn.start + .seconds(second - 100)
        ).map(\.count)
    }

    @Test("What is over the limit of one key is not counted against those after it", arguments: StoreKind.all)
    func overLimit(kind: StoreKind) async throws {
        let made = try await kind.populated()
        #expect(try await count(made, ["a", "all"], limit: 1, second: 0) == [1, 1])
        #expect(try await count(made, ["a", "all"], limit: 1, second: 1) == [2])
        #expect(try await count(made, ["b", "all"], limit: 1, second: 1) == [1, 2])
        #expect(try await failures(made, ["a", "b", "all"], second: 2) == [2, 1, 2])
    }

    @Test("Wrong passwords are counted by key and tenant", arguments: StoreKind.all)
    func counting(kind: StoreKind) async throws {
        let made = try await kind.populated()
        #expect(try await count(made, ["a", "b"], second: 0) == [1, 1])
        #expect(try await count(made, ["b", "c"], second: 1) == [2, 1])
        #expect(try await count(made, ["a"], tenant: LogIn.other, second: 1) == [1])
        #expect(try await failures(made, ["a", "b", "c", "d"], second: 2) == [1, 2, 1, 0])
        #expect(try await made.database.auditLog("fp").count == 3)
        for name in ["b", "d"] { try await made.store.clearFailures(key(name), tenant: LogIn.tenant) }
        #expect(try await failures(made, ["a", "b", "c"], second: 2) == [1, 0, 1])
        #expect(try await failures(made, ["a"], tenant: LogIn.other, second: 2) == [1])
    }

    @Test("A count is forgotten when it began before the window", arguments: StoreKind.all)
    func window(kind: StoreKind) async throws {
        let made = try await kind.populated()
        #expect(try await count(made, ["a"], second: 0) == [1])
        #expect(try await count(made, ["a"], second: 99) == [2])
        #expect(try await failures(made, ["a"], second: 99) == [2])
        #expect(try await failures(made, ["a"], second: 100) == [0])
        #expect(try await count(made, ["a"], second: 100) == [1])
        #expect(try await count(made, ["a"], second: 150) == [2])
    }

    @Test("100 wrong passwords at once are all counted", arguments: StoreKind.all)
    func racingCounts(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let reached = try await winners { _ in try await count(made, ["a"], second: 0) == [100] }
        #expect(reached == 1)
        #expect(try await failures(made, ["a"], second: 0) == [100])
    }
}
