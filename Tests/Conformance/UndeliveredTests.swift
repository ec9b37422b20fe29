import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import Primitives
import TestSupport
import TestTools
import Testing

/// Clients must not wait for an answer to a question that nobody saw. A push service that answers 410 stands for every
/// delivery that fails for good.
@Suite("Requests whose notifications fail for good")
struct UndeliveredTests {
    private struct Fixture {
        let service: PushServiceStandIn
        let pages: ApprovalPageFixture
        let phone: InProcessPhone

        var server: InProcessServer { pages.server }

        func audit(_ kind: String) async throws -> [JSONValue] { try await server.auditDetails(kind) }

        /// Runs the worker until the push service was asked and its answer is settled.
        func delivered(_ work: () async throws -> Void = {}) async throws {
            let worker = server.delivering()
            await service.awaitRequests(1)
            while try await server.failedDeliveries().isEmpty { await Task.yield() }
            try await work()
            worker.cancel()
            await worker.value
            await service.stop()
        }
    }

    /// Ann has a phone with a subscription that has ended.
    private func fixture(
        _ channels: [Client.NotificationChannel], demand: EvidenceDemand? = nil, verified: Bool = true
    ) async throws -> Fixture {
        let service = try PushServiceStandIn { _ in Response(status: 410, fields: [:], body: .bytes([])) }
        let pages = try await ApprovalPageFixture { setup in
            setup.http = try service.transport()
            setup.clients += [Samples.client("teller") { $0.notificationChannels = channels }]
            setup.tenant.settings.evidence = demand
            for index in setup.users.indices { setup.users[index].emailVerified = verified }
        }
        let phone = try await InProcessPhone(capabilities: [.signedDigest], in: pages.server)
        let push = try service.subscriber().credentials
        let body: JSONValue = ["service": .string(push.service.rawValue), "token": .string(push.token)]
        let answer = await pages.server.send(
            phone.accountRequest(.patch, token: try phone.token(), ["push_credentials": body]))
        #expect(answer.status == 200, "\(answer.text)")
        return Fixture(service: service, pages: pages, phone: phone)
    }

    @Test("The next channel of the client is used: a mail, and the page then takes the session's answer")
    func rerouted() async throws {
        let fixture = try await fixture([.guardianPush, .email])
        let (id, page) = try await fixture.pages.started(from: "teller")
        let before = fixture.pages.browser()
        #expect(try await fixture.pages.open(page, in: before).text.contains("phone"), "the phone's key has to sign")
        try await fixture.delivered()
        let mails = try await fixture.server.dueDeliveries(.mail)
        #expect(mails.map(\.recipient) == [InProcessServer.ann.rawValue])
        #expect(mails.map(\.sealed) == [[]], "made when it is sent")
        let event = try await fixture.audit("ciba_rerouted")
        #expect(event.map { $0["from"]?.stringValue } == ["guardian-push"])
        #expect(event.map { $0["notification_channel"]?.stringValue } == ["email"])
        let client = InProcessClient("teller", via: fixture.server)
        expectError(try await client.poll(id), 400, "authorization_pending")
        let browser = fixture.pages.browser()
        let shown = try await fixture.pages.open(page, in: browser)
        #expect(try await browser.send(fixture.pages.form(shown), ["decision": "allow"]).text.contains("was allowed"))
        fixture.server.clock.advance(by: .seconds(10))
        #expect(try await client.poll(id).status == 200)
    }

    @Test("Without another channel the request ends, and a held poll is answered at once")
    func ended() async throws {
        let fixture = try await fixture([.guardianPush])
        let (id, _) = try await fixture.pages.started(from: "teller")
        let client = InProcessClient("teller", via: fixture.server)
        let held = Task {
            await fixture.server.send(.form("/oauth/token", client.pollParameters(id), fields: ["Prefer": "wait=30"]))
        }
        await fixture.server.timer.awaitSleepers()
        try await fixture.delivered {
            expectError(await held.value, 400, "transaction_failed", undeliveredText)
            // The next one ends without asking the service again.
            let (next, _) = try await fixture.pages.started(from: "teller")
            // Pending until the commit is announced on this node.
            while try await client.poll(next).code != "transaction_failed" {
                fixture.server.clock.advance(by: .milliseconds(100))
                await Task.yield()
            }
            #expect(try await fixture.audit("ciba_undelivered").count == 2)
        }
        #expect(fixture.service.requests.count == 1)
        expectError(try await client.poll(id), 400, "transaction_failed", undeliveredText)
        let listed = try await fixture.server.failedDeliveries()
        #expect(listed.map(\.state) == [.undeliverable, .undeliverable])
        #expect(listed.last?.problem == "the push service answered 410: the subscription has ended")
    }

    @Test(
        "A demand for a phone's signature, or an address that is not verified, leaves no way by mail",
        arguments: [true, false])
    func noMail(demands: Bool) async throws {
        let fixture = try await fixture(
            [.guardianPush, .email], demand: demands ? .signedDigest : nil, verified: demands)
        let (id, _) = try await fixture.pages.started(from: "teller")
        try await fixture.delivered()
        let client = InProcessClient("teller", via: fixture.server)
        expectError(try await client.poll(id), 400, "transaction_failed", undeliveredText)
    }

    @Test(
        "A phone with an open channel, or one that lives without push, keeps the request alive",
        arguments: [true, false])
    func another(isOpen: Bool) async throws {
        let fixture = try await fixture([.guardianPush])
        var channel: HTTPAnswer?
        if isOpen {
            channel = await fixture.server.send(
                fixture.phone.channelRequest(token: try fixture.phone.channelToken))
        } else {
            _ = try await InProcessPhone(identifier: "PHONE-2", in: fixture.server)
        }
        let (id, _) = try await fixture.pages.started(from: "teller")
        try await fixture.delivered()
        expectError(
            try await InProcessClient("teller", via: fixture.server).poll(id), 400, "authorization_pending")
        #expect(try await fixture.audit("ciba_undelivered").isEmpty)
        _ = channel
    }
}
