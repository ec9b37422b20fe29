import Foundation
@testable import Guardian
import GuardianWire
import HTTPModel
import JOSE
import Primitives
import Testing

@Suite("Answers to a request")
struct AnswerTests {
    @Test("The answer is signed with the enrolled key and has exactly the required claims", arguments: [true, false])
    func claims(accepted: Bool) async throws {
        let keys: [any SigningKey] = [try P256PrivateKey.new(), try DataRSAPrivateKey.new()]
        for key in keys {
            let transport = ScriptedTransport([.answer(204, "")])
            let authentication = authentication(
                forDomain: "id.example.org", device: Fixtures.device(key),
                configuration: Fixtures.configuration(transport))
            let notification = Notification(Fixtures.payload)
            let request =
                accepted
                ? authentication.allow(notification: notification)
                : authentication.reject(notification: notification, withReason: "hacked")
            _ = try await request.start()

            let sent = try #require(transport.requests.first)
            #expect(sent.method == .post)
            #expect(sent.url == "https://id.example.org/appliance-mfa/api/resolve-transaction")
            #expect(sent.fields["Authorization"] == "Bearer tx-token")
            #expect(sent.fields["Content-Type"] == "application/json")
            let body = try ResolveTransactionRequest(parsing: try #require(sent.body))
            let (header, claims) = try Fixtures.verified(body.challengeResponse, by: key)
            #expect(header == ["alg": .string(key.algorithm.rawValue), "typ": "JWT"])
            var expected: JSONObject = [
                "iss": "6F0C", "sub": "chl", "aud": .string(sent.url), "iat": 1_795_168_800, "exp": 1_795_168_830,
                "auth0_guardian_method": "push", "auth0_guardian_accepted": .bool(accepted),
            ]
            if !accepted { expected["auth0_guardian_reason"] = "hacked" }
            #expect(claims.members == expected)
        }
    }

    @Test("A retried request is signed anew")
    func startedTwice() async throws {
        let transport = ScriptedTransport([.answer(204, ""), .answer(204, "")])
        let key = try P256PrivateKey.new()
        let request = authentication(
            forDomain: "h.example", device: Fixtures.device(key), configuration: Fixtures.configuration(transport)
        ).allow(notification: Notification(Fixtures.payload))
        _ = try await request.start()
        _ = try await request.start()
        #expect(transport.requests.count == 2)
        #expect(transport.requests[0].body != transport.requests[1].body)
    }

    @Test("Descriptions contain neither token nor challenge")
    func descriptions() throws {
        let notification = Notification(Fixtures.payload)
        let request = authentication(forDomain: "h.example", device: Fixtures.device(try P256PrivateKey.new()))
            .allow(notification: notification)
        #expect("\(request)" == "POST https://h.example/appliance-mfa/api/resolve-transaction")
        for text in ["\(notification)", String(reflecting: notification), String(reflecting: request)] {
            #expect(!text.contains("tx-token") && !text.contains("chl"))
        }
    }

    @Test("An invalid domain fails the request before it is sent")
    func invalidDomain() async throws {
        let transport = ScriptedTransport([])
        let request = authentication(
            forDomain: "not a domain", device: Fixtures.device(try P256PrivateKey.new()),
            configuration: Fixtures.configuration(transport)
        ).allow(notification: Notification(Fixtures.payload))
        let error = await #expect(throws: GuardianError.self) { try await request.start() }
        #expect(error?.code == GuardianError.Code.invalidDomain.rawValue)
        #expect(transport.requests.isEmpty)
    }
}
