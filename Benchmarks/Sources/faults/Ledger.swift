import Histories
import Load
import Synchronization
import Workbench

/// Histories of all participants while they write them, and the numbers of flows.
final class Ledger: Sendable {
    private struct State {
        var events: [Event] = []
        var persons: [Int: String] = [:]
        var read: Set<Int> = []
        var isOver = false
    }

    private let state = Mutex(State())
    /// Flows that may begin. Nil for any number.
    private let limit: Int?

    init(limit: Int?) { self.limit = limit }

    /// Number of a new flow for a person. Nil once the load is over.
    func begin(_ person: String) -> Int? {
        state.withLock { state in
            let number = state.persons.count
            guard !state.isOver, number < limit ?? .max else { return nil }
            state.persons[number] = person
            return number
        }
    }

    func endLoad() { state.withLock { $0.isOver = true } }

    /// True once no flow begins any more.
    var isOver: Bool { state.withLock { $0.isOver || $0.persons.count >= limit ?? .max } }

    var flows: Int { state.withLock(\.persons.count) }

    func note(_ actor: String, _ flow: Int, _ act: Event.Act, _ outcome: Event.Outcome, _ reply: Reply) {
        let event = Event(actor: actor, flow: flow, act: act, outcome: outcome, sent: reply.sent, ended: reply.ended)
        state.withLock { state in
            state.events.append(event)
            if case .read = act, outcome == .done { state.read.insert(flow) }
        }
    }

    /// True if a phone has read each of these flows.
    func isRead(_ flows: some Sequence<Int>) -> Bool { state.withLock { $0.read.isSuperset(of: flows) } }

    var history: History { state.withLock { History(events: $0.events, persons: $0.persons) } }
}

/// Fate of a flow, the same in each run of a seed.
struct Fate {
    let allows: Bool
    /// Nobody decides.
    let isLeft: Bool
    let isHeld: Bool
    let hasKey: Bool
    let rotations: Int
    /// Milliseconds until the person decides.
    let hesitation: Int
    /// The phone then tries the opposite, too.
    let isContradicted: Bool

    init(seed: UInt64, flow: Int) {
        var random = SeededRandom(seed: seed, stream: UInt64(flow) + 1_000_000)
        isLeft = random.isLikely(0.04)
        allows = random.isLikely(0.85)
        isHeld = random.isLikely(0.7)
        hasKey = random.isLikely(0.5)
        rotations = Int.random(in: 0...3, using: &random)
        hesitation = random.isLikely(0.5) ? 0 : Int.random(in: 0...1500, using: &random)
        isContradicted = random.isLikely(0.1)
    }

    static func message(_ flow: Int) -> String { "flow \(flow)" }

    /// Number of the flow whose message this is.
    static func flow(_ message: String) -> Int? { message.hasPrefix("flow ") ? Int(message.dropFirst(5)) : nil }
}
