import GuardianWire
import JOSE
import Primitives
import Testing

@Suite("Members of answers beyond Guardian's")
struct AnswerMemberTests {
    private func answer(_ change: (inout JSONObject) -> Void) throws -> ChallengeResponse {
        let plain = ChallengeResponse(
            deviceIdentifier: "phone", challenge: "c", audience: "https://h.example/",
            issuedAt: Timestamp(seconds: 1000),
            accepted: false)
        var object = try #require(try JSONReader.parse(plain.payload).objectValue)
        change(&object)
        return try ChallengeResponse(try #require(Claims(payload: JSONWriter.bytes(.object(object)))))
    }

    @Test("A picked number and a report survive writing and reading")
    func roundTrip() throws {
        var sent = try answer { _ in }
        sent.matchingPick = MatchingNumber(7)
        sent.isReported = true
        let read = try ChallengeResponse(try #require(Claims(payload: sent.payload)))
        #expect(read == sent)
        #expect(try JSONReader.parse(sent.payload)["matching_pick"]?.stringValue == "07")
    }

    @Test("A number has two ASCII digits", arguments: ["7", "007", "+7", "-7", " 7", "٠٧", "", "a7"])
    func numbers(text: String) {
        #expect(MatchingNumber(text) == nil)
        #expect(throws: GuardianWireFailure.self) { try answer { $0["matching_pick"] = .string(text) } }
    }

    @Test("An answer that allows reports nothing")
    func reported() {
        #expect(throws: GuardianWireFailure.self) {
            try answer {
                $0["auth0_guardian_accepted"] = true
                $0["reported"] = true
            }
        }
        #expect(throws: GuardianWireFailure.self) { try answer { $0["reported"] = "yes" } }
    }

    @Test("WebAuthn 5.2.2: an assertion is read with bounded members")
    func passkey() throws {
        let assertion = PasskeyAssertion(
            credentialID: [UInt8](repeating: 1, count: 16), clientDataJSON: Array("{}".utf8), authenticatorData: [2],
            signature: [3])
        let sent = ResolveTransactionRequest(challengeResponse: "a.b.c", passkey: assertion)
        #expect(try ResolveTransactionRequest(parsing: sent.json) == sent)
        for (member, text) in [
            ("credential_id", "AQ"), ("signature", "A="), ("client_data_json", ""),
            ("authenticator_data", Base64URL.encode([UInt8](repeating: 0, count: PasskeyAssertion.memberLimit + 1))),
        ] {
            var body = try #require(try JSONReader.parse(sent.json).objectValue)
            var passkey = try #require(body["passkey"]?.objectValue)
            passkey[member] = .string(text)
            body["passkey"] = .object(passkey)
            #expect(throws: GuardianWireFailure.self, "\(member)") {
                try ResolveTransactionRequest(parsing: JSONWriter.bytes(.object(body)))
            }
        }
    }

    @Test("Push API 8: a subscription is read, and anything else is refused")
    func subscription() throws {
        let key = Base64URL.encode([4] + [UInt8](repeating: 9, count: 64))
        let secret = Base64URL.encode([UInt8](repeating: 5, count: 16))
        func token(_ endpoint: String, _ key: String, _ secret: String) -> String {
            JSONWriter.string([
                "endpoint": .string(endpoint), "expirationTime": .null,
                "keys": ["p256dh": .string(key), "auth": .string(secret)],
            ])
        }
        let subscription = try WebPushSubscription(token: token("https://push.example/a?b=c", key, secret))
        #expect(subscription.endpoint == "https://push.example/a?b=c")
        #expect(subscription.publicKey.count == 65 && subscription.authSecret.count == 16)
        for text in [
            "", "{}", "[]", token("http://push.example/a", key, secret), token("https://push.example/a b", key, secret),
            token("https://push.example/" + String(repeating: "a", count: 2048), key, secret),
            token("https://push.example/a", Base64URL.encode([2] + [UInt8](repeating: 9, count: 64)), secret),
            token("https://push.example/a", key, Base64URL.encode([1])),
        ] {
            #expect(throws: GuardianWireFailure.self, "\(text)") { try WebPushSubscription(token: text) }
            let body: JSONValue = [
                "identifier": "i", "name": "n", "push_credentials": ["service": "WEBPUSH", "token": .string(text)],
            ]
            #expect(throws: GuardianWireFailure.self) {
                try DeviceAccountUpdate(parsing: JSONWriter.bytes(body))
            }
        }
    }
}
