import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import OpenSSLCrypto
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: passwords")
struct PasswordContractTests {
    private func set(
        _ made: TemporaryStore, _ hash: String = "new", ticket: String = "ticket",
        tenant: TenantID = LoginSamples.tenant,
        forgiving key: AttemptKey? = nil, second: Int = 10,
        notice: @escaping @Sendable (RemovedAccess) throws -> SealedMail? = { _ in nil }
    ) async throws -> Bool {
        var event = LoginSamples.event(.passwordChanged, tenant: tenant)
        event.request = RequestTrace(userAgent: "Browser", correlationID: "corr-1")
        return try await made.store.setPassword(
            hash, ticket: LoginSamples.hash(ticket), forgiving: key, tenant: tenant,
            now: LoginSamples.start + .seconds(second), event: event, notice: notice)
    }

    @Test("A ticket is found in its tenant until it expires, and its mail is queued", arguments: StoreKind.all)
    func ticket(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.give()
        func found(_ tenant: TenantID, second: Int) async throws -> PasswordTicket? {
            try await made.store.passwordTicket(
                LoginSamples.hash("ticket"), tenant: tenant, now: LoginSamples.start + .seconds(second))
        }
        #expect(try await found(LoginSamples.tenant, second: 599) == LoginSamples.ticket())
        #expect(try await found(LoginSamples.tenant, second: 600) == nil)
        #expect(try await found(LoginSamples.other, second: 0) == nil)
        #expect(try await made.store.dueMail(now: LoginSamples.start, limit: 9).map(\.mail) == [LoginSamples.mail()])
        #expect(try await made.database.auditLog("scpr").count == 1)
    }

    @Test("A ticket over a limit is not stored, and neither is its mail", arguments: StoreKind.all)
    func limited(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let limits = ["a", "b"].map { AttemptLimit(key($0), $0 == "a" ? 3 : 2) }
        for name in ["first", "second", "third", "fourth"] {
            try await made.give(LoginSamples.ticket(name), limits: limits)
        }
        #expect(try await made.store.dueMail(now: LoginSamples.start, limit: 9).count == 2)
        #expect(try await set(made, ticket: "third") == false)
        #expect(try await set(made, ticket: "second"))
        #expect(try await made.database.auditLog("scpr", "fcpr").map(\.kind) == ["scpr", "scpr", "fcpr", "fcpr"])
        #expect(try await failures(made, ["a", "b"], second: 1) == [4, 3])
    }

    @Test("A user's new ticket replaces the previous one", arguments: StoreKind.all)
    func newTicket(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.give()
        try await made.give(LoginSamples.ticket("bob", user: LoginSamples.bob))
        try await made.give(LoginSamples.ticket("second"))
        #expect(try await set(made) == false)
        #expect(try await set(made, ticket: "second"))
        #expect(try await set(made, ticket: "bob"))
    }

    @Test("A ticket sets a password once, in its tenant, until it expires", arguments: StoreKind.all)
    func bound(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.give()
        #expect(try await set(made, tenant: LoginSamples.other) == false)
        #expect(try await set(made, ticket: "else") == false)
        #expect(try await set(made, second: 600) == false)
        #expect(try await made.store.account(LoginSamples.ann, tenant: LoginSamples.tenant)?.passwordHash == nil)
        #expect(try await set(made, second: 599))
        #expect(try await set(made, "second") == false)
        #expect(try await made.store.account(LoginSamples.ann, tenant: LoginSamples.tenant)?.passwordHash == "new")
        #expect(try await made.database.auditLog("scp").count == 1)
    }

    @Test("A hash is replaced only if it is still the checked one, in its tenant", arguments: StoreKind.all)
    func replacedHash(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.change { transaction in
            try transaction.put(Samples.user(), passwordHash: "old", in: LoginSamples.tenant)
        }
        func replace(_ old: String, by new: String, tenant: TenantID = LoginSamples.tenant) async throws -> Bool {
            try await made.store.replacePasswordHash(of: LoginSamples.ann, old, by: new, tenant: tenant)
        }
        #expect(try await replace("old", by: "new", tenant: LoginSamples.other) == false)
        #expect(try await replace("else", by: "new") == false)
        #expect(try await replace("old", by: "new"))
        #expect(try await replace("old", by: "third") == false)
        #expect(try await made.store.account(LoginSamples.ann, tenant: LoginSamples.tenant)?.passwordHash == "new")
    }

    @Test("A ticket is void once the user's address has changed", arguments: StoreKind.all)
    func otherAddress(kind: StoreKind) async throws {
        let made = try await kind.populated()
        func change(to email: EmailAddress?) async throws {
            try await made.store.change { transaction in
                try transaction.put(Samples.user { $0.email = email }, passwordHash: "old", in: LoginSamples.tenant)
            }
        }
        func found() async throws -> PasswordTicket? {
            try await made.store.passwordTicket(
                LoginSamples.hash("ticket"), tenant: LoginSamples.tenant, now: LoginSamples.start)
        }
        let ticket = LoginSamples.ticket(email: "ann@example.org")
        for email in ["new@example.org", nil] as [EmailAddress?] {
            try await change(to: "ann@example.org")
            try await made.give(ticket)
            #expect(try await found() == ticket)
            try await change(to: email)
            #expect(try await found() == nil)
            #expect(try await set(made) == false)
        }
        try await made.give()
        #expect(try await found() == LoginSamples.ticket(), "one without an address")
        try await change(to: "ann@example.org")
        #expect(try await set(made) == false)
        let account = try #require(await made.store.account(LoginSamples.ann, tenant: LoginSamples.tenant))
        #expect(account.passwordHash == "old" && !account.user.emailVerified)
    }

    @Test("One of 100 concurrent uses of a ticket sets a password", arguments: StoreKind.all)
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
            try transaction.put(
                Samples.user { $0.email = "ann@example.org" }, passwordHash: "old", in: LoginSamples.tenant)
        }
        try await made.kept(
            LoginSamples.family(LoginSamples.hash("family"), access: LoginSamples.access("of the family")))
        try await made.kept(
            LoginSamples.family(LoginSamples.hash("bob"), access: LoginSamples.access("bob's", user: LoginSamples.bob)))
        try await made.loggedIn()
        #expect(try await made.complete())
        #expect(
            try await made.complete(
                code: LoginSamples.code("redeemed", access: LoginSamples.access("of a redeemed code"))))
        #expect(try await made.exchange("redeemed"))
        try await made.give(LoginSamples.ticket(email: "ann@example.org"))
        #expect(try await set(made))
        #expect(
            try await made.logouts() == [
                "agent auth0|ann for \(Hex.encode(LoginSamples.hash("family")))", "agent auth0|ann session",
            ])
        let account = try #require(await made.store.account(LoginSamples.ann, tenant: LoginSamples.tenant))
        #expect(account.user.emailVerified)
        #expect(account.user.updatedAt == LoginSamples.start + .seconds(10))
        let now = LoginSamples.start
        #expect(
            try await made.store.session(LoginSamples.hash("session"), tenant: LoginSamples.tenant, now: now) == nil)
        #expect(try await made.store.refreshTokens(LoginSamples.hash("family"), tenant: LoginSamples.tenant) == nil)
        #expect(try await made.exchange() == false)
        #expect(try await made.store.isRevoked(AuthorizationID("of the family"), tenant: LoginSamples.tenant))
        #expect(try await made.store.isRevoked(AuthorizationID("of a redeemed code"), tenant: LoginSamples.tenant))
        #expect(try await !made.store.isRevoked(AuthorizationID("bob's"), tenant: LoginSamples.tenant))
        #expect(try await made.store.refreshTokens(LoginSamples.hash("bob"), tenant: LoginSamples.tenant) != nil)
        #expect(try await made.database.count("session") == 1)
    }

    @Test(
        "The first proof of an address removes devices enrolled at a login, and identities, with audit entry and mail",
        arguments: StoreKind.all, [(false, true), (false, false), (true, true)])
    func foreignDevices(kind: StoreKind, how: (wasVerified: Bool, atLogin: Bool)) async throws {
        let (wasVerified, atLogin) = how
        let isRemoved = !wasVerified && atLogin
        let made = try await kind.populated()
        try await made.store.change { transaction in
            let ann = Samples.user { user in
                user.email = "ann@example.org"
                user.emailVerified = wasVerified
            }
            try transaction.put(ann, passwordHash: "old", in: LoginSamples.tenant)
        }
        let ticket = EnrollmentTicket(
            hash: LoginSamples.hash("enrolment"), tenant: LoginSamples.tenant, user: LoginSamples.ann,
            createdAt: LoginSamples.start,
            expiresAt: LoginSamples.start + .seconds(60), accessEndings: atLogin ? 0 : nil)
        let event = AuditEvent(.enrolled, tenant: LoginSamples.tenant, at: LoginSamples.start, user: LoginSamples.ann)
        #expect(try await made.store.createTicket(ticket, event: event))
        let enrolled = try await made.store.enroll(
            Samples.device(), tokenHash: LoginSamples.hash("token"), sealedTOTP: nil, ticket: ticket.hash,
            now: LoginSamples.start,
            event: event)
        #expect(enrolled)
        try await made.give(LoginSamples.ticket(email: "ann@example.org"))
        let identity = UpstreamIdentity(provider: "idp", id: "7")
        #expect(
            try await made.store.link(
                identity, to: LoginSamples.ann, tenant: LoginSamples.tenant, event: LoginSamples.event(.identityLinked))
        )
        for isOfAdministrator in [true, false] {
            let app = try NewAuthenticator(
                ForeignAuthenticator(
                    TimedPassword(base32: "JBSWY3DPEHPK3PXP"), named: isOfAdministrator ? "Given" : "Brought"),
                of: LoginSamples.ann, tenant: LoginSamples.tenant, at: LoginSamples.start,
                isOfAdministrator: isOfAdministrator, Samples.sealer, SystemRandom())
            try await made.store.change { try $0.add(app, in: LoginSamples.tenant) }
        }
        let before = try await made.store.dueMail(now: LoginSamples.start, limit: 9).count
        let isSet = try await set(made) { removed in
            #expect(removed.authenticators == ["Brought"])
            #expect(removed.devices.map(\.name) == (isRemoved ? ["Phone dev_one"] : []))
            #expect(removed.identities == [identity])
            return LoginSamples.mail()
        }
        #expect(isSet)
        #expect(
            try await made.devices(of: LoginSamples.ann, tenant: LoginSamples.tenant).count == (isRemoved ? 0 : 1)
        )
        #expect(try await made.store.dueMail(now: LoginSamples.start, limit: 9).count == before + (wasVerified ? 0 : 1))
        let log = try await made.database.auditLog("gd_unenroll", "identity_unlinked")
        #expect(
            log.map(\.kind)
                == (isRemoved ? ["gd_unenroll"] : []) + (wasVerified ? [] : ["gd_unenroll", "identity_unlinked"]))
        #expect(log.allSatisfy { $0.user == "auth0|ann" && $0.details.contains("not proven") })
        #expect(log.allSatisfy { $0.correlationID == "corr-1" })
        #expect(try await made.store.accessEndings(of: LoginSamples.ann, tenant: LoginSamples.tenant) == 1)
    }

    @Test("Deleting a user deletes their ticket", arguments: StoreKind.all)
    func deletedUser(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.give()
        try await made.delete(LoginSamples.ann)
        #expect(try await set(made) == false)
    }

    @Test(
        "A new password clears failed attempts, and an invalid ticket clears none",
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
        _ made: TemporaryStore, _ keys: [String], limit: Int = 99, tenant: TenantID = LoginSamples.tenant, second: Int,
        window: Int = 100
    ) async throws -> [Int] {
        try await made.store.countFailure(
            keys.map { AttemptLimit(key($0), limit) }, tenant: tenant, now: LoginSamples.start + .seconds(second),
            windowStart: LoginSamples.start + .seconds(second - window),
            event: LoginSamples.event(.wrongPassword, tenant: tenant))
    }

    private func failures(
        _ made: TemporaryStore, _ keys: [String], tenant: TenantID = LoginSamples.tenant, second: Int
    ) async throws -> [Int] {
        try await made.store.failures(
            keys.map(key), tenant: tenant, windowStart: LoginSamples.start + .seconds(second - 100)
        ).map(\.count)
    }

    @Test("An attempt over one key's limit is not counted against the following keys", arguments: StoreKind.all)
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
        #expect(try await count(made, ["a"], tenant: LoginSamples.other, second: 1) == [1])
        #expect(try await failures(made, ["a", "b", "c", "d"], second: 2) == [1, 2, 1, 0])
        #expect(try await made.database.auditLog("fp").count == 3)
        for name in ["b", "d"] { try await made.store.clearFailures(key(name), tenant: LoginSamples.tenant) }
        #expect(try await failures(made, ["a", "b", "c"], second: 2) == [1, 0, 1])
        #expect(try await failures(made, ["a"], tenant: LoginSamples.other, second: 2) == [1])
    }

    @Test("A count that began before the window is forgotten", arguments: StoreKind.all)
    func window(kind: StoreKind) async throws {
        let made = try await kind.populated()
        #expect(try await count(made, ["a"], second: 0) == [1])
        #expect(try await count(made, ["a"], second: 99) == [2])
        #expect(try await failures(made, ["a"], second: 99) == [2])
        #expect(try await failures(made, ["a"], second: 100) == [0])
        #expect(try await count(made, ["a"], second: 100) == [1])
        #expect(try await count(made, ["a"], second: 150) == [2])
    }

    @Test("100 concurrent wrong passwords are all counted", arguments: StoreKind.all)
    func racingCounts(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let reached = try await winners { _ in try await count(made, ["a"], second: 0) == [100] }
        #expect(reached == 1)
        #expect(try await failures(made, ["a"], second: 0) == [100])
    }
}
