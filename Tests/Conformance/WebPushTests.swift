import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import Primitives
import TestSupport
import TestTools
import Testing

@Suite("Web Push, from the subscription to the withdrawal")
struct WebPushTests {
    /// A server whose pushes go to `service`.
    private func fixture(_ service: PushServiceStandIn) async throws -> ConformanceFixture {
        try await ConformanceFixture { $0.http = try service.transport() }
    }

    private func subscribe(_ fixture: ConformanceFixture, _ push: PushCredentials?) async throws -> HTTPAnswer {
        let body: JSONValue = push.map { ["service": .string($0.service.rawValue), "token": .string($0.token)] } ?? nil
        return await fixture.server.send(
            fixture.phone.accountRequest(.patch, token: try fixture.phone.token(), ["push_credentials": body]))
    }

    private func vapidKey(_ fixture: ConformanceFixture) throws -> [UInt8] {
        try #require(try fixture.server.entry.keys.webPush?.publicKey.p256Point)
    }

    @Test("A browser with a subscription gets each event over its open channel and as a push of ids alone")
    func bothWays() async throws {
        let service = try PushServiceStandIn()
        let fixture = try await fixture(service)
        let settings = await fixture.server.send(.get("/approver/settings.json", host: fixture.phone.host)).json
        #expect(settings["web_push_key"]?.stringValue == Base64URL.encode(try vapidKey(fixture)))
        let subscriber = try service.subscriber()
        #expect(try await subscribe(fixture, subscriber.credentials).status == 200)
        let worker = fixture.server.delivering()
        let channel = await fixture.server.send(fixture.phone.channelRequest(token: try fixture.phone.channelToken))
        let events = Task {
            var text = ""
            for try await piece in try channel.stream.orThrow("no stream") {
                text += String(decoding: piece, as: UTF8.self)
                if text.contains("event: withdrawal") { break }
            }
            return text
        }
        let id = try await fixture.client.started()
        await service.awaitRequests(1)
        let cancelled = await fixture.server.send(
            .form(
                "/oauth/revoke",
                [
                    "client_id": "agent", "client_secret": Samples.secret, "token": id,
                    "token_type_hint": "auth_req_id",
                ]))
        #expect(cancelled.status == 200)
        await service.awaitRequests(2)
        let told = try await events.value
        worker.cancel()
        await worker.value
        await service.stop()
        let consent = InProcessClient.consent(of: id).rawValue
        #expect(told.contains(consent))
        var kinds: [String?] = []
        for request in service.requests {
            _ = try service.claims(of: request, key: vapidKey(fixture), now: fixture.server.clock.now)
            #expect(request.fields["Topic"] == consent)
            let message = try JSONReader.parse(try subscriber.decrypt(request.body).text)
            #expect(message["txlnkid"]?.stringValue == consent)
            #expect(message["dai"]?.stringValue == fixture.phone.enrollment.id)
            #expect(message.objectValue?.count == 4, "v, kind and the two ids")
            kinds.append(message["kind"]?.stringValue)
        }
        #expect(kinds == ["notification", "withdrawal"])
        let sent = try await fixture.server.auditDetails("gd_send_pn").map { $0["provider"]?.stringValue }
        #expect(sent == ["device-channel", "web-push"])
    }

    @Test(
        "RFC 8030 7.3: a subscription that ended leaves the device, with an entry in the log; nobody was told, so the request ends",
        .timeLimit(.minutes(2)))
    func gone() async throws {
        let service = try PushServiceStandIn { _ in Response(status: 410, fields: [:], body: .bytes([])) }
        let fixture = try await fixture(service)
        #expect(try await subscribe(fixture, service.subscriber().credentials).status == 200)
        let before = try await fixture.server.auditDetails("gd_update_device_account").count
        let worker = fixture.server.delivering()
        let id = try await fixture.client.started()
        await service.awaitRequests(1)
        while try await fixture.client.poll(id).code != "transaction_failed" { await Task.yield() }
        worker.cancel()
        await worker.value
        await service.stop()
        let details = try await fixture.server.auditDetails("gd_update_device_account")
        #expect(details.count == before + 1)
        #expect(details.last?["reason"] == "the push service answered 410: the subscription has ended")
        expectError(try await fixture.client.poll(id), 400, "transaction_failed", undeliveredText)
        let ended = try await fixture.server.auditDetails("ciba_undelivered")
        #expect(ended.map { $0["notification_channel"]?.stringValue } == ["guardian-push"])
    }

    @Test("A subscription to a host that this server may not reach, or to no point of P-256, is refused at the edge")
    func refused() async throws {
        let service = try PushServiceStandIn()
        let strict = try service.transport(allowing: [])
        let fixture = try await ConformanceFixture { $0.http = strict }
        await service.stop()
        func status(_ endpoint: String, key: [UInt8]? = nil) async throws -> Int {
            let made = try PushSubscriber(endpoint)
            let token = JSONWriter.string([
                "endpoint": .string(endpoint),
                "keys": [
                    "p256dh": .string(Base64URL.encode(key ?? made.publicKey)),
                    "auth": .string(Base64URL.encode(made.secret)),
                ],
            ])
            let push = PushCredentials(service: .webPush, token: token)
            let patched = try await subscribe(fixture, push)
            let enrolled = await fixture.server.send(
                .json(
                    .post, "/appliance-mfa/api/enroll",
                    [
                        "identifier": "PHONE-2", "name": "x", "public_key": fixture.phone.signer.publicKey.json,
                        "push_credentials": ["service": "WEBPUSH", "token": .string(token)],
                    ], host: InProcessServer.host,
                    fields: ["Authorization": "Ticket id=\"\(try await InProcessPhone.ticket(in: fixture.server))\""]))
            #expect(patched.status == enrolled.status, "\(patched.text) \(enrolled.text)")
            if patched.status == 400 {
                for answer in [patched, enrolled] {
                    #expect(answer.message.contains("push_credentials.token"), "\(answer.text)")
                }
            }
            return patched.status
        }
        for endpoint in [
            "https://localhost/1", "https://LOCALHOST:8443/1", "https://127.0.0.1/1", "https://[::1]:443/1",
            "https://10.1.2.3/1", "https://169.254.169.254/latest", "https://[fd00::1]/1", "https://[::ffff:10.0.0.1]/",
            "https://user@push.example/1", "https://:443/1", "https://push.example:0/1", "https:///1",
            "http://push.example/1",
            "https://push.example/" + String(repeating: "a", count: 2048),
        ] {
            #expect(try await status(endpoint) == 400, "\(endpoint)")
        }
        var point = try PushSubscriber("https://push.example/1").publicKey
        point[64] ^= 1
        #expect(try await status("https://push.example/1", key: point) == 400)
        #expect(try await fixture.server.device(fixture.phone.enrollment.id)?.push == nil)
        #expect(try await status("https://push.example/1") == 200, "a name is resolved, and checked, for each message")
    }
}
