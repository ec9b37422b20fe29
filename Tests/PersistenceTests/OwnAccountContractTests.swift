import Audit
import AuthorizationCore
@testable import Flows
import Localization
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: people's own accounts")
struct OwnAccountContractTests {
    private let author = AccountAuthor(
        user: LoginSamples.ann, tenant: LoginSamples.tenant, session: SessionID("session"),
        cookie: LoginSamples.hash("session"))

    private func event(_ kind: AuditEvent.Kind = .accountChanged, second: Int = 0) -> AuditEvent {
        AuditEvent(kind, tenant: LoginSamples.tenant, at: LoginSamples.start + .seconds(second), user: LoginSamples.ann)
    }

    private func hashes(_ names: String...) -> [[UInt8]] { names.map(LoginSamples.hash) }

    @Test("A change counts only with the session that made it, and leaves its entry", arguments: StoreKind.all)
    func session(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        let strangers = [
            AccountAuthor(
                user: LoginSamples.bob, tenant: author.tenant, session: author.session, cookie: author.cookie),
            AccountAuthor(
                user: author.user, tenant: LoginSamples.other, session: author.session, cookie: author.cookie),
            AccountAuthor(
                user: author.user, tenant: author.tenant, session: SessionID("else"), cookie: author.cookie),
            AccountAuthor(
                user: author.user, tenant: author.tenant, session: author.session,
                cookie: LoginSamples.hash("older cookie")),
        ]
        for stranger in strangers {
            #expect(try await made.store.apply(.language(.french), by: stranger, event: event(), mail: nil) == nil)
        }
        let late = event(second: 100)
        #expect(try await made.store.apply(.language(.french), by: author, event: late, mail: nil) == nil)
        #expect(try await made.database.auditLog("account_changed").isEmpty)
        #expect(try await made.store.apply(.language(.french), by: author, event: event(), mail: nil) != nil)
        #expect(try await made.database.auditLog("account_changed").count == 1)
    }

    @Test("A change of a thing that is gone, or another person's, leaves nothing", arguments: StoreKind.all)
    func gone(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        try await made.enrolled(try Samples.device("dev_bob", user: "auth0|bob"))
        let ticket = EnrollmentTicket(
            hash: LoginSamples.hash("ticket"), tenant: author.tenant, user: author.user,
            createdAt: LoginSamples.start, expiresAt: LoginSamples.start + .seconds(60))
        for change: AccountChange in [
            .rename(DeviceID("dev_bob"), to: "x"), .phones(removing: [DeviceID("dev_bob")], adding: ticket),
            .endSession(SessionID("else")),
            .withdraw(LoginSamples.agent), .password(hash: "new", old: "no such hash"),
        ] {
            #expect(try await made.store.apply(change, by: author, event: event(), mail: nil) == nil, "\(change)")
        }
        #expect(try await made.database.auditLog("account_changed").isEmpty)
        #expect(try await made.database.count("device") == 1)
        #expect(try await made.database.count("enrollment_ticket") == 1, "that of the device alone")
    }

    @Test("Two uses of a recovery code at once count as one", arguments: StoreKind.all)
    func recoveryCode(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        let none = try await made.store.apply(
            .recoveryCodes(hashes("a")), by: author, event: event(.recoveryCodesMade), mail: nil)
        #expect(none == nil, "a code takes the place of a phone")
        try await made.enrolled(try Samples.device())
        _ = try await made.store.apply(
            .recoveryCodes(hashes("a", "b")), by: author, event: event(.recoveryCodesMade), mail: nil)
        #expect(try await made.store.recoveryCodes(of: author.user, tenant: author.tenant) == 2)
        let used = event(.recoveryCodeUsed)
        let store = made.store
        let left = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await store.useRecoveryCode(
                        LoginSamples.hash("a"), of: LoginSamples.ann, tenant: LoginSamples.tenant, event: used
                    ) { _ in nil }
                }
            }
            return try await group.reduce(into: [Int?]()) { $0.append($1) }
        }
        #expect(left.compactMap(\.self) == [1])
        #expect(try await made.database.auditLog("gd_recovery_succeed").count == 1)
        for (user, tenant) in [(LoginSamples.bob, author.tenant), (author.user, LoginSamples.other)] {
            let foreign = try await store.useRecoveryCode(
                LoginSamples.hash("b"), of: user, tenant: tenant, event: used
            ) { _ in nil }
            #expect(foreign == nil)
        }
        _ = try await made.store.apply(
            .recoveryCodes(hashes("c")), by: author, event: event(.recoveryCodesMade), mail: nil)
        #expect(try await made.store.recoveryCodes(of: author.user, tenant: author.tenant) == 1)
    }
}
