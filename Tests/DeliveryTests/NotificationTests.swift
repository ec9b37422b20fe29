import Audit
import AuthorizationCore
import Delivery
@testable import Flows
import GuardianWire
import Primitives
import TestSupport
import Testing

@Suite("Delivery of notifications")
struct NotificationTests {
    let clock = ManualClock()

    private let secrets = GuardianTransactionTokens(
        key: SecretBytes([UInt8](repeating: 5, count: 32)), hashing: Samples.hashing)

    @Test("A delivered entry is done and in the audit log, with the provider's name", arguments: [false, true])
    func delivered(isInstant: Bool) async throws {
        let queue = FakeQueue([entry(1), entry(2)])
        let provider = FakeProvider("push", isInstant: isInstant)
        try await run(queue, [provider]) { _, _ in await queue.awaitSettled(2) }
        #expect(queue.steps == [.done, .done])
        #expect(queue.settledIDs == [1, 2])
        #expect(provider.delivered == [1, 2])
        #expect(queue.events.map(\.kind) == [.notificationSent, .notificationSent])
        #expect(queue.events.map { $0.details["provider"] } == ["push", "push"])
        #expect(queue.events.map(\.device) == [DeviceID("dev_one"), DeviceID("dev_one")])
    }

    @Test("A provider gets the finished notification and the device's push credentials")
    func message() async throws {
        let queue = FakeQueue([entry(7)])
        let provider = FakeProvider("push")
        let push = PushCredentials(service: .apns, token: "t")
        try await run(queue, [provider], push: push) { _, _ in await queue.awaitSettled(1) }
        let message = try #require(provider.messages.first)
        #expect(message.device.push == push)
        #expect(message.event.id == 7)
        guard case .notification(let payload) = message.event.content else {
            Issue.record("\(message)")
            return
        }
        let request = Samples.request("r7").request
        let device = DeviceID("dev_one")
        #expect(payload.title == "Tenant dev")
        #expect(payload.body == "Client agent: TX-4711")
        #expect(payload.enrollmentID == "dev_one")
        #expect(payload.transactionLinkingID == request.consentID.rawValue)
        #expect(payload.transactionToken == secrets.token(of: request, device: device))
        #expect(payload.challenge == secrets.challenge(of: request, device: device))
        #expect(payload.date == Samples.start)
        #expect(payload.host == "dev.example")
    }

    private func decide(_ request: inout SealedRequest, _ decision: BackchannelRequest.Decision) throws {
        request.state = decision.state
        request.outcome = try Samples.vault.seal(
            BackchannelRequest.Outcome(decision, at: Samples.start, by: nil), of: request.hash, tenant: request.tenant)
    }

    @Test("A withdrawal names its request, even if decided, and is not logged as a notification")
    func withdrawal() async throws {
        let queue = FakeQueue([entry(1, .withdrawal)])
        let provider = FakeProvider("push")
        try await run(queue, [provider], request: { try decide(&$0, .allow) }) { _, _ in await queue.awaitSettled(1) }
        #expect(queue.steps == [.done])
        let consent = Samples.request("r1").request.consentID.rawValue
        #expect(
            provider.messages.map(\.event) == [
                DeviceEvent(id: 1, content: .withdrawal(transactionLinkingID: consent))
            ])
        #expect(queue.events.isEmpty)
    }

    @Test("Decided, expired and deleted requests, and those of a removed device, are not delivered")
    func notWorthTelling() async throws {
        let queue = FakeQueue([
            entry(1), entry(2, lifetime: .zero), entry(3, device: "dev_gone"), entry(404),
        ])
        let provider = FakeProvider("push")
        try await run(queue, [provider], request: { if $0.sequence == 1 { try decide(&$0, .reject(reason: nil)) } }) {
            _, _ in
            await queue.awaitSettled(4)
        }
        #expect(Set(queue.settledIDs) == [1, 2, 3, 404])
        #expect(queue.steps.allSatisfy { $0 == .done })
        #expect(provider.delivered.isEmpty)
        #expect(queue.events.isEmpty)
    }

    @Test("An instant lane delivers in the order of the ids, by which devices resume, and not of the times")
    func order() async throws {
        let queue = FakeQueue([])
        queue.add(entry(3), due: clock.now)
        queue.add(entry(2), due: clock.now - .milliseconds(3))
        queue.add(entry(1), due: clock.now - .milliseconds(1))
        let provider = FakeProvider("channel", isInstant: true)
        try await run(queue, [provider]) { _, _ in await queue.awaitSettled(3) }
        #expect(provider.delivered == [1, 2, 3])
    }

    @Test("An entry for a device that its provider does not reach is done without delivery or lease")
    func unreachable() async throws {
        let queue = FakeQueue([entry(1), entry(2, .withdrawal)])
        let provider = FakeProvider("channel", reaches: false, isInstant: true)
        try await run(queue, [provider]) { _, _ in await queue.awaitSettled(2) }
        #expect(queue.steps == [.done, .done])
        #expect(provider.delivered.isEmpty)
        #expect(queue.events.isEmpty)
        #expect(queue.leases.isEmpty)
    }

    @Test("After eight entries at once in an instant lane, the next read waits for 10 ms")
    func moment() async throws {
        let queue = FakeQueue((1...8).map { entry($0) })
        try await run(queue, [FakeProvider("channel", isInstant: true)]) { worker, timer in
            await queue.awaitSettled(8)
            // The pause and the moment between two reads.
            await timer.awaitSleepers(2)
            queue.add(entry(9))
            queue.announce(.notifications)
            timer.advance(by: .milliseconds(10))
            await queue.awaitSettled(9)
        }
        #expect(queue.settledIDs.last == 9)
    }

    @Test("A failed delivery is retried after 1, 2, 4, … seconds, at most 60, and given up after eight tries")
    func backoff() async throws {
        let provider = FakeProvider("push", answer: { _ in .failed(reason: "503") })
        for (attempts, delay) in [(0, 1), (1, 2), (2, 4), (5, 32), (6, 60)] {
            let queue = FakeQueue([entry(1, attempts: attempts)])
            try await run(queue, [provider]) { _, _ in await queue.awaitSettled(1) }
            #expect(queue.steps == [.retry(at: clock.now + .seconds(delay), problem: "503")], "after \(attempts)")
            #expect(queue.events.isEmpty)
        }
        let queue = FakeQueue([entry(1, attempts: 7)])
        try await run(queue, [provider]) { _, _ in await queue.awaitSettled(1) }
        #expect(queue.steps == [.dead(problem: "503")])
        #expect(queue.events.map(\.kind) == [.notificationFailed])
        #expect(queue.events.first?.details["reason"] == "503")
    }

    @Test("A provider's Retry-After counts if it is longer")
    func retryAfter() async throws {
        for (named, expected) in [(1, 4), (30, 30), (250, 250)] {
            let queue = FakeQueue([entry(1, attempts: 2)])
            let provider = FakeProvider("push", answer: { _ in .failed(reason: "429", retryAfter: .seconds(named)) })
            try await run(queue, [provider]) { _, _ in await queue.awaitSettled(1) }
            #expect(queue.steps == [.retry(at: clock.now + .seconds(expected), problem: "429")])
        }
    }

    @Test("A failure of the store costs no attempt, and is in the audit log if the entry expires by it")
    func storeFails() async throws {
        let queue = FakeQueue([entry(1, attempts: 7)])
        let report = try await run(queue, [FakeProvider("push")], sourceIsBroken: true) { _, _ in
            await queue.awaitSettled(1)
        }
        #expect(
            queue.steps == [.retry(at: clock.now + .seconds(1), problem: "this server failed", isTried: false)])
        #expect(queue.waiting.map(\.attempts) == [7])
        #expect(queue.events.isEmpty)
        #expect(report == ["notification 1 to dev_one of the tenant dev is tried again: Failure(isTransient: true)"])
        let unreadable = FakeQueue([entry(1, attempts: 7)])
        try await run(unreadable, [FakeProvider("push")], sourceIsBroken: true, sourceIsBusy: false) { _, _ in
            await unreadable.awaitSettled(1)
        }
        #expect(unreadable.dead == [1: "this server failed"], "a row that cannot be read gets better by no wait")
        #expect(unreadable.events.map(\.kind) == [.notificationFailed])
        let last = FakeQueue([entry(1, lifetime: .seconds(1))])
        try await run(last, [FakeProvider("push")], sourceIsBroken: true) { _, _ in await last.awaitSettled(1) }
        #expect(last.dead == [1: "this server failed"])
        #expect(last.events.map(\.kind) == [.notificationFailed])
        #expect(last.events.map(\.device) == [DeviceID("dev_one")])
    }

    @Test("An entry that fails and then expires is in the audit log, and so is one that cannot be read")
    func failures() async throws {
        let late = FakeQueue([entry(1, lifetime: .zero, problem: "503")])
        try await run(late, [FakeProvider("push")]) { _, _ in await late.awaitSettled(1) }
        #expect(late.events.map(\.kind) == [.notificationFailed])
        #expect(
            late.events.first?.details["reason"] == "not delivered within 0 minutes; the last try: 503")
        let unreadable = FakeQueue([entry(1, attempts: 7, payload: "nonsense")])
        try await run(unreadable, [FakeProvider("push")]) { _, _ in await unreadable.awaitSettled(1) }
        #expect(unreadable.dead == [1: "this server failed"])
        #expect(unreadable.events.map(\.kind) == [.notificationFailed])
    }

    @Test("Entries that a provider refuses, or without a tenant, are dead at once")
    func dead() async throws {
        let refusing = FakeQueue([entry(1)])
        let provider = FakeProvider("push", answer: { _ in .refused(reason: "BadDeviceToken") })
        try await run(refusing, [provider]) { _, _ in await refusing.awaitSettled(1) }
        #expect(refusing.dead == [1: "BadDeviceToken"])
        #expect(refusing.events.map(\.kind) == [.notificationFailed])
        let orphan = FakeQueue([entry(1)])
        try await run(orphan, [FakeProvider("push")], tenant: "gone") { _, _ in await orphan.awaitSettled(1) }
        #expect(orphan.dead == [1: "the tenant is gone"])
    }

    @Test("A slow provider delays no other, and a device gets its messages in sequence")
    func lanes() async throws {
        let gate = Gate()
        let slow = FakeProvider(
            "web-push", queue: .webPushes,
            answer: { _ in
                await gate.pass()
                return .delivered
            })
        let quick = FakeProvider("channel", isInstant: true)
        let queue = FakeQueue(
            (1...200).map { entry($0, device: "dev_a", queue: .webPushes) } + [entry(201), entry(202)])
        try await run(queue, [slow, quick]) { worker, _ in
            await queue.awaitSettled(2)
            #expect(queue.settledIDs == [201, 202])
            // Entries added meanwhile are delivered as soon.
            queue.add(entry(203))
            queue.announce(.notifications)
            await queue.awaitSettled(3)
            // The slow one may not have begun yet.
            #expect(slow.delivered.count <= 1)
            gate.open()
            await queue.awaitSettled(203)
        }
        #expect(slow.delivered == Array(1...200), "a device's messages keep their order")
        #expect(quick.delivered == [201, 202, 203])
    }

    @Test("A start wakes the channel's queue, and the push services' after it; each has its own entry of a device")
    func wakesPushes() async throws {
        let push = FakeProvider("web-push", queue: .webPushes)
        let channel = FakeProvider("channel", isInstant: true)
        let queue = FakeQueue()
        try await run(queue, [channel, push]) { worker, _ in
            await queue.awaitReads(2)
            queue.add(entry(1))
            queue.add(entry(2, queue: .webPushes))
            queue.announce(.notifications)
            await queue.awaitSettled(2)
        }
        #expect(channel.delivered == [1])
        #expect(push.delivered == [2])
    }

    @Test("RFC 8030 7.3: a subscription that has ended is retired once, and the entry is no dead letter")
    func gone() async throws {
        let queue = FakeQueue([entry(1, queue: .webPushes)])
        let push = PushCredentials(service: .webPush, token: "{}")
        let provider = FakeProvider("web-push", queue: .webPushes, answer: { _ in .gone(reason: "answered 410") })
        let retired = FakeSource.Retired()
        try await run(queue, [provider], push: push, retired: retired) { _, _ in await queue.awaitSettled(1) }
        #expect(queue.steps == [.done])
        #expect(queue.events.map(\.kind) == [.notificationFailed])
        #expect(retired.all.map(\.push) == [push])
        #expect(retired.all.map(\.event.kind) == [.deviceUpdated])
        #expect(retired.all.map { $0.event.details["reason"] } == ["answered 410"])
    }

    @Test("An answer about a token that the device has replaced retires nothing, and the push is tried again at once")
    func replaced() async throws {
        let queue = FakeQueue([entry(1, queue: .webPushes)])
        let provider = FakeProvider("web-push", queue: .webPushes, answer: { _ in .gone(reason: "answered 410") })
        let retired = FakeSource.Retired(hasNewTokens: true)
        try await run(
            queue, [provider], push: PushCredentials(service: .webPush, token: "{}"), retired: retired
        ) { _, _ in await queue.awaitSettled(1) }
        #expect(retired.all.isEmpty && queue.events.isEmpty)
        guard case .retry(_, "answered 410", isTried: false) = queue.steps.first else {
            Issue.record("\(queue.steps)")
            return
        }
    }

    @Test("A push service gets 64 messages at a time, to as many devices")
    func inFlight() async throws {
        let gate = Gate()
        let push = FakeProvider(
            "apns",
            answer: { _ in
                await gate.pass()
                return .delivered
            })
        let queue = FakeQueue((1...100).map { entry($0, device: "dev_\($0)") })
        try await run(queue, [push]) { _, timer in
            await push.awaitCalls(64)
            await timer.awaitSleepers()
            timer.advance(by: .seconds(1))
            await timer.awaitSleepers()
            #expect(push.messages.count == 64)
            gate.open()
            await queue.awaitSettled(100)
        }
        #expect(Set(push.delivered) == Set(1...100))
    }

    // MARK: helpers

    /// Runs a worker during `body` and returns its reports.
    @discardableResult
    func run(
        _ queue: FakeQueue, _ providers: [any NotificationProvider], push: PushCredentials? = nil,
        tenant: String = "dev", sourceIsBroken: Bool = false, sourceIsBusy: Bool = true,
        retired: FakeSource.Retired = FakeSource.Retired(),
        request change: @escaping (inout SealedRequest) throws -> Void = { _ in },
        _ body: (DeliveryWorker, ManualTimer) async throws -> Void
    ) async throws -> [String] {
        let couriers = try couriers(
            providers, for: queue, push: push, tenant: tenant, sourceIsBroken: sourceIsBroken,
            sourceIsBusy: sourceIsBusy, retired: retired, request: change)
        return try await working(queue, couriers, clock: clock, body)
    }

    /// Couriers of requests 1...399 and all devices but `dev_gone`.
    func couriers(
        _ providers: [any NotificationProvider], for queue: FakeQueue, push: PushCredentials? = nil,
        tenant: String = "dev", sourceIsBroken: Bool = false, sourceIsBusy: Bool = true,
        retired: FakeSource.Retired = FakeSource.Retired(),
        request change: (inout SealedRequest) throws -> Void = { _ in }
    ) throws -> [any DeliveryCourier] {
        var source = FakeSource(isBroken: sourceIsBroken, isBusy: sourceIsBusy, retired: retired)
        for sequence in 1...399 as ClosedRange<Int64> {
            let (hash, request) = Samples.request("r\(sequence)", tenant: tenant)
            var sealed = try Samples.vault.seal(request, hash)
            sealed.sequence = sequence
            try change(&sealed)
            source.requests[sequence] = sealed
        }
        for name in ["one", "two", "a", "g"] + (1...100).map(String.init) {
            source.devices[DeviceID("dev_\(name)")] = try Samples.device("dev_\(name)", push: push)
        }
        let configuration = OneTenant(try Samples.configuration())
        return providers.map { [source] provider in
            NotificationCourier(
                provider: provider, source: source, vault: Samples.vault, configuration: configuration,
                composer: NotificationComposer(secrets: secrets), rerouting: source.rerouting(configuration))
        }
    }

    func entry(
        _ id: Int64, _ kind: DeviceNotice.Kind = .notification, device: String = "dev_one", attempts: Int = 0,
        lifetime: Duration = .seconds(300), payload: String? = nil, problem: String? = nil,
        queue: DeliveryQueue = .notifications
    ) -> DeliveryEntry {
        DeliveryEntry(
            id: id,
            delivery: Delivery(
                tenant: TenantID("dev"), queue: queue, recipient: device,
                payload: payload ?? DeviceNotice(kind, request: id).payload, createdAt: Samples.start,
                expiresAt: Samples.start + lifetime),
            attempts: attempts, problem: problem)
    }
}
