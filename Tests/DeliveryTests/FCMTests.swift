import AuthorizationCore
import Delivery
import Flows
import GuardianWire
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Firebase Cloud Messaging")
struct FCMTests {
    private typealias Answer = @Sendable (ClientRequest) async throws(HTTPClientError) -> ClientResponse

    private static let token = "fcm-token:APA91b"

    private static func isToken(_ request: ClientRequest) -> Bool { request.url == FCMCredentials.tokenURI }

    private static func issued(_ number: Int = 1) -> ClientResponse {
        ClientResponse(200, ["access_token": .string("ya29.\(number)"), "expires_in": 3599, "token_type": "Bearer"])
    }

    private static func failure(
        _ status: Int, _ code: String?, field: String? = nil, message: String = "no"
    ) -> ClientResponse {
        var details: [JSONValue] = []
        if let code {
            details.append(["@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": .string(code)])
        }
        if let field { details.append(["fieldViolations": [["field": .string(field)]]]) }
        return ClientResponse(
            status,
            [
                "error": [
                    "code": .number(JSONNumber(status)), "message": .string(message), "details": .array(details),
                ]
            ])
    }

    /// Issues tokens, and answers messages.
    private func fixture(_ answer: @escaping Answer) throws -> MobilePushFixture {
        let tokens = Mutex(0)
        return try MobilePushFixture(.googlePushes, try MobilePushFixture.google()) {
            request throws(HTTPClientError) in
            guard Self.isToken(request) else { return try await answer(request) }
            return Self.issued(
                tokens.withLock { count in
                    count += 1
                    return count
                })
        }
    }

    private func send(
        _ fixture: MobilePushFixture, at wait: Int = 0, life: Duration = .seconds(90_000)
    ) async throws -> DeliveryResult {
        try await fixture.send(
            fixture.notification(fixture.device(Self.token), life: life), at: fixture.now + .seconds(wait))
    }

    private static func sent(_ request: ClientRequest) -> ClientResponse {
        ClientResponse(200, ["name": "projects/p/messages/1"])
    }

    // MARK: messages

    @Test("A message has data alone, all of it texts, which Guardian.Android's parser reads")
    func message() async throws {
        let fixture = try fixture { Self.sent($0) }
        #expect(try await send(fixture, life: .seconds(300)) == .delivered)
        let request = try #require(fixture.http.requests.last)
        #expect(request.url == "https://fcm.googleapis.com/v1/projects/example-1/messages:send")
        #expect(request.fields["Authorization"] == "Bearer ya29.1")
        let body = try JSONReader.parse(request.body ?? [])
        #expect(body["message"]?["token"] == .string(Self.token))
        // Without `collapse_key`, of which Firebase keeps four for a device that is away.
        #expect(body["message"]?["android"] == ["priority": "high", "ttl": "300s"])
        #expect(body["message"]?["notification"] == nil, "the system would show it without the app's key")
        let data = try #require(body["message"]?["data"]?.objectValue)
        let parsed = try AndroidNotification(data)
        #expect(parsed.transactionToken == "secret-token" && parsed.challenge == "secret-challenge")
        #expect(parsed.linkingID == MobilePushFixture.consent && parsed.enrollmentID == "dev_one")
        #expect(parsed.host == "dev.example" && parsed.browser == "Firefox" && parsed.latitude == 47.05)
    }

    @Test("A withdrawal names its notification, and is none for Guardian.Android")
    func withdrawal() async throws {
        let fixture = try fixture { Self.sent($0) }
        #expect(try await fixture.send(fixture.withdrawal(fixture.device(Self.token))) == .delivered)
        let message = try JSONReader.parse(fixture.http.requests.last?.body ?? [])["message"]
        #expect(message?["data"] == ["dai": "dev_one", "withdrawn": .string(MobilePushFixture.consent)])
        #expect(message?["android"] == ["priority": "normal", "ttl": "600s"])
        let data = try #require(message?["data"]?.objectValue)
        #expect(throws: AndroidNotification.Missing.self) { try AndroidNotification(data) }
    }

    // MARK: tokens

    @Test("RFC 7523 2.1 and 3: the assertion names the account, Google's endpoint and the scope of messages")
    func assertion() async throws {
        let fixture = try fixture { Self.sent($0) }
        _ = try await send(fixture)
        let form = try FormFields(parsing: fixture.http.requests[0].body ?? [])
        #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer")
        let jws = try JWS(parsing: try #require(form["assertion"]))
        #expect(jws.keyID == "0af1" && jws.algorithm == .rs256)
        let payload = try jws.verified(
            by: try Keys.signer(.rs256, "fcm").publicKey, allowed: [.rs256], using: OpenSSLVerifier())
        let now = Int(fixture.now.seconds)
        #expect(
            try JSONReader.parse(payload) == [
                "iss": "push@example-1.example", "scope": "https://www.googleapis.com/auth/firebase.messaging",
                "aud": "https://oauth2.googleapis.com/token", "iat": .number(JSONNumber(now)),
                "exp": .number(JSONNumber(now + 3600)),
            ])
    }

    @Test("A token is requested once at a time, used until 5 minutes before its end, and anew if the clock is set back")
    func tokens() async throws {
        let gate = Gate()
        let count = Mutex(0)
        let fixture = try MobilePushFixture(.googlePushes, try MobilePushFixture.google()) { request in
            guard Self.isToken(request) else { return Self.sent(request) }
            await gate.pass()
            return Self.issued(
                count.withLock { count in
                    count += 1
                    return count
                })
        }
        async let results = withTaskGroup(of: DeliveryResult?.self) { group in
            for _ in 0..<20 { group.addTask { try? await self.send(fixture) } }
            return await group.reduce(into: [DeliveryResult?]()) { $0.append($1) }
        }
        gate.open()
        #expect(await results.allSatisfy { $0 == .delivered })
        #expect(count.withLock(\.self) == 1)
        func tokenRequests(at wait: Int) async throws -> Int {
            #expect(try await send(fixture, at: wait) == .delivered)
            return count.withLock(\.self)
        }
        #expect(try await tokenRequests(at: 3298) == 1)
        #expect(try await tokenRequests(at: 3299) == 2)
        #expect(try await tokenRequests(at: 0) == 3)
    }

    @Test("A refused assertion is a fault of the credentials; a busy endpoint and garbage are tried again")
    func tokenFailures() async throws {
        func result(_ response: ClientResponse) async throws -> DeliveryResult {
            try await send(
                try MobilePushFixture(.googlePushes, try MobilePushFixture.google()) { _ in response })
        }
        let refused = try await result(
            ClientResponse(400, ["error": "invalid_grant", "error_description": "Invalid JWT Signature."]))
        guard case .refused(let text) = refused else { Issue.record("\(refused)"); return }
        #expect(text.contains("invalid_grant") && !text.contains("Signature"))
        for response in [
            ClientResponse(500), ClientResponse(200), ClientResponse(400, "no"),
            ClientResponse(200, ["access_token": 7]),
            ClientResponse(200, ["access_token": "a\r\nX: y", "expires_in": 3599]),
            ClientResponse(200, ["access_token": "a", "expires_in": 0]),
        ] {
            guard case .failed = try await result(response) else { Issue.record("\(response)"); return }
        }
    }

    // MARK: answers

    @Test(
        "A token of no use is retired",
        arguments: [
            (404, "UNREGISTERED", nil, "no"), (400, "INVALID_ARGUMENT", "message.token", "no"),
            (400, "INVALID_ARGUMENT", nil, "The registration token is not a valid FCM registration token"),
        ] as [(Int, String, String?, String)])
    func gone(status: Int, code: String, field: String?, message: String) async throws {
        let fixture = try fixture { _ in Self.failure(status, code, field: field, message: message) }
        let result = try await send(fixture)
        guard case .gone = result else { Issue.record("\(result)"); return }
    }

    @Test(
        "A wrong field, and a user's token of another project or platform, stop no other message",
        arguments: [
            (400, "INVALID_ARGUMENT", "message.data[0].value"), (403, "SENDER_ID_MISMATCH", nil),
            (401, "THIRD_PARTY_AUTH_ERROR", nil), (400, nil, nil), (400, "INVALID_ARGUMENT", nil),
        ] as [(Int, String?, String?)])
    func refused(status: Int, code: String?, field: String?) async throws {
        let fixture = try fixture { _ in Self.failure(status, code, field: field) }
        for _ in 0..<2 {
            guard case .refused = try await send(fixture) else { Issue.record("not refused"); return }
        }
        #expect(fixture.http.requests.filter { !Self.isToken($0) }.count == 2)
    }

    @Test(
        "Refused credentials are not tried again for a growing time, with a new token after it",
        arguments: [
            (401, nil), (403, nil), (404, nil), (401, "UNSPECIFIED_ERROR"),
        ] as [(Int, String?)])
    func credentials(status: Int, code: String?) async throws {
        let fixture = try fixture { _ in Self.failure(status, code) }
        for (wait, count) in [(0, 1), (59, 1), (60, 2), (179, 2), (180, 3)] {
            let result = try await send(fixture, at: wait)
            guard case .refused(let text) = result else { Issue.record("\(result)"); return }
            #expect(text.hasPrefix("the tenant's FCM credentials are refused"))
            #expect(fixture.http.requests.filter { !Self.isToken($0) }.count == count)
        }
        if status == 401 { #expect(fixture.http.requests.filter(Self.isToken).count == 3) }
    }

    @Test(
        "An access token that Google ended early is replaced, and only a new one's refusal is a fault of the credentials"
    )
    func endedToken() async throws {
        let ended = Mutex<Set<String>>([])
        let fixture = try fixture { request in
            ended.withLock { $0.contains(request.fields["Authorization"] ?? "") }
                ? Self.failure(401, nil) : Self.sent(request)
        }
        #expect(try await send(fixture) == .delivered)
        ended.withLock { $0 = ["Bearer ya29.1"] }
        guard case .failed = try await send(fixture) else { Issue.record("not tried again"); return }
        #expect(try await send(fixture) == .delivered)
        ended.withLock { $0 = ["Bearer ya29.2", "Bearer ya29.3"] }
        guard case .failed = try await send(fixture) else { Issue.record("not tried again"); return }
        guard case .refused = try await send(fixture) else { Issue.record("no fault"); return }
        let count = fixture.http.requests.count
        guard case .refused = try await send(fixture) else { Issue.record("not refused"); return }
        #expect(fixture.http.requests.count == count, "not used again")
    }

    @Test(
        "A busy service is tried again, after a minute without a time that it names",
        arguments: [
            (429, "QUOTA_EXCEEDED", Duration.seconds(60)), (503, "UNAVAILABLE", nil), (500, "INTERNAL", nil),
            (502, nil, nil), (408, nil, nil), (425, nil, nil),
        ] as [(Int, String?, Duration?)])
    func busy(status: Int, code: String?, wait: Duration?) async throws {
        let fixture = try fixture { _ in Self.failure(status, code) }
        let result = try await send(fixture)
        guard case .failed(_, let named) = result else { Issue.record("\(result)"); return }
        #expect(named == wait)
    }

    @Test("An answer that is not Google's is no delivery")
    func garbage() async throws {
        let fixture = try fixture { _ in ClientResponse(status: 200, fields: [:], body: Array("<html>".utf8)) }
        guard case .failed = try await send(fixture) else { Issue.record("delivered"); return }
    }

    @Test("A check fetches a token and has a message validated that is not sent")
    func check() async throws {
        for (status, state) in [(200, CredentialFinding.State.ok), (403, .fault), (503, .warning)] {
            let fixture = try fixture { request in status == 200 ? Self.sent(request) : Self.failure(status, nil) }
            let findings = await fixture.services.check(fixture.configuration, now: fixture.now)
            #expect(findings.map(\.state) == [state])
            #expect(findings.allSatisfy { ($0.advice == nil) == ($0.state == .ok) })
            let body = try JSONReader.parse(fixture.http.requests.last?.body ?? [])
            #expect(body["validate_only"] == true)
        }
    }
}

/// Reads a data message by the rules of Guardian.Android's parser.
private struct AndroidNotification {
    struct Missing: Error {}

    let host, enrollmentID, transactionToken, challenge: String
    let linkingID: String?
    let browser: String?
    let latitude: Double?

    init(_ data: JSONObject) throws {
        guard data.members.allSatisfy({ $0.value.stringValue != nil }) else { throw Missing() }
        func text(_ name: String) throws -> String {
            guard let text = data[name]?.stringValue else { throw Missing() }
            return text
        }
        (host, enrollmentID) = (try text("sh"), try text("dai"))
        (transactionToken, challenge) = (try text("txtkn"), try text("c"))
        linkingID = data["txlnkid"]?.stringValue
        // `yyyy-MM-dd'T'HH:mm:ss.SSS'Z'`, and OkHttp's host() takes no port.
        let date = try text("d")
        guard date.utf8.count == 24, date.hasSuffix("Z"), date.dropLast().suffix(4).first == "." else {
            throw Missing()
        }
        guard !host.contains(":") || host.hasPrefix("https://") else { throw Missing() }
        let source = try JSONReader.parse(Array(try text("s").utf8))
        browser = source["b"]?["n"]?.stringValue
        let place = try data["l"]?.stringValue.map { try JSONReader.parse(Array($0.utf8)) }
        latitude = place?["lat"]?.doubleValue ?? place?["lat"]?.stringValue.flatMap { Double($0) }
    }
}
