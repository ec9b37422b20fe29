import AuthorizationCore
import Delivery
import Flows
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Checks of push services")
struct PushCheckTests {
    private func fixture(
        _ push: PushServices,
        _ answer: @escaping @Sendable (ClientRequest) async throws(HTTPClientError) -> ClientResponse = {
            SNSStandIn.answer($0)
        }
    ) throws -> MobilePushFixture {
        try MobilePushFixture(.applePushes, push, answer)
    }

    @Test("SNS is checked before it is selected, with a warning that it sends nothing yet")
    func unselected() async throws {
        var push = try MobilePushFixture.amazon()
        push.selection = .guardian
        let fixture = try fixture(push)
        let findings = await fixture.services.check(fixture.configuration, now: fixture.now)
        #expect(findings.map(\.state) == [.ok, .ok, .warning])
        #expect(findings.last?.advice?.contains("countersign push select sns") == true)
    }

    @Test("A selected service without credentials is a fault, and no credentials at all are no finding")
    func unset() async throws {
        for (selection, states) in [
            (.sns, [.fault]), (.direct, [.fault]), (.guardian, []),
        ] as [(PushServices.Selection, [CredentialFinding.State])] {
            let fixture = try fixture(PushServices(selection: selection))
            let findings = await fixture.services.check(fixture.configuration, now: fixture.now)
            #expect(findings.map(\.state) == states, "\(selection)")
            #expect(fixture.http.requests.isEmpty)
        }
    }

    @Test("An answer that finds the time wrong asks for the clock, and not for other credentials")
    func clock() async throws {
        let fixture = try fixture(MobilePushFixture.apple()) { _ in
            ClientResponse(403, ["reason": "ExpiredProviderToken"])
        }
        let findings = await fixture.services.check(fixture.configuration, now: fixture.now)
        #expect(findings.map(\.advice) == [CredentialFinding.settingClock])
    }

    @Test("A trial sends one background message by the selected service, and reports its answer")
    func trial() async throws {
        let fixture = try fixture(MobilePushFixture.apple()) { _ in ClientResponse(200) }
        let sent = await fixture.services.trial(to: try fixture.device(), of: fixture.configuration, now: fixture.now)
        #expect(sent?.state == .ok)
        let request = try #require(fixture.http.requests.first)
        #expect(fixture.http.requests.count == 1)
        #expect(request.fields["apns-push-type"] == "background")
        #expect(request.fields["apns-topic"] == "com.example.app")
        let payload = try JSONReader.parse(request.body ?? [])
        #expect(payload["aps"] == ["content-available": 1] && payload["mfa"] == nil)

        let amazon = try self.fixture(MobilePushFixture.amazon())
        let taken = await amazon.services.trial(to: try amazon.device(), of: amazon.configuration, now: amazon.now)
        #expect(taken?.state == .ok && taken?.subject.hasSuffix("by sns") == true)
        #expect(amazon.http.requests.map(SNSStandIn.action) == ["CreatePlatformEndpoint", "Publish"])
    }

    @Test("A trial names what is wrong with the token, the app, the credentials and the service")
    func refusedTrial() async throws {
        for (status, reason, advice) in [
            (410, "Unregistered", "open the app"), (400, "DeviceTokenNotForTopic", "compare the settings"),
            (403, "InvalidProviderToken", ""), (503, "ServiceUnavailable", "try again"),
        ] {
            let fixture = try fixture(MobilePushFixture.apple()) { _ in
                ClientResponse(status, ["reason": .string(reason)])
            }
            let finding = await fixture.services.trial(
                to: try fixture.device(), of: fixture.configuration, now: fixture.now)
            #expect(finding?.state == .fault, "\(reason)")
            #expect(finding?.text.contains(reason) == true, "\(reason): \(finding?.text ?? "")")
            #expect(advice.isEmpty || finding?.advice?.contains(advice) == true, "\(reason)")
        }
        let none = try fixture(PushServices())
        let unset = await none.services.trial(to: try none.device(), of: none.configuration, now: none.now)
        #expect(unset?.state == .fault && unset?.advice?.contains("push set") == true)
        let silent = try Samples.device(tenant: "dev", push: nil)
        #expect(await none.services.trial(to: silent, of: none.configuration, now: none.now) == nil)
    }
}
