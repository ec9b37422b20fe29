import Audit
import AuthorizationCore
import Delivery
import Flows
import GuardianWire
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Outbox worker")
struct OutboxWorkerTests {
    private let clock = ManualClock()

    @Test("What a provider delivered is done and in the audit log, with the provider's name")
    func delivered() async throws {
        let outbox = FakeOutbox([try entry(1), try entry(2)])
        let provider = FakeProvider("push")
        try await run(outbox, [provider]) { _, _ in try await outbox.awaitSettled(2) }
        #expect(outbox.settled == [.done(1), .done(2)])
        #expect(provider.delivered == [1, 2])
        #expect(outbox.events.map(\.kind) == [.notificationSent, .notificationSent])
        #expect(outbox.events.map { $0.details["provider"] } == ["push", "push"])
        #expect(outbox.events.map(\.device) == [DeviceID("dev_one"), DeviceID("dev_one")])
    }

    @Test("A withdrawal is delivered, also of a decided request, and not logged as a notification")
    func withdrawal() async throws {
        let outbox = FakeOutbox([try entry(1, .withdrawal) { $0.state = .approved }])
        try await run(outbox, [FakeProvider("push")]) { _, _ in try await outbox.awaitSettled(1) }
        #expect(outbox.settled == [.done(1)])
        #expect(outbox.events.isEmpty)
    }

    @Test("What is decided, expired or of a removed device is not delivered any more")
    func notWorthTelling() async throws {
        let outbox = FakeOutbox([
            try entry(1) { $0.state = .denied }, try entry(2, lifetime: .zero), try entry(3, device: nil),
        ])
        let provider = FakeProvider("push")
        try await run(outbox, [provider]) { _, _ in try await outbox.awaitSettled(3) }
        #expect(Set(outbox.settled.map(\.id)) == [1, 2, 3])
        #expect(outbox.settled.allSatisfy { if case .done = $0 { true } else { false } })
        #expect(provider.delivered.isEmpty)
        #expect(outbox.events.isEmpty)
    }

    @Test("What goes to a device that its provider does not reach is done without being delivered")
    func unreachable() async throws {
        let outbox = FakeOutbox([try entry(1), try entry(2, .withdrawal)])
        let provider = FakeProvider("channel", reaches: false)
        try await run(outbox, [provider]) { _, _ in try await outbox.awaitSettled(2) }
        #expect(outbox.settled == [.done(1), .done(2)])
        #expect(provider.delivered.isEmpty)
        #expect(outbox.events.isEmpty)
    }

    @Test("Where there are eight at once, the next look waits for 10 ms")
    func moment() async throws {
        let outbox = FakeOutbox(try (1...8).map { try entry($0) })
        try await run(outbox, [FakeProvider("push")]) { worker, timer in
            try await outbox.awaitSettled(8)
            // The pause between two looks, and the moment.
            await timer.awaitSleepers(2)
            outbox.add(try entry(100))
            worker.entriesAdded()
            timer.advance(by: .milliseconds(10))
            try await outbox.awaitSettled(9)
        }
        #expect(outbox.settled.last == .done(100))
    }

    @Test("A failed delivery is tried again after 1, 2, 4, … seconds, a minute at most, and given up after eight")
    func backoff() async throws {
        let provider = FakeProvider("push", answer: { _ in .failed(reason: "503", retryAfter: nil) })
        for (attempts, delay) in [(0, 1), (1, 2), (2, 4), (5, 32), (6, 60)] {
            let outbox = FakeOutbox([try entry(1, attempts: attempts)])
            try await run(outbox, [provider]) { _, _ in try await outbox.awaitSettled(1) }
            #expect(outbox.settled == [.retry(1, at: clock.now + .seconds(delay))], "after \(attempts)")
            #expect(outbox.events.isEmpty)
        }
        let outbox = FakeOutbox([try entry(1, attempts: 7)])
        try await run(outbox, [provider]) { _, _ in try await outbox.awaitSettled(1) }
        #expect(outbox.settled == [.dead(1, reason: "503")])
        #expect(outbox.events.map(\.kind) == [.notificationFailed])
        #expect(outbox.events.first?.details["reason"] == "503")
    }

    @Test("A provider's Retry-After counts where it is longer")
    func retryAfter() async throws {
        for (named, expected) in [(1, 4), (30, 30), (600, 600)] {
            let outbox = FakeOutbox([try entry(1, attempts: 2)])
            let provider = FakeProvider("push", answer: { _ in .failed(reason: "429", retryAfter: .seconds(named)) })
            try await run(outbox, [provider]) { _, _ in try await outbox.awaitSettled(1) }
            #expect(outbox.settled == [.retry(1, at: clock.now + .seconds(expected))])
        }
    }

    @Test("What a provider refuses, or nobody delivers, is dead at once")
    func dead() async throws {
        let refusing = FakeOutbox([try entry(1)])
        let provider = FakeProvider("push", answer: { _ in .refused(reason: "BadDeviceToken") })
        try await run(refusing, [provider]) { _, _ in try await refusing.awaitSettled(1) }
        #expect(refusing.settled == [.dead(1, reason: "BadDeviceToken")])
        #expect(refusing.events.map(\.kind) == [.notificationFailed])
        let lonely = FakeOutbox([try entry(1)])
        try await run(lonely, [FakeProvider("none", services: [])]) { _, _ in
            try await lonely.awaitSettled(1)
        }
        #expect(lonely.settled == [.dead(1, reason: "no provider reaches this device")])
    }

    @Test("The first provider that reaches a device delivers to it")
    func choice() async throws {
        let apple = FakeProvider("apns", services: [.apns])
        let both = FakeProvider("both", services: [.apns, .gcm])
        let channel = FakeProvider("channel")
        let outbox = FakeOutbox([
            try entry(1, push: PushCredentials(service: .apns, token: "t")), try entry(2),
            try entry(3, push: PushCredentials(service: .gcm, token: "t")), try entry(4, device: nil),
        ])
        try await run(outbox, [apple, both, channel, FakeProvider("late", services: [.gcm])]) { _, _ in
            try await outbox.awaitSettled(4)
        }
        #expect(apple.delivered == [1])
        #expect(both.delivered == [3])
        #expect(channel.delivered == [2])
    }

    @Test("A slow provider delays nobody else, however many entries wait for it")
    func lanes() async throws {
        let gate = Gate()
        let slow = FakeProvider(
            "apns", services: [.apns],
            answer: { _ in
                await gate.pass()
                return .delivered
            })
        let quick = FakeProvider("channel")
        let push = PushCredentials(service: .apns, token: "t")
        let outbox = FakeOutbox(
            try (1...2000).map { try entry($0, push: push) } + [try entry(2001), try entry(2002)])
        try await run(outbox, [slow, quick]) { worker, _ in
            try await outbox.awaitSettled(2)
            #expect(outbox.settled == [.done(2001), .done(2002)])
            // What comes while it is stuck is told as soon.
            outbox.add(try entry(2003))
            worker.entriesAdded()
            try await outbox.awaitSettled(3)
            #expect(slow.delivered == [1])
            gate.open()
            try await outbox.awaitSettled(2003)
        }
        #expect(slow.delivered == Array(1...2000), "a lane keeps its order")
        #expect(quick.delivered == [2001, 2002, 2003])
    }

    @Test("A store that cannot settle gets the entries delivered again; the worker goes on and says so")
    func redelivery() async throws {
        let outbox = FakeOutbox([try entry(1)], settleFailures: 1)
        let provider = FakeProvider("push")
        let report = try await run(outbox, [provider]) { _, timer in
            // The pause between two looks, and the one after the failure.
            await timer.awaitSleepers(2)
            timer.advance(by: .seconds(1))
            try await outbox.awaitSettled(1)
        }
        #expect(provider.delivered == [1, 1])
        #expect(report.count == 1)
        #expect(report.first?.contains("cannot be settled") == true)
    }

    @Test("A store that cannot be read is read again a second later")
    func unreadable() async throws {
        let outbox = FakeOutbox([try entry(1)], dueFailures: 1)
        let report = try await run(outbox, [FakeProvider("push")]) { _, timer in
            await timer.awaitSleepers()
            try await outbox.awaitReads(1)
            timer.advance(by: .seconds(1))
            try await outbox.awaitSettled(1)
        }
        #expect(report.count == 1)
    }

    @Test("A worker that died before it settled leaves its entries to the next one")
    func crash() async throws {
        let gate = Gate()
        let outbox = FakeOutbox([try entry(1)])
        let stuck = FakeProvider(
            "push",
            answer: { _ in
                await gate.pass()
                return .delivered
            })
        let first = OutboxWorker(
            store: outbox, providers: [stuck], clock: clock, timer: ManualTimer(clock), report: { _ in })
        let task = Task { await first.run() }
        try await stuck.awaitCalls(1)
        // The first worker hangs in its delivery, as one that was killed there; nothing was settled.
        let provider = FakeProvider("push")
        try await run(outbox, [provider]) { _, _ in try await outbox.awaitSettled(1) }
        #expect(provider.delivered == [1])
        task.cancel()
        gate.open()
        await task.value
    }

    @Test("New entries are taken when they are told of, due ones when their time comes")
    func signals() async throws {
        let outbox = FakeOutbox([])
        try await run(outbox, [FakeProvider("push")]) { worker, timer in
            try await outbox.awaitReads(1)
            outbox.add(try entry(1))
            worker.entriesAdded()
            try await outbox.awaitSettled(1)
            await timer.awaitSleepers()
            outbox.add(try entry(2))
            timer.advance(by: .seconds(1))
            try await outbox.awaitSettled(2)
        }
    }

    // MARK: helpers

    /// Runs a worker while `body` runs, and returns what it reported.
    @discardableResult
    private func run(
        _ outbox: FakeOutbox, _ providers: [any NotificationProvider],
        _ body: (OutboxWorker, ManualTimer) async throws -> Void
    ) async throws -> [String] {
        let reports = Reports()
        let timer = ManualTimer(clock)
        let worker = OutboxWorker(store: outbox, providers: providers, clock: clock, timer: timer) { reports.add($0) }
        let task = Task { await worker.run() }
        do {
            try await body(worker, timer)
        } catch {
            task.cancel()
            throw error
        }
        task.cancel()
        await task.value
        return reports.lines
    }

    private func entry(
        _ id: Int64, _ kind: OutboxEntry.Kind = .notification, device: String? = "dev_one",
        push: PushCredentials? = nil, attempts: Int = 0, lifetime: Duration = .seconds(300),
        _ change: (inout BackchannelRequest) -> Void = { _ in }
    ) throws -> OutboxEntry {
        var request = Samples.request("r\(id)", lifetime: lifetime).request
        request.sequence = id
        change(&request)
        return OutboxEntry(
            id: id, kind: kind, request: request, device: try device.map { try Samples.device($0, push: push) },
            attempts: attempts)
    }
}

private final class Reports: Sendable {
    private let told = Mutex<[String]>([])

    var lines: [String] { told.withLock { $0 } }

    func add(_ line: String) { told.withLock { $0.append(line) } }
}
