import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Device keys")
struct DeviceKeyTests {
    @Test("Keys of RSA 2048 and P-256 enrol, sign and decide", arguments: [JWSAlgorithm.rs256, .es256])
    func deviceKeys(algorithm: JWSAlgorithm) async throws {
        let server = try await InProcessServer()
        let client = InProcessClient(via: server)
        let phone = try await InProcessPhone(algorithm: algorithm, in: server)
        let id = try await client.started()
        let notification = try await phone.notification(of: id)
        #expect(await server.send(try phone.consentRequest(notification)).status == 200)
        // Guardian.swift sends fractional dates.
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

    @Test("Other kinds of keys are refused", arguments: [JWSAlgorithm.es384, .edDSA, .ps256])
    func otherKeys(algorithm: JWSAlgorithm) async throws {
        let server = try await InProcessServer()
        let key = try Keys.signer(algorithm, "odd").publicKey.json
        let answer = await server.send(
            InProcessPhone.enrollRequest(ticket: try await InProcessPhone.ticket(in: server), key: key))
        #expect(answer.status == 400)
        #expect(answer["errorCode"] == "invalid_body")
    }

    @Test("RFC 7638 3: a leading zero byte of n does not change the key")
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
}
