import Load
import Primitives

/// Whole flows, one after another in each slot of three connections: the agent's, the phone's and the phone's stream
/// of notifications. The agent asks; the phone is told, reads the consent with its proof and sends its signed decision;
/// the agent polls and gets its tokens.
final class FlowScenario: Scenario {
    static let connectionsPerSlot = 3

    private final class Slot {
        let agent: Connection
        let device: Connection
        let stream: Connection
        let phone: Phone
        let startRequest: [UInt8]
        var cutter = EventCutter()
        var tasks: [Phone.Task] = []
        var isDeviceBusy = false
        var isReadingConsent = false
        /// Of the flow that runs; nil until its start was answered.
        var authReqID: ArraySlice<UInt8>?
        var isPolling = false
        var decided = 0
        var startedAt: UInt64 = 0

        init(_ connections: ArraySlice<Connection>, phone: Phone, startRequest: [UInt8]) {
            agent = connections[connections.startIndex]
            device = connections[connections.startIndex + 1]
            stream = connections[connections.startIndex + 2]
            self.phone = phone
            self.startRequest = startRequest
        }
    }

    private let agent: Agent
    private let phones: ArraySlice<Phone>
    private var slots: [Slot] = []
    private var startAt: UInt64?
    private var now = Timestamp.current
    private var flows = 0
    private var failed = 0
    private var timed = Histogram()

    init(agent: Agent, phones: ArraySlice<Phone>) {
        self.agent = agent
        self.phones = phones
    }

    func begin(_ connections: [Connection]) {
        for (number, phone) in phones.enumerated() {
            let first = number * Self.connectionsPerSlot
            guard first + Self.connectionsPerSlot <= connections.count else { break }
            let slot = Slot(
                connections[first..<first + Self.connectionsPerSlot], phone: phone,
                startRequest: agent.start(user: phone.userID, expiry: 300))
            slots.append(slot)
            openStream(slot)
        }
        // Requests begin when the streams stand, so that no flow waits for one.
        startAt = MonotonicClock.now + 300_000_000
    }

    func tick(_ now: UInt64) {
        self.now = .current
        guard let startAt, now >= startAt else { return }
        self.startAt = nil
        for slot in slots { start(slot) }
    }

    func reopened(_ connection: Connection) {
        let slot = slots[connection.index / Self.connectionsPerSlot]
        failed += 1
        if connection === slot.stream {
            slot.cutter = EventCutter()
            openStream(slot)
        } else if connection === slot.device {
            slot.isDeviceBusy = false
            work(slot)
        } else {
            start(slot)
        }
    }

    func streamed(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        let slot = slots[connection.index / Self.connectionsPerSlot]
        slot.cutter.append(bytes) { event in
            if let task = Phone.Task(event: event) { slot.tasks.append(task) }
        }
        work(slot)
    }

    func answered(_ answer: Answer, on connection: Connection) {
        let slot = slots[connection.index / Self.connectionsPerSlot]
        if connection === slot.stream {
            fail(answer, "the device channel")
            openStream(slot)
        } else if connection === slot.device {
            deviceAnswered(answer, slot)
        } else if slot.isPolling {
            tokensAnswered(answer, slot)
        } else if answer.status == 200, let id = Scan.string("auth_req_id", in: answer.body) {
            slot.authReqID = id
            pollIfDecided(slot)
        } else {
            fail(answer, "/bc-authorize")
            start(slot)
        }
    }

    private func start(_ slot: Slot) {
        slot.authReqID = nil
        slot.isPolling = false
        slot.startedAt = MonotonicClock.now
        slot.agent.send(slot.startRequest)
    }

    /// The phone takes up the next notification, one at a time.
    private func work(_ slot: Slot) {
        guard !slot.isDeviceBusy, let task = slot.tasks.first else { return }
        slot.isDeviceBusy = true
        slot.isReadingConsent = true
        sign("consent", slot.device) { try slot.phone.fetchConsent(task, now: now) }
    }

    private func deviceAnswered(_ answer: Answer, _ slot: Slot) {
        let task = slot.tasks[0]
        if slot.isReadingConsent, answer.status == 200 {
            slot.isReadingConsent = false
            sign("decision", slot.device) { try slot.phone.allow(task, now: now) }
            return
        }
        if answer.status / 100 == 2 { slot.decided += 1 } else { fail(answer, "the phone's request") }
        slot.tasks.removeFirst()
        slot.isDeviceBusy = false
        pollIfDecided(slot)
        work(slot)
    }

    /// Polls once for each decision: one that belonged to an earlier flow, cut off by the end of its round, makes the
    /// poll answer pending, and the flow goes on waiting.
    private func pollIfDecided(_ slot: Slot) {
        guard slot.decided > 0, !slot.isPolling, let id = slot.authReqID else { return }
        slot.decided -= 1
        slot.isPolling = true
        slot.agent.send(agent.poll(id))
    }

    private func tokensAnswered(_ answer: Answer, _ slot: Slot) {
        slot.isPolling = false
        if answer.status == 200 {
            flows += 1
            timed.record(nanoseconds: MonotonicClock.now - slot.startedAt)
            slot.decided = 0
            start(slot)
        } else if answer.status == 400, Scan.string("error", in: answer.body) == Self.pending {
            pollIfDecided(slot)
        } else {
            fail(answer, "/oauth/token")
            start(slot)
        }
    }

    private static let pending = Array("authorization_pending".utf8)[...]

    private func openStream(_ slot: Slot) {
        slot.stream.isStream = true
        sign("stream", slot.stream) { try slot.phone.openStream(now: now) }
    }

    private func sign(_ step: String, _ connection: Connection, _ request: () throws -> [UInt8]) {
        do { connection.send(try request()) } catch {
            progress("cannot sign the \(step): \(error)")
            failed += 1
        }
    }

    private func fail(_ answer: Answer, _ step: String) {
        failed += 1
        Problems.note(answer, to: step)
    }

    var tally: [String: Int] { ["flows": flows, "failed": failed] }
    var latencies: Histogram? { timed }

    func restartCounting() {
        flows = 0
        failed = 0
        timed = Histogram()
    }
}
