package import AuthorizationCore
package import Flows
import GuardianWire
package import Primitives

/// Sends to phones' own apps by the service that the tenant selected.
package struct MobilePushProvider: NotificationProvider {
    package let queue: DeliveryQueue
    package let policy = DeliveryPolicy(
        pace: .leased(for: .seconds(60), inFlight: 256, perTenant: 64, perRecipient: 1), attempts: nil,
        firstDelay: .seconds(1), longestDelay: .seconds(60))

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
        guard let credentials = message.device.push, credentials.service == queue.pushService,
            let push = MobilePush(message)
        else { return DeliveryAttempt(.unneeded) }
        guard let tenant = configuration.current.tenant(id: message.device.tenant)?.pushServices else {
            return DeliveryAttempt(.refused(reason: "the tenant is gone"))
        }
        switch (tenant.selection, credentials.service) {
        case (.sns, _):
            guard let amazon = tenant.amazon,
                let application = credentials.service == .apns ? amazon.appleApplication : amazon.googleApplication
            else { return Self.unconfigured("SNS") }
            return await services.amazon.send(push, token: credentials.token, by: application, with: amazon, now: now)
        case (_, .apns):
            guard let apple = tenant.apple else { return Self.unconfigured("Apple's push service") }
            return await services.apple.send(push, token: credentials.token, with: apple, now: now)
        default:
            guard let google = tenant.google else { return Self.unconfigured("Firebase") }
            return await services.google.send(push, token: credentials.token, with: google, now: now)
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
    /// Longest time of one try.
    static let timeout = Duration.seconds(10)

    let apple: APNsSender
    let google: FCMSender
    let amazon: SNSSender

    /// `appleConnections` is the maximum of open connections to Apple. `connect` makes a client whose requests share a connection (`APNsConnections.Connect`). Each service
    /// has clients of its own, so that a silent one costs no other its connection.
    package init(
        hashing: any Hashing, addresses: PushAddresses = PushAddresses(), appleConnections: Int,
        connect: @escaping APNsConnections.Connect
    ) throws {
        apple = APNsSender(
            connections: APNsConnections(limit: appleConnections, connect), hashing: hashing, addresses: addresses)
        google = FCMSender(http: try connect(nil, false), tokens: try connect(nil, false), addresses: addresses)
        amazon = SNSSender(http: try connect(nil, false), hashing: hashing, addresses: addresses)
    }

    package func providers(_ configuration: any ConfigurationSource) -> [any NotificationProvider] {
        [DeliveryQueue.applePushes, .googlePushes].map { MobilePushProvider($0, self, configuration) }
    }

    /// Proves a tenant's credentials without a message to a person.
    package func check(_ tenant: TenantConfiguration, now: Timestamp) async -> [CredentialFinding] {
        let services = tenant.pushServices
        var findings: [CredentialFinding] = []
        // Also if it is not selected yet.
        if let credentials = services.amazon { findings += await amazon.check(credentials, now: now) }
        if services.selection == .sns {
            if services.amazon == nil {
                findings.append(
                    .fault(
                        "SNS", "is selected, but its credentials are missing or incomplete",
                        advice: "set them: countersign push set sns --help"))
            }
            return findings
        }
        if services.amazon != nil {
            findings.append(
                .warning(
                    "SNS", "has credentials and is not selected, so it sends nothing",
                    advice: "select it: countersign push select sns. Or remove it: countersign push remove sns"))
        }
        if let credentials = services.apple { findings += await apple.check(credentials, now: now) }
        if let credentials = services.google { findings += await google.check(credentials, now: now) }
        if services.selection == .direct, services.apple == nil, services.google == nil {
            findings.append(
                .fault(
                    "push", "direct is selected, but there are no credentials for Apple's or Google's service",
                    advice: "set them: countersign push set apns --help, countersign push set fcm --help"))
        }
        return findings
    }
}
