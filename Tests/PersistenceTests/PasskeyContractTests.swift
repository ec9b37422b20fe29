import Audit
import AuthorizationCore
import Flows
import GuardianWire
import JOSE
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: passkeys")
struct PasskeyContractTests {
    private let dev = TenantID("dev")
    private let one = DeviceID("dev_one")

    private func passkey(_ id: UInt8 = 1, count: UInt32 = 0) throws -> Passkey {
        Passkey(
            id: [UInt8](repeating: id, count: 20), publicKey: try Keys.signer(.es256, "passkey").publicKey,
            relyingParty: "dev.example", signCount: count)
    }

    private func populated(_ kind: StoreKind) async throws -> TemporaryStore {
        let made = try await kind.populated()
        try await made.enrolled(try Samples.device())
        return made
    }

    private func register(
        _ passkey: Passkey, of device: String = "dev_one", tenant: String = "dev", in made: TemporaryStore
    ) async throws -> Bool {
        try await made.store.register(
            passkey, of: DeviceID(device), tenant: TenantID(tenant),
            event: AuditEvent(.passkeyRegistered, tenant: TenantID(tenant), at: Samples.start))
    }

    @Test("A device's passkey is registered once, and never replaced", arguments: StoreKind.all)
    func once(kind: StoreKind) async throws {
        let made = try await populated(kind)
        #expect(try await made.store.passkey(of: one, tenant: dev) == nil)
        #expect(try await !register(passkey(), tenant: "other", in: made))
        #expect(try await !register(passkey(), of: "dev_none", in: made))
        #expect(try await made.database.auditLog("passkey_registered").isEmpty)
        #expect(try await register(passkey(1, count: .max), in: made))
        #expect(try await !register(passkey(2), in: made))
        #expect(try await made.store.passkey(of: one, tenant: dev) == passkey(1, count: .max))
        #expect(try await made.store.passkey(of: one, tenant: TenantID("other")) == nil)
        #expect(try await made.database.auditLog("passkey_registered").count == 1)
    }

    @Test("WebAuthn 7.1: a passkey belongs to one device of the tenant", arguments: StoreKind.all)
    func unique(kind: StoreKind) async throws {
        let made = try await populated(kind)
        try await made.enrolled(Samples.device("dev_two", user: "auth0|bob"))
        #expect(try await register(passkey(1), in: made))
        #expect(try await !register(passkey(1), of: "dev_two", in: made))
        #expect(try await register(passkey(2), of: "dev_two", in: made))
    }

    @Test("A start finds the devices that sign digests and have a passkey", arguments: StoreKind.all)
    func approver(kind: StoreKind) async throws {
        let made = try await populated(kind)
        func devices() async throws -> [DeviceID]? {
            let approver = try await made.store.approver(.id(UserID("auth0|ann")), tenant: dev)
            return approver?.devices(for: .passkey)
        }
        #expect(try await register(passkey(), in: made))
        #expect(try await devices() == [], "it signs no digests")
        let update = DeviceAccountUpdate(capabilities: [.signedDigest])
        _ = try await made.store.update(
            one, tenant: dev, with: update, event: AuditEvent(.deviceUpdated, tenant: dev, at: Samples.start))
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
        func count() async throws -> UInt32? { try await made.store.passkey(of: one, tenant: dev)?.signCount }
        #expect(try await resolve("first", 1, 1) == .passkeyUsed, "there is none")
        #expect(try await register(passkey(1, count: 5), in: made))
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
        #expect(try await register(passkey(), in: made))
        for request in ["first", "second"] {
            try await made.started(request)
            let use = PasskeyUse(id: try passkey().id, signCount: 0)
            #expect(try await made.resolve(request, passkey: use).isResolved)
        }
    }
}

extension ResolveOutcome {
    fileprivate var isResolved: Bool {
        if case .resolved = self { true } else { false }
    }
}
