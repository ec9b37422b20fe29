import AuthorizationCore
import Delivery
@testable import Flows
import Primitives
import Synchronization
import TestSupport
import Testing

/// Fails with the given answers in order, then takes every mail.
private final class FakeTransport: MailTransport {
    let answers: Mutex<[MailFailure]>
    let taken = Mutex<[(mail: OutgoingMail, id: String)]>([])

    let calls = Counter()
    private let gate: Gate?

    init(_ answers: [MailFailure] = [], gate: Gate? = nil) {
        self.answers = Mutex(answers)
        self.gate = gate
    }

    func send(_ mail: OutgoingMail, id: String, now: Timestamp) async throws(MailFailure) {
        taken.withLock { $0.append((mail, id)) }
        calls.add()
        await gate?.pass()
        if let failure = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw failure }
    }
}

@Suite("Sending mail")
struct MailCourierTests {
    private let queue = FakeQueue()
    private let clock = ManualClock()

    private func sealed(_ subject: String) throws -> [UInt8] {
        let json: JSONValue = ["to": "ann@example.org", "subject": .string(subject), "text": "link"]
        return try Samples.sealer.seal(
            JSONWriter.bytes(json), context: Delivery.sealingContext(tenant: TenantID("dev")))
    }

    private func add(_ id: Int64, _ sealed: [UInt8], lifetime: Duration = .seconds(3600)) {
        queue.add(
            DeliveryEntry(
                id: id,
                delivery: Delivery(
                    SealedMail(
                        tenant: TenantID("dev"), sealed: sealed, createdAt: clock.now, expiresAt: clock.now + lifetime))
            ))
    }

    /// Runs the worker during `body` and returns its reports.
    @discardableResult
    private func working(
        _ transport: (any MailTransport)?, _ body: (ManualTimer) async throws -> Void
    ) async throws -> [String] {
        let courier = MailCourier(transport: transport, sealer: Samples.sealer, hashing: Samples.hashing)
        return try await DeliveryTests.working(queue, [courier], clock: clock) { _, timer in try await body(timer) }
    }

    /// Lets the worker read again after `duration`.
    private func pass(_ duration: Duration, _ timer: ManualTimer) async {
        await timer.awaitSleepers()
        timer.advance(by: duration)
    }

    @Test("Pending mail is opened, sent in order, and deleted")
    func sends() async throws {
        for number in 1...40 { add(Int64(number), try sealed("\(number)")) }
        let transport = FakeTransport()
        let lines = try await working(transport) { _ in await queue.awaitSettled(40) }
        let taken = transport.taken.withLock { $0 }
        #expect(taken.map(\.mail.subject) == (1...40).map { "\($0)" })
        #expect(taken.first?.mail == OutgoingMail(to: "ann@example.org", subject: "1", text: "link"))
        #expect(Set(taken.map(\.id)).count == 40)
        #expect(queue.waiting.isEmpty)
        #expect(lines.isEmpty)
    }

    @Test("A failure is tried again after 5 and 10 seconds, under the same id")
    func retries() async throws {
        add(1, try sealed("s"))
        let transport = FakeTransport([.failed("451 later"), .failed("no connection")])
        let lines = try await working(transport) { timer in
            await queue.awaitSettled(1)
            await pass(.seconds(4), timer)
            await timer.awaitSleepers()
            #expect(transport.taken.withLock { $0.count } == 1)
            await pass(.seconds(1), timer)
            await queue.awaitSettled(2)
            await pass(.seconds(10), timer)
            await queue.awaitSettled(3)
        }
        #expect(Set(transport.taken.withLock { $0.map(\.id) }).count == 1)
        #expect(queue.waiting.isEmpty)
        #expect(
            lines == [
                "mail 1 of the tenant dev is tried again: 451 later",
                "mail 1 of the tenant dev is tried again: no connection",
            ])
    }

    @Test("Refused, late and unreadable mail is given up with a line in the log")
    func givenUp() async throws {
        add(1, try sealed("refused"))
        add(2, try sealed("late"), lifetime: .seconds(5))
        add(3, [1, 2, 3], lifetime: .seconds(60))
        let lines = try await working(FakeTransport([.refused("550 nobody"), .failed("451 later")])) { _ in
            await queue.awaitSettled(3)
        }
        #expect(queue.waiting.isEmpty)
        #expect(
            lines == [
                "mail 1 of the tenant dev was given up: 550 nobody",
                "mail 2 of the tenant dev was given up: 451 later",
                "mail 3 of the tenant dev was given up: it cannot be opened; was the master key changed?",
            ])
        #expect(!lines.joined().contains("ann@") && !lines.joined().contains("link"))
        #expect(
            queue.dead == [
                1: "550 nobody", 2: "451 later", 3: "it cannot be opened; was the master key changed?",
            ])
    }

    @Test("A mail that expired before it was sent is given up")
    func expired() async throws {
        add(1, try sealed("s"), lifetime: .seconds(60))
        clock.advance(by: .seconds(60))
        let transport = FakeTransport()
        let lines = try await working(transport) { _ in await queue.awaitSettled(1) }
        #expect(transport.taken.withLock { $0.isEmpty })
        #expect(
            lines == ["mail 1 of the tenant dev was given up: not delivered within 1 minutes; no worker got to it"])
    }

    @Test("One mail is sent at a time")
    func oneAtATime() async throws {
        for id in 1...3 { add(Int64(id), try sealed("\(id)")) }
        let gate = Gate()
        let transport = FakeTransport(gate: gate)
        try await working(transport) { timer in
            await transport.calls.wait(for: 1)
            await pass(.seconds(1), timer)
            await timer.awaitSleepers()
            #expect(transport.taken.withLock { $0.count } == 1)
            gate.open()
            await queue.awaitSettled(3)
        }
    }

    @Test("Without a transport mails wait, and one line reports it")
    func nobody() async throws {
        add(1, try sealed("a"))
        add(2, try sealed("b"))
        let lines = try await working(nil) { timer in
            await queue.awaitSettled(2)
            await pass(.seconds(5), timer)
            await queue.awaitSettled(4)
        }
        #expect(queue.waiting.count == 2)
        #expect(lines == ["mail waits, and is dropped when it expires: no mail server is configured"])
    }
}
