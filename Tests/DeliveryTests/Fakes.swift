import Audit
import AuthorizationCore
import Flows
import GuardianWire
import Primitives
import Synchronization

/// Lets everybody wait until it is opened.
final class Gate: Sendable {
    private let state = Mutex((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// Counts, and lets tests wait for a count.
final class Counter: Sendable {
    struct Late: Error {}

    private let state = Mutex((count: 0, waiting: [(Int, CheckedContinuation<Void, Never>)]()))

    func add(_ amount: Int = 1) {
        let met = state.withLock { state in
            state.count += amount
            let count = state.count
            let met = state.waiting.filter { $0.0 <= count }.map(\.1)
            state.waiting.removeAll { $0.0 <= count }
            return met
        }
        for continuation in met { continuation.resume() }
    }

    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                if state.count < count { state.waiting.append((count, continuation)) }
                return state.count >= count
            }
            if isMet { continuation.resume() }
        }
    }
}

/// An outbox in memory, which forgets what was settled; it may fail a few times first.
final class FakeOutbox: OutboxStore {
    struct Failure: Error {}

    private struct State {
        var entries: [OutboxEntry]
        var settled: [OutboxSettlement] = []
        var events: [AuditEvent] = []
        var settleFailures: Int
        var dueFailures: Int
    }

    private let state: Mutex<State>
    private let settledCount = Counter()
    private let reads = Counter()

    init(_ entries: [OutboxEntry], settleFailures: Int = 0, dueFailures: Int = 0) {
        state = Mutex(State(entries: entries, settleFailures: settleFailures, dueFailures: dueFailures))
    }

    var settled: [OutboxSettlement] { state.withLock { $0.settled } }
    var events: [AuditEvent] { state.withLock { $0.events } }

    func add(_ entry: OutboxEntry) { state.withLock { $0.entries.append(entry) } }
    func awaitSettled(_ count: Int) async throws { await settledCount.wait(for: count) }
    func awaitReads(_ count: Int) async throws { await reads.wait(for: count) }

    func due(
        _ lane: OutboxLane, limit: Int, now: Timestamp, reaches: @Sendable (DeviceID) -> Bool
    ) async throws -> DueEntries {
        defer { reads.add() }
        return try state.withLock { state in
            if state.dueFailures > 0 {
                state.dueFailures -= 1
                throw Failure()
            }
            let ofLane = state.entries.filter { entry in
                let service = entry.device?.push?.service
                return switch lane {
                case .pushed(let services): service.map(services.contains) ?? false
                case .all(let others): service.map { !others.contains($0) } ?? true
                }
            }
            var due = DueEntries()
            for entry in ofLane.prefix(limit) {
                if let device = entry.device, !reaches(device.id) {
                    due.unreachable.append(entry.id)
                } else {
                    due.entries.append(entry)
                }
            }
            return due
        }
    }

    func settle(_ settlements: [OutboxSettlement], events: [AuditEvent], now: Timestamp) async throws {
        try state.withLock { state in
            if state.settleFailures > 0 {
                state.settleFailures -= 1
                throw Failure()
            }
            let ids = Set(settlements.map(\.id))
            state.entries.removeAll { ids.contains($0.id) }
            state.settled += settlements
            state.events += events
        }
        settledCount.add(settlements.count)
    }
}

extension OutboxSettlement {
    var id: Int64 {
        switch self {
        case .done(let id), .retry(let id, _), .dead(let id, _): id
        }
    }
}

/// A provider that answers what it is told to, and keeps what it was given.
final class FakeProvider: NotificationProvider {
    let name: String
    let services: Set<PushCredentials.Service>?
    private let answer: @Sendable (OutboxEntry) async -> DeliveryResult
    private let given = Mutex<[Int64]>([])
    private let calls = Counter()
    private let reachesDevices: Bool

    init(
        _ name: String, services: Set<PushCredentials.Service>? = nil, reaches: Bool = true,
        answer: @escaping @Sendable (OutboxEntry) async -> DeliveryResult = { _ in .delivered }
    ) {
        self.name = name
        self.services = services
        self.answer = answer
        reachesDevices = reaches
    }

    func reaches(_ device: DeviceID) -> Bool { reachesDevices }

    /// Ids in the order they were delivered.
    var delivered: [Int64] { given.withLock { $0 } }

    func awaitCalls(_ count: Int) async throws { await calls.wait(for: count) }

    func deliver(_ entry: OutboxEntry, to device: Device) async -> DeliveryResult {
        given.withLock { $0.append(entry.id) }
        calls.add()
        return await answer(entry)
    }
}
