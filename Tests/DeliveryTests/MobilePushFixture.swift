import AuthorizationCore
import Delivery
import Flows
@testable import GuardianWire
import HTTPModel
import JOSE
import Primitives
import Synchronization
import TestSupport

/// Answers without sockets, and keeps the requests.
final class RecordingHTTP: OutgoingHTTPClient {
    let policy = OutgoingPolicy()
    private let answer: @Sendable (ClientRequest) async throws(HTTPClientError) -> ClientResponse
    private let sent = Mutex<[ClientRequest]>([])

    init(_ answer: @escaping @Sendable (ClientRequest) async throws(HTTPClientError) -> ClientResponse) {
        self.answer = answer
    }

    var requests: [ClientRequest] { sent.withLock { $0 } }

    func send(_ request: OutgoingRequest) async throws(HTTPClientError) -> ClientResponse {
        sent.withLock { $0.append(request.request) }
        return try await answer(request.request)
    }
}

extension ClientResponse {
    init(_ status: Int, _ json: JSONValue? = nil, _ fields: HTTPFields = [:]) {
        self.init(status: status, fields: fields, body: json.map { JSONWriter.bytes($0) } ?? [])
    }
}

/// Answers of Amazon's service when all is well.
enum SNSStandIn {
    static let endpoint = "arn:aws:sns:eu-central-1:123456789012:endpoint/APNS/phones/5e3e9847"

    static func action(_ request: ClientRequest) -> String {
        (try? FormFields(parsing: request.body ?? []))?["Action"] ?? ""
    }

    static func answer(_ request: ClientRequest) -> ClientResponse {
        let action = action(request)
        let inner = action == "CreatePlatformEndpoint" ? "<EndpointArn>\(endpoint)</EndpointArn>" : ""
        let text =
            #"<\#(action)Response xmlns="http://sns.amazonaws.com/doc/2010-03-31/">\#(inner)</\#(action)Response>"#
        return ClientResponse(status: 200, fields: [:], body: Array(text.utf8))
    }
}

/// A provider of phones' pushes for one tenant with given credentials.
struct MobilePushFixture {
    static let consent = "cns_ABCDEFGHIJKLMNOPQRSTUV"
    static let appleToken = String(repeating: "0A1B", count: 16)

    let now = Samples.start
    let http: RecordingHTTP
    let provider: any NotificationProvider
    let services: MobilePushServices
    let configuration: TenantConfiguration

    init(
        _ queue: DeliveryQueue, _ push: PushServices, addresses: PushAddresses = PushAddresses(),
        _ answer: @escaping @Sendable (ClientRequest) async throws(HTTPClientError) -> ClientResponse
    ) throws {
        let http = RecordingHTTP(answer)
        self.http = http
        services = try MobilePushServices(hashing: Samples.hashing, addresses: addresses, appleConnections: 512) {
            _, _ in http
        }
        (configuration, provider) = try Self.tenant(Samples.tenant(), push, queue, services)
    }

    private static func tenant(
        _ tenant: Tenant, _ push: PushServices, _ queue: DeliveryQueue, _ services: MobilePushServices
    ) throws -> (TenantConfiguration, any NotificationProvider) {
        let configuration = Self.configuration(push, of: tenant)
        let providers = services.providers(OneTenant(configuration))
        return (configuration, try providers.first { $0.queue == queue }.orThrow("no provider"))
    }

    /// The provider of another tenant with the same credentials, in the same server.
    func other(_ id: String) throws -> any NotificationProvider {
        try Self.tenant(Samples.tenant(id), configuration.pushServices, provider.queue, services).1
    }

    static func configuration(_ push: PushServices, of tenant: Tenant = Samples.tenant()) -> TenantConfiguration {
        TenantConfiguration(
            tenant: tenant, clients: [], resourceServers: [], roles: [],
            keys: KeyRing(current: [], published: []), pushServices: push)
    }

    static func apple(isSandbox: Bool = false, key: String = "apns") throws -> PushServices {
        var push = PushServices(selection: .direct)
        push.apple = APNsCredentials(
            proof: .key(try Keys.signer(.es256, key), keyID: "ABC123DEFG", teamID: "DEF123GHIJ"),
            bundleID: "com.example.app", isSandbox: isSandbox)
        return push
    }

    static func google() throws -> PushServices {
        var push = PushServices()
        push.google = FCMCredentials(
            projectID: "example-1", clientEmail: "push@example-1.example", signer: try Keys.signer(.rs256, "fcm"),
            keyID: "0af1")
        return push
    }

    static func amazon() throws -> PushServices {
        var push = PushServices(selection: .sns)
        push.amazon = SNSCredentials(
            accessKeyID: "AKIDEXAMPLE", secretAccessKey: SecretBytes(utf8: "wJalrXUtnFEMI"), region: "eu-central-1",
            appleApplication: SNSApplication(arn: "arn:aws:sns:eu-central-1:123456789012:app/APNS/phones"),
            googleApplication: SNSApplication(arn: "arn:aws:sns:eu-central-1:123456789012:app/GCM/phones"))
        return push
    }

    func device(
        _ token: String? = nil, of tenant: String = "dev", registeredAt: Timestamp? = nil
    ) throws -> Device {
        let service: PushCredentials.Service = provider.queue == .applePushes ? .apns : .gcm
        let credentials = PushCredentials(service: service, token: token ?? Self.appleToken)
        var device = try Samples.device(tenant: tenant, push: credentials)
        device.pushRegisteredAt = registeredAt ?? now
        return device
    }

    func notification(
        _ device: Device, body: String = "Shop: Order 4711", life: Duration = .seconds(300)
    ) -> DeviceMessage {
        let payload = NotificationPayload(
            title: "Tenant", body: body, enrollmentID: device.id.rawValue, transactionToken: "secret-token",
            transactionLinkingID: Self.consent, challenge: "secret-challenge", date: now, host: "dev.example",
            source: NotificationPayload.Source(browser: NotificationPayload.Agent(name: "Firefox", version: "150")),
            location: NotificationPayload.Location(name: "Luzern", latitude: 47.05, longitude: 8.31))
        return DeviceMessage(
            event: DeviceEvent(id: 7, content: .notification(payload)), device: device, expiresAt: now + life)
    }

    func withdrawal(_ device: Device) -> DeviceMessage {
        DeviceMessage(
            event: DeviceEvent(id: 7, content: .withdrawal(transactionLinkingID: Self.consent)), device: device,
            expiresAt: now + .seconds(600))
    }

    @discardableResult
    func send(_ message: DeviceMessage? = nil, at moment: Timestamp? = nil) async throws -> DeliveryResult {
        let message = try message ?? notification(device())
        return await provider.send(message, now: moment ?? now).result
    }
}
