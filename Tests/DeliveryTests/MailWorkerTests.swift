import AuthorizationCore
import Delivery
import Flows
import Primitives
import Synchronization
import TestSupport
import Testing

/// Mails in memory.
private final class FakeMailStore: MailStore {
    struct Entry {
        var mail: SealedMail
        var attempts = 0
        var dueAt: Timestamp
    }

    let entries = Mutex<[Int64: Entry]>([:])
    let settled = Counter()

    func enqueue(_ mail: SealedMail) async throws {
        entries.withLock { $0[Int64($0.count + 1)] = Entry(mail: mail, dueAt: mail.createdAt) }
    }

    func dueMail(now: Timestamp, limit: Int) async throws -> [DueMail] {
        entries.withLock { entries in
            entries.filter { $0.value.dueAt <= now && $0.value.mail.expiresAt > now }.sorted { $0.key < $1.key }
                .prefix(limit).map { DueMail(id: $0.key, mail: $0.value.mail, attempts: $0.value.attempts) }
        }
    }

    func removeMail(_ id: Int64) async throws {
        entries.withLock { $0[id] = nil }
        settled.add()
    }

    func postponeMail(_ id: Int64, attempts: Int, dueAt: Timestamp) async throws {
        entries.withLock { entries in
            entries[id]?.attempts = attempts
            entries[id]?.dueAt = dueAt
        }
        settled.add()
    }
}

/// Answers with what a test says, in order, and takes everything afterwards.
private final class FakeTransport: MailTransport {
    let answers: Mutex<[MailFailure]>
    let taken = Mutex<[(mail: OutgoingMail, id: String)]>([])

    init(_ answers: [MailFailure] = []) { self.answers = Mutex(answers) }

    func send(_ mail: OutgoingMail, id: String, now: Timestamp) async throws(MailFailure) {
        taken.withLock { $0.append((mail, id)) }
        if let failure = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw failure }
    }
}

@Suite("Sending mail")
struct MailWorkerTests {
    private let store = FakeMailStore()
    private let log = CapturedLog()
    private let clock = ManualClock()
    private let timer: ManualTimer

    init() { timer = ManualTimer(clock) }

    private func sealed(_ subject: String, lifetime: Duration = .seconds(3600)) throws -> SealedMail {
        let tenant = TenantID("dev")
        let json: JSONValue = ["to": "ann@example.org", "subject": .string(subject), "text": "link"]
        return SealedMail(
            tenant: tenant,
            sealed: try Samples.sealer.seal(
                JSONWriter.bytes(json), context: SealedMail.sealingContext(tenant: tenant)),
            createdAt: clock.now, expiresAt: clock.now + lifetime)
    }

    /// Runs the worker while `body` runs.
    private func working(_ transport: (any MailTransport)?, _ body: () async throws -> Void) async rethrows {
        let worker = MailWorker(
            store: store, transport: transport, sealer: Samples.sealer, hashing: Samples.hashing, clock: clock,
            timer: timer
        ) { [log] line in log.write(line) }
        let task = Task { await worker.run() }
        do {
            try await body()
        } catch {
            task.cancel()
            await task.value
            throw error
        }
        task.cancel()
        await task.value
    }

    /// Lets the worker look again after `duration`.
    private func pass(_ duration: Duration) async {
        await timer.awaitSleepers()
        timer.advance(by: duration)
    }

    @Test("Pending mail is opened, sent in order, and deleted")
    func sends() async throws {
        for number in 0..<40 { try await store.enqueue(try sealed("\(number)")) }
        let transport = FakeTransport()
        await working(transport) { await store.settled.wait(for: 40) }
        let taken = transport.taken.withLock { $0 }
        #expect(taken.map(\.mail.subject) == (0..<40).map { "\($0)" })
        #expect(taken.first?.mail == OutgoingMail(to: "ann@example.org", subject: "0", text: "link"))
        #expect(Set(taken.map(\.id)).count == 40)
        #expect(store.entries.withLock { $0.isEmpty })
        #expect(log.lines.isEmpty)
    }

    @Test("A failure is tried again after 5 and 10 seconds, under the same id")
    func retries() async throws {
        try await store.enqueue(try sealed("s"))
        let transport = FakeTransport([.failed("451 later"), .failed("no connection")])
        await working(transport) {
            await store.settled.wait(for: 1)
            await pass(.seconds(4))
            await timer.awaitSleepers()
            #expect(transport.taken.withLock { $0.count } == 1)
            await pass(.seconds(1))
            await store.settled.wait(for: 2)
            await pass(.seconds(10))
            await store.settled.wait(for: 3)
        }
        #expect(Set(transport.taken.withLock { $0.map(\.id) }).count == 1)
        #expect(store.entries.withLock { $0.isEmpty })
        #expect(log.lines == ["mail 1 is tried again: 451 later", "mail 1 is tried again: no connection"])
    }

    @Test("Refused, late and unreadable mail is given up with a line in the log")
    func givenUp() async throws {
        try await store.enqueue(try sealed("refused"))
        try await store.enqueue(try sealed("late", lifetime: .seconds(5)))
        let broken = SealedMail(
            tenant: TenantID("dev"), sealed: [1, 2, 3], createdAt: clock.now, expiresAt: clock.now + .seconds(60))
        try await store.enqueue(broken)
        await working(FakeTransport([.refused("550 nobody"), .failed("451 later")])) {
            await store.settled.wait(for: 3)
        }
        #expect(store.entries.withLock { $0.isEmpty })
        #expect(
            log.lines == [
                "mail 1 of the tenant dev was given up: 550 nobody",
                "mail 2 of the tenant dev was given up: 451 later",
                "mail 3 of the tenant dev was given up: it cannot be opened; was the master key changed?",
            ])
        #expect(!log.lines.joined().contains("ann@") && !log.lines.joined().contains("link"))
    }

    @Test("Without a transport mails wait, which is said once")
    func nobody() async throws {
        try await store.enqueue(try sealed("a"))
        try await store.enqueue(try sealed("b"))
        await working(nil) {
            await store.settled.wait(for: 2)
            await pass(.seconds(5))
            await store.settled.wait(for: 4)
        }
        #expect(store.entries.withLock { $0.count } == 2)
        #expect(log.lines == ["mail waits, and is dropped when it is of no more use: no mail server is configured"])
    }
}
