package import AuthorizationCore
package import Primitives
import Synchronization
package import Tracing

/// Delivers the queue. Each courier has a track of its own, so that a slow service delays no other. Entries that a crash
/// left are delivered again after their lease, or at once by the node that had leased them.
package final class DeliveryWorker: Sendable {
    /// Wait before the store is read unasked: for retries, entries of a crash, and entries of other processes.
    static let pause = Duration.seconds(1)
    /// After `many` entries in one read of an instant track, the next read waits for `moment` and takes more.
    static let many = 8
    static let moment = Duration.milliseconds(10)
    /// Entries read at a time for a track that leases them. Many may be for tenants or recipients that have to wait.
    static let batch = 1024

    private let store: any DeliveryStore
    private let tracks: [Track]
    private let decisions: DecisionHub
    private let owner: String
    private let clock: any WallClock
    private let timer: any Timer
    private let jitter: @Sendable () -> Double
    private let tracer: Tracer?
    private let report: @Sendable (DeliveryQueue, String) -> Void
    private let counters: [DeliveryQueue: DeliveryCounters]

    private final class Track: Sendable {
        let courier: any DeliveryCourier
        let signals: AsyncStream<Void>
        let signal: AsyncStream<Void>.Continuation
        let inFlight: Mutex<DeliveriesInFlight>
        let done = SettlementGroup()

        init(_ courier: any DeliveryCourier) {
            self.courier = courier
            (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            inFlight =
                switch courier.policy.pace {
                case .instant: Mutex(DeliveriesInFlight(limit: 1, perTenant: 1, perRecipient: 1))
                case .leased(_, let limit, let perTenant, let perRecipient, let ownServices, let sharesByTime):
                    Mutex(
                        DeliveriesInFlight(
                            limit: limit, perTenant: perTenant, perRecipient: perRecipient, ownServices: ownServices,
                            sharesByTime: sharesByTime))
                }
        }

        func wake() { signal.yield() }
    }

    /// `decisions` wakes the polls of requests that end undelivered. `owner` names this node and is unique in the store.
    /// `jitter` gives values in `0...1`. `tracer` records tries of entries whose request is recorded. `report` gets lines for the operator's log, which hold nothing of a sealed message.
    package init(
        store: any DeliveryStore, couriers: [any DeliveryCourier], decisions: DecisionHub, owner: String,
        clock: any WallClock, timer: any Timer, jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        tracer: Tracer? = nil,
        report: @escaping @Sendable (DeliveryQueue, String) -> Void
    ) {
        self.store = store
        tracks = couriers.map(Track.init)
        self.decisions = decisions
        self.owner = owner
        self.clock = clock
        self.timer = timer
        self.jitter = jitter
        self.tracer = tracer
        self.report = report
        counters = Dictionary(uniqueKeysWithValues: DeliveryQueue.allCases.map { ($0, DeliveryCounters()) })
    }

    /// Tries of this process.
    package func counters(of queue: DeliveryQueue) -> DeliveryCounters { counters[queue] ?? DeliveryCounters() }

    private func report(_ queue: DeliveryQueue, _ problem: String, _ error: any Error) {
        if !error.isToldElsewhere { report(queue, "\(problem): \(error)") }
    }

    private func wake(_ queue: DeliveryQueue) {
        for track in tracks where track.courier.queue == queue { track.wake() }
    }

    /// Works on `queues` until the task is cancelled. Entries in flight then stay leased, for the next start.
    package func run(_ queues: Set<DeliveryQueue> = Set(DeliveryQueue.allCases)) async {
        let tracks = tracks.filter { queues.contains($0.courier.queue) }
        store.watchEntries { [weak self] in self?.wake($0) }
        do {
            try await store.releaseLeases(of: owner)
        } catch {
            for queue in Set(tracks.map(\.courier.queue)) {
                report(queue, "leases of the last run cannot be released, they end by themselves", error)
            }
        }
        await withDiscardingTaskGroup { group in
            group.addTask { [timer] in
                while !Task.isCancelled {
                    try? await timer.sleep(Self.pause)
                    for track in tracks { track.wake() }
                }
            }
            for track in tracks {
                track.wake()
                group.addTask { await self.work(track) }
            }
        }
    }

    private func work(_ track: Track) async {
        switch track.courier.policy.pace {
        case .instant(let batch):
            for await _ in track.signals where !Task.isCancelled { await workInstantly(track, batch: batch) }
        case .leased(let lease, _, let perTenant, let perRecipient, _, _):
            // Discards results: entries in flight are limited, finished ones are not.
            await withDiscardingTaskGroup { group in
                for await _ in track.signals where !Task.isCancelled {
                    // More than there is room for, because some of them may be for recipients that have to wait.
                    let (taken, isContended) = await take(
                        track, for: lease, perLane: max(perTenant, perRecipient) * 2)
                    // Others may be behind those that were read.
                    if !taken.isEmpty { track.wake() }
                    // Other nodes have taken some at the same time, and the next read passes over those.
                    if isContended {
                        group.addTask {
                            try? await self.timer.sleep(Self.moment)
                            track.wake()
                        }
                    }
                    for entry in taken {
                        group.addTask {
                            let step = await self.work(entry, track)
                            if self.giveBack(entry, track, after: step) { track.wake() }
                        }
                    }
                }
                group.cancelAll()
            }
        }
    }

    private func workInstantly(_ track: Track, batch: Int) async {
        let due: [DeliveryEntry]
        do {
            due = try await store.dueDeliveries(track.courier.queue, perLane: batch, limit: batch, now: clock.now)
        } catch {
            return report(track.courier.queue, "the queue cannot be read", error)
        }
        guard !due.isEmpty else { return }
        var settlements: [DeliverySettlement] = []
        // Devices resume after the last sequence that they saw, so a later one must not overtake.
        for entry in due.sorted(by: { $0.id < $1.id }) {
            guard let settlement = await settlement(of: entry, track.courier) else { return }
            settlements.append(settlement)
        }
        // A device's push is stored beside the channel's entry. Under load, this read is less often than each start.
        if track.courier.queue == .notifications {
            for track in tracks where track.courier.queue.pushService != nil { track.wake() }
        }
        if await !settle(settlements, track) { try? await timer.sleep(Self.pause) }
        if (Self.many..<batch).contains(due.count) { try? await timer.sleep(Self.moment) }
        track.wake()
    }

    /// Due entries, leased to this node, as far as there is room. `isContended` says that other nodes had some of them first.
    private func take(
        _ track: Track, for lease: Duration, perLane: Int
    ) async -> (entries: [DeliveryEntry], isContended: Bool) {
        guard track.inFlight.withLock({ $0.room > 0 }) else { return ([], false) }
        var taken: [DeliveryEntry] = []
        do {
            let now = clock.now
            let due = try await store.dueDeliveries(
                track.courier.queue, perLane: perLane, limit: Self.batch, now: now)
            let uptime = timer.uptime
            taken = track.inFlight.withLock {
                $0.take(due, at: uptime, isOwn: track.courier.usesOwnService)
            }
            guard !taken.isEmpty else { return ([], false) }
            let leased = try await store.lease(taken, to: owner, until: now + lease, now: now)
            for entry in taken where !leased.contains(entry.id) { giveBack(entry, track) }
            return (taken.filter { leased.contains($0.id) }, leased.count < taken.count)
        } catch {
            for entry in taken { giveBack(entry, track) }
            report(track.courier.queue, "the queue cannot be read", error)
            return ([], false)
        }
    }

    /// Returns true if there is enough room for the store to be read again.
    @discardableResult
    private func giveBack(_ entry: DeliveryEntry, _ track: Track, after step: DeliveryStep? = nil) -> Bool {
        let uptime = timer.uptime
        return track.inFlight.withLock { $0.giveBack(entry, after: step, at: uptime) }
    }

    /// Tries a leased entry and settles it. Nil if it stays unchanged.
    private func work(_ entry: DeliveryEntry, _ track: Track) async -> DeliveryStep? {
        guard let settlement = await settlement(of: entry, track.courier) else { return nil }
        if settlement.isQuiet {
            await track.done.settle(settlement) { _ = await settle($0, track) }
        } else {
            await settle([settlement], track)
        }
        return settlement.step
    }

    @discardableResult
    private func settle(_ settlements: [DeliverySettlement], _ track: Track) async -> Bool {
        do {
            for ended in try await store.settle(settlements, by: owner, now: clock.now) { decisions.decided(ended) }
            return true
        } catch {
            report(track.courier.queue, "the queue cannot be settled, entries will be delivered again", error)
            return false
        }
    }

    /// One try. Nil if the server stops: the entry stays unchanged.
    private func settlement(of entry: DeliveryEntry, _ courier: any DeliveryCourier) async -> DeliverySettlement? {
        let attempt = await recorded(entry) { await self.attempt(entry, courier) }
        let now = clock.now
        let step = courier.policy.step(after: attempt.result, of: entry, now: now, jitter: jitter())
        if Task.isCancelled, attempt.result.reason != nil { return nil }
        counters(of: entry.delivery.queue).count(attempt.result, step)
        if let detail = attempt.detail ?? attempt.result.reasonOfTry,
            let line = courier.line(after: step, of: entry, detail: detail)
        {
            report(entry.delivery.queue, line)
        }
        // A retry is not in the audit log.
        let event = step.isRetry ? nil : attempt.event
        guard let problem = step.problem, Reachability.isAtStake(entry.delivery, after: step, now: now) else {
            return DeliverySettlement(id: entry.id, step: step, event: event)
        }
        do {
            return DeliverySettlement(
                id: entry.id, step: step, event: event,
                consequence: try await courier.consequence(
                    of: entry, reason: problem, isForGood: attempt.result.isForGood, now: now))
        } catch {
            report(
                entry.delivery.queue,
                "the request of an undeliverable entry cannot be read; the entry is tried again", error)
            return nil
        }
    }

    /// Makes a span of one try, below the work that wrote the entry, which may have been another node's.
    private func recorded(_ entry: DeliveryEntry, _ body: () async -> DeliveryAttempt) async -> DeliveryAttempt {
        guard let tracer, let trace = entry.trace else { return await body() }
        let queue = entry.delivery.queue
        // The device channel only puts the message into an open stream.
        var span = tracer.begin(
            "deliver \(queue.rawValue)", queue == .notifications ? .producer : .client, below: trace)
        let attempt = await Tracer.$current.withValue(span.context, operation: body)
        span.note("countersign.queue", queue.rawValue)
        span.note("countersign.tenant", entry.delivery.tenant.rawValue)
        span.note("countersign.try", entry.attempts + 1)
        span.note("countersign.outcome", attempt.result.name)
        span.hasFailed = attempt.result.reason != nil
        tracer.end(span)
        return attempt
    }

    private func attempt(_ entry: DeliveryEntry, _ courier: any DeliveryCourier) async -> DeliveryAttempt {
        let now = clock.now
        guard courier.reaches(entry.delivery.recipient) else { return DeliveryAttempt(.unneeded) }
        guard entry.delivery.expiresAt > now else {
            return courier.late(entry, reason: entry.reasonForLateness, now: now)
        }
        do {
            return try await courier.deliver(entry, now: now)
        } catch {
            let reason = "this server failed"
            let mayPass = (error as? any TransientError)?.isTransient ?? false
            return DeliveryAttempt(
                mayPass ? .notTried(reason: reason) : .failed(reason: reason),
                detail: error.isToldElsewhere ? nil : "\(error)",
                event: courier.failure(entry, reason: reason, now: now))
        }
    }
}

/// Tries by their outcome.
package struct DeliveryCounters: Sendable {
    package let sent = Counter()
    /// Failed tries that are retried.
    package let postponed = Counter()
    /// Entries that were refused, tried too often, or expired.
    package let givenUp = Counter()
    /// Entries whose receiver is gone.
    package let undeliverable = Counter()
    /// Entries for which the tenant has no credentials.
    package let skipped = Counter()

    fileprivate func count(_ result: DeliveryResult, _ step: DeliveryStep) {
        switch step {
        case .sent: sent.increment()
        case .done: if result == .delivered { sent.increment() }
        case .retry(_, _, let isTried): if isTried { postponed.increment() }
        case .dead: givenUp.increment()
        case .ended: undeliverable.increment()
        case .skipped: skipped.increment()
        }
    }
}

extension DeliveryResult {
    /// False if another try might have helped, had there been time.
    fileprivate var isForGood: Bool {
        switch self {
        case .refused, .gone, .unconfigured: true
        case .delivered, .unneeded, .failed, .notTried: false
        }
    }

    /// For traces.
    fileprivate var name: String {
        switch self {
        case .delivered: "delivered"
        case .unneeded: "unneeded"
        case .failed: "failed"
        case .notTried: "not_tried"
        case .refused: "refused"
        case .gone: "gone"
        case .unconfigured: "unconfigured"
        }
    }

    fileprivate var reason: String? {
        switch self {
        case .delivered, .unneeded: nil
        case .failed(let reason, _), .notTried(let reason, _), .refused(let reason), .gone(let reason),
            .unconfigured(let reason):
            reason
        }
    }

    /// Nil for a message that was not tried, too: a line for each would fill the log while a service is silent.
    fileprivate var reasonOfTry: String? { if case .notTried = self { nil } else { reason } }
}
