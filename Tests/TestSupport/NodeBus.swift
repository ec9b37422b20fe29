package import Flows
import Synchronization

/// Links nodes of one process, in the place of a database's notifications.
package final class NodeBus: Sendable {
    private struct State {
        var hearers: [Int: (hear: @Sendable (Announcement) -> Void, doubt: @Sendable () -> Void)] = [:]
        var isCut = false
    }

    private let state = Mutex(State())

    package init() {}

    package func link(_ node: Int) -> any NodeLink { Link(bus: self, node: node) }

    /// Loses announcements until it is mended. Then every node doubts what it remembers.
    package var isCut: Bool {
        get { state.withLock(\.isCut) }
        set {
            let hearers = state.withLock { state in
                state.isCut = newValue
                return Array(state.hearers.values)
            }
            if !newValue { for hearer in hearers { hearer.doubt() } }
        }
    }

    package var nodes: Int { state.withLock { $0.hearers.count } }

    private struct Link: NodeLink {
        let bus: NodeBus
        let node: Int

        var hasOthers: Bool { true }

        func announce(_ announcement: Announcement) {
            let hearers = bus.state.withLock { state in
                state.isCut ? [] : state.hearers.filter { $0.key != node }.map(\.value.hear)
            }
            // As text, because so it travels.
            guard let heard = Announcement(parsing: announcement.text) else { return }
            for hear in hearers { hear(heard) }
        }

        func listen(
            _ hear: @escaping @Sendable (Announcement) -> Void, doubt: @escaping @Sendable () -> Void
        ) async {
            bus.state.withLock { $0.hearers[node] = (hear, doubt) }
            doubt()
            // Ends with the task.
            for await _ in AsyncStream<Never>.makeStream().stream {}
            bus.state.withLock { $0.hearers[node] = nil }
        }
    }
}
