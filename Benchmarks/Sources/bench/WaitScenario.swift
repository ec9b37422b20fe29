import Workbench
import Configuration
import Load
import Primitives

/// Holds many token requests with `Prefer: wait`, and lets phones answer one at a time. Measures from sending the
/// signed answer to receiving the tokens. An answered client sends another request and waits again, so the number held
/// stays the same.
final class WaitScenario: Scenario {
    private final class Waiter {
        let connection: Connection
        let chain: Chain
        var authReqID: ArraySlice<UInt8>?
        var task: Phone.Task?
        var heldAt: UInt64 = 0

        init(_ connection: Connection, _ chain: Chain) {
            self.connection = connection
            self.chain = chain
        }
    }

    /// One user's connections. It prepares one waiter at a time, so that a notification is known to be that waiter's.
    private final class Chain {
        let agent: Connection
        let device: Connection
        let stream: Connection
        let phone: Phone
        let startRequest: [UInt8]
        var cutter = EventCutter()
        var queue: [Waiter] = []
        var current: Waiter?

        init(_ connections: ArraySlice<Connection>, phone: Phone, startRequest: [UInt8]) {
            agent = connections[connections.startIndex]
            device = connections[connections.startIndex + 1]
            stream = connections[connections.startIndex + 2]
            self.phone = phone
            self.startRequest = startRequest
        }
    }

    private let agent: Agent
    private let phones: [Phone]
    private let held: Int
    private let samples: Int
    private var chains: [Chain] = []
    private var waiters: [Int: Waiter] = [:]
    private var chainOf: [Int: Chain] = [:]
    private var ready: [Waiter] = []
    private var nextReady = 0
    private var answering: Waiter?
    private var answeredAt: UInt64 = 0
    private var startAt: UInt64?
    private var isMeasuring = false
    private var timed = LatencyHistogram()
    private var failed = 0
    private var now = Timestamp.current

    /// Ends after `samples` answers with `held` clients waiting.
    init(agent: Agent, phones: [Phone], held: Int, samples: Int) {
        self.agent = agent
        self.phones = phones
        self.held = held
        self.samples = samples
    }

    static func connections(held: Int, phones: Int) -> Int { held + 3 * phones }

    func begin(_ connections: [Connection]) {
        for (number, phone) in phones.enumerated() {
            let own = connections[number * 3..<number * 3 + 3]
            let chain = Chain(own, phone: phone, startRequest: agent.start(user: phone.userID, expiry: 300))
            chains.append(chain)
            for connection in own { chainOf[connection.index] = chain }
            chain.stream.isStream = true
            send(chain.stream) { try phone.openStream(now: now) }
        }
        for (number, connection) in connections[(phones.count * 3)...].enumerated() {
            let waiter = Waiter(connection, chains[number % chains.count])
            waiters[connection.index] = waiter
            waiter.chain.queue.append(waiter)
        }
        startAt = MonotonicClock.now + 300_000_000
    }

    func tick(_ now: UInt64) {
        self.now = .current
        if let startAt, now >= startAt {
            self.startAt = nil
            for chain in chains { prepareNext(chain) }
        }
        if !isMeasuring, ready.count - nextReady >= held, let last = ready.last, now - last.heldAt > 500_000_000 {
            isMeasuring = true
        }
        if isMeasuring, answering == nil { answerNext(now) }
    }

    func reopened(_ connection: Connection) {
        failed += 1
        if let chain = chainOf[connection.index], connection === chain.stream {
            chain.cutter = EventCutter()
            send(chain.stream) { try chain.phone.openStream(now: now) }
        } else if let waiter = waiters[connection.index] {
            hold(waiter)
        }
    }

    func streamed(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        guard let chain = chainOf[connection.index] else { return }
        chain.cutter.append(bytes) { event in
            guard let task = Phone.Task(event: event) else { return }
            chain.current?.task = task
        }
        holdCurrent(chain)
    }

    func answered(_ answer: Answer, on connection: Connection) {
        if let waiter = waiters[connection.index] {
            waiterAnswered(answer, waiter)
        } else if let chain = chainOf[connection.index], connection === chain.agent {
            if let id = Scan.string("auth_req_id", in: answer.body), answer.status == 200 {
                chain.current?.authReqID = id
                holdCurrent(chain)
            } else {
                fail(answer, "/bc-authorize")
                chain.agent.send(chain.startRequest)
            }
        } else if answer.status / 100 != 2 {
            fail(answer, "the phone's request")
        }
    }

    private func prepareNext(_ chain: Chain) {
        guard chain.current == nil, !chain.queue.isEmpty else { return }
        let waiter = chain.queue.removeFirst()
        waiter.authReqID = nil
        waiter.task = nil
        chain.current = waiter
        chain.agent.send(chain.startRequest)
    }

    private func holdCurrent(_ chain: Chain) {
        guard let waiter = chain.current, waiter.authReqID != nil, waiter.task != nil else { return }
        chain.current = nil
        hold(waiter)
        ready.append(waiter)
        prepareNext(chain)
    }

    private func hold(_ waiter: Waiter) {
        guard let id = waiter.authReqID else { return }
        waiter.heldAt = MonotonicClock.now
        waiter.connection.send(agent.poll(id, wait: 60))
    }

    private func waiterAnswered(_ answer: Answer, _ waiter: Waiter) {
        guard answer.status == 200 else {
            // The longest wait is over, so the client polls again.
            if answer.status != 400 || Scan.string("error", in: answer.body) != Self.pending {
                fail(answer, "/oauth/token with Prefer: wait")
                return
            }
            hold(waiter)
            return
        }
        let now = MonotonicClock.now
        if waiter === answering {
            timed.record(nanoseconds: now - answeredAt)
            answering = nil
        }
        waiter.chain.queue.append(waiter)
        prepareNext(waiter.chain)
    }

    private static let pending = Array("authorization_pending".utf8)[...]

    /// Called from `tick`, so that answers are a moment apart and the server is idle between them, as with people.
    private func answerNext(_ now: UInt64) {
        guard nextReady < ready.count, let task = ready[nextReady].task else { return }
        let waiter = ready[nextReady]
        guard now - waiter.heldAt > 100_000_000 else { return }
        nextReady += 1
        send(waiter.chain.device) {
            let request = try waiter.chain.phone.decide(task, now: self.now)
            answering = waiter
            answeredAt = MonotonicClock.now
            return request
        }
    }

    private func send(_ connection: Connection, _ request: () throws -> [UInt8]) {
        do { connection.send(try request()) } catch {
            progress("cannot sign: \(error)")
            failed += 1
        }
    }

    private func fail(_ answer: Answer, _ step: String) {
        failed += 1
        Problems.note(answer, to: step)
    }

    var isFinished: Bool { timed.count >= samples || failed > 100 }
    var tally: [String: Int] { ["answered": timed.count, "failed": failed] }
    var latencies: LatencyHistogram? { timed }
}
