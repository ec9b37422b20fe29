import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: failed attempts at an account")
struct AttemptContractTests {
    private static let hashing = Samples.hashing
    private static let ann = AttemptKey(.password, account: "ann@example.org", hashing: hashing)

    /// Fails once at `account` from `address`, like a login.
    private func fail(
        _ store: Store, _ account: String = "ann@example.org", from address: String,
        tenant: TenantID = LoginSamples.tenant,
        second: Int = 0
    ) async throws {
        _ = try await store.countFailure(
            [
                AttemptLimit(AttemptKey(.password, account: account, from: address, hashing: Self.hashing), 99),
                AttemptLimit(AttemptKey(.password, account: account, hashing: Self.hashing), 99),
            ],
            tenant: tenant, now: LoginSamples.start + .seconds(second),
            windowStart: LoginSamples.start + .seconds(second - 100),
            event: LoginSamples.event(.wrongPassword, tenant: tenant))
    }

    private func attempts(
        _ store: Store, at account: AttemptKey = ann, tenant: TenantID = LoginSamples.tenant, second: Int = 0
    ) async throws -> [AttemptCount] {
        try await store.read {
            try $0.attempts(at: account, in: tenant, since: LoginSamples.start + .seconds(second - 100))
        }
    }

    @Test("Failures are listed with their addresses until the window has passed", arguments: StoreKind.all)
    func listed(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await fail(made.store, from: "192.0.2.1")
        try await fail(made.store, from: "192.0.2.1", second: 1)
        try await fail(made.store, from: "2001:db8::1", second: 2)
        try await fail(made.store, "bob@example.org", from: "192.0.2.1")
        try await fail(made.store, from: "192.0.2.7", tenant: LoginSamples.other)
        let all = [
            AttemptCount(address: "192.0.2.1", count: 2), AttemptCount(address: nil, count: 3),
            AttemptCount(address: "2001:db8::1", count: 1),
        ]
        #expect(try await attempts(made.store, second: 2) == all)
        #expect(try await attempts(made.store, second: 100) == [all[2]])
        #expect(try await attempts(made.store, at: AttemptKey(.signUp, account: "", hashing: Self.hashing)) == [])
    }

    @Test("Clearing an account clears its failures from all addresses, and no others", arguments: StoreKind.all)
    func forgotten(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for address in ["192.0.2.1", "192.0.2.2"] {
            try await fail(made.store, from: address)
            try await fail(made.store, "bob@example.org", from: address)
        }
        try await fail(made.store, from: "192.0.2.1", tenant: LoginSamples.other)
        let forget: @Sendable (any UserTransaction) throws -> Int = {
            try $0.forgetAttempts(at: Self.ann, in: LoginSamples.tenant)
        }
        #expect(try await made.store.change(forget) == 3)
        #expect(try await made.store.change(forget) == 0)
        let bob = AttemptKey(.password, account: "bob@example.org", hashing: Self.hashing)
        #expect(try await attempts(made.store, at: bob).count == 3)
        #expect(try await attempts(made.store, tenant: LoginSamples.other).count == 2)
        // Clearing one address leaves the counts of the account and of other addresses.
        try await made.store.clearFailures(
            AttemptKey(.password, account: "bob@example.org", from: "192.0.2.1", hashing: Self.hashing),
            tenant: LoginSamples.tenant)
        #expect(try await attempts(made.store, at: bob).map(\.address) == [nil, "192.0.2.2"])
    }

    @Test("Users are found by e-mail address, username and phone number", arguments: StoreKind.all)
    func identifiers(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.change { transaction in
            for id in ["auth0|ann", "github|7"] {
                let user = Samples.user(id) { user in
                    user.email = "ann@example.org"
                    user.phoneNumber = "+33612345678"
                    if id == "auth0|ann" { user.username = "ann" }
                }
                try transaction.put(user, passwordHash: nil, in: LoginSamples.tenant)
            }
        }
        func found(_ identifier: String, _ tenant: TenantID = LoginSamples.tenant) async throws -> [String] {
            try await made.store.read { try $0.users(identifier: identifier, in: tenant).map(\.rawValue) }
        }
        #expect(try await found("ann@example.org") == ["auth0|ann", "github|7"])
        #expect(try await found("+33612345678") == ["auth0|ann", "github|7"])
        #expect(try await found("ann") == ["auth0|ann"])
        #expect(try await found("bob") == [])
        #expect(try await found("ann", LoginSamples.other) == [])
    }
}
