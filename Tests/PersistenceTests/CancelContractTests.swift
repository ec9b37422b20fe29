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
                keptUntil: now + .seconds(86_400),
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

    @Test("An end is pushed to phones whose push may have arrived, and to no other", arguments: StoreKind.all)
    func pushedEnd(kind: StoreKind) async throws {
        let phones = ["sent", "tried", "leased", "untried", "dead"]
        for isCancelled in [true, false] {
            let made = try await kind.populated()
            for phone in phones {
                try await made.enrolled(
                    Samples.device(phone, identifier: phone, push: PushCredentials(service: .webPush, token: "{}")))
            }
            try await made.enrolled(Samples.device())
            try await made.started(devices: phones)
            func due(second: Int) async throws -> [DeliveryEntry] {
                try await made.store.dueDeliveries(
                    .webPushes, perLane: 99, limit: 99, now: Samples.start + .seconds(second))
            }
            let later = Samples.start + .seconds(99)
            for entry in try await due(second: 0) {
                let step: DeliveryStep? =
                    switch entry.delivery.recipient {
                    case "sent": .sent
                    case "tried": .retry(at: later, problem: "503")
                    case "dead": .dead(problem: "403")
                    case "leased": nil
                    default: .retry(at: later, problem: "busy", isTried: false)
                    }
                if let step {
                    try await made.store.settle(
                        [DeliverySettlement(id: entry.id, step: step)], by: "node", now: Samples.start)
                } else {
                    _ = try await made.store.lease([entry], to: "node", until: later, now: Samples.start)
                }
            }
            if isCancelled { _ = try await cancel(made) } else { _ = try await made.resolve() }
            #expect(Set(try await due(second: 98).map(\.delivery.recipient)) == ["sent", "tried", "leased"])
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
