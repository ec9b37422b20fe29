import AuthorizationCore
@testable import Flows
import HTTPModel
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Management API: deliveries")
struct DeliveryListTests {
    /// A fixture with two requests to Ann's two phones, whose device channels have not tried yet.
    private func fixture() async throws -> (fixture: ManagementFixture, requests: [String]) {
        let fixture = try await ManagementFixture()
        for number in 0..<2 { _ = try await InProcessPhone(identifier: "P\(number)", in: fixture.server) }
        let client = InProcessClient(via: fixture.server)
        var requests: [String] = []
        for _ in 0..<2 {
            let started = try await client.start()
            let id = try (started["auth_req_id"]?.stringValue).orThrow("no request: \(started.text)")
            requests.append(AuthReqIDHash(of: id, Samples.hashing).consentID.rawValue)
        }
        return (fixture, requests)
    }

    private func list(_ answer: HTTPAnswer) -> [JSONValue] { answer["deliveries"]?.arrayValue ?? [] }

    /// Settles what waits in the queue of the device channel.
    private func settle(_ fixture: ManagementFixture, _ step: DeliveryStep) async throws {
        let store = fixture.server.storage.store
        let now = fixture.server.clock.now
        let due = try await store.dueDeliveries(.notifications, perLane: 99, limit: 99, now: now)
        _ = try await store.settle(due.map { DeliverySettlement(id: $0.id, step: step) }, by: "node", now: now)
    }

    @Test(
        "A request's deliveries and a user's are listed in every state, newest first, without anything of the message")
    func filters() async throws {
        let (fixture, requests) = try await fixture()
        let ofUser = list(await fixture.get("/deliveries?user_id=auth0%7Cann"))
        #expect(ofUser.count == 4)
        #expect(
            ofUser.compactMap { $0["id"]?.stringValue.flatMap(Int.init) } == ofUser.indices.reversed().map { $0 + 1 })
        #expect(Set(ofUser.compactMap { $0["transaction_linking_id"]?.stringValue }) == Set(requests))
        for delivery in ofUser {
            #expect(delivery["state"] == "waiting" && delivery["attempts"] == 0 && delivery["last_error"] == nil)
            #expect(delivery["queue"] == "notifications" && delivery["user_id"] == "auth0|ann")
            #expect(delivery["next_attempt_at"]?.stringValue != nil && delivery["ended_at"] == nil)
            #expect(delivery["payload"] == nil && delivery["sealed"] == nil && delivery["token"] == nil)
        }
        let ofRequest = list(await fixture.get("/deliveries?transaction_linking_id=\(requests[0])"))
        #expect(ofRequest.count == 2)
        #expect(ofRequest.allSatisfy { $0["transaction_linking_id"]?.stringValue == requests[0] })
        #expect(list(await fixture.get("/deliveries?user_id=auth0%7Cnobody")).isEmpty)
        #expect(
            list(await fixture.get("/deliveries?transaction_linking_id=cns_\(String(repeating: "x", count: 22))"))
                .isEmpty)
        #expect(list(await fixture.get("/deliveries")).isEmpty, "none failed")
        let both = await fixture.get("/deliveries?user_id=auth0%7Cann&transaction_linking_id=\(requests[0])")
        #expect(both.status == 400 && both.code == "invalid_query_string", "\(both.text)")
        #expect(await fixture.get("/deliveries?transaction_linking_id=cns_short").code == "invalid_query_string")
    }

    @Test("Without a parameter those are listed that failed or whose receiver is gone, with tries and the last error")
    func failed() async throws {
        let (fixture, _) = try await fixture()
        try await settle(fixture, .retry(at: fixture.server.clock.now, problem: "no answer"))
        let waiting = list(await fixture.get("/deliveries?user_id=auth0%7Cann"))
        #expect(
            waiting.allSatisfy { $0["last_error"] == "no answer" && $0["attempts"] == 1 && $0["state"] == "waiting" })
        try await settle(fixture, .dead(problem: "refused"))
        let dead = list(await fixture.get("/deliveries"))
        #expect(dead.count == 4)
        #expect(dead.allSatisfy { $0["state"] == "failed" && $0["last_error"] == "refused" && $0["attempts"] == 2 })
        #expect(dead.allSatisfy { $0["ended_at"]?.stringValue != nil && $0["next_attempt_at"] == nil })
    }

    @Test("Checkpoints page the list once, and another list's checkpoint is refused")
    func pages() async throws {
        let (fixture, _) = try await fixture()
        var seen: [String] = []
        var from = ""
        for _ in 0..<3 {
            let page = await fixture.get("/deliveries?user_id=auth0%7Cann&take=2\(from)")
            seen += list(page).compactMap { $0["id"]?.stringValue }
            guard let next = page["next"]?.stringValue else { break }
            from = "&from=\(next)"
        }
        #expect(seen == ["4", "3", "2", "1"])
        #expect(await fixture.get("/deliveries?from=none").code == "invalid_query_string")
        #expect(await fixture.get("/deliveries?take=0").code == "invalid_query_string")
    }

    @Test("One that failed is tried once more, with an entry of the audit log, and no other one is")
    func retry() async throws {
        let (fixture, _) = try await fixture()
        #expect(await fixture.send(.post, "/deliveries/1/retry").status == 409, "it waits")
        try await settle(fixture, .dead(problem: "refused"))
        let reader = try await fixture.with(scopes: ["read:logs"])
        #expect(await reader.send(.post, "/deliveries/1/retry").code == "insufficient_scope")
        #expect(await fixture.send(.post, "/deliveries/1/retry").status == 204)
        let one = await fixture.get("/deliveries/1")
        #expect(one["state"] == "waiting" && one["attempts"] == 1 && one["last_error"] == "refused", "\(one.text)")
        #expect(list(await fixture.get("/deliveries")).count == 3)
        let due = try await fixture.server.dueDeliveries(.notifications)
        #expect(due.count == 1)
        let event = try #require(try await fixture.server.database.auditLog("sapi").last)
        #expect(event.user == "auth0|ann" && event.object == "delivery 1", "\(event)")
        #expect(await fixture.send(.post, "/deliveries/1/retry").status == 409, "it waits again")
        for id in ["99", "x", "-1", "9223372036854775808"] {
            #expect(await fixture.send(.post, "/deliveries/\(id)/retry").status == 404, "\(id)")
        }
    }

    @Test("One that has expired is not tried again, and neither is a mail whose text is gone")
    func tooLate() async throws {
        let (fixture, _) = try await fixture()
        let store = fixture.server.storage.store
        try await settle(fixture, .dead(problem: "refused"))
        let now = fixture.server.clock.now
        try await store.enqueue(
            SealedMail(tenant: TenantID("dev"), sealed: [1], createdAt: now, expiresAt: now + .seconds(6000)))
        let mails = try await store.dueDeliveries(.mail, perLane: 9, limit: 9, now: now)
        _ = try await store.settle(
            mails.map { DeliverySettlement(id: $0.id, step: .dead(problem: "refused")) }, by: "node", now: now)
        let mail = try #require(list(await fixture.get("/deliveries")).first)
        #expect(mail["queue"] == "mail")
        let id = mail["id"]?.stringValue ?? ""
        #expect(await fixture.send(.post, "/deliveries/\(id)/retry").status == 409)
        fixture.server.clock.advance(by: .seconds(3000))
        let later = try await fixture.with(scopes: ["update:deliveries"])
        #expect(await later.send(.post, "/deliveries/1/retry").status == 409)
    }

    @Test("Another tenant's deliveries are in no list")
    func tenants() async throws {
        let fixture = try await ManagementFixture()
        let store = fixture.server.storage.store
        let now = fixture.server.clock.now
        try await store.enqueue(
            SealedMail(tenant: TenantID("other"), sealed: [1], createdAt: now, expiresAt: now + .seconds(60)))
        let mails = try await store.dueDeliveries(.mail, perLane: 9, limit: 9, now: now)
        #expect(mails.count == 1)
        _ = try await store.settle(
            mails.map { DeliverySettlement(id: $0.id, step: .dead(problem: "refused")) }, by: "node", now: now)
        #expect(try await store.deliveries(.failed, of: TenantID("other"), before: nil, limit: 9).count == 1)
        #expect(list(await fixture.get("/deliveries")).isEmpty)
        for number in 1...3 {
            #expect(await fixture.get("/deliveries/\(number)").status == 404)
            #expect(await fixture.send(.post, "/deliveries/\(number)/retry").status == 404)
        }
    }
}
