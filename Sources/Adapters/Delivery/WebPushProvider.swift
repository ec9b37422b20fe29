package import AuthorizationCore
package import Flows
import GuardianWire
package import HTTPModel
import JOSE
import OAuthWire
package import Primitives
import Synchronization

/// Sends to browsers' push services (RFC 8030), encrypted (RFC 8291) and signed (RFC 8292).
///
/// A message holds ids alone. The browser asks this server for the rest, with its device's key.
package struct WebPushProvider: NotificationProvider {
    /// Bytes to which each message is padded, so that lengths tell nothing.
    static let messageSize = 512
    /// Bytes of an answer at most. Only its head is used, and devices name the push services.
    package static let answerLimit = 16_384
    /// Longest time of one try.
    static let timeout = Duration.seconds(5)

    package let name = "web-push"
    package let queue = DeliveryQueue.webPushes
    package let policy = DeliveryPolicy(
        pace: .leased(for: .seconds(60), inFlight: 128, perTenant: 64, perRecipient: 1, sharesByTime: true),
        attempts: nil,
        firstDelay: .seconds(1), longestDelay: .seconds(60))

    private let http: any OutgoingHTTPClient
    private let encryption: any PushEncryption
    private let configuration: any ConfigurationSource
    private let tokens = VAPIDTokens()
    /// A push service limits senders, which it knows by their tenant's key. So one tenant's pause delays no other.
    private struct Service: Hashable {
        let tenant: TenantID
        let origin: String
    }

    private let services = ServiceAdmission<Service>()

    package init(
        http: any OutgoingHTTPClient, encryption: any PushEncryption, configuration: any ConfigurationSource
    ) {
        self.http = http
        self.encryption = encryption
        self.configuration = configuration
    }

    package func send(_ message: DeviceMessage, now: Timestamp) async -> DeliveryAttempt {
        guard let push = message.device.push, push.service == .webPush else { return DeliveryAttempt(.unneeded) }
        guard let subscription = try? WebPushSubscription(token: push.token),
            let origin = WebOrigin(ofSecureURL: subscription.endpoint)?.description
        else { return DeliveryAttempt(.refused(reason: "the subscription cannot be read")) }
        guard let tenant = configuration.current.tenant(id: message.device.tenant),
            let signer = tenant.keys.webPush, let point = signer.publicKey.p256Point
        else { return DeliveryAttempt(.refused(reason: "the tenant's web push key cannot be opened")) }
        let service = Service(tenant: message.device.tenant, origin: origin)
        switch services.admit(service, now: now) {
        case .admitted: break
        case .silent: return DeliveryAttempt(.notTried(reason: "the push service does not answer"))
        case .resting(let wait):
            return DeliveryAttempt(.notTried(reason: "the push service asked for a pause", wait: wait))
        }
        let request: ClientRequest
        do {
            request = ClientRequest(
                method: .post, url: subscription.endpoint,
                fields: fields(
                    of: message,
                    authorization: try tokens.field(for: origin, of: tenant.tenant, signer, point, now: now),
                    now: now),
                body: try encryption.encrypt(
                    message.webPush, to: subscription.publicKey, secret: subscription.authSecret,
                    size: Self.messageSize),
                timeout: Self.timeout)
        } catch {
            services.finished(service, answered: nil, now: now)
            return DeliveryAttempt(.refused(reason: "the message could not be encrypted"), detail: "\(error)")
        }
        do throws(HTTPClientError) {
            let answer = try await http.send(request)
            let attempt = attempt(after: answer, of: origin, now: now)
            services.finished(service, answered: true, rest: attempt.result.namedWait, now: now)
            return attempt
        } catch {
            services.finished(service, answered: error.isAnswered, now: now)
            return DeliveryAttempt(
                .failed(reason: "the push service cannot be reached from this server"), detail: "\(origin): \(error)")
        }
    }

    private func fields(of message: DeviceMessage, authorization: String, now: Timestamp) -> HTTPFields {
        var fields: HTTPFields = [
            "Authorization": authorization, "Content-Type": "application/octet-stream",
            "Content-Encoding": "aes128gcm", "TTL": String(message.secondsLeft(at: now)),
        ]
        switch message.event.content {
        case .notification(let payload):
            fields.append("Urgency", "high")
            if let id = payload.transactionLinkingID { fields.append("Topic", id) }
        case .withdrawal(let id):
            fields.append("Urgency", "normal")
            // The same topic, so that it replaces a notification that still waits (RFC 8030 clause 5.4).
            fields.append("Topic", id)
        case .pending: break
        }
        return fields
    }

    private func attempt(after answer: ClientResponse, of origin: String, now: Timestamp) -> DeliveryAttempt {
        let text = "the push service answered \(answer.status)"
        let windows = WindowsPushAnswer(answer, of: origin)
        let detail = "\(origin) answered \(answer.status)" + (windows.map { $0.words } ?? "")
        let result: DeliveryResult =
            switch answer.status {
            case 200..<300: .delivered
            case 404, 410: .gone(reason: "\(text): the subscription has ended")
            case _ where ClientResponse.mayPass(status: answer.status) || windows?.isThrottled == true:
                .failed(reason: text, retryAfter: answer.retryAfter(now: now))
            case 401, 403: .refused(reason: "\(text): it does not accept this server's key or contact")
            default: .refused(reason: text)
            }
        // A new token helps if the clock of this server was wrong.
        if answer.status == 401 || answer.status == 403 { tokens.forget(origin) }
        return DeliveryAttempt(result, detail: result == .delivered ? nil : detail)
    }
}

extension DeviceMessage {
    /// The text that is encrypted.
    fileprivate var webPush: [UInt8] {
        JSONWriter.object { writer in
            writer.member("v", 1)
            switch event.content {
            case .notification(let payload):
                writer.member("kind", "notification")
                writer.member("dai", device.id.rawValue)
                writer.member("txlnkid", ifPresent: payload.transactionLinkingID)
                if payload.isUrgent { writer.member("urgent", true) }
            case .withdrawal(let id):
                writer.member("kind", "withdrawal")
                writer.member("dai", device.id.rawValue)
                writer.member("txlnkid", id)
            case .pending: break
            }
        }
    }
}
