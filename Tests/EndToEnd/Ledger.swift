import Primitives
import Synchronization

/// What was sent to a server and what it acknowledged: what must be true of it ever after.
final class Ledger: Sendable {
    /// What is to become of a request; its binding message says so, and with it the consent that the phone sees.
    enum Fate: String, CaseIterable, Sendable {
        /// Allowed, and redeemed by a poll that was there first.
        case redeem
        /// Allowed, and not polled.
        case allow
        case reject
        /// Never answered.
        case leave

        init?(message: String) { self.init(rawValue: String(message.prefix { $0 != " " })) }
    }

    struct Entry: Sendable {
        let message: String
        let user: Int
        let fate: Fate
        /// There from when the start was acknowledged.
        var authReqID: String?
        var asked: TestPhone.Asked?
        /// A decision, or a poll that may redeem, is on its way; whether it arrived nobody can know.
        var sentDecision = false
        var sentExchange = false
        var isDecided = false
        /// Told to the agent.
        var refreshToken: String?
        var isDenied = false
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var acknowledged = 0
        var watch: (count: Int, continuation: AsyncStream<Void>.Continuation)?
    }

    private let state = Mutex(State())

    var entries: [Entry] { state.withLock { Array($0.entries.values) } }
    var acknowledged: Int { state.withLock { $0.acknowledged } }

    /// Tells when so many answers have come.
    func reaching(_ count: Int) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        state.withLock { $0.watch = (count, continuation) }
        return stream
    }

    /// An answer that came: what it says holds from now on.
    func acknowledge(_ message: String, _ change: (inout Entry) -> Void) {
        state.withLock { state in
            if var entry = state.entries[message] {
                change(&entry)
                state.entries[message] = entry
            }
            Self.count(&state)
        }
    }

    /// A request that is about to be started.
    func begin(_ message: String, user: Int, fate: Fate) {
        state.withLock { $0.entries[message] = Entry(message: message, user: user, fate: fate) }
    }

    /// What is about to be sent.
    func note(_ message: String, _ change: (inout Entry) -> Void) {
        state.withLock { state in
            guard var entry = state.entries[message] else { return }
            change(&entry)
            state.entries[message] = entry
        }
    }

    private static func count(_ state: inout State) {
        state.acknowledged += 1
        if let watch = state.watch, state.acknowledged >= watch.count {
            state.watch = nil
            watch.continuation.finish()
        }
    }
}
