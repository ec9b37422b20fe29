import AuthorizationCore
import GuardianWire
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("RFC 7009: a client cancels its backchannel request")
struct CancelTests {
    private func cancel(
        _ id: String, _ fixture: ConformanceFixture, _ changes: [String: String?] = [:]
    ) async -> HTTPAnswer {
        await fixture.server.send(
            .form(
                "/oauth/revoke",
                [
                    "client_id": "agent", "client_secret": Samples.secret, "token": id,
                    "token_type_hint": "auth_req_id",
                ].merging(changes) { $1 }))
    }

    private func kinds(_ fixture: ConformanceFixture) async throws -> Int {
        try await fixture.server.auditKinds().filter { $0 == "ciba_cancelled" }.count
    }

    @Test(
        "2.1: the request ends with any hint or none, phones cannot answer it any more, and held polls are answered at once",
        arguments: ["auth_req_id", nil, "refresh_token", "access_token", "unknown"])
    func cancelled(hint: String?) async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        let notification = try await fixture.phone.notification(of: id)
        let held = Task {
            await fixture.server.send(
                .form("/oauth/token", fixture.client.pollParameters(id), fields: ["Prefer": "wait=30"]))
        }
        await fixture.server.timer.awaitSleepers()
        let answer = await cancel(id, fixture, ["token_type_hint": hint])
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        expectError(await held.value, 400, "access_denied", deniedText)
        expectError(try await fixture.client.poll(id), 400, "access_denied", deniedText)
        let late = await fixture.server.send(
            fixture.phone.answerRequest(notification, response: try fixture.phone.response(to: notification)))
        #expect(late.status == 404)
        #expect(late["errorCode"] == "login_transaction_not_found")
        let withdrawals = try await fixture.server.dump().filter {
            $0.hasPrefix("delivery:") && $0.contains(fixture.phone.id.rawValue) && $0.contains("withdrawal")
        }
        #expect(withdrawals.count == 1)
        #expect(await cancel(id, fixture).status == 200, "again")
        #expect(try await kinds(fixture) == 1)
    }

    @Test("2.2: cancelling anything but a pending request of the client succeeds and changes nothing")
    func others() async throws {
        let fixture = try await ConformanceFixture { setup in setup.clients.append(Samples.client("rival")) }
        let id = try await fixture.client.started()
        for (token, changes) in [
            (id, ["client_id": "rival"]), ("unknown", [:]), (String(id.dropLast()), [:]), (id.uppercased(), [:]),
        ] as [(String, [String: String?])] {
            #expect(await cancel(token, fixture, changes).status == 200, "\(changes)")
        }
        expectError(try await fixture.client.poll(id), 400, "authorization_pending", pendingText)
        #expect(try await fixture.phone.decide(id).status == 204)
        #expect(await cancel(id, fixture).status == 200)
        #expect(try await fixture.client.poll(id).status == 200)
        #expect(try await kinds(fixture) == 0)
    }

    @Test(
        "One of several decisions and withdrawals at once counts for each of many requests, in the log and for held polls"
    )
    func racing() async throws {
        let fixture = try await ConformanceFixture { setup in
            setup.tenant.settings.requestsPerMinutePerUser = 1000
            setup.tenant.settings.pendingRequestsPerUser = 1000
        }
        var ids: [String] = []
        var notifications: [NotificationPayload] = []
        for _ in 0..<60 {
            ids.append(try await fixture.client.started())
            notifications.append(try await fixture.phone.notification(of: ids[ids.count - 1]))
        }
        let polls = ids.map { id in
            Task {
                await fixture.server.send(
                    .form("/oauth/token", fixture.client.pollParameters(id), fields: ["Prefer": "wait=30"]))
            }
        }
        await fixture.server.timer.awaitSleepers(ids.count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, (id, notification)) in zip(ids, notifications).enumerated() {
                for round in 0..<6 {
                    let accepted = round % 3 == 0
                    group.addTask {
                        if (index + round) % 2 == 0 {
                            #expect(await cancel(id, fixture).status == 200)
                        } else {
                            let response = try fixture.phone.response(to: notification, accepted: accepted)
                            let status = await fixture.server.send(
                                fixture.phone.answerRequest(notification, response: response)
                            ).status
                            #expect(status == 204 || status == 404, "\(status)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        var outcomes: [String: Int] = [:]
        for poll in polls {
            let answer = await poll.value
            outcomes[answer.status == 200 ? "tokens" : answer["error"]?.stringValue ?? "", default: 0] += 1
        }
        let log = try await fixture.server.auditConsents(["ciba_cancelled", "gd_auth_succeed", "gd_auth_rejected"])
        #expect(log.count == ids.count, "one entry a request")
        #expect(Set(log.map(\.consent)).count == ids.count)
        let approved = log.filter { $0.kind == "gd_auth_succeed" }.count
        #expect(outcomes["tokens", default: 0] == approved)
        #expect(outcomes["access_denied", default: 0] == ids.count - approved)
    }

    @Test("2.1: the client must authenticate")
    func unproven() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        expectError(await cancel(id, fixture, ["client_secret": "wrong"]), 401, "invalid_client")
        expectError(await cancel(id, fixture, ["token": nil]), 400, "invalid_request")
        expectError(try await fixture.client.poll(id), 400, "authorization_pending", pendingText)
    }
}
