import Workbench
import Configuration
import Load
import Primitives

/// Whole flows, one after another in each slot. The agent sends a request. The slot's next phone is notified on its
/// stream, reads the consent with its proof and sends its signed decision. The agent polls and gets its tokens.
final class FlowScenario: Scenario {
    /// Delay before the first request, in which all streams open.
    static let quiet = Duration.milliseconds(300)
    /// Connections of a slot: the agent's, the phones' and one stream per phone.
    static func connections(phones: Int) -> Int { 2 + phones }

    private final class Listener {
        let stream: Connection
        let phone: Phone
        let startRequest: [UInt8]
        var cutter = EventCutter()

        init(_ stream: Connection, _ phone: Phone, startRequest: [UInt8]) {
            self.stream = stream
            self.phone = phone
            self.startRequest = startRequest
        }
    }

    private final class Slot {
        let agent: Connection
        let device: Connection
        let listeners: [Listener]
        private var turn = 0
        var tasks: [(phone: Phone, task: Phone.Task)] = []
        var isDeviceBusy = false
        var isReadingConsent = false
        /// Request of the current flow. Nil until its start is answered.
        var authReqID: ArraySlice<UInt8>?
        var isPolling = false
        var decided = 0
        var startedAt: UInt64 = 0

        init(agent: Connection, device: Connection, listeners: [Listener]) {
            self.agent = agent
            self.device = device
            self.listeners = listeners
        }

        var nextListener: Listener {
            turn = turn + 1 < listeners.count ? turn + 1 : 0
            return listeners[turn]
        }
    }

    private let agent: Agent
    private let phones: ArraySlice<Phone>
    private let perSlot: Int
    private var slots: [Slot] = []
    private var startAt: UInt64?
    private var now = Timestamp.current
    private var flows = 0
    private var failed = 0
    private var timed = LatencyHistogram()

    init(agent: Agent, phones: ArraySlice<Phone>, perSlot: Int) {
        self.agent = agent
        self.phones = phones
        self.perSlot = perSlot
    }

    private func slot(of connection: Connection) -> Slot { slots[connection.index / Self.connections(phones: perSlot)] }

    /// Nil for a connection that is not a stream.
    private func listener(of connection: Connection) -> Listener? {
        let place = connection.index % Self.connections(phones: perSlot) - 2
        return place < 0 ? nil : slot(of: connection).listeners[place]
    }

    func begin(_ connections: [Connection]) {
        for number in 0..<phones.count / perSlot {
            let first = number * Self.connections(phones: perSlot)
            let listeners = (0..<perSlot).map { place in
                let phone = phones[phones.startIndex + number * perSlot + place]
                return Listener(
                    connections[first + 2 + place], phone, startRequest: agent.start(user: phone.userID, expiry: 300))
            }
            slots.append(Slot(agent: connections[first], device: connections[first + 1], listeners: listeners))
            for listener in listeners { openStream(listener) }
        }
        startAt = MonotonicClock.now + UInt64(Self.quiet.components.attoseconds / 1_000_000_000)
    }

    func tick(_ now: UInt64) {
        self.now = .current
        guard let startAt, now >= startAt else { return }
        self.startAt = nil
        for slot in slots { start(slot) }
    }

    func reopened(_ connection: Connection) {
        let slot = slot(of: connection)
        failed += 1
        if let listener = listener(of: connection) {
            listener.cutter = EventCutter()
            openStream(listener)
        } else if connection === slot.device {
            slot.isDeviceBusy = false
            work(slot)
        } else {
            start(slot)
        }
    }

    func streamed(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        guard let listener = listener(of: connection) else { return }
        let slot = slot(of: connection)
        listener.cutter.append(bytes) { event in
            if let task = Phone.Task(event: event) { slot.tasks.append((listener.phone, task)) }
        }
        work(slot)
    }

    func answered(_ answer: Answer, on connection: Connection) {
        let slot = slot(of: connection)
        if let listener = listener(of: connection) {
            fail(answer, "the device channel")
            openStream(listener)
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
        slot.agent.send(slot.nextListener.startRequest)
    }

    /// Starts the phone's next notification, one at a time.
    private func work(_ slot: Slot) {
        guard !slot.isDeviceBusy, let (phone, task) = slot.tasks.first else { return }
        slot.isDeviceBusy = true
        slot.isReadingConsent = true
        sign("consent", slot.device) { try phone.fetchConsent(task, now: now) }
    }

    private func deviceAnswered(_ answer: Answer, _ slot: Slot) {
        let (phone, task) = slot.tasks[0]
        if slot.isReadingConsent, answer.status == 200 {
            slot.isReadingConsent = false
            sign("decision", slot.device) { try phone.decide(task, now: now) }
            return
        }
        if answer.status / 100 == 2 { slot.decided += 1 } else { fail(answer, "the phone's request") }
        slot.tasks.removeFirst()
        slot.isDeviceBusy = false
        pollIfDecided(slot)
        work(slot)
    }

    /// Polls once per decision. After a decision of an earlier flow, cut off at the end of its round, the poll is
    /// answered as pending and the flow continues to wait.
    private func pollIfDecided(_ slot: Slot) {
        guard slot.decided > 0, !slot.isPolling, let id = slot.authReqID else { return }
        slot.decided -= 1
        slot.isPolling = true
        // Another node may not have heard of the decision yet, and holds the poll until it does.
        slot.agent.send(agent.poll(id, wait: 30))
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

    private func openStream(_ listener: Listener) {
        listener.stream.isStream = true
        sign("stream", listener.stream) { try listener.phone.openStream(now: now) }
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
    var latencies: LatencyHistogram? { timed }

    func restartCounting() {
        flows = 0
        failed = 0
        timed = LatencyHistogram()
    }
}
