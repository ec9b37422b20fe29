import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("RFC 7009: a client withdraws a request that it no longer waits for")
struct CancelTests {
    private func cancel(
        _ id: String, _ world: World, _ changes: [String: String?] = [:]
    ) async -> HTTPAnswer {
        await world.server.send(
            .form(
                "/oauth/revoke",
                [
                    "client_id": "agent", "client_secret": Samples.secret, "token": id,
                    "token_type_hint": "auth_req_id",
                ].merging(changes) { $1 }))
    }

    private func kinds(_ world: World) async throws -> Int {
        try await world.server.auditKinds().filter { $0 == "ciba_cancelled" }.count
    }

    @Test("2.1: the request ends, phones can no longer answer it, and a held poll is told at once")
    func cancelled() async throws {
        let world = try await World()
        let id = try await world.client.started()
        let notification = try await world.phone.notification(of: id)
        let held = Task {
            await world.server.send(
                .form("/oauth/token", world.client.pollParameters(id), fields: ["Prefer": "wait=30"]))
        }
        await world.server.timer.awaitSleepers()
        let answer = await cancel(id, world)
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        expectError(await held.value, 400, "access_denied", deniedText)
        expectError(try await world.client.poll(id), 400, "access_denied", deniedText)
        let late = await world.server.send(
            world.phone.answerRequest(notification, response: try world.phone.response(to: notification)))
        #expect(late.status == 404)
        #expect(late["errorCode"] == "login_transaction_not_found")
        let withdrawals = try await world.server.dump().filter {
            $0.hasPrefix("outbox:") && $0.contains(world.phone.id.rawValue)
        }
        #expect(withdrawals.count == 2)
        #expect(await cancel(id, world).status == 200, "again")
        #expect(try await kinds(world) == 1)
    }

    @Test("2.2: what is no pending request of the client is no error, and changes nothing")
    func others() async throws {
        let world = try await World { setup in setup.clients.append(Samples.client("rival")) }
        let id = try await world.client.started()
        for (token, changes) in [
            (id, ["client_id": "rival"]), (id, ["token_type_hint": nil]), (id, ["token_type_hint": "access_token"]),
            ("unknown", [:]), (String(id.dropLast()), [:]), (id.uppercased(), [:]),
        ] as [(String, [String: String?])] {
            #expect(await cancel(token, world, changes).status == 200, "\(changes)")
        }
        expectError(try await world.client.poll(id), 400, "authorization_pending", pendingText)
        #expect(try await world.phone.decide(id).status == 204)
        #expect(await cancel(id, world).status == 200)
        #expect(try await world.client.poll(id).status == 200)
        #expect(try await kinds(world) == 0)
    }

    @Test("2.1: the client proves itself first")
    func unproven() async throws {
        let world = try await World()
        let id = try await world.client.started()
        expectError(await cancel(id, world, ["client_secret": "wrong"]), 401, "invalid_client")
        expectError(await cancel(id, world, ["token": nil]), 400, "invalid_request")
        expectError(try await world.client.poll(id), 400, "authorization_pending", pendingText)
    }
}
