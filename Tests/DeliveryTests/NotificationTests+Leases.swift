import Audit
import AuthorizationCore
import Delivery
@testable import Flows
import GuardianWire
import Primitives
import TestSupport
import Testing

/// Entries that a worker holds or has to take again.
extension NotificationTests {
    @Test("If the store cannot settle, entries are delivered again, and the worker reports it")
    func redelivery() async throws {
        let queue = FakeQueue([entry(1)], settleFailures: 1)
        let provider = FakeProvider("channel", isInstant: true)
        let report = try await run(queue, [provider]) { _, timer in
            // The pause between two reads, and the one after the failure.
            await timer.awaitSleepers(2)
            timer.advance(by: .seconds(1))
            await queue.awaitSettled(1)
        }
        #expect(provider.delivered == [1, 1])
        #expect(report.count == 1)
        #expect(report.first?.contains("cannot be settled") == true)
    }

    @Test("A leased entry that could not be settled is delivered again when its lease ends, and not before")
    func leaseEnds() async throws {
        let queue = FakeQueue([entry(1)], settleFailures: 1)
        let provider = FakeProvider("push")
        let report = try await run(queue, [provider]) { _, timer in
            await provider.awaitCalls(1)
            for _ in 0..<59 {
                await timer.awaitSleepers()
                timer.advance(by: .seconds(1))
            }
            await timer.awaitSleepers()
            #expect(provider.delivered == [1])
            while queue.settled.isEmpty {
                await timer.awaitSleepers()
                timer.advance(by: .seconds(1))
            }
        }
        #expect(provider.delivered == [1, 1])
        #expect(report.count == 1)
    }

    @Test("A store that cannot be read is read again a second later")
    func unreadable() async throws {
        let queue = FakeQueue([entry(1)], readFailures: 1)
        let report = try await run(queue, [FakeProvider("push")]) { _, timer in
            await timer.awaitSleepers()
            await queue.awaitReads(1)
            timer.advance(by: .seconds(1))
            await queue.awaitSettled(1)
        }
        #expect(report.count == 1)
    }

    @Test("The next start takes a dead worker's leased entries at once")
    func crash() async throws {
        let gate = Gate()
        let queue = FakeQueue([entry(1)])
        let stuck = FakeProvider(
            "push",
            answer: { _ in
                await gate.pass()
                return .delivered
            })
        let first = DeliveryWorker(
            store: queue, couriers: try couriers([stuck], for: queue), decisions: DecisionHub(), owner: "node",
            clock: clock,
            timer: ManualTimer(clock)
        ) { _, _ in }
        let task = Task { await first.run() }
        await stuck.awaitCalls(1)
        #expect(queue.leases == [[1]])
        // The first worker hangs in its delivery, as if killed there. Nothing was settled.
        let provider = FakeProvider("push")
        try await run(queue, [provider]) { _, _ in await queue.awaitSettled(1) }
        #expect(provider.delivered == [1])
        task.cancel()
        gate.open()
        await task.value
        #expect(queue.settled.count == 1)
    }

    @Test("A node leaves entries that another has leased until the lease ends")
    func otherNode() async throws {
        let queue = FakeQueue([entry(1), entry(2, device: "dev_two")])
        _ = try await queue.lease(
            [entry(1)], to: "other node", until: clock.now + .seconds(10), now: clock.now)
        let provider = FakeProvider("push")
        try await run(queue, [provider]) { _, timer in
            await queue.awaitSettled(1)
            #expect(provider.delivered == [2])
            while queue.settled.count < 2 {
                await timer.awaitSleepers()
                timer.advance(by: .seconds(1))
            }
        }
        #expect(clock.now >= Samples.start + .seconds(10))
        #expect(provider.delivered == [2, 1])
    }

    @Test("New entries are taken when signalled, due ones when their time comes")
    func signals() async throws {
        let queue = FakeQueue()
        let provider = FakeProvider("push")
        try await run(queue, [provider]) { worker, timer in
            await queue.awaitReads(1)
            queue.add(entry(1))
            queue.announce(.notifications)
            await queue.awaitSettled(1)
            #expect(provider.delivered == [1])
            await timer.awaitSleepers()
            queue.add(entry(2))
            timer.advance(by: .seconds(1))
            await queue.awaitSettled(2)
        }
        #expect(provider.delivered == [1, 2])
    }
}
