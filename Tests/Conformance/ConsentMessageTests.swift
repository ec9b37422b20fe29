import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Consents and notifications in Guardian's format")
struct ConsentMessageTests {
    @Test("Guardian: consent dates are ISO 8601 strings with milliseconds for every SDK")
    func consentDates() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        let notification = try await fixture.phone.notification(of: id)
        let now = fixture.server.clock.now
        for name in [nil, "Guardian.swift", "Countersign.swift"] {
            let header = name.map { Auth0ClientHeader(name: $0, version: "1").fieldValue }
            let answer = await fixture.server.send(
                try fixture.phone.consentRequest(notification).with("Auth0-Client", header))
            #expect(answer["created_at"]?.stringValue == now.iso8601)
            #expect(answer["expires_at"]?.stringValue == (now + .seconds(300)).iso8601)
        }
    }

    @Test("Guardian: the notification's key is txlnkid")
    func linkingID() async throws {
        let fixture = try await ConformanceFixture()
        let notification = try await fixture.phone.notification(of: try await fixture.client.started())
        let mfa = try JSONReader.parse(notification.apns)["mfa"]
        #expect(mfa?["txlnkid"]?.stringValue == notification.transactionLinkingID)
        #expect(mfa?["txlinkid"] == nil)
    }

    @Test("RFC 9396: the consent has the details inline, with a stable id")
    func consentDetails() async throws {
        let fixture = try await ConformanceFixture()
        let details = #"[{"type":"payment","amount":12.50}]"#
        var seen: [JSONValue?] = []
        for _ in 0..<2 {
            let id = try await fixture.client.started(["audience": Samples.api, "authorization_details": details])
            let request = try fixture.phone.consentRequest(try await fixture.phone.notification(of: id))
            let answer = await fixture.server.send(request)
            let requested = answer["requested_details"]
            #expect(requested?["authorization_details"] == (try JSONReader.parse(details)))
            #expect(answer.text.contains("12.50"))
            seen.append(requested?["authorization_details_id"])
        }
        #expect(seen[0]?.stringValue?.isEmpty == false)
        #expect(seen[0] == seen[1])
    }

    @Test("All devices are notified, the first decision counts, and the other prompts are withdrawn")
    func severalDevices() async throws {
        let fixture = try await ConformanceFixture()
        let second = try await InProcessPhone(identifier: "PHONE-2", in: fixture.server)
        let id = try await fixture.client.started()
        let deliveries = try await fixture.server.dump().filter { $0.hasPrefix("delivery:") }
        #expect(deliveries.count == 2)
        #expect(try await fixture.phone.notification(of: id).challenge != second.notification(of: id).challenge)
        let late = try await second.notification(of: id)
        #expect(try await fixture.phone.decide(id, accepted: false).status == 204)
        let answer = await fixture.server.send(
            second.answerRequest(late, response: try second.response(to: late)))
        #expect(answer.status == 404)
        #expect(answer["errorCode"] == "login_transaction_not_found")
        expectError(try await fixture.client.poll(id), 400, "access_denied")
        let withdrawals = try await fixture.server.dump().filter {
            $0.hasPrefix("delivery:") && $0.contains(second.id.rawValue) && $0.contains("withdrawal")
        }
        #expect(withdrawals.count == 1)
    }
}
