import Foundation
import Guardian
import Testing

struct Authenticator: Guardian.AuthenticationDevice {
    let signingKey: SigningKey
    let localIdentifier: String
}

@Suite("Shapes of the published SDK")
struct PublishedShapes {
    let server = SampleServer.shared
    let signingKey: SigningKey
    let notification: Guardian.Notification

    init() throws {
        signingKey = try DataRSAPrivateKey.new()
        let received = Guardian.notification(from: SampleServer.userInfo)
        notification = try #require(received)
    }

    @Test("Enrol with a URI, hooks on the way")
    func enroll() async throws {
        let verificationKey = try signingKey.verificationKey()
        let device = try await withCheckedThrowingContinuation {
            (done: CheckedContinuation<EnrolledDevice, any Error>) in
            Guardian
                .enroll(
                    forDomain: "enroll.example", usingUri: "otpauth://totp/T:a?enrollment_tx_id=ticket-1",
                    notificationToken: "0A1B", signingKey: signingKey, verificationKey: verificationKey
                )
                .on(response: { event in
                    guard let data = event.data else { return }
                    #expect(String(data: data, encoding: .utf8) == SampleServer.enrollment)
                })
                .start { result in
                    switch result {
                    case .failure(let cause): done.resume(throwing: cause)
                    case .success(let enrollment): done.resume(returning: enrollment)
                    }
                }
        }
        #expect(device.id == "dev_1")
        #expect(device.totp?.base32Secret == "JBSWY3DPEHPK3PXP")
        #expect(server.requests(to: "enroll.example").first?.fields["Authorization"] == #"Ticket id="ticket-1""#)
        let again = EnrolledDevice(
            id: device.id, userId: device.userId, deviceToken: device.deviceToken,
            notificationToken: device.notificationToken, signingKey: device.signingKey, totp: device.totp)
        #expect(again.localIdentifier == device.localIdentifier)
    }

    @Test("Enrol with a ticket, by domain and by URL")
    func ticket() async throws {
        let verificationKey = try signingKey.verificationKey()
        let url = try #require(URL(string: "https://ticket.example/"))
        _ = try await Guardian.enroll(
            forDomain: "ticket.example", usingTicket: "t2", notificationToken: "0A", signingKey: signingKey,
            verificationKey: verificationKey
        ).start()
        _ = try await Guardian.enroll(
            url: url, usingTicket: "t2", notificationToken: "0A", signingKey: signingKey,
            verificationKey: verificationKey
        ).start()
        #expect(
            server.requests(to: "ticket.example").map { $0.fields["Authorization"] }
                == [#"Ticket id="t2""#, #"Ticket id="t2""#])
    }

    @Test("An app's own device type, and notification actions")
    func actions() async throws {
        let device = Authenticator(signingKey: signingKey, localIdentifier: "6F0C")
        let authentication = Guardian.authentication(forDomain: "actions.example", device: device)
        let category = AuthenticationCategory.default
        for action in [category.allow, category.reject] {
            _ = try await authentication.handleAction(withIdentifier: action.identifier, notification: notification)
                .start()
        }
        #expect(server.requests(to: "actions.example").count == 2)
        do {
            _ = try await authentication.handleAction(withIdentifier: "other", notification: notification).start()
            Issue.record("an unknown action was handled")
        } catch {
            let cause = error as? GuardianError
            #expect(cause?.code == "a0.guardian.internal.invalid.notification_action_identifier")
        }
        #expect(server.requests(to: "actions.example").count == 2)
    }

    @Test("Consent with a key at each call, under both labels")
    func consent() async throws {
        let consentId = try #require(notification.transactionLinkingId)
        let first = try await Guardian.consent(forDomain: "key.example")
            .fetch(consentId: consentId, notificationToken: notification.transactionToken, signingKey: signingKey)
            .start()
        let url = try #require(URL(string: "https://key.example"))
        let second = try await Guardian.consent(consentUrl: url)
            .fetch(consentId: consentId, transactionToken: notification.transactionToken, signingKey: signingKey)
            .start()
        #expect(first.consentId == second.consentId)
        #expect(first.expiresAt.timeIntervalSince(first.createdAt) == 30)
    }

    @Test("Device management: update and delete")
    func device() async throws {
        let device = Guardian.api(forDomain: "device.example")
            .device(forEnrollmentId: "dev_1", userId: "auth0|1", signingKey: signingKey)
        let updated = try await device.update(localIdentifier: nil, name: "New name", notificationToken: nil).start()
        #expect(updated.name == "New name")
        _ = try await device.delete().start()
        #expect(server.requests(to: "device.example").map(\.method.rawValue) == ["PATCH", "DELETE"])
        #expect(
            server.requests(to: "device.example").last?.url
                == "https://device.example/appliance-mfa/api/device-accounts/dev_1")
    }

    @available(*, deprecated, message: "calls what is deprecated")
    @Test("Device management with the stored token")
    func deviceToken() async throws {
        _ = try await Guardian.api(forDomain: "token.example").device(forEnrollmentId: "dev_1", token: "opaque")
            .delete().start()
        #expect(server.requests(to: "token.example").first?.fields["Authorization"] == "Bearer opaque")
    }

    @Test("One-time passwords")
    func passwords() throws {
        let totp = try Guardian.totp(
            parameters: OTPParameters(base32Secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", digits: 8))
        #expect(totp.stringCode(time: 59) == "94287082")
        let current = try Guardian.totp(base32Secret: "JBSWY3DPEHPK3PXP", algorithm: .sha1)
        #expect(current.stringCode().count == 6)
        let hotp = try Guardian.hotp(base32Secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", algorithm: .sha1)
        #expect(hotp.stringCode(counter: 0) == "755224")
    }
}
