import AuthorizationCore
public import Flows
public import Primitives
import Synchronization

/// Empties the outbox: hands every entry to the provider that reaches its device, tries again with growing waits, and
/// gives up where no try will help or the request is over. Each provider has a lane of its own, in which entries keep
/// their order, so that a slow service delays nobody else.
public final class OutboxWorker: OutboxSignal {
    /// Entries taken at a time.
    static let batch = 128
    /// Entries in hand from which no more are taken.
    static let handful = 512
    /// How often the outbox is looked at without being told: for retries, and for entries of a crash.
    static let pause = Duration.seconds(1)
    static let attempts = 8
    static let longestDelay = Duration.seconds(60)

    private let store: any OutboxStore
    private let providers: [any NotificationProvider]
    private let clock: any WallClock
    private let timer: any Timer
    private let report: @Sendable (String) -> Void
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let state = Mutex(State())

    private struct State {
        /// Entries that a lane has, or that wait for it.
        var inHand: Set<Int64> = []
        /// What waits for a lane at work.
        var waiting: [Int: [OutboxEntry]] = [:]
        /// Lanes at work, by the provider's index.
        var busy: Set<Int> = []
    }

    /// `report` gets a line for the log when the store fails.
    public init(
        store: any OutboxStore, providers: [any NotificationProvider], clock: any WallClock, timer: any Timer,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.providers = providers
        self.clock = clock
        self.timer = timer
        self.report = report
        (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    public func entriesAdded() { signal.yield() }

    /// Works until the task is cancelled.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
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
                    for (lane, entries) in try await due() {
                        group.addTask { await self.work(entries, lane: lane) }
                    }
                } catch {
                    report("the outbox cannot be read: \(error)")
                }
            }
            group.cancelAll()
        }
    }

    /// What is due, by lane; what is for a lane at work waits for it, which signals when it is free. Each entry is read
    /// once, however often the outbox is looked at meanwhile.
    private func due() async throws -> [Int: [OutboxEntry]] {
        let inHand = state.withLock { $0.inHand }
        let entries =
            inHand.count < Self.handful
            ? try await store.due(limit: Self.batch, except: inHand, now: clock.now) : []
        // There may be more, perhaps for another lane.
        if entries.count == Self.batch { signal.yield() }
        return state.withLock { state in
            state.inHand.formUnion(entries.lazy.map { $0.id })
            for entry in entries { state.waiting[lane(for: entry), default: []].append(entry) }
            let free = state.waiting.filter { !state.busy.contains($0.key) }
            for lane in free.keys {
                state.waiting[lane] = nil
                state.busy.insert(lane)
            }
            return free
        }
    }

    /// The provider's index; one past the last where nobody reaches the device.
    private func lane(for entry: OutboxEntry) -> Int {
        guard let device = entry.device else { return providers.count }
        return providers.firstIndex { $0.handles(device) } ?? providers.count
    }

    private func work(_ entries: [OutboxEntry], lane: Int) async {
        var settlements: [OutboxSettlement] = []
        var events: [AuditEvent] = []
        for entry in entries {
            let (settlement, event) = await deliver(entry, by: lane < providers.count ? providers[lane] : nil)
            settlements.append(settlement)
            if let event { events.append(event) }
        }
        do {
            try await store.settle(settlements, events: events, now: clock.now)
        } catch {
            report("the outbox cannot be settled, its entries will be delivered again: \(error)")
        }
        state.withLock { state in
            state.busy.remove(lane)
            state.inHand.subtract(entries.map { $0.id })
        }
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
