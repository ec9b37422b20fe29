import AuthorizationCore
import CurlTransport
@testable import Delivery
import Flows
import GuardianWire
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import Synchronization
import TestSupport
import TestTools
import Testing

@Suite("Web Push")
struct WebPushProviderTests {
    private static let consent = "cns_ABCDEFGHIJKLMNOPQRSTUV"
    private let now = Samples.start

    private func configuration() throws -> TenantConfiguration {
        TenantConfiguration(
            tenant: Samples.tenant(), clients: [], resourceServers: [], roles: [],
            keys: KeyRing(current: [], published: [], webPush: try Keys.signer(.es256, "web push")))
    }

    private func vapidKey() throws -> [UInt8] {
        try #require(try Keys.signer(.es256, "web push").publicKey.p256Point)
    }

    private func provider(_ http: any OutgoingHTTPClient) throws -> WebPushProvider {
        WebPushProvider(
            http: http, encryption: PushMessageCipher(), configuration: OneTenant(try configuration()))
    }

    private func notification(to device: Device, isUrgent: Bool = false) -> DeviceMessage {
        var payload = NotificationPayload(
            title: "Tenant", body: "TX-4711", enrollmentID: device.id.rawValue, transactionToken: "secret-token",
            transactionLinkingID: Self.consent, challenge: "secret-challenge", date: now, host: "dev.example")
        payload.isUrgent = isUrgent
        return DeviceMessage(
            event: DeviceEvent(id: 7, content: .notification(payload)), device: device,
            expiresAt: now + .seconds(300))
    }

    private func withdrawal(of device: Device) -> DeviceMessage {
        DeviceMessage(
            event: DeviceEvent(id: 7, content: .withdrawal(transactionLinkingID: Self.consent)), device: device,
            expiresAt: now + .seconds(600))
    }

    /// Sends one notification to a service with that answer.
    private func attempt(_ response: Response) async throws -> DeliveryAttempt {
        let service = try PushServiceStandIn { _ in response }
        let provider = try provider(service.transport())
        let attempt = await provider.send(
            notification(to: try Samples.device(push: service.subscriber().credentials)), now: now)
        await service.stop()
        return attempt
    }

    // MARK: messages

    @Test("RFC 8030, 8291 and 8292: a notification reaches the push service, and only the browser reads its ids")
    func delivered() async throws {
        let service = try PushServiceStandIn()
        let subscriber = try service.subscriber()
        let device = try Samples.device(push: subscriber.credentials)
        let provider = try provider(service.transport())
        #expect(await provider.send(notification(to: device), now: now).result == .delivered)
        #expect(await provider.send(notification(to: device, isUrgent: true), now: now).result == .delivered)
        #expect(await provider.send(withdrawal(of: device), now: now).result == .delivered)
        await service.stop()
        let requests = service.requests
        #expect(requests.map(\.method) == [.post, .post, .post])
        #expect(requests.map(\.path) == ["/push/one", "/push/one", "/push/one"])
        for request in requests {
            let claims = try service.claims(of: request, key: vapidKey(), now: now)
            #expect(claims.subject == "https://dev.example/")
            #expect(request.fields["Content-Encoding"] == "aes128gcm")
            #expect(request.fields["Topic"] == Self.consent, "a withdrawal replaces its notification")
        }
        #expect(requests.map { $0.fields["TTL"] } == ["300", "300", "600"])
        #expect(requests.map { $0.fields["Urgency"] } == ["high", "high", "normal"])
        #expect(Set(requests.map(\.body.count)).count == 1, "lengths tell nothing")
        let texts = try requests.map { String(decoding: try subscriber.decrypt($0.body).text, as: UTF8.self) }
        let ids = #""dai":"dev_one","txlnkid":"\#(Self.consent)""#
        #expect(
            texts == [
                #"{"v":1,"kind":"notification",\#(ids)}"#, #"{"v":1,"kind":"notification",\#(ids),"urgent":true}"#,
                #"{"v":1,"kind":"withdrawal",\#(ids)}"#,
            ])
    }

    @Test("RFC 8030 5.4: the topic has at most 32 characters of base64url")
    func topic() {
        let topic = Samples.request().request.consentID.rawValue
        #expect(topic.utf8.count <= 32)
        #expect(Base64URL.decode(topic + String(repeating: "A", count: (4 - topic.utf8.count % 4) % 4)) != nil)
    }

    @Test("RFC 8292 2: a token is used again for its service, renewed before it ends, and made anew for another")
    func tokens() async throws {
        let fields = Mutex<[(String, String)]>([])
        let client = RecordingClient { request in
            fields.withLock { $0.append((request.url, request.fields["Authorization"] ?? "")) }
            return ClientResponse(status: 201, fields: [:], body: [])
        }
        let provider = try provider(client)
        func send(_ host: String, at moment: Timestamp) async throws -> String {
            let device = try Samples.device(push: PushSubscriber("https://\(host)/1").credentials)
            _ = await provider.send(notification(to: device), now: moment)
            return try #require(fields.withLock { $0.last }).1
        }
        let first = try await send("push.example", at: now)
        #expect(try await send("push.example", at: now + .seconds(39_599)) == first)
        #expect(try await send("other.example", at: now) != first)
        let second = try await send("push.example", at: now + .seconds(39_601))
        #expect(second != first, "an hour before it ends")
        #expect(try await send("push.example", at: now) != second, "the clock was set back")
        // The default port belongs to no origin, and hosts have no case (RFC 6454 clause 4).
        let audiences = Mutex<[String]>([])
        for (endpoint, audience) in [
            ("https://Push.Example:443/a", "https://push.example"),
            ("https://push.example:8443/a", "https://push.example:8443"),
            ("https://push.example?a", "https://push.example"),
        ] {
            let device = try Samples.device(push: PushSubscriber(endpoint).credentials)
            _ = await provider.send(notification(to: device), now: now)
            let field = try #require(fields.withLock { $0.last }).1
            let token = try #require(field.split(separator: "=")[1].split(separator: ",").first)
            #expect(try JWS(parsing: String(token)).unverifiedClaims?["aud"]?.stringValue == audience)
            audiences.withLock { $0.append(audience) }
        }
    }

    // MARK: answers

    @Test("RFC 8030 5: an accepted message is delivered", arguments: [200, 201, 202, 204])
    func accepted(status: Int) async throws {
        #expect(try await attempt(Response(status: status, fields: [:], body: .bytes([]))).result == .delivered)
    }

    @Test("RFC 8030 7.3: a subscription that the service does not know any more is gone", arguments: [404, 410])
    func gone(status: Int) async throws {
        let result = try await attempt(Response(status: status, fields: [:], body: .bytes([]))).result
        #expect(result == .gone(reason: "the push service answered \(status): the subscription has ended"))
    }

    @Test(
        "A message that is refused for good is not sent again, and no redirect is followed",
        arguments: [301, 307, 400, 413])
    func refused(status: Int) async throws {
        let response = Response(
            status: status, fields: ["Location": "https://localhost:1/elsewhere"], body: .bytes(Array("no".utf8)))
        #expect(try await attempt(response).result == .refused(reason: "the push service answered \(status)"))
    }

    @Test("RFC 8030 8.4, RFC 9110 10.2.3: a busy service is tried again, not before the time that it names")
    func busy() async throws {
        for (status, field, wait) in [
            (429, "120", Duration.seconds(120)), (429, "Fri, 20 Nov 2026 10:01:30 GMT", .seconds(90)),
            (503, "7", .seconds(7)), (429, "4294967296", .seconds(86_400)),
            (429, "99999999999999999999", .seconds(86_400)),
            (429, "Fri, 20 Nov 2099 10:01:30 GMT", .seconds(86_400)), (429, "", nil), (429, "-1", nil), (429, nil, nil),
            (500, nil, nil), (502, nil, nil), (408, "soon", nil),
        ] as [(Int, String?, Duration?)] {
            let fields: HTTPFields = field.map { ["Retry-After": $0] } ?? [:]
            let result = try await attempt(Response(status: status, fields: fields, body: .bytes([]))).result
            #expect(result == .failed(reason: "the push service answered \(status)", retryAfter: wait))
        }
    }

    @Test("RFC 9110 10.2.3: a service that names a time gets no message until then, whoever it is for")
    func rest() async throws {
        let service = try PushServiceStandIn { _ in
            Response(status: 429, fields: ["Retry-After": "30"], body: .bytes([]))
        }
        let provider = try provider(service.transport())
        func send(_ wait: Int) async throws -> DeliveryResult {
            let device = try Samples.device("dev_\(wait)", push: service.subscriber().credentials)
            return await provider.send(notification(to: device), now: now + .seconds(wait)).result
        }
        _ = try await send(0)
        for wait in 1..<30 {
            let reason = "the push service asked for a pause"
            #expect(try await send(wait) == .notTried(reason: reason, wait: .seconds(30 - wait)))
        }
        #expect(service.requests.count == 1)
        _ = try await send(30)
        #expect(service.requests.count == 2)
        await service.stop()
    }

    @Test(
        "406 of Windows' services asks to slow down, and their words are the operator's; elsewhere it refuses for good")
    func windows() {
        let answer = ClientResponse(
            status: 406, fields: ["X-WNS-Error-Description": "throttled", "X-WNS-Status": "dropped"], body: [])
        let found = WindowsPushAnswer(answer, of: "https://wns2-par02p.notify.windows.com")
        #expect(found?.isThrottled == true)
        #expect(found?.words == ", X-WNS-Status: dropped, X-WNS-Error-Description: throttled")
        for origin in ["https://fcm.googleapis.com", "https://notify.windows.com.example", "https://x.windows.com"] {
            #expect(WindowsPushAnswer(answer, of: origin) == nil)
        }
        let long = ClientResponse(
            status: 400, fields: ["X-WNS-Debug-Trace": String(repeating: "x", count: 5000)], body: [])
        let refused = WindowsPushAnswer(long, of: "https://a.notify.windows.com")
        #expect(refused?.isThrottled == false && (refused?.words.count ?? 0) < 300)
    }

    @Test(
        "RFC 8292 4.2: a refused key is the operator's to see, is not tried again, and the next token is new",
        arguments: [401, 403])
    func refusedKey(status: Int) async throws {
        let service = try PushServiceStandIn { _ in Response(status: status, fields: [:], body: .bytes([])) }
        let provider = try provider(service.transport())
        let device = try Samples.device(push: service.subscriber().credentials)
        let attempt = await provider.send(notification(to: device), now: now)
        let reason = "the push service answered \(status): it does not accept this server's key or contact"
        #expect(attempt.result == .refused(reason: reason))
        #expect(attempt.detail == "\(service.origin) answered \(status)")
        _ = await provider.send(notification(to: device), now: now)
        await service.stop()
        let fields = service.requests.map { $0.fields["Authorization"] }
        #expect(fields.count == 2 && fields[0] != fields[1])
    }

    @Test("An answer longer than any push service's is not read to its end")
    func longAnswer() async throws {
        let service = try PushServiceStandIn { _ in
            Response(status: 201, fields: [:], body: .bytes([UInt8](repeating: 0x61, count: 16_385)))
        }
        let device = try Samples.device(push: service.subscriber().credentials)
        let attempt = try await provider(service.transport()).send(notification(to: device), now: now)
        await service.stop()
        #expect(attempt.result == .failed(reason: Self.unreachable))
    }

    private static let unreachable = "the push service cannot be reached from this server"

    @Test(
        "A cut connection, bytes that are no TLS, a wrong certificate and nobody at all are tried again, with one reason"
    )
    func unreachable() async throws {
        let cut = try RawServer { _ in }
        let garbage = try RawServer { connection in
            _ = connection.read()
            connection.write("HTTP/1.1 201 Created\r\n\r\n")
        }
        let service = try PushServiceStandIn()
        let closed = try RawServer { _ in }.port
        let http = try service.transport()
        for endpoint in [
            "https://localhost:\(cut.port)/1", "https://localhost:\(garbage.port)/1", "https://localhost:\(closed)/1",
        ] {
            let device = try Samples.device(push: PushSubscriber(endpoint).credentials)
            let attempt = try await provider(http).send(notification(to: device), now: now)
            #expect(attempt.result == .failed(reason: Self.unreachable), "a tenant's log maps no network")
            #expect(attempt.detail?.hasPrefix("https://localhost:") == true, "the operator's says more")
        }
        let device = try Samples.device(push: service.subscriber().credentials)
        let other = try PushServiceStandIn()
        let untrusting = try await provider(other.transport()).send(notification(to: device), now: now)
        #expect(untrusting.result == .failed(reason: Self.unreachable))
        let strict = try await provider(service.transport(allowing: [])).send(notification(to: device), now: now)
        #expect(strict.result == .failed(reason: Self.unreachable), "the loopback address is not public")
        #expect(service.requests.isEmpty && other.requests.isEmpty)
        await service.stop()
        await other.stop()
    }

    @Test("Devices of a service that does not answer leave room for others, and are tried one by one until it does")
    func silent() async throws {
        let gates = [Gate(), Gate()]
        let calls = Counter()
        let client = RecordingClient { request throws(HTTPClientError) in
            #expect(request.timeout == .seconds(5))
            guard request.url.hasPrefix("https://slow.example/") else {
                return ClientResponse(status: 201, fields: [:], body: [])
            }
            calls.add()
            if request.url.hasSuffix("/up") { return ClientResponse(status: 503, fields: [:], body: []) }
            await gates[request.url.hasSuffix("/first") ? 0 : 1].pass()
            throw .timedOut
        }
        let provider = try provider(client)
        func send(_ endpoint: String) async throws -> DeliveryResult {
            let device = try Samples.device(push: PushSubscriber("https://\(endpoint)").credentials)
            return await provider.send(notification(to: device), now: now).result
        }
        let late = DeliveryResult.notTried(reason: "the push service does not answer")
        async let first = send("slow.example/first")
        async let second = send("slow.example/first")
        await calls.wait(for: 2)
        gates[0].open()
        #expect(try await [first, second] == [.failed(reason: Self.unreachable), .failed(reason: Self.unreachable)])
        async let third = send("slow.example/second")
        await calls.wait(for: 3)
        #expect(try await send("slow.example/second") == late)
        #expect(try await send("quick.example/") == .delivered)
        gates[1].open()
        #expect(try await third == .failed(reason: Self.unreachable))
        // Any answer shows that it lives.
        #expect(try await send("slow.example/up") == .failed(reason: "the push service answered 503"))
        async let fourth = send("slow.example/second")
        async let fifth = send("slow.example/second")
        #expect(try await [fourth, fifth].contains(late) == false)
    }

    @Test("A device without a subscription needs no push, and a tenant whose key cannot be opened sends none")
    func nothingToSend() async throws {
        let client = RecordingClient { _ in ClientResponse(status: 201, fields: [:], body: []) }
        for push in [nil, PushCredentials(service: .apns, token: "t")] {
            let message = notification(to: try Samples.device(push: push))
            #expect(try await provider(client).send(message, now: now).result == .unneeded)
        }
        let push = try PushSubscriber("https://push.example/1").credentials
        let keyless = WebPushProvider(
            http: client, encryption: PushMessageCipher(), configuration: OneTenant(try Samples.configuration()))
        let message = notification(to: try Samples.device(push: push))
        #expect(
            await keyless.send(message, now: now).result
                == .refused(reason: "the tenant's web push key cannot be opened"))
    }
}

/// Answers without sockets.
private struct RecordingClient: OutgoingHTTPClient {
    let policy = OutgoingPolicy()
    private let answer: @Sendable (ClientRequest) async throws(HTTPClientError) -> ClientResponse

    init(_ answer: @escaping @Sendable (ClientRequest) async throws(HTTPClientError) -> ClientResponse) {
        self.answer = answer
    }

    func send(_ request: OutgoingRequest) async throws(HTTPClientError) -> ClientResponse {
        try await answer(request.request)
    }
}
