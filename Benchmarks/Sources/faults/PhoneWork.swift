import Glibc
import Histories
import Load
import Synchronization
import Workbench

/// A person's phone: it holds its stream open, reads each request, and decides after the person hesitated.
final class PhoneWork {
    private struct Waiting {
        let task: Phone.Task
        let flow: Int
        let fate: Fate
        var due: UInt64
    }

    private let name: String
    private let phone: Phone
    private let port: UInt16
    private let caller: Caller
    private let ledger: Ledger
    private let seed: UInt64
    private var stream: BlockingConnection?
    private var cutter = EventCutter()
    /// Requests to read, in the order in which they came.
    private var unread: [Phone.Task] = []
    private var waiting: [Waiting] = []
    private var known: Set<String> = []

    init(_ name: String, phone: Phone, site: Site, ledger: Ledger, random: SeededRandom) {
        self.name = name
        self.phone = phone
        port = site.port
        caller = Caller(port: site.port, random: random)
        self.ledger = ledger
        seed = site.seed
    }

    /// Works until `isOver` says so.
    func run(until isOver: () -> Bool) {
        while !isOver() {
            listen()
            if !unread.isEmpty { read(unread.removeFirst()) }
            let now = MonotonicClock.now
            if let index = waiting.firstIndex(where: { $0.due <= now }) { decide(waiting.remove(at: index)) }
        }
    }

    /// Takes what the stream has. Waits a moment if there is nothing else to do.
    private func listen() {
        let due = waiting.contains { $0.due <= MonotonicClock.now }
        do throws(LoadFailure) {
            let stream = try opened()
            let piece: (UnsafeRawBufferPointer) -> Void = { [self] bytes in
                cutter.append(bytes) { event in
                    if let task = Phone.Task(event: event), known.insert(task.consentID).inserted {
                        unread.append(task)
                    }
                }
            }
            guard try stream.streamed(within: .milliseconds(unread.isEmpty && !due ? 20 : 1), piece) == nil else {
                throw .closed
            }
        } catch {
            stream = nil
            usleep(UInt32(caller.milliseconds(20...200)) * 1000)
        }
    }

    private func opened() throws(LoadFailure) -> BlockingConnection {
        if let stream { return stream }
        guard let request = try? phone.openStream(now: .current) else { throw .malformedAnswer }
        let made = try BlockingConnection(port: port)
        made.open(request)
        stream = made
        cutter = EventCutter()
        return made
    }

    private func read(_ task: Phone.Task) {
        guard let request = try? phone.fetchConsent(task, now: .current) else { return }
        let reply = caller.ask(request)
        if reply.complaint != nil {
            // The same request, with a new proof.
            known.remove(task.consentID)
            if known.insert(task.consentID).inserted { unread.append(task) }
            usleep(100_000)
            return
        }
        guard reply.status == 200, let message = reply.text("binding_message"), let flow = Fate.flow(message) else {
            ledger.note(name, -1, .read(consent: task.consentID), .broken("\(reply.status): \(reply.json)"), reply)
            return
        }
        ledger.note(name, flow, .read(consent: task.consentID), .done, reply)
        let fate = Fate(seed: seed, flow: flow)
        guard !fate.isLeft else { return }
        waiting.append(
            Waiting(
                task: task, flow: flow, fate: fate,
                due: MonotonicClock.now + UInt64(fate.hesitation) * 1_000_000))
    }

    private func decide(_ waiting: Waiting) {
        let outcome = send(waiting, allows: waiting.fate.allows)
        switch outcome {
        case .done: if waiting.fate.isContradicted { _ = send(waiting, allows: !waiting.fate.allows) }
        case .undone, .unknown, .broken:
            var again = waiting
            again.due = MonotonicClock.now + UInt64(caller.milliseconds(100...1000)) * 1_000_000
            self.waiting.append(again)
        case .refused, .pending, .denied: break
        }
    }

    private func send(_ waiting: Waiting, allows: Bool) -> Event.Outcome {
        guard let request = try? phone.decide(waiting.task, allows: allows, now: .current) else { return .pending }
        let reply = caller.ask(request)
        let outcome =
            reply.complaint
            ?? (reply.status / 100 == 2 ? .done : .refused(reply.text("errorCode") ?? "\(reply.status)"))
        ledger.note(name, waiting.flow, .decide(allows: allows), outcome, reply)
        return outcome
    }
}
