import Audit
import AuthorizationCore
import Configuration
@testable import Flows
import GuardianWire
import Persistence
import PostgreSQLCluster
import Primitives
import SQL
import TestSupport
import Testing

/// READ COMMITTED: another change may come between a query and the statement that rests on it.
@Suite(
    "Store contract: changes that meet",
    .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL server is installed"), .timeLimit(.minutes(2)))
struct MeetingContractTests {
    private let tenant = LoginSamples.tenant
    private let ann = LoginSamples.ann
    private let author = AccountAuthor(
        user: LoginSamples.ann, tenant: LoginSamples.tenant, session: SessionID("session"),
        cookie: LoginSamples.hash("session"))

    private func event(_ kind: AuditEvent.Kind) -> AuditEvent { LoginSamples.event(kind) }

    /// An administrator changes the user.
    @Sendable private static func change(
        _ store: Store, _ change: @escaping @Sendable (inout User) -> Void
    ) async throws {
        try await store.change { transaction in
            guard let (user, hash) = try transaction.user(LoginSamples.ann, in: LoginSamples.tenant) else { return }
            var changed = user
            change(&changed)
            try transaction.put(changed, passwordHash: hash, in: LoginSamples.tenant)
        }
    }

    private func account(_ made: TemporaryStore) async throws -> Account {
        try #require(try await made.store.account(ann, tenant: tenant))
    }

    @Sendable private static func setPassword(_ store: Store) async throws -> Bool {
        try await store.setPassword(
            "new", ticket: LoginSamples.hash("ticket"), forgiving: nil, tenant: LoginSamples.tenant,
            now: LoginSamples.start + .seconds(10), event: LoginSamples.event(.passwordChanged)
        ) { _ in nil }
    }

    @Test("A password link confirms no address that came after it")
    func passwordLink() async throws {
        let made = try await StoreKind.postgreSQL.populated()
        try await Self.change(made.store) { $0.email = "old@example.org" }
        try await made.give(LoginSamples.ticket(email: "old@example.org"))
        let (isSet, _) = try await made.meet(before: #"UPDATE "user" SET password_hash"#, Self.setPassword) { other in
            try await Self.change(other) {
                $0.email = "new@example.org"
                $0.emailVerified = false
            }
        }
        #expect(isSet)
        let account = try await account(made)
        #expect(account.user.email == "new@example.org" && !account.user.emailVerified)
        #expect(account.passwordHash == "new")
    }

    @Test("A link that confirms an address confirms no other one")
    func emailLink() async throws {
        let made = try await StoreKind.postgreSQL.populated()
        try await Self.change(made.store) { $0.email = "old@example.org" }
        try await made.store.change { [ann, tenant] transaction in
            try transaction.put(
                UserTicket(
                    kind: .email, hash: LoginSamples.hash("mail"), user: ann, email: "old@example.org",
                    provesEmail: true,
                    resultURL: nil,
                    createdAt: LoginSamples.start, expiresAt: LoginSamples.start + .seconds(600)), in: tenant)
        }
        let (isVerified, _) = try await made.meet(before: #"UPDATE "user" SET email_verified = 1"#) { store in
            try await store.verifyEmail(
                ticket: LoginSamples.hash("mail"), tenant: tenant, now: LoginSamples.start,
                event: event(.emailVerified))
        } _: { other in
            try await Self.change(other) { $0.email = "new@example.org" }
        }
        #expect(!isVerified)
        #expect(try await !account(made).user.emailVerified)
    }

    @Test("A login that meets the end of its person's access leaves no session")
    func session() async throws {
        let made = try await StoreKind.postgreSQL.populated()
        try await made.give()
        let session = LoginSamples.session("late")
        _ = try await made.meet(before: "UPDATE user_profile SET") { store in
            try await store.create(session, replacing: nil, event: event(.loggedIn))
        } _: { other in
            try await Self.setPassword(other)
        }
        #expect(try await made.store.session(session.hash, tenant: tenant, now: LoginSamples.start) == nil)
        #expect(try await account(made).passwordHash == "new")
    }

    @Test("An administrator's change of a user takes no new password back")
    func administration() async throws {
        let made = try await StoreKind.postgreSQL.populated()
        try await made.give()
        let (_, isSet) = try await made.meet(
            before: #"INSERT INTO "user""#, { try await Self.change($0) { $0.name = "Ann" } }, Self.setPassword)
        #expect(isSet)
        let account = try await account(made)
        #expect(account.passwordHash == "new" && account.user.name == "Ann")
    }

    @Test("A phone's update of its account brings no retired push credentials back")
    func phone() async throws {
        let made = try await StoreKind.postgreSQL.populated()
        let push = PushCredentials(service: .webPush, token: "old")
        try await made.enrolled(Samples.device(push: push))
        let id = DeviceID("dev_one")
        let (updated, isRetired) = try await made.meet(before: "UPDATE device SET identifier") { store in
            try await store.update(
                id, tenant: tenant, with: DeviceAccountUpdate(name: "Mine"), event: event(.deviceUpdated))
        } _: { [tenant] other in
            try await other.retire(push, of: id, tenant: tenant, event: LoginSamples.event(.deviceUpdated))
        }
        #expect(updated != .gone && isRetired)
        let device = try await made.store.device(id, tenant: tenant)?.device
        #expect(device?.name == "Mine" && device?.push == nil)
    }

    @Test("WebAuthn 7.2: one signature count decides one request, whichever node counts it")
    func passkey() async throws {
        let made = try await StoreKind.postgreSQL.populated()
        try await made.enrolled(Samples.device())
        #expect(
            try await made.store.register(try Samples.passkey(1, event(.passkeyRegistered)), tenant: tenant))
        for name in ["a", "b"] { try await made.started(name, devices: ["dev_one"]) }
        let use = PasskeyUse(id: [UInt8](repeating: 1, count: 20), signCount: 5)
        let (first, second) = try await made.meet(before: "UPDATE passkey SET sign_count") { store in
            try await made.resolve("a", passkey: use, in: store)
        } _: { other in
            try await made.resolve("b", passkey: use, in: other)
        }
        #expect(first == .resolved(AuthReqIDHash(of: "a", Samples.hashing)))
        #expect(second == .passkeyUsed)
    }

    @Test("Access that is withdrawn while its code is redeemed leaves no valid token")
    func withdrawal() async throws {
        let made = try await StoreKind.postgreSQL.populated()
        try await made.loggedIn()
        let access = LoginSamples.access(session: SessionID("session"))
        #expect(try await made.complete(code: LoginSamples.code(access: access), consent: LoginSamples.consent()))
        let family = LoginSamples.family(LoginSamples.hash("family"), access: access)
        let (withdrawn, isRedeemed) = try await made.meet(before: "DELETE FROM authorization_code") { store in
            try await store.apply(.withdraw(LoginSamples.agent), by: author, event: event(.accountChanged), mail: nil)
        } _: { other in
            try await other.redeem(
                CodeRedemption(
                    hash: LoginSamples.hash("code"), client: LoginSamples.agent, tenant: LoginSamples.tenant,
                    now: LoginSamples.start + .seconds(10), tokenLifetime: 3600, refreshToken: family,
                    event: LoginSamples.event(.codeExchanged)))
        }
        #expect(withdrawn != nil)
        #expect(try await made.database.count("refresh_token_family") == 0)
        let isRevoked = try await made.store.isRevoked(access.id, tenant: tenant)
        #expect(!isRedeemed || isRevoked)
    }

    @Test("An account whose decision is kept is not deleted, also if the person decides at that moment")
    func deletion() async throws {
        let made = try await StoreKind.postgreSQL.populated()
        try await made.loggedIn()
        try await made.enrolled(Samples.device())
        try await made.started(devices: ["dev_one"])
        let (deleted, outcome) = try await made.meet(before: #"DELETE FROM "user""#) { store in
            try await store.apply(.deleteAccount, by: author, event: event(.accountChanged), mail: nil)
        } _: { other in
            try await made.resolve(in: other)
        }
        let isResolved = outcome != .notPending
        #expect((deleted != nil) != isResolved)
        #expect(try await made.database.count("approval") == (isResolved ? 1 : 0))
    }

    @Test("One of a request's last two pushes that fail at once ends the request")
    func lastPushes() async throws {
        let made = try await StoreKind.postgreSQL.populated()
        let names = ["dev_1", "dev_2"]
        for name in names {
            try await made.enrolled(
                Samples.device(name, identifier: name, push: PushCredentials(service: .apns, token: name)))
        }
        try await made.started("r", devices: names)
        let now = Samples.start + .seconds(10)
        let channel = try await made.store.dueDeliveries(.notifications, perLane: 10, limit: 10, now: now)
        try await made.store.settle(
            channel.map { DeliverySettlement(id: $0.id, step: .done) }, by: "node", now: now)
        let pushes = try await made.store.dueDeliveries(.applePushes, perLane: 10, limit: 10, now: now)
        let hash = AuthReqIDHash(of: "r", Samples.hashing)
        let request = try #require(try await made.store.request(hash, tenant: tenant)).request
        @Sendable func settle(_ index: Int, _ store: Store) async throws -> [AuthReqIDHash] {
            let consequence = DeliveryConsequence(
                .undelivered(phones: names.map { DeviceID($0) }), of: request,
                event: LoginSamples.event(.undelivered))
            return try await store.settle(
                [DeliverySettlement(id: pushes[index].id, step: .ended(problem: "410"), consequence: consequence)],
                by: "node \(index)", now: now)
        }
        let (first, second) = try await made.meet(before: "UPDATE delivery SET state = 3") { store in
            try await settle(0, store)
        } _: { other in
            try await settle(1, other)
        }
        #expect(first + second == [hash])
        #expect(try await made.store.request(hash, tenant: tenant)?.request.state == .undelivered)
    }

    @Test("Writers that count the same events of a day do not wait for each other")
    func dailyCounts() async throws {
        let made = try await StoreKind.postgreSQL.populated()
        try await made.store.record([event(.loggedIn)])
        _ = try await made.meet(before: "INSERT INTO audit_log", number: 2, withoutWait: true) { store in
            try await store.record([event(.loggedIn), event(.signedUp)])
        } _: { other in
            try await other.record([LoginSamples.event(.signedUp), LoginSamples.event(.loggedIn)])
        }
        let day = Timestamp(seconds: LoginSamples.start.seconds / 86_400 * 86_400)
        let counts = try await made.store.daily(tenant, from: day, to: day + .seconds(86_400))
        #expect(counts.first { $0.kind == .loggedIn }?.count == 3)
        #expect(counts.first { $0.kind == .signedUp }?.count == 2)
    }

    private func queue(_ count: Int) async throws -> (TemporaryStore, [DeliveryEntry]) {
        let made = try await StoreKind.postgreSQL.populated()
        try await made.enrolled(Samples.device())
        for index in 0..<count { try await made.started("r\(index)", devices: ["dev_one"]) }
        let now = Samples.start + .seconds(10)
        return (made, try await made.store.dueDeliveries(.notifications, perLane: count, limit: count, now: now))
    }

    @Test("A node passes over entries of the queue that another one is about to change, and waits for none")
    func leases() async throws {
        let (made, entries) = try await queue(4)
        let now = Samples.start + .seconds(10)
        let (_, leased) = try await made.meet(before: "INSERT INTO audit_log", withoutWait: true) { store in
            try await store.settle(
                [DeliverySettlement(id: entries[1].id, step: .dead(problem: "x"), event: event(.undelivered))],
                by: "one", now: now)
        } _: { other in
            try await other.lease(entries, to: "two", until: now + .seconds(60), now: now)
        }
        #expect(leased == Set([0, 2, 3].map { entries[$0].id }))
    }

    @Test("Entries that two nodes show to phones at once are deleted by one, and the other waits for none")
    func instantEntries() async throws {
        let (made, entries) = try await queue(4)
        let now = Samples.start + .seconds(10)
        let done = entries.map { DeliverySettlement(id: $0.id, step: .done) }
        let event = event(.undelivered)
        _ = try await made.meet(before: "INSERT INTO audit_log", withoutWait: true) { store in
            try await store.settle(
                [DeliverySettlement(id: entries[1].id, step: .done, event: event)], by: "one", now: now)
        } _: { other in
            try await other.settle(done, by: "two", now: now)
        }
        #expect(try await made.database.count("delivery") == 0)
    }

    @Test("Two nodes that lease the same entries at once get each of them once")
    func leasedOnce() async throws {
        let (made, entries) = try await queue(60)
        let now = Samples.start + .seconds(10)
        let leased = try await made.withSecondStore { other in
            try await withThrowingTaskGroup(of: Set<Int64>.self) { group in
                for number in 0..<24 {
                    let store = number.isMultiple(of: 2) ? made.store : other
                    let part = Array(entries.shuffled().prefix(40))
                    group.addTask { try await store.lease(part, to: "\(number)", until: now + .seconds(60), now: now) }
                }
                return try await group.reduce(into: [Int64]()) { $0 += $1 }
            }
        }
        #expect(Set(leased).count == leased.count)
        #expect(
            try await made.store.dueDeliveries(.notifications, perLane: 99, limit: 99, now: now).count
                == entries.count - leased.count)
    }
}
