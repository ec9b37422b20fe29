import Audit
import AuthorizationCore
@testable import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: stored logins and pushed requests")
struct StoredLoginContractTests {
    private let hash = LoginSamples.hash("transaction")

    private func stored(_ made: TemporaryStore, second: Int = 0) async throws -> StoredLogin? {
        try await made.store.transaction(hash, tenant: LoginSamples.tenant, now: LoginSamples.start + .seconds(second))
    }

    @Test("Every field of a transaction is stored, in its tenant, until it expires", arguments: StoreKind.all)
    func lookup(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.create(LoginSamples.transaction())
        #expect(try await stored(made) == LoginSamples.transaction())
        #expect(try await stored(made, second: 599) != nil)
        #expect(try await stored(made, second: 600) == nil)
        #expect(try await made.store.transaction(hash, tenant: LoginSamples.other, now: LoginSamples.start) == nil)
        #expect(
            try await made.store.transaction(
                LoginSamples.hash("else"), tenant: LoginSamples.tenant, now: LoginSamples.start) == nil)
    }

    @Test("An update needs the revision that was read", arguments: StoreKind.all)
    func update(kind: StoreKind) async throws {
        let made = try await kind.populated()
        #expect(try await made.store.update(LoginSamples.transaction()) == false, "it is not there")
        try await made.store.create(LoginSamples.transaction())
        var read = try #require(try await stored(made))
        read.progress = ["step": "consent"]
        #expect(try await made.store.update(read))
        #expect(try await stored(made)?.revision == 1)
        #expect(try await stored(made)?.progress == ["step": "consent"])
        read.progress = ["step": "other"]
        #expect(try await made.store.update(read) == false, "a second time")
        #expect(try await stored(made)?.progress == ["step": "consent"])
    }

    @Test("One of 100 concurrent updates is stored", arguments: StoreKind.all)
    func racingUpdates(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.create(LoginSamples.transaction())
        let won = try await winners { index in
            var transaction = LoginSamples.transaction()
            transaction.progress = ["by": JSONValue(Int64(index))]
            return try await made.store.update(transaction)
        }
        #expect(won == 1)
        #expect(try await stored(made)?.revision == 1)
    }

    @Test("Completing stores code, consent, session use and event, and ends the transaction", arguments: StoreKind.all)
    func complete(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        try await made.store.create(LoginSamples.transaction())
        #expect(try await made.complete((hash, 0), consent: LoginSamples.consent()))
        #expect(try await stored(made) == nil)
        #expect(
            try await made.store.code(LoginSamples.hash("code"), tenant: LoginSamples.tenant)?.code
                == LoginSamples.code())
        #expect(try await made.database.count("consent_grant") == 1)
        #expect(try await made.database.count("session_client") == 1)
        #expect(try await made.database.auditLog().map(\.kind) == ["s", "s"])
        #expect(try await made.complete((hash, 0), code: LoginSamples.code("second")) == false)
    }

    @Test("An invalid completion stores nothing", arguments: StoreKind.all)
    func incomplete(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        try await made.loggedIn(LoginSamples.session("bob", user: LoginSamples.bob))
        try await made.store.create(LoginSamples.transaction())
        let consent = LoginSamples.consent()
        #expect(try await made.complete((hash, 1), consent: consent) == false, "another revision")
        #expect(
            try await made.complete((LoginSamples.hash("else"), 0), consent: consent) == false, "another transaction")
        let foreign = LoginSamples.code(access: LoginSamples.access(tenant: LoginSamples.other))
        #expect(try await made.complete((hash, 0), code: foreign) == false, "another tenant")
        #expect(try await made.complete((hash, 0), use: LoginSamples.use("ended")) == false, "no session")
        #expect(try await made.complete((hash, 0), use: LoginSamples.use("bob")) == false, "another user's session")
        #expect(try await made.complete((hash, 0), use: LoginSamples.use(second: 100)) == false, "an idle session")
        let orphan = LoginSamples.code(access: LoginSamples.access(user: UserID("auth0|gone")))
        #expect(try await made.complete((hash, 0), code: orphan) == false, "no user")
        for table in ["authorization_code", "consent_grant", "session_client"] as [StaticString] {
            #expect(try await made.database.count(table) == 0)
        }
        #expect(try await stored(made)?.revision == 0)
        #expect(try await made.database.auditLog().count == 2, "the two logins")
    }

    @Test("A request without a transaction completes at once", arguments: StoreKind.all)
    func silent(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        #expect(try await made.complete())
        #expect(try await made.complete(code: LoginSamples.code("second")))
        #expect(try await made.database.count("authorization_code") == 2)
    }

    @Test("100 concurrent completions give one code", arguments: StoreKind.all)
    func racingCompletions(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        try await made.store.create(LoginSamples.transaction())
        let hash = hash
        let won = try await winners { try await made.complete((hash, 0), code: LoginSamples.code("code \($0)")) }
        #expect(won == 1)
        #expect(try await made.database.count("authorization_code") == 1)
    }

    @Test("Abandoning ends a transaction, once, in its tenant", arguments: StoreKind.all)
    func abandon(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.create(LoginSamples.transaction())
        let event = LoginSamples.event(.consentDenied)
        #expect(try await made.store.abandon(hash, tenant: LoginSamples.other, event: event) == false)
        #expect(try await made.store.abandon(hash, tenant: LoginSamples.tenant, event: event))
        #expect(try await made.store.abandon(hash, tenant: LoginSamples.tenant, event: event) == false)
        #expect(try await stored(made) == nil)
        #expect(try await made.database.auditLog("consent_denied").count == 1)
    }

    private func pushed(_ made: TemporaryStore) async throws {
        try await made.store.push(
            PushedAuthorizationRequest(
                hash: LoginSamples.hash("pushed"), tenant: LoginSamples.tenant, client: LoginSamples.agent,
                parameters: "scope=openid",
                expiresAt: LoginSamples.start + .seconds(60)))
    }

    private func take(
        _ made: TemporaryStore, client: String = "agent", tenant: TenantID = LoginSamples.tenant, second: Int = 0
    ) async throws -> String? {
        try await made.store.takePushed(
            LoginSamples.hash("pushed"), client: ClientID(client), tenant: tenant,
            now: LoginSamples.start + .seconds(second))
    }

    @Test("RFC 9126 clause 4: only its client uses a pushed request, once, before it expires", arguments: StoreKind.all)
    func takePushed(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await pushed(made)
        #expect(try await take(made, client: "thief") == nil)
        #expect(try await take(made, tenant: LoginSamples.other) == nil)
        #expect(try await take(made, second: 60) == nil)
        #expect(try await take(made, second: 59) == "scope=openid")
        #expect(try await take(made, second: 59) == nil)
    }

    @Test("One of 100 concurrent uses finds a pushed request", arguments: StoreKind.all)
    func racingTakes(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await pushed(made)
        #expect(try await winners { _ in try await take(made) != nil } == 1)
    }
}
