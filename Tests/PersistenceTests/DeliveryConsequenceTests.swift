import Audit
import AuthorizationCore
@testable import Flows
import GuardianWire
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: deliveries that fail for good")
struct DeliveryConsequenceTests {
    private let now = Samples.start + .seconds(10)
    private let tenant = TenantID("dev")

    private let ended = DeliveryConsequence.Change.undelivered(phones: ["dev_1", "dev_2"].map { DeviceID($0) })

    private struct Made {
        let store: TemporaryStore
        let pushes: [DeliveryEntry]
        let request: SealedRequest
    }

    /// A request to two phones with push, whose device channel has tried them already.
    private func made(_ kind: StoreKind, devices: Int = 2, channelTried: Bool = true) async throws -> Made {
        let made = try await kind.populated()
        let names = (1...devices).map { "dev_\($0)" }
        for name in names {
            try await made.enrolled(
                Samples.device(name, identifier: name, push: PushCredentials(service: .apns, token: name)))
        }
        try await made.started("r", devices: names)
        if channelTried {
            let channel = try await made.store.dueDeliveries(
                .notifications, perLane: 10, limit: 10, now: now)
            try await made.store.settle(
                channel.map { DeliverySettlement(id: $0.id, step: .done) }, by: "node", now: now)
        }
        let pushes = try await made.store.dueDeliveries(.applePushes, perLane: 10, limit: 10, now: now)
        let hash = AuthReqIDHash(of: "r", Samples.hashing)
        let request = try #require(try await made.store.request(hash, tenant: tenant)).request
        return Made(store: made, pushes: pushes, request: request)
    }

    private func settle(
        _ made: Made, _ index: Int, _ change: DeliveryConsequence.Change, step: DeliveryStep = .ended(problem: "410")
    ) async throws -> [AuthReqIDHash] {
        let event = AuditEvent(.undelivered, tenant: tenant, at: now)
        return try await made.store.store.settle(
            [
                DeliverySettlement(
                    id: made.pushes[index].id, step: step,
                    consequence: DeliveryConsequence(change, of: made.request, event: event))
            ], by: "node", now: now)
    }

    private func state(_ made: Made) async throws -> BackchannelRequest.State? {
        try await made.store.store.request(made.request.hash, tenant: tenant)?.request.state
    }

    @Test("The last failure ends the request, once; the first does not", arguments: StoreKind.all)
    func last(kind: StoreKind) async throws {
        let made = try await made(kind)
        #expect(made.pushes.count == 2)
        #expect(try await settle(made, 0, ended).isEmpty)
        #expect(try await state(made) == .pending)
        #expect(try await settle(made, 1, ended, step: .dead(problem: "403")) == [made.request.hash])
        #expect(try await state(made) == .undelivered)
        #expect(try await settle(made, 1, ended).isEmpty, "settled before")
        #expect(try await made.store.database.auditLog("ciba_undelivered").count == 1)
        let listed = try await made.store.store.deliveries(
            .request(made.request.consentID), of: tenant, before: nil, limit: 10)
        #expect(listed.map(\.state) == [.failed, .undeliverable])
        #expect(listed.map(\.problem) == ["403", "410"])
        #expect(listed.map(\.device) == [DeviceID("dev_2"), DeviceID("dev_1")])
        #expect(
            try await made.store.store.deliveries(.failed, of: TenantID("other"), before: nil, limit: 10).isEmpty)
        #expect(
            try await made.store.store.deliveries(.failed, of: tenant, before: listed.first?.id, limit: 10)
                .map(\.device) == [DeviceID("dev_1")])
    }

    @Test("Two failures in one transaction end the request once", arguments: StoreKind.all)
    func together(kind: StoreKind) async throws {
        let made = try await made(kind)
        let consequence = DeliveryConsequence(
            ended, of: made.request, event: AuditEvent(.undelivered, tenant: tenant, at: now))
        let ended = try await made.store.store.settle(
            made.pushes.map { DeliverySettlement(id: $0.id, step: .dead(problem: "x"), consequence: consequence) },
            by: "node", now: now)
        #expect(ended == [made.request.hash])
    }

    @Test("A delivered push keeps the request alive, and its entry is kept to be read", arguments: StoreKind.all)
    func sent(kind: StoreKind) async throws {
        let made = try await made(kind)
        try await made.store.store.settle(
            [DeliverySettlement(id: made.pushes[0].id, step: .sent)], by: "node", now: now)
        #expect(try await settle(made, 1, ended).isEmpty)
        #expect(try await state(made) == .pending)
        let listed = try await made.store.store.deliveries(
            .user(made.request.user), of: tenant, before: nil, limit: 10)
        #expect(listed.map(\.state) == [.undeliverable, .sent])
        #expect(listed.map(\.attempts) == [1, 1])
        #expect(try await made.store.store.dueDeliveries(.applePushes, perLane: 9, limit: 9, now: now).isEmpty)
    }

    @Test("A phone that fetched its requests was told, even if its push then fails", arguments: StoreKind.all)
    func requested(kind: StoreKind) async throws {
        let made = try await made(kind, devices: 1)
        let request = Samples.request("r").request
        var stored = request
        stored.sequence = made.request.sequence
        try await made.store.store.noteSent(
            [stored], to: DeviceID("dev_1"), events: [AuditEvent(.notificationSent, tenant: tenant, at: now)], now: now)
        #expect(try await settle(made, 0, ended).isEmpty)
        #expect(try await state(made) == .pending)
        #expect(try await made.store.database.auditLog("gd_send_pn").count == 1)
    }

    @Test("A phone that read the request was told, even if its push seems to have failed", arguments: StoreKind.all)
    func read(kind: StoreKind) async throws {
        let made = try await made(kind, devices: 1)
        try await made.store.store.record([
            AuditEvent(.consentFetched, tenant: tenant, at: now, consent: made.request.consentID)
        ])
        #expect(try await settle(made, 0, ended).isEmpty)
        #expect(try await state(made) == .pending)
    }

    @Test(
        "A phone whose push service has no credentials keeps the request from ending, and from nothing else",
        arguments: StoreKind.all)
    func skipped(kind: StoreKind) async throws {
        let made = try await made(kind)
        #expect(try await settle(made, 0, ended, step: .skipped(problem: "no credentials")).isEmpty)
        #expect(try await settle(made, 1, ended).isEmpty)
        #expect(try await state(made) == .pending)
        let listed = try await made.store.store.deliveries(
            .request(made.request.consentID), of: tenant, before: nil, limit: 10)
        #expect(listed.map(\.state) == [.undeliverable, .skipped])
    }

    @Test(
        "The only phone keeps its request alive if its push was skipped for lack of credentials",
        arguments: StoreKind.all)
    func onlyPhoneSkipped(kind: StoreKind) async throws {
        let made = try await made(kind, devices: 1)
        #expect(try await settle(made, 0, ended, step: .skipped(problem: "no credentials")).isEmpty)
        #expect(try await state(made) == .pending)
        let stranger = try await self.made(kind, devices: 1)
        let others = DeliveryConsequence.Change.undelivered(phones: [DeviceID("dev_2")])
        #expect(
            try await settle(stranger, 0, others, step: .skipped(problem: "no credentials")) == [stranger.request.hash],
            "its answer is no evidence")
    }

    @Test("A phone without push keeps the request alive if its answer is evidence enough", arguments: StoreKind.all)
    func fetching(kind: StoreKind) async throws {
        let made = try await made(kind, devices: 1)
        try await made.store.enrolled(Samples.device("dev_3", identifier: "3"))
        let phones = [DeviceID("dev_1"), DeviceID("dev_3")]
        #expect(try await settle(made, 0, .undelivered(phones: phones)).isEmpty)
        #expect(try await state(made) == .pending)
        let other = try await self.made(kind, devices: 1)
        try await other.store.enrolled(Samples.device("dev_3", identifier: "3"))
        #expect(try await settle(other, 0, ended) == [other.request.hash])
    }

    /// The request with the channel `email`.
    private func mailed(_ request: SealedRequest) -> SealedRequest {
        var new = SealedRequest(
            hash: request.hash, tenant: tenant, client: request.client, user: request.user, audience: request.audience,
            channel: .email, createdAt: request.createdAt, expiresAt: request.expiresAt, interval: request.interval,
            wantsReceipt: false, login: nil, browser: nil)
        new.record = [1, 2, 3]
        return new
    }

    @Test(
        "A request whose pushes keep failing goes on by mail once each was tried, and they are tried on",
        arguments: StoreKind.all)
    func overdue(kind: StoreKind) async throws {
        let made = try await made(kind)
        let change = DeliveryConsequence.Change.rerouted(mailed(made.request), devices: [])
        let retry = DeliveryStep.retry(at: now + .seconds(30), problem: "503")
        func mails() async throws -> Int {
            try await made.store.store.dueDeliveries(.mail, perLane: 9, limit: 9, now: now).count
        }
        #expect(try await settle(made, 0, change, step: retry).isEmpty)
        #expect(try await mails() == 0, "the other phone's push was not tried yet")
        for _ in 0..<2 { _ = try await settle(made, 1, change, step: retry) }
        #expect(try await mails() == 1, "once")
        let waiting = try await made.store.store.dueDeliveries(
            .applePushes, perLane: 9, limit: 9, now: now + .seconds(30))
        #expect(waiting.count == 2)
        #expect(try await settle(made, 0, ended).isEmpty)
        #expect(try await state(made) == .pending, "the mail waits, and so does the other push")
    }

    @Test("A push that fails for good does not end a request while another waits for a retry", arguments: StoreKind.all)
    func retried(kind: StoreKind) async throws {
        let made = try await made(kind)
        let retry = DeliverySettlement(id: made.pushes[1].id, step: .retry(at: now + .seconds(9), problem: "503"))
        try await made.store.store.settle([retry], by: "node", now: now)
        #expect(try await settle(made, 0, ended).isEmpty)
        #expect(try await state(made) == .pending)
    }

    @Test("A failed entry names its person, client and request after the request was deleted", arguments: StoreKind.all)
    func outlived(kind: StoreKind) async throws {
        let made = try await made(kind)
        for (index, step) in [DeliveryStep.ended(problem: "410"), .skipped(problem: "no credentials")].enumerated() {
            try await made.store.store.settle(
                [DeliverySettlement(id: made.pushes[index].id, step: step)], by: "node", now: now)
        }
        try await made.store.database.execute("DELETE FROM backchannel_request")
        for filter in [
            DeliveryFilter.failed, .user(made.request.user), .request(made.request.consentID),
        ] {
            let listed = try await made.store.store.deliveries(filter, of: tenant, before: nil, limit: 10)
            #expect(listed.map(\.state) == [.skipped, .undeliverable], "\(filter)")
            #expect(listed.map(\.user) == [made.request.user, made.request.user])
            #expect(listed.map(\.client) == [made.request.client, made.request.client])
            #expect(listed.map(\.consent) == [made.request.consentID, made.request.consentID])
            #expect(try await made.store.store.deliveries(filter, of: TenantID("other"), before: nil, limit: 9).isEmpty)
        }
    }

    @Test("While the device channel has not tried, the failure waits", arguments: StoreKind.all)
    func beforeChannel(kind: StoreKind) async throws {
        let made = try await made(kind, devices: 1, channelTried: false)
        #expect(try await settle(made, 0, ended).isEmpty)
        #expect(try await state(made) == .pending)
        let due = try await made.store.store.dueDeliveries(
            .applePushes, perLane: 9, limit: 9, now: now + .seconds(1))
        #expect(due.map(\.attempts) == [0], "it counts as no try")
    }

    @Test(
        "A rerouted request has another channel and a mail, and opens by its new seal alone", arguments: StoreKind.all)
    func rerouted(kind: StoreKind) async throws {
        let made = try await made(kind, devices: 1)
        #expect(try await settle(made, 0, .rerouted(mailed(made.request), devices: [])).isEmpty)
        let stored = try #require(try await made.store.store.request(made.request.hash, tenant: tenant)).request
        #expect(stored.channel == .email && stored.record == [1, 2, 3] && stored.state == .pending)
        let mails = try await made.store.store.dueDeliveries(.mail, perLane: 9, limit: 9, now: now)
        #expect(mails.map(\.delivery.recipient) == [made.request.user.rawValue])
        #expect(mails.map(\.delivery.request) == [made.request.sequence])
        #expect(mails.map(\.delivery.expiresAt) == [made.request.expiresAt])
    }
}
