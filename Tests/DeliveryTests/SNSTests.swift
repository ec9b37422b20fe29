import AuthorizationCore
import Delivery
import Flows
import GuardianWire
import HTTPModel
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Amazon's notification service")
struct SNSTests {
    private static func failure(_ status: Int, _ code: String, _ message: String = "no") -> ClientResponse {
        let text = "<ErrorResponse><Error><Code>\(code)</Code><Message>\(message)</Message></Error></ErrorResponse>"
        return ClientResponse(status: status, fields: [:], body: Array(text.utf8))
    }

    /// `answer` returns nil for the usual answer.
    private func fixture(
        _ queue: DeliveryQueue = .applePushes, _ answer: @escaping @Sendable (String) -> ClientResponse? = { _ in nil }
    ) throws -> MobilePushFixture {
        try MobilePushFixture(queue, try MobilePushFixture.amazon()) { request in
            answer(SNSStandIn.action(request)) ?? SNSStandIn.answer(request)
        }
    }

    private func actions(_ fixture: MobilePushFixture) -> [String] { fixture.http.requests.map(SNSStandIn.action) }

    @Test("Both queues go by the selected service: an endpoint is made once, and messages are published to it")
    func published() async throws {
        let apple = try fixture()
        #expect(try await apple.send() == .delivered)
        #expect(try await apple.send(apple.withdrawal(apple.device())) == .delivered)
        #expect(actions(apple) == ["CreatePlatformEndpoint", "Publish", "Publish"])
        #expect(apple.http.requests.allSatisfy { $0.url == "https://sns.eu-central-1.amazonaws.com/" })
        let form = try FormFields(parsing: apple.http.requests[1].body ?? [])
        #expect(form["TargetArn"] == SNSStandIn.endpoint && form["MessageStructure"] == "json")
        let message = try JSONReader.parse(Array((form["Message"] ?? "").utf8))
        let payload = try NotificationPayload(apnsParsing: Array((message["APNS"]?.stringValue ?? "").utf8))
        #expect(payload.transactionLinkingID == MobilePushFixture.consent)
        let google = try fixture(.googlePushes)
        #expect(try await google.send() == .delivered)
        let published = try FormFields(parsing: google.http.requests[1].body ?? [])
        let inner = try JSONReader.parse(
            Array(
                (try JSONReader.parse(Array((published["Message"] ?? "").utf8))["GCM"]?.stringValue ?? "").utf8))
        let content = inner["fcmV1Message"]?["message"]
        #expect(content?["data"]?["c"] == "secret-challenge")
        #expect(content?["android"] == ["priority": "high", "ttl": "300s"])
        #expect(published["MessageAttributes.entry.1.Name"] == "AWS.SNS.MOBILE.FCM.TTL")
        #expect(published["MessageAttributes.entry.1.Value.StringValue"] == "300")
    }

    @Test("Signature Version 4: the header has the key's scope, and signs host, type, date and body")
    func signature() async throws {
        let fixture = try fixture()
        try await fixture.send()
        let field = try #require(fixture.http.requests.first?.fields["Authorization"])
        #expect(
            field.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261120/eu-central-1/sns/aws4_request, "
                    + "SignedHeaders=content-type;host;x-amz-date, Signature="))
        #expect(fixture.http.requests.first?.fields["X-Amz-Date"] == "20261120T100000Z")
        #expect(fixture.http.requests[0].fields["Authorization"] != fixture.http.requests[1].fields["Authorization"])
    }

    @Test("RFC 9110 4.2.3: a gateway's default port is in neither the field Host nor the signature")
    func defaultPort() async throws {
        func sent(_ address: String) async throws -> ClientRequest {
            var addresses = PushAddresses()
            addresses.amazon = address
            let fixture = try MobilePushFixture(
                .applePushes, try MobilePushFixture.amazon(), addresses: addresses
            ) { SNSStandIn.answer($0) }
            try await fixture.send()
            return try #require(fixture.http.requests.first)
        }
        let plain = try await sent("https://gateway.example/sns")
        let port = try await sent("https://gateway.example:443/sns")
        #expect(plain.url == "https://gateway.example/sns" && port.url == plain.url)
        #expect(port.fields["Authorization"] == plain.fields["Authorization"])
        #expect(try await sent("https://gateway.example:0443").url == "https://gateway.example/")
        let other = try await sent("https://[::1]:8443/sns")
        #expect(other.url == "https://[::1]:8443/sns")
        #expect(other.fields["Authorization"] != plain.fields["Authorization"])
    }

    @Test("An endpoint of the same token with other attributes is found in the refusal")
    func existing() async throws {
        let fixture = try fixture { action in
            action == "CreatePlatformEndpoint"
                ? Self.failure(
                    400, "InvalidParameter",
                    "Invalid parameter: Token Reason: Endpoint \(SNSStandIn.endpoint) already exists with the same Token, "
                        + "but different attributes.") : nil
        }
        #expect(try await fixture.send() == .delivered)
        #expect(try FormFields(parsing: fixture.http.requests[1].body ?? [])["TargetArn"] == SNSStandIn.endpoint)
    }

    @Test("A disabled endpoint is enabled once; disabled again, it is deleted and the token retired")
    func disabledEndpoint() async throws {
        let fixture = try fixture { $0 == "Publish" ? Self.failure(400, "EndpointDisabled") : nil }
        guard case .failed = try await fixture.send() else { Issue.record("not tried again"); return }
        guard case .gone = try await fixture.send() else { Issue.record("not retired"); return }
        #expect(
            actions(fixture) == [
                "CreatePlatformEndpoint", "Publish", "SetEndpointAttributes", "Publish", "DeleteEndpoint",
            ])
    }

    @Test(
        "A deleted endpoint is made again",
        arguments: [
            (404, "NotFound", "Endpoint does not exist"),
            (400, "InvalidParameter", "Invalid parameter: TargetArn Reason: No endpoint found for the target arn"),
        ])
    func deleted(status: Int, code: String, message: String) async throws {
        let isDeleted = Mutex(true)
        let fixture = try fixture { action in
            guard action == "Publish", isDeleted.withLock(\.self) else { return nil }
            isDeleted.withLock { $0 = false }
            return Self.failure(status, code, message)
        }
        guard case .failed = try await fixture.send() else { Issue.record("not tried again"); return }
        #expect(try await fixture.send() == .delivered)
        #expect(actions(fixture).filter { $0 == "CreatePlatformEndpoint" }.count == 2)
    }

    @Test("An endpoint that was deleted while it is enabled or deleted is no fault of the credentials")
    func deletedMeanwhile() async throws {
        let isGone = Mutex(true)
        let fixture = try fixture { action in
            switch action {
            case "Publish": Self.failure(400, "EndpointDisabled")
            case "SetEndpointAttributes" where isGone.withLock(\.self): Self.failure(404, "NotFound")
            case "DeleteEndpoint": Self.failure(404, "NotFound")
            default: nil
            }
        }
        guard case .failed = try await fixture.send() else { Issue.record("not tried again"); return }
        isGone.withLock { $0 = false }
        guard case .failed = try await fixture.send() else { Issue.record("not tried again"); return }
        guard case .gone = try await fixture.send() else { Issue.record("not retired"); return }
        #expect(actions(fixture).filter { $0 == "CreatePlatformEndpoint" }.count == 2)
    }

    @Test("The audit log names the service that sends")
    func name() throws {
        let sns = try fixture()
        #expect(sns.provider.name(in: sns.configuration) == "sns")
        let direct = try MobilePushFixture(.applePushes, try MobilePushFixture.apple()) { _ in ClientResponse(200) }
        #expect(direct.provider.name(in: direct.configuration) == "apns")
    }

    @Test(
        "Refused credentials are not tried again for a growing time",
        arguments: [
            (403, "InvalidClientTokenId"), (403, "SignatureDoesNotMatch"), (403, "AuthorizationError"),
            (404, "NotFound"),
            (400, "PlatformApplicationDisabled"), (403, "RequestExpired"),
        ])
    func credentials(status: Int, code: String) async throws {
        let fixture = try fixture { _ in Self.failure(status, code) }
        guard case .refused(let text) = try await fixture.send() else { Issue.record("not refused"); return }
        #expect(text.hasPrefix("the tenant's SNS credentials are refused"))
        #expect(try await fixture.send() == .refused(reason: text))
        #expect(fixture.http.requests.count == 1)
    }

    @Test("Throttling, failures and answers that are not Amazon's are tried again; a device's wrong token is retired")
    func answers() async throws {
        for response in [
            Self.failure(400, "Throttling"), Self.failure(429, "Throttled"), Self.failure(500, "InternalError"),
            Self.failure(408, "Late"), Self.failure(425, "Early"),
            ClientResponse(status: 200, fields: [:], body: Array("<html>".utf8)), ClientResponse(503),
        ] {
            let fixture = try fixture { _ in response }
            guard case .failed = try await fixture.send() else { Issue.record("\(response)"); return }
        }
        let wrong = try fixture { _ in
            Self.failure(400, "InvalidParameter", "Invalid parameter: Token Reason: iOS device tokens are hexadecimal")
        }
        guard case .gone = try await wrong.send() else { Issue.record("not retired"); return }
        let other = try fixture { $0 == "Publish" ? Self.failure(400, "InvalidParameter", "Message too long") : nil }
        guard case .refused = try await other.send() else { Issue.record("not refused"); return }
    }

    @Test("A check reads the applications' attributes")
    func check() async throws {
        let fixture = try fixture()
        let findings = await fixture.services.check(fixture.configuration, now: fixture.now)
        #expect(findings.map(\.state) == [.ok, .ok])
        let refused = try self.fixture { _ in Self.failure(403, "SignatureDoesNotMatch") }
        let faults = await refused.services.check(refused.configuration, now: refused.now)
        #expect(faults.map(\.state) == [.fault, .fault])
        #expect(faults.allSatisfy { $0.advice == "set the credentials again: countersign push set sns" })
    }
}
