package import AuthorizationCore
package import Flows
import GuardianWire
package import Primitives
import Synchronization

/// Empties the outbox: hands every entry to the first provider that reaches its device, tries again with growing waits,
/// and gives up where no try will help or the request is over. Each provider has a lane of its own, in which entries
/// keep their order, so that a slow service delays nobody else. A lane is read when it is free, so nothing is read that
/// somebody has in hand; a device that changes its service meanwhile may be told twice.
package final class OutboxWorker: OutboxSignal {
    /// Entries of a lane taken at a time.
    static let batch = 512
    /// How often the outbox is looked at without being told: for retries, and for entries of a crash.
    static let pause = Duration.seconds(1)
    /// So many entries in one look make a busy server, whose next look waits for a moment.
    static let many = 8
    static let moment = Duration.milliseconds(10)
    static let attempts = 8
    static let longestDelay = Duration.seconds(60)

    private let store: any OutboxStore
    /// By lane; nil where nobody reaches the device.
    private let lanes: [(lane: OutboxLane, provider: (any NotificationProvider)?)]
    private let clock: any WallClock
    private let timer: any Timer
    private let report: @Sendable (String) -> Void
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    /// Lanes at work, by their index.
    private let busy = Mutex<Set<Int>>([])

    /// `report` gets a line for the log when the store fails.
    package init(
        store: any OutboxStore, providers: [any NotificationProvider], clock: any WallClock, timer: any Timer,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        lanes = Self.lanes(of: providers)
        self.clock = clock
        self.timer = timer
        self.report = report
        (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    private static func lanes(
        of providers: [any NotificationProvider]
    ) -> [(lane: OutboxLane, provider: (any NotificationProvider)?)] {
        var served: Set<PushCredentials.Service> = []
        var lanes: [(lane: OutboxLane, provider: (any NotificationProvider)?)] = []
        for provider in providers {
            guard let services = provider.services else { return lanes + [(.all(but: served), provider)] }
            let own = services.subtracting(served)
            if !own.isEmpty { lanes.append((.pushed(by: own), provider)) }
            served.formUnion(services)
        }
        return lanes + [(.all(but: served), nil)]
    }

    package func entriesAdded() {
        // Whoever is at work looks again.
        if busy.withLock({ $0.count < lanes.count }) { signal.yield() }
    }

    /// Works until the task is cancelled.
    package func run() async {
        // A group that keeps no results: what is at work is limited by the lanes, but what was is not.
        await withDiscardingTaskGroup { group in
            group.addTask { [timer, signal] in
                while !Task.isCancelled {
                    try? await timer.sleep(Self.pause)
                    signal.yield()
                }
            }
            signal.yield()
            for await _ in signals {
                if Task.isCancelled { break }
                do {
                    for index in lanes.indices where !isBusy(index) {
                        let provider = lanes[index].provider
                        let due = try await store.due(lanes[index].lane, limit: Self.batch, now: clock.now) {
                            provider?.reaches($0) ?? true
                        }
                        if due.isEmpty { continue }
                        busy.withLock { _ = $0.insert(index) }
                        group.addTask { await self.work(due, lane: index) }
                    }
                } catch {
                    report("the outbox cannot be read: \(error)")
                }
            }
            group.cancelAll()
        }
    }

    private func isBusy(_ lane: Int) -> Bool { busy.withLock { $0.contains(lane) } }

    /// Signals at the end that the lane is free.
    private func work(_ due: DueEntries, lane: Int) async {
        var settlements = due.unreachable.map { OutboxSettlement.done($0) }
        var events: [AuditEvent] = []
        for entry in due.entries {
            let (settlement, event) = await deliver(entry, by: lanes[lane].provider)
            settlements.append(settlement)
            if let event { events.append(event) }
        }
        do {
            try await store.settle(settlements, events: events, now: clock.now)
        } catch {
            report("the outbox cannot be settled, its entries will be delivered again: \(error)")
            try? await timer.sleep(Self.pause)
        }
        // Where many come, but none was left, one look serves those of a moment.
        if (Self.many..<Self.batch).contains(settlements.count) { try? await timer.sleep(Self.moment) }
        busy.withLock { _ = $0.remove(lane) }
        signal.yield()
    }

    private func deliver(
        _ entry: OutboxEntry, by provider: (any NotificationProvider)?
    ) async -> (OutboxSettlement, AuditEvent?) {
        let now = clock.now
        let request = entry.request
        guard let device = entry.device else { return (.done(entry.id), nil) }
        if entry.kind == .notification, request.state != .pending || request.isExpired(at: now) {
            return (.done(entry.id), nil)
        }
        func event(_ kind: AuditEvent.Kind, _ details: JSONObject) -> AuditEvent {
            AuditEvent(
                kind, tenant: request.tenant, at: now, user: request.user, client: request.client, device: device.id,
                consent: request.consentID, details: details)
        }
        func dead(_ reason: String) -> (OutboxSettlement, AuditEvent?) {
            (.dead(entry.id, reason: reason), event(.notificationFailed, ["reason": .string(reason)]))
        }
        guard let provider else { return dead("no provider reaches this device") }
        switch await provider.deliver(entry, to: device) {
        case .delivered:
            let told = entry.kind == .notification
            return (.done(entry.id), told ? event(.notificationSent, ["provider": .string(provider.name)]) : nil)
        case .absent: return (.done(entry.id), nil)
        case .refused(let reason): return dead(reason)
        case .failed(let reason, let retryAfter):
            guard entry.attempts + 1 < Self.attempts else { return dead(reason) }
            let delay = max(retryAfter ?? .zero, Self.delay(afterAttempts: entry.attempts + 1))
            return (.retry(entry.id, at: now + delay), nil)
        }
    }

    /// 1, 2, 4, … seconds, a minute at most.
    static func delay(afterAttempts attempts: Int) -> Duration {
        min(.seconds(1 << min(attempts - 1, 10)), longestDelay)
    }
}
