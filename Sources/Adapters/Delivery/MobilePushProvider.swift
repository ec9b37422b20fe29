package import AuthorizationCore
package import Flows
import GuardianWire
package import HTTPModel
package import Primitives

/// Sends to phones' own apps by the service that the tenant selected.
package struct MobilePushProvider: NotificationProvider {
    package let queue: DeliveryQueue
    package let policy = DeliveryPolicy(
        pace: .leased(for: .seconds(60), inFlight: 256, perRecipient: 1), attempts: nil, firstDelay: .seconds(1),
        longestDelay: .seconds(60))

    private let services: MobilePushServices
    private let configuration: any ConfigurationSource

    init(_ queue: DeliveryQueue, _ services: MobilePushServices, _ configuration: any ConfigurationSource) {
        self.queue = queue
        self.services = services
        self.configuration = configuration
    }

    package var name: String { queue.rawValue }

    package func name(in tenant: TenantConfiguration) -> String {
        tenant.pushServices.selection == .sns ? PushServices.Selection.sns.rawValue : queue.rawValue
    }

    package func send(_ message: DeviceMessage, now: Timestamp) async -> DeliveryAttempt {
        guard let push = message.device.push, push.service == queue.pushService else {
            return DeliveryAttempt(.unneeded)
        }
        guard let tenant = configuration.current.tenant(id: message.device.tenant)?.pushServices else {
            return DeliveryAttempt(.refused(reason: "the tenant is gone"))
        }
        switch (tenant.selection, push.service) {
        case (.sns, _):
            guard let amazon = tenant.amazon,
                let application = push.service == .apns ? amazon.appleApplication : amazon.googleApplication
            else { return Self.unconfigured("SNS") }
            return await services.amazon.send(message, token: push.token, by: application, with: amazon, now: now)
        case (_, .apns):
            guard let apple = tenant.apple else { return Self.unconfigured("Apple's push service") }
            return await services.apple.send(message, token: push.token, with: apple, now: now)
        default:
            guard let google = tenant.google else { return Self.unconfigured("Firebase") }
            return await services.google.send(message, token: push.token, with: google, now: now)
        }
    }

    private static func unconfigured(_ service: String) -> DeliveryAttempt {
        DeliveryAttempt(.unconfigured(reason: "the tenant has no credentials for \(service)"))
    }
}

/// The services that take messages to phones' own apps, with what is remembered of each.
package struct MobilePushServices: Sendable {
    /// Bytes of an answer at most. All are short.
    package static let answerLimit = 16_384

    let apple: APNsSender
    let google: FCMSender
    let amazon: SNSSender

    /// `http` sends to Google and Amazon, and connections for Apple are made by `connections`.
    package init(
        connections: APNsConnections, http: any OutgoingHTTPClient, hashing: any Hashing,
        addresses: PushAddresses = PushAddresses()
    ) {
        apple = APNsSender(connections: connections, hashing: hashing, addresses: addresses)
        google = FCMSender(http: http, addresses: addresses)
        amazon = SNSSender(http: http, hashing: hashing, addresses: addresses)
    }

    package func providers(_ configuration: any ConfigurationSource) -> [any NotificationProvider] {
        [DeliveryQueue.applePushes, .googlePushes].map { MobilePushProvider($0, self, configuration) }
    }

    /// Proves a tenant's credentials without a message to a person.
    package func check(_ tenant: TenantConfiguration, now: Timestamp) async -> [CredentialFinding] {
        let services = tenant.pushServices
        if services.selection == .sns {
            guard let credentials = services.amazon else {
                return [
                    .warning(
                        "SNS", "is selected, but its credentials are missing or incomplete",
                        advice: "Set them: countersign push set sns --help")
                ]
            }
            return await amazon.check(credentials, now: now)
        }
        var findings: [CredentialFinding] = []
        if let credentials = services.apple { findings += await apple.check(credentials, now: now) }
        if let credentials = services.google { findings += await google.check(credentials, now: now) }
        if findings.isEmpty, services.selection == .direct {
            findings.append(
                .warning(
                    "push", "direct is selected, but there are no credentials for Apple's or Google's service",
                    advice: "Set them: countersign push set apns --help, countersign push set fcm --help"))
        }
        return findings
    }
}

/// Messages to one tenant's phones in flight, of the queue's 256, so that one tenant cannot take all.
let mobilePushLimit = 64
/// Longest time of one try.
let mobilePushTimeout = Duration.seconds(10)
