import Audit
import AuthorizationCore
@testable import Flows
import GuardianWire
import Primitives
import TestSupport
import Testing

/// Goes by the order of the client's channels, as the start of a request does.
@Suite("The channel after one that reached nobody")
struct ReroutingTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var channels: [Client.NotificationChannel]
        var failed: Client.NotificationChannel
        var life = 300
        var demand: EvidenceDemand?
        var hasPhone = true
        var isVerified = true
        var isBlocked = false
        var allowsLongPush = false
        /// Nil means that the request ends.
        var expected: Client.NotificationChannel?

        var testDescription: String {
            "\(channels.map(\.rawValue)) after \(failed.rawValue), \(life) s → \(expected?.rawValue ?? "the end")"
        }
    }

    private static let rows: [Row] = [
        Row(channels: [.guardianPush, .email], failed: .guardianPush, expected: .email),
        Row(channels: [.email, .guardianPush], failed: .email, expected: .guardianPush),
        Row(channels: [.guardianPush, .email], failed: .email),
        Row(channels: [.email, .guardianPush], failed: .guardianPush),
        Row(channels: [.guardianPush], failed: .guardianPush),
        Row(channels: [.guardianPush, .page], failed: .guardianPush, expected: .page),
        Row(channels: [.guardianPush, .page], failed: .guardianPush, hasPhone: false),
        Row(channels: [.guardianPush, .email, .page], failed: .guardianPush, expected: .email),
        Row(channels: [.email, .page], failed: .email, hasPhone: false, expected: .page),
        Row(channels: [.email, .page], failed: .email, life: 301, hasPhone: false, expected: .page),
        Row(channels: [.email, .guardianPush], failed: .email, hasPhone: false),
        Row(channels: [.guardianPush, .email], failed: .guardianPush, isVerified: false),
        Row(channels: [.guardianPush, .email], failed: .guardianPush, demand: .signedDigest),
        Row(channels: [.email, .guardianPush], failed: .email, life: 301),
        Row(
            channels: [.guardianPush, .email], failed: .email, life: 301, allowsLongPush: true, expected: .guardianPush),
        Row(channels: [.guardianPush, .email], failed: .guardianPush, isBlocked: true),
    ]

    private let now = Samples.start + .seconds(10)
    private let phone = DeviceID("dev_1")

    private func consequence(
        _ row: Row, state: BackchannelRequest.State = .pending, isForGood: Bool = true, isLogin: Bool = false,
        queue: DeliveryQueue? = nil
    ) async throws -> DeliveryConsequence? {
        var (hash, request) = Samples.request(channel: row.failed, lifetime: .seconds(row.life))
        if isLogin { request.login = AuthReqIDHash(of: "login", Samples.hashing).bytes }
        var sealed = try Samples.vault.seal(request, hash)
        (sealed.sequence, sealed.state) = (7, state)
        let known = try Samples.configuration(
            Samples.tenant { $0.settings.evidence = row.demand },
            clients: [
                Samples.client {
                    $0.notificationChannels = row.channels
                    $0.allowsLongPush = row.allowsLongPush
                }
            ])
        var ann = User(id: UserID("auth0|ann"), createdAt: Samples.start)
        (ann.email, ann.emailVerified, ann.blocked) = ("ann@example.org", row.isVerified, row.isBlocked)
        let phones = row.hasPhone ? [Approver.Phone(id: phone, capabilities: [])] : []
        let source = FakeSource(person: Approver(user: ann, phones: phones), requests: [7: sealed])
        let entry = DeliveryEntry(
            id: 1,
            delivery: Delivery(
                tenant: TenantID("dev"), queue: queue ?? (row.failed == .email ? .mail : .applePushes),
                recipient: "auth0|ann", request: 7, createdAt: Samples.start, expiresAt: request.expiresAt))
        return try await source.rerouting(OneTenant(known))
            .consequence(of: entry, reason: "refused", isForGood: isForGood, now: now)
    }

    @Test(
        "The client's next channel that reaches the person is used; without one the request ends",
        arguments: rows)
    func order(row: Row) async throws {
        let found = try #require(try await consequence(row))
        #expect(found.request.channel == row.failed)
        #expect(found.event.details["reason"] == "refused")
        switch found.change {
        case .rerouted(let request, let devices):
            #expect(request.channel == row.expected)
            #expect(devices == (row.expected == .guardianPush ? [phone] : []))
            #expect(found.event.kind == .rerouted)
        case .undelivered(let phones):
            #expect(row.expected == nil)
            #expect(phones == (row.hasPhone && !row.isBlocked && row.demand == nil ? [phone] : []))
            #expect(found.event.kind == .undelivered)
        }
    }

    @Test("A failure that another try might have mended sends the request on, and never ends it")
    func passing() async throws {
        let next = Row(channels: [.guardianPush, .email], failed: .guardianPush)
        let consequence = try await consequence(next, isForGood: false)
        #expect(consequence?.event.kind == .rerouted)
        #expect(
            try await self.consequence(Row(channels: [.guardianPush], failed: .guardianPush), isForGood: false) == nil)
    }

    @Test("A request that went on by mail goes nowhere by a push that still fails; it ends if that fails for good, too")
    func pushBesideMail() async throws {
        let row = Row(channels: [.guardianPush, .email, .page], failed: .email)
        #expect(try await consequence(row, isForGood: false, queue: .applePushes) == nil)
        #expect(try await consequence(row, queue: .applePushes)?.event.kind == .undelivered)
        #expect(try await consequence(row, queue: .mail)?.event.kind == .rerouted)
    }

    @Test("The page shows a login's request and one of the page, so that their failed pushes have no consequence")
    func shown() async throws {
        #expect(try await consequence(Row(channels: [.guardianPush], failed: .guardianPush), isLogin: true) == nil)
        #expect(
            try await consequence(Row(channels: [.guardianPush, .page], failed: .page), queue: .applePushes) == nil)
    }

    @Test(
        "A request that needs no answer any more has no consequence",
        arguments: [BackchannelRequest.State.approved, .denied, .expired])
    func decided(state: BackchannelRequest.State) async throws {
        let row = Row(channels: [.guardianPush, .email], failed: .guardianPush)
        #expect(try await consequence(row, state: state) == nil)
    }
}
