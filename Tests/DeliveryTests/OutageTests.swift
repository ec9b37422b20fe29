import AuthorizationCore
import Delivery
import Flows
import GuardianWire
import HTTPModel
import Primitives
import Synchronization
import TestSupport
import Testing

/// The services that take phones' messages, each down in four ways for longer than the longest wait between two tries.
@Suite("Push services that are down for minutes")
struct OutageTests {
    enum Service: CaseIterable { case apple, google, amazon }
    enum Trouble: CaseIterable { case silence, cutConnection, busy, garbage }

    /// A service that has an outage, with the messages that it took.
    private final class Network: Sendable {
        let isDown = Mutex(true)
        let accepted = Mutex<[ClientRequest]>([])
        let tries = Mutex<[ClientRequest]>([])
        private let trouble: Trouble

        init(_ trouble: Trouble) { self.trouble = trouble }

        func answer(_ request: ClientRequest) throws(HTTPClientError) -> ClientResponse {
            let text = String(decoding: request.body ?? [], as: UTF8.self)
            if text.contains("grant_type=") {
                return ClientResponse(200, ["access_token": "ya29.1", "expires_in": 3599, "token_type": "Bearer"])
            }
            if text.contains("Action=CreatePlatformEndpoint") { return SNSStandIn.answer(request) }
            tries.withLock { $0.append(request) }
            if isDown.withLock({ $0 }) {
                switch trouble {
                case .silence: throw .timedOut
                case .cutConnection: throw .other("the connection ended")
                case .busy: return ClientResponse(503)
                case .garbage: return ClientResponse(status: 502, fields: [:], body: Array("<html>\0".utf8))
                }
            }
            accepted.withLock { $0.append(request) }
            return text.contains("Action=")
                ? SNSStandIn.answer(request) : ClientResponse(200, ["name": "projects/p/messages/1"])
        }
    }

    private static func fixture(_ service: Service, _ network: Network) throws -> MobilePushFixture {
        let (queue, push): (DeliveryQueue, PushServices) =
            switch service {
            case .apple: (.applePushes, try MobilePushFixture.apple())
            case .google: (.googlePushes, try MobilePushFixture.google())
            case .amazon: (.applePushes, try MobilePushFixture.amazon())
            }
        return try MobilePushFixture(queue, push) { request throws(HTTPClientError) in try network.answer(request) }
    }

    /// Tries a push for a request of 300 seconds like the worker, with the outage's end so many seconds after the start.
    /// Returns the last step and its second.
    private func deliver(
        _ fixture: MobilePushFixture, _ network: Network, until end: Int64
    ) async throws -> (step: DeliveryStep, second: Int64) {
        let message = try fixture.notification(fixture.device())
        let delivery = Delivery(
            tenant: TenantID("dev"), queue: fixture.provider.queue, recipient: "dev_one", request: 7,
            createdAt: fixture.now, expiresAt: message.expiresAt)
        var entry = DeliveryEntry(id: 1, delivery: delivery)
        var now = fixture.now
        while true {
            let second = (now - fixture.now).components.seconds
            network.isDown.withLock { $0 = second < end }
            let result = await fixture.provider.send(message, now: now).result
            let step = fixture.provider.policy.step(after: result, of: entry, now: now, jitter: 0)
            guard case .retry(let due, let problem, let isTried) = step else { return (step, second) }
            entry = DeliveryEntry(
                id: 1, delivery: delivery, attempts: entry.attempts + (isTried ? 1 : 0), problem: problem)
            now = due
        }
    }

    @Test(
        "A message arrives once within a minute after the outage, each try of it with one id, after few tries",
        arguments: Service.allCases, Trouble.allCases)
    func passes(service: Service, trouble: Trouble) async throws {
        let network = Network(trouble)
        let fixture = try Self.fixture(service, network)
        let (step, second) = try await deliver(fixture, network, until: 200)
        #expect(step == .sent)
        #expect((200...260).contains(second))
        #expect(network.accepted.withLock(\.count) == 1)
        let tries = network.tries.withLock { $0 }
        #expect((3...20).contains(tries.count))
        // Apple and the phone recognise a message that came twice by these.
        for name in ["apns-id", "apns-collapse-id"] { #expect(Set(tries.map { $0.fields[name] }).count == 1) }
        let consent = MobilePushFixture.consent
        #expect(tries.allSatisfy { $0.fields["apns-collapse-id"] == consent || Self.text($0).contains(consent) })
    }

    @Test(
        "In an outage to the end, the message is tried until no other try fits before the request's expiry",
        arguments: Service.allCases, Trouble.allCases)
    func stays(service: Service, trouble: Trouble) async throws {
        let network = Network(trouble)
        let fixture = try Self.fixture(service, network)
        let (step, second) = try await deliver(fixture, network, until: .max)
        guard case .dead(let problem) = step else { throw UnexpectedStep(step: step) }
        #expect(!problem.isEmpty && (240...300).contains(second))
        #expect(network.accepted.withLock { $0.isEmpty } && !network.tries.withLock { $0.isEmpty })
    }

    private static func text(_ request: ClientRequest) -> String { String(decoding: request.body ?? [], as: UTF8.self) }

    private struct UnexpectedStep: Error { let step: DeliveryStep }
}
