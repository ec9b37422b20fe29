import Audit
import AuthorizationCore
@testable import Flows
import GuardianWire
import JOSE
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: passkeys")
struct PasskeyContractTests {
    private let dev = TenantID("dev")
    private let ann = UserID("auth0|ann")
    private let one = DeviceID("dev_one")

    private func event(_ kind: AuditEvent.Kind = .passkeyRegistered, at now: Timestamp = Samples.start) -> AuditEvent {
        AuditEvent(kind, tenant: dev, at: now, user: ann)
    }

    private func populated(_ kind: StoreKind) async throws -> TemporaryStore {
        let made = try await kind.populated()
        try await made.enrolled(try Samples.device())
        return made
    }

    /// A phone registers a first passkey.
    private func register(
        _ number: UInt8 = 1, of device: String? = "dev_one", user: String = "auth0|ann", count: UInt32 = 0,
        in made: TemporaryStore, tenant: String = "dev"
    ) async throws -> Bool {
        try await made.store.register(
            try Samples.passkey(number, of: device.map { DeviceID($0) }, user: user, count: count, event()),
            tenant: TenantID(tenant))
    }

    /// The account page adds a passkey.
    private func add(_ number: UInt8, user: String = "auth0|ann", in made: TemporaryStore) async throws -> Bool {
        let new = try Samples.passkey(number, of: nil, user: user, event())
        return try await apply(.addPasskey(new.passkey, challenge: new.challenge), by: author(user, in: made), in: made)
    }

    private func apply(
        _ change: AccountChange, by author: AccountAuthor, _ kind: AuditEvent.Kind = .passkeyRegistered,
        in made: TemporaryStore
    ) async throws -> Bool {
        try await made.store.apply(change, by: author, event: event(kind), mail: nil) != nil
    }

    /// Logs the user in, who then changes the own passkeys.
    private func author(
        _ user: String = "auth0|ann", _ tenant: String = "dev", in made: TemporaryStore
    ) async throws -> AccountAuthor {
        let session = LoginSamples.session(
            "\(user) \(tenant)", tenant: TenantID(tenant), user: UserID(user))
        // The user may be logged in already, or not be there.
        try? await made.loggedIn(session)
        return AccountAuthor(user: UserID(user), tenant: TenantID(tenant), session: session.id, cookie: session.hash)
    }

    private func passkeys(_ made: TemporaryStore) async throws -> [OwnedPasskey] {
        try await made.store.passkeys(of: ann, tenant: dev)
    }

    @Test("A phone's passkey is a first one, of a phone of its person", arguments: StoreKind.all)
    func first(kind: StoreKind) async throws {
        let made = try await populated(kind)
        #expect(try await passkeys(made).isEmpty)
        #expect(try await !register(1, in: made, tenant: "other"))
        #expect(try await !register(1, of: "dev_none", in: made))
        #expect(try await !register(2, user: "auth0|bob", in: made), "it is Ann's phone")
        #expect(try await made.database.auditLog("passkey_registered").isEmpty)
        #expect(try await register(3, count: .max, in: made))
        #expect(try await !register(4, in: made), "Ann has one")
        let stored = try await passkeys(made)
        #expect(stored == [try Samples.passkey(3, count: .max, event()).passkey])
        #expect(try await made.store.passkey([UInt8](repeating: 3, count: 20), tenant: dev) == stored.first)
        #expect(try await made.store.passkeys(of: ann, tenant: TenantID("other")).isEmpty)
        #expect(try await made.store.passkey([UInt8](repeating: 3, count: 20), tenant: TenantID("other")) == nil)
        #expect(try await made.database.auditLog("passkey_registered").count == 1)
    }

    @Test("The account page adds passkeys up to the limit, and none that somebody has", arguments: StoreKind.all)
    func further(kind: StoreKind) async throws {
        let made = try await populated(kind)
        #expect(try await add(1, user: "auth0|bob", in: made))
        #expect(try await !add(1, in: made), "WebAuthn 7.1: it is Bob's")
        for number in 2...UInt8(OwnedPasskey.limit + 1) {
            #expect(try await add(number, in: made))
        }
        #expect(try await !add(99, in: made))
        #expect(try await passkeys(made).count == OwnedPasskey.limit)
    }

    @Test("WebAuthn 13.4.3: a challenge registers once", arguments: StoreKind.all)
    func challenge(kind: StoreKind) async throws {
        let made = try await populated(kind)
        #expect(try await register(1, in: made))
        let id = [UInt8](repeating: 1, count: 20)
        #expect(
            try await apply(.removePasskey(id), by: author(in: made), .passkeyRemoved, in: made))
        #expect(try await !register(1, in: made))
    }

    @Test("A blocked person gets no passkey, and one ends with its person and with its phone", arguments: StoreKind.all)
    func ends(kind: StoreKind) async throws {
        let made = try await populated(kind)
        #expect(try await register(1, in: made))
        #expect(try await add(2, in: made))
        #expect(try await made.store.remove(one, tenant: dev, event: event(.unenrolled)))
        #expect(try await passkeys(made).map(\.device) == [nil])
        try await made.database.write { try $0.execute(#"UPDATE "user" SET blocked = 1 WHERE id = 'auth0|ann'"#) }
        #expect(try await !add(3, in: made))
        try await made.database.write { try $0.execute(#"DELETE FROM "user" WHERE id = 'auth0|ann'"#) }
        #expect(try await made.database.count("passkey") == 0)
    }

    @Test("A name, a removal and a permission to log in are of a person's own passkey", arguments: StoreKind.all)
    func changes(kind: StoreKind) async throws {
        let made = try await populated(kind)
        #expect(try await register(1, in: made))
        let id = [UInt8](repeating: 1, count: 20)
        func letLogIn(_ user: String, _ tenant: String = "dev") async throws -> Bool {
            try await apply(.letPasskeyLogIn(id), by: author(user, tenant, in: made), in: made)
        }
        func remove(_ user: String, _ tenant: String = "dev") async throws -> Bool {
            try await apply(.removePasskey(id), by: author(user, tenant, in: made), .passkeyRemoved, in: made)
        }
        func rename(_ user: String, _ tenant: String = "dev") async throws -> Bool {
            try await apply(
                .renamePasskey(id, to: "Laptop"), by: author(user, tenant, in: made), .accountChanged, in: made)
        }
        #expect(try await !rename("auth0|bob"))
        #expect(try await !rename("auth0|ann", "other"))
        #expect(try await made.database.auditLog(AuditEvent.Kind.accountChanged.rawValue).isEmpty)
        #expect(try await rename("auth0|ann"))
        #expect(try await passkeys(made).map(\.name) == ["Laptop"])
        #expect(try await !letLogIn("auth0|bob"))
        #expect(try await !letLogIn("auth0|ann", "other"))
        #expect(try await letLogIn("auth0|ann"))
        #expect(try await !letLogIn("auth0|ann"), "it does")
        #expect(try await passkeys(made).map(\.logsIn) == [true])
        #expect(try await !remove("auth0|bob"))
        #expect(try await !remove("auth0|ann", "other"))
        #expect(try await remove("auth0|ann"))
        #expect(try await !remove("auth0|ann"))
        #expect(try await passkeys(made).isEmpty)
        #expect(try await made.database.auditLog("passkey_removed").count == 1)
    }

    @Test("The passkeys of a person decide which phones meet a demand for one", arguments: StoreKind.all)
    func approver(kind: StoreKind) async throws {
        let made = try await populated(kind)
        var tenant = Samples.tenant("dev")
        tenant.settings.passkeyRegistration = .account
        func devices(_ demand: EvidenceDemand? = .passkey) async throws -> [DeviceID]? {
            try await made.store.approver(.id(ann), at: tenant, meeting: demand)?.devices(for: .passkey)
        }
        func can(_ capabilities: Set<DeviceCapability>) async throws {
            let update = DeviceAccountUpdate(capabilities: capabilities)
            _ = try await made.store.update(one, tenant: dev, with: update, event: event(.deviceUpdated))
        }
        #expect(try await register(1, in: made))
        #expect(try await devices() == [], "it signs no digests")
        try await can([.signedDigest])
        #expect(try await devices() == [one], "it made one")
        #expect(try await devices(nil) == [], "nobody looked")
        let first = [UInt8](repeating: 1, count: 20)
        #expect(try await apply(.removePasskey(first), by: author(in: made), .passkeyRemoved, in: made))
        #expect(try await add(2, in: made))
        #expect(try await devices() == [], "it uses none")
        try await can([.signedDigest, .passkeys])
        #expect(try await devices() == [one])
    }

    @Test(
        "WebAuthn 7.2: the count grows with the decision, and a decision needs one that grows", arguments: StoreKind.all
    )
    func counts(kind: StoreKind) async throws {
        let made = try await populated(kind)
        try await made.started("first")
        try await made.started("second")
        func resolve(_ request: String, _ id: UInt8, _ count: UInt32) async throws -> ResolveOutcome {
            try await made.resolve(
                request, passkey: PasskeyUse(id: [UInt8](repeating: id, count: 20), signCount: count))
        }
        func count() async throws -> UInt32? { try await passkeys(made).first?.passkey.signCount }
        #expect(try await resolve("first", 1, 1) == .passkeyUsed, "there is none")
        #expect(try await register(1, count: 5, in: made))
        #expect(try await register(2, of: nil, user: "auth0|bob", in: made))
        for (id, used) in [(UInt8(1), UInt32(5)), (1, 4), (1, 0), (2, 6)] {
            #expect(try await resolve("first", id, used) == .passkeyUsed)
        }
        #expect(try await made.poll("first")?.state == .pending)
        #expect(try await count() == 5)
        #expect(try await resolve("unknown", 1, 9) == .notPending)
        #expect(try await count() == 5, "without a decision the count stays")
        #expect(try await resolve("first", 1, 6).isResolved)
        #expect(try await count() == 6)
        #expect(try await resolve("first", 1, 6) == .notPending, "a copy of the answer that decided")
        #expect(try await resolve("second", 1, 6) == .passkeyUsed)
        #expect(try await resolve("second", 1, 7).isResolved)
    }

    @Test("WebAuthn 6.1.1: an authenticator that counts nothing decides again and again", arguments: StoreKind.all)
    func uncounted(kind: StoreKind) async throws {
        let made = try await populated(kind)
        #expect(try await register(1, in: made))
        for request in ["first", "second"] {
            try await made.started(request)
            let use = PasskeyUse(id: [UInt8](repeating: 1, count: 20), signCount: 0)
            #expect(try await made.resolve(request, passkey: use).isResolved)
        }
    }

    @Test("A login uses its challenge up with the count, once over all nodes", arguments: StoreKind.all)
    func logsIn(kind: StoreKind) async throws {
        let made = try await populated(kind)
        func logIn(_ challenge: UInt8, _ count: UInt32, user: String = "auth0|ann", tenant: String = "dev") async throws
            -> Bool
        {
            try await made.store.logIn(
                by: PasskeyUse(id: [UInt8](repeating: 1, count: 20), signCount: count), of: UserID(user),
                challenge: UsedProof(
                    hash: Samples.hashing.sha256([challenge]), expiresAt: Samples.start + .seconds(60)),
                tenant: TenantID(tenant), now: Samples.start + .seconds(1))
        }
        #expect(try await register(1, count: 5, in: made))
        #expect(try await !logIn(1, 6), "it confirms requests alone")
        let id = [UInt8](repeating: 1, count: 20)
        #expect(try await apply(.letPasskeyLogIn(id), by: author(in: made), in: made))
        #expect(try await !logIn(2, 5), "the count must grow")
        #expect(try await !logIn(3, 6, user: "auth0|bob"))
        #expect(try await !logIn(4, 6, tenant: "other"))
        async let one = logIn(5, 6)
        async let other = logIn(5, 6)
        #expect(try await [one, other].sorted { $0 && !$1 } == [true, false])
        #expect(try await !logIn(5, 7), "the challenge is used")
        #expect(try await passkeys(made).first?.lastUsedAt == Samples.start + .seconds(1))
        #expect(try await passkeys(made).first?.passkey.signCount == 6)
        try await made.database.write { try $0.execute(#"UPDATE "user" SET blocked = 1 WHERE id = 'auth0|ann'"#) }
        #expect(try await !logIn(6, 7))
    }
}

extension ResolveOutcome {
    fileprivate var isResolved: Bool {
        if case .resolved = self { true } else { false }
    }
}
