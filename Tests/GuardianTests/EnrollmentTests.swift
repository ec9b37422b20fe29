import Foundation
@testable import Guardian
import GuardianWire
import HTTPModel
import JOSE
import Primitives
import Testing

@Suite("Enrolment and device management")
struct EnrollmentTests {
    static let answer =
        #"{"id":"dev_1","url":"https://h","issuer":"T","user_id":"auth0|1","token":"dt","totp":{"secret":"JBSWY3DPEHPK3PXP","algorithm":"sha256","digits":8,"period":60}}"#

    @Test("The request has ticket, name, push token and public key; the device stores the answer")
    func enroll() async throws {
        let transport = ScriptedTransport([.answer(201, Self.answer)])
        let key = try P256PrivateKey.new()
        let device = try await Guardian.enroll(
            forDomain: "h.example", usingUri: "otpauth://totp/T:a?enrollment_tx_id=tk", notificationToken: "0A1B",
            signingKey: key, verificationKey: try key.verificationKey(), deviceName: "Ann's phone",
            configuration: Fixtures.configuration(transport)
        ).start()
        let sent = try #require(transport.requests.first)
        #expect(sent.fields["Authorization"] == #"Ticket id="tk""#)
        let sdk = try JSONReader.parse(try #require(Base64URL.decode(sent.fields["Auth0-Client"] ?? "")))
        #expect(sdk["name"] == "Countersign.swift")
        let body = try EnrollmentRequest(parsing: try #require(sent.body))
        #expect(body.identifier == device.localIdentifier)
        #expect(body.name == "Ann's phone")
        #expect(body.pushCredentials == PushCredentials(service: .apns, token: "0A1B"))
        #expect(body.publicKey.isSameKey(as: try key.verificationKey().key))
        #expect(body.publicKey.algorithm == .es256)
        #expect(body.capabilities == [.signedDigest])
        #expect(
            device.totp == OTPParameters(base32Secret: "JBSWY3DPEHPK3PXP", algorithm: .sha256, digits: 8, period: 60))
        #expect(device.issuer == "T")
    }

    @Test("Printing a device, an enrolment or one-time password parameters shows no secret")
    func printing() async throws {
        let key = try P256PrivateKey.new()
        let configuration = Fixtures.configuration(
            ScriptedTransport([.answer(201, Self.answer), .answer(201, Self.answer)]))
        let device = try await Guardian.enroll(
            forDomain: "h.example", usingTicket: "tk", notificationToken: "0A1B", signingKey: key,
            verificationKey: try key.verificationKey(), configuration: configuration
        ).start()
        let enrollment = try await Guardian.api(forDomain: "h.example", configuration: configuration).enroll(
            withTicket: "tk", identifier: "i", name: "n", notificationToken: nil,
            verificationKey: try key.verificationKey()
        ).start()
        let values: [Any] = [device, enrollment, try #require(device.totp), Notification(Fixtures.payload)]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                for secret in ["\"dt\"", "JBSWY3DPEHPK3PXP", "0A1B", Fixtures.payload.transactionToken] {
                    #expect(!text.contains(secret))
                }
            }
        }
    }

    @Test("Without a push token no push credentials are sent; without a name the host's name is used")
    func withoutPush() async throws {
        let transport = ScriptedTransport([.answer(200, Self.answer)])
        let key = try P256PrivateKey.new()
        _ = try await Guardian.enroll(
            forDomain: "h.example", usingTicket: "tk", notificationToken: nil, signingKey: key,
            verificationKey: try key.verificationKey(), configuration: Fixtures.configuration(transport)
        ).start()
        let body = try EnrollmentRequest(parsing: try #require(transport.requests.first?.body))
        #expect(body.pushCredentials == nil)
        #expect(body.name == ProcessInfo.processInfo.hostName)
    }

    @Test("Codes that are no enrolment, and tickets with quotes, are not sent")
    func invalid() async throws {
        let transport = ScriptedTransport([])
        let key = try P256PrivateKey.new()
        let configuration = Fixtures.configuration(transport)
        let verificationKey = try key.verificationKey()
        for request in [
            Guardian.enroll(
                forDomain: "h.example", usingUri: "https://h.example", notificationToken: nil, signingKey: key,
                verificationKey: verificationKey, configuration: configuration),
            Guardian.enroll(
                forDomain: "h.example", usingTicket: "a\" b=\"", notificationToken: nil, signingKey: key,
                verificationKey: verificationKey, configuration: configuration),
        ] {
            let error = await #expect(throws: GuardianError.self) { try await request.start() }
            #expect(error?.code == "a0.guardian.internal.invalid.enrollment_uri")
        }
        #expect(transport.requests.isEmpty)
    }

    @Test("A token of 2 hours for the accounts URL authorises device management")
    func deviceToken() async throws {
        let transport = ScriptedTransport([
            .answer(200, #"{"id":"dev_1","name":"N","push_credentials":{"service":"APNS","token":"0B"}}"#),
            .answer(204, ""),
        ])
        let key = try P256PrivateKey.new()
        let device = Guardian.api(forDomain: "h.example", configuration: Fixtures.configuration(transport))
            .device(forEnrollmentId: "dev_1", userId: "auth0|1", signingKey: key)
        let updated = try await device.update(name: "N", notificationToken: "0B").start()
        #expect(updated.notificationToken == "0B")
        _ = try await device.delete().start()

        let sent = try #require(transport.requests.first)
        #expect(
            sent.body.map { String(decoding: $0, as: UTF8.self) }
                == #"{"name":"N","push_credentials":{"service":"APNS","token":"0B"},"capabilities":["signed-digest"]}"#)
        #expect(transport.requests.last?.body == nil)
        for request in transport.requests {
            let token = try #require(request.fields["Authorization"]?.dropFirst("Bearer ".count))
            let (_, claims) = try Fixtures.verified(String(token), by: key)
            #expect(
                claims.members == [
                    "iss": "dev_1", "sub": "auth0|1", "aud": "https://h.example/appliance-mfa/api/device-accounts",
                    "iat": 1_795_168_800, "exp": 1_795_176_000,
                ])
        }
    }
}
