import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import Primitives
import TestSupport
import Testing

/// Of what phones send and are sent.
extension DecisionTests {
    @Test("11: consent dates are strings with milliseconds, whoever asks")
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

    @Test("12: the notification's key is txlnkid")
    func linkingID() async throws {
        let fixture = try await ConformanceFixture()
        let notification = try await fixture.phone.notification(of: try await fixture.client.started())
        let mfa = try JSONReader.parse(notification.apns)["mfa"]
        #expect(mfa?["txlnkid"]?.stringValue == notification.transactionLinkingID)
        #expect(mfa?["txlinkid"] == nil)
    }

    @Test("13: the consent has the details inline, and a stable id of them")
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

    @Test("15: RSA of 2048 bits and P-256 enrol, sign and decide", arguments: [JWSAlgorithm.rs256, .es256])
    func deviceKeys(algorithm: JWSAlgorithm) async throws {
        let server = try await InProcessServer()
        let client = InProcessClient(via: server)
        let phone = try await InProcessPhone(algorithm: algorithm, in: server)
        let id = try await client.started()
        let notification = try await phone.notification(of: id)
        #expect(await server.send(try phone.consentRequest(notification)).status == 200)
        // Guardian.swift's dates have fractions.
        let seconds = Double(server.clock.now.milliseconds) / 1000 + 0.25
        let response = try phone.response(
            to: notification,
            [
                "iat": .number(try JSONNumber(seconds).orThrow("")),
                "exp": .number(try JSONNumber(seconds + 30).orThrow("")),
            ])
        #expect(await server.send(phone.answerRequest(notification, response: response)).status == 204)
        #expect(try await client.poll(id).status == 200)
    }

    @Test("15: other kinds of keys are refused", arguments: [JWSAlgorithm.es384, .edDSA, .ps256])
    func otherKeys(algorithm: JWSAlgorithm) async throws {
        let server = try await InProcessServer()
        let key = try Keys.signer(algorithm, "odd").publicKey.json
        let answer = await server.send(
            InProcessPhone.enrollRequest(ticket: try await InProcessPhone.ticket(in: server), key: key))
        #expect(answer.status == 400)
        #expect(answer["errorCode"] == "invalid_body")
    }

    @Test("15: a leading zero byte of n makes no other key")
    func leadingZero() async throws {
        let server = try await InProcessServer()
        let signer = try Keys.signer(.rs256, "phone PHONE-1")
        var key = try signer.publicKey.json.objectValue.orThrow("")
        let modulus = try (key["n"]?.stringValue).flatMap { Base64URL.decode($0) }.orThrow("no n")
        key["n"] = .string(Base64URL.encode([0] + modulus))
        let answer = await server.send(
            InProcessPhone.enrollRequest(ticket: try await InProcessPhone.ticket(in: server), key: .object(key)))
        #expect(answer.status == 200)
        let phone = try await InProcessPhone(algorithm: .rs256, in: server)
        let id = try await InProcessClient(via: server).started()
        let notification = try await phone.notification(of: id)
        let proof = try phone.proof(of: notification, header: ["jwk": .object(key)])
        #expect(await server.send(try phone.consentRequest(notification, proof: proof)).status == 200)
    }

    @Test("20: all devices are told, the first decision counts, and the others' prompt is withdrawn")
    func severalDevices() async throws {
        let fixture = try await ConformanceFixture()
        let second = try await InProcessPhone(identifier: "PHONE-2", in: fixture.server)
        let id = try await fixture.client.started()
        let outbox = try await fixture.server.dump().filter { $0.hasPrefix("delivery:") }
        #expect(outbox.count == 2)
        #expect(try await fixture.phone.notification(of: id).challenge != second.notification(of: id).challenge)
        let late = try await second.notification(of: id)
        #expect(try await fixture.phone.decide(id, accepted: false).status == 204)
        let answer = await fixture.server.send(
            second.answerRequest(late, response: try second.response(to: late)))
        #expect(answer.status == 404)
        #expect(answer["errorCode"] == "login_transaction_not_found")
        expectError(try await fixture.client.poll(id), 400, "access_denied")
        let withdrawals = try await fixture.server.dump().filter {
            $0.hasPrefix("delivery:") && $0.contains(second.id.rawValue)
        }
        #expect(withdrawals.count == 2)
    }
}
