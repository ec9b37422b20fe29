// swift-format-ignore-file
import Foundation
import Guardian
import Testing

// Every Swift sample of the documents, laid out as they print it. Changed are its placeholders only, and each `case`
// that the documents leave to a comment has a statement.

final class PushSample: UNUserNotificationCenterDelegate {
    var handled: Guardian.Notification?

    func handleGuardianNotification(notification: Guardian.Notification) { handled = notification }

    //implementing UNUserNotificationCenterDelegate
    func userNotificationCenter(_ center: UNUserNotificationCenter, willPresent notification: UNNotification, withCompletionHandler completionHandler: (UNNotificationPresentationOptions) -> Void) {
        let userInfo = notification.request.content.userInfo
        if let notification = Guardian.notification(from: userInfo) {
             // Implement this function to display the prompt and handle user's consent/rejection.
             handleGuardianNotification(notification: notification)
        }
    }
}

// Must implement AuthorizationDetailsType 
struct Payment : AuthorizationDetailsType { 
static let type = "payment"; 
let amount: Double; 
let currency: String; 
} 

@Suite("Samples of Auth0's documents")
struct DocumentSamples {
    let server = SampleServer.shared
    let enrolled: AuthenticationDevice
    let notification: Guardian.Notification

    init() throws {
        enrolled = EnrolledDevice(
            id: "dev_1", userId: "auth0|1", deviceToken: "t", notificationToken: "0A", signingKey: try P256PrivateKey.new())
        let received = Guardian.notification(from: SampleServer.userInfo)
        notification = try #require(received)
    }

    @Test("The mobile application receives the push notification")
    func push() {
        let sample = PushSample()
        let content = UNNotificationContent(userInfo: SampleServer.userInfo)
        sample.userNotificationCenter(
            UNUserNotificationCenter(), willPresent: UNNotification(request: UNNotificationRequest(content: content)),
            withCompletionHandler: { _ in })
        #expect(sample.handled == notification)
        #expect(sample.handled?.transactionLinkingId == "cns_abc123")
    }

    @Test("The mobile application retrieves the consent details")
    func consent() async throws {
        let yourTenantDomain = "consent.example"
        let payload = try await withCheckedThrowingContinuation { (received: CheckedContinuation<Consent, any Error>) in
            let device: AuthenticationDevice = enrolled // the object you obtained during the initial Guardian SDK enrollment process and stored locally
            if let consentId = notification.transactionLinkingId {
                Guardian
                    .consent(forDomain: yourTenantDomain, device: device)
                    .fetch(consentId: consentId, notificationToken: notification.transactionToken)
                    .start{result in
                        switch result {
                        case .success(let payload):
                            // present consent details to the user
                            received.resume(returning: payload)
                        case .failure(let cause):
                            // something went wrong
                            received.resume(throwing: cause)
                    }
                }
            }
        }
        #expect(payload.requestedDetails.bindingMessage == "21-49-38")
        let request = try #require(server.requests(to: yourTenantDomain).first)
        #expect(request.url == "https://consent.example/rich-consents/cns_abc123")
        #expect(request.fields["Authorization"] == "MFA-DPoP tx-token")
    }

    @Test("The user accepts the authentication request")
    func allow() async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            let device = enrolled
            Guardian
                .authentication(forDomain: "allow.example", device: device)
                .allow(notification: notification)
                // or reject(notification: notification, withReason: "hacked")
                .start { result in
                    switch result {
                    case .success:
                        // the auth request was successfully rejected
                        done.resume()
                    case .failure(let cause):
                        // something failed, check cause to see what went wrong
                        done.resume(throwing: cause)
                    }
                }
        }
        #expect(server.requests(to: "allow.example").first?.fields["Authorization"] == "Bearer tx-token")
    }

    @Test("The user rejects the authentication request", arguments: [nil, "hacked"])
    func reject(reason: String?) async throws {
        let domain = "reject-\(reason ?? "plain").example"
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            let device = enrolled
            if reason == nil {
                Guardian
                        .authentication(forDomain: domain, device: device)
                        .reject(notification: notification)
                        // or reject(notification: notification, withReason: "hacked")
                        .start { result in
                            switch result {
                            case .success:
                                // the auth request was successfully rejected
                                done.resume()
                            case .failure(let cause):
                                // something failed, check cause to see what went wrong
                                done.resume(throwing: cause)
                            }
                        }
            } else {
                Guardian
                    .authentication(forDomain: domain, device: device)
                    .reject(notification: notification, withReason: "hacked")
                    .start { result in done.resume(with: result.map { _ in () }) }
            }
        }
        #expect(server.requests(to: domain).count == 1)
    }

    @Test("Query authorization_details")
    func dynamicDetails() async throws {
        let payload = try await Guardian.consent(forDomain: "query.example", device: enrolled)
            .fetch(consentId: "cns_abc123", notificationToken: "t").start()

        let requestedDetails: ConsentRequestedDetails = payload.requestedDetails
        let myAuthorizationDetailsTypes = requestedDetails.authorizationDetails[0].objectValue!;
        let type = myAuthorizationDetailsTypes["type"]?.stringValue // Your pre-registered type value
        let stringProperty = myAuthorizationDetailsTypes["string_property"]?.stringValue
        let boolProperty = myAuthorizationDetailsTypes["bool_property"]?.boolValue
        let numericProperty = myAuthorizationDetailsTypes["numeric_property"]?.doubleValue
        let nestedObjectProperty = myAuthorizationDetailsTypes["nested_property"]?.objectValue
        let nestedArrayProperty = myAuthorizationDetailsTypes["nested_array_property"]?.arrayValue

        #expect(type == "payment")
        #expect(stringProperty == "s")
        #expect(boolProperty == true)
        #expect(numericProperty == 7)
        #expect(nestedObjectProperty?["a"]?.doubleValue == 1)
        #expect(nestedArrayProperty?.count == 2)
    }

    @Test("Query authorization_details by type")
    func typedDetails() async throws {
        let payload = try await Guardian.consent(forDomain: "typed.example", device: enrolled)
            .fetch(consentId: "cns_abc123", notificationToken: "t").start()

        let requestedDetails: ConsentRequestedDetails = payload.requestedDetails 
        let payments = requestedDetails.filterAuthorizationDetailsByType(Payment.self) 
        let firstPayment = payments.first!
        let type: String = firstPayment.type // "payment" 
        let amount: Double = firstPayment.amount 
        let currency: String = firstPayment.currency

        #expect(type == "payment")
        #expect(amount == 12.5)
        #expect(currency == "EUR")
    }
}
