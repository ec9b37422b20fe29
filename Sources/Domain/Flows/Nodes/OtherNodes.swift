import AuthorizationCore
import Primitives

/// Store port for waiters whose announcement may be lost.
package protocol WaitingRequestStore: Sendable {
    /// Those of `requests` that wait for a decision, at most 512 of them at a time.
    func waiting(_ requests: [AuthReqIDHash]) async throws -> Set<AuthReqIDHash>
}

/// Hears what the other nodes of this store announce. A lost announcement delays its waiters by a second.
package struct OtherNodes: Sendable {
    /// Pause between two looks at the requests that are waited for.
    static let pause = Duration.seconds(1)
    /// Requests of one look into the store.
    static let batch = 512

    let link: any NodeLink
    /// Name of this node, unique in the store.
    let node: String
    let store: any WaitingRequestStore & WorkLeaseStore
    let hub: DecisionHub
    let channel: DeviceChannel
    let timer: any Timer

    /// True for a store that other nodes use, too.
    package var exist: Bool { link.hasOthers }

    package func lease(of work: SharedWork) -> WorkLease {
        WorkLease(work, owner: node, exist ? store : nil)
    }

    /// Listens until the task is cancelled. `report` gets lines for the operator's log.
    package func run(report: @escaping @Sendable (String) -> Void) async {
        guard exist else { return }
        await withDiscardingTaskGroup { group in
            group.addTask { await link.listen(hear, doubt: doubt) }
            group.addTask {
                while (try? await timer.sleep(Self.pause)) != nil {
                    do { try await wakeEnded() } catch  where error.isToldElsewhere {} catch { report("\(error)") }
                }
            }
        }
    }

    @Sendable private func hear(_ announcement: Announcement) {
        switch announcement {
        case .ended(let request): hub.heard(request)
        case .event(let device, let event): channel.send(event, to: device)
        case .streamsEnd(let device): channel.endHere(for: device)
        }
    }

    /// Asks the store for everything that is remembered, and has devices come back.
    @Sendable private func doubt() {
        hub.cache.doubt()
        for request in hub.held { hub.heard(request) }
        channel.endAll()
    }

    /// Wakes the waiters of requests that have ended.
    func wakeEnded() async throws {
        var held = hub.held[...]
        while !held.isEmpty {
            let some = Array(held.prefix(Self.batch))
            held = held.dropFirst(Self.batch)
            let waiting = try await store.waiting(some)
            for request in some where !waiting.contains(request) { hub.heard(request) }
        }
    }
}
