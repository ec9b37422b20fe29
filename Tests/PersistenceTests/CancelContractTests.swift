import Audit
import AuthorizationCore
@testable import Flows
import GuardianWire
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: withdrawing a request")
struct CancelContractTests {
    private func cancel(
        _ made: TemporaryStore, _ id: String = "request", client: String = "agent", tenant: String = "dev",
        at now: Timestamp = Samples.start
    ) async throws -> Bool {
        let hash = AuthReqIDHash(of: id, Samples.hashing)
        return try await made.store.cancel(
            BackchannelCancellation(
                hash: hash, client: ClientID(client), tenant: TenantID(tenant), now: now, outcome: [1],
                event: AuditEvent(
                    .cancelled, tenant: TenantID(tenant), at: now, client: ClientID(client), consent: hash.consentID)))
    }

    @Test("A pending request is denied, the log names its user, and all devices are notified", arguments: StoreKind.all)
    func pending(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.enrolled(Samples.device("dev_two", identifier: "B"))
        try await made.enrolled(Samples.device("dev_bob", user: "auth0|bob"))
        try await made.started()
        let before = try await made.database.count("delivery")
        #expect(try await cancel(made))
        #expect(try await made.poll()?.state == .denied)
        #expect(try await made.database.count("delivery") == before + 2)
        let entry = try #require(try await made.database.auditLog("ciba_cancelled").first)
        #expect(entry.user == "auth0|ann")
        #expect(try await made.resolve() == .notPending)
        #expect(try await cancel(made) == false, "a second time")
        #expect(try await made.database.auditLog("ciba_cancelled").count == 1)
    }

    @Test(
        "A request that was not pushed is not withdrawn by a push: the browser would show that",
        arguments: StoreKind.all)
    func withdrawnFromPush(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let push = PushCredentials(service: .webPush, token: "{}")
        try await made.enrolled(Samples.device(push: push))
        try await made.enrolled(Samples.device("dev_two", identifier: "B", push: push))
        /// Entries in all queues: those of the device channel, and of Web Push.
        func added(_ channel: Client.NotificationChannel, _ end: (String) async throws -> Void) async throws -> Int {
            try await made.started(channel.rawValue, channel: channel)
            let before = try await made.database.count("delivery")
            try await end(channel.rawValue)
            try await made.database.write { try $0.execute("DELETE FROM backchannel_request") }
            return try await made.database.count("delivery") - before
        }
        for (channel, factor) in [(Client.NotificationChannel.guardianPush, 2), (.page, 1), (.email, 1)] {
            #expect(try await added(channel) { _ = try await cancel(made, $0) } == 2 * factor)
            #expect(try await added(channel) { _ = try await made.resolve($0) } == factor)
        }
    }

    @Test("Nothing changes for another client or tenant, after expiry, or after a decision", arguments: StoreKind.all)
    func others(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started()
        let before = try await made.database.count("delivery")
        #expect(try await cancel(made, client: "thief") == false)
        #expect(try await cancel(made, tenant: "other") == false)
        #expect(try await cancel(made, "unknown") == false)
        #expect(try await cancel(made, at: Samples.start + .seconds(300)) == false)
        #expect(try await made.poll()?.state == .pending)
        _ = try await made.resolve()
        #expect(try await cancel(made) == false)
        #expect(try await made.poll()?.state == .approved)
        #expect(try await made.redeem())
        #expect(try await cancel(made) == false)
        #expect(try await made.database.count("delivery") == before)
        #expect(try await made.database.auditLog("ciba_cancelled").isEmpty)
    }

    @Test("One of several concurrent decisions and withdrawals counts", arguments: StoreKind.all)
    func racing(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started()
        let taken = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<100 {
                group.addTask {
                    if index % 2 == 0 { return try await cancel(made) ? 1 : 0 }
                    return try await made.resolve("request", .allow) == .notPending ? 0 : 1
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(taken == 1)
        #expect(try await made.database.auditLog("ciba_cancelled", "gd_auth_succeed").count == 1)
    }
}
