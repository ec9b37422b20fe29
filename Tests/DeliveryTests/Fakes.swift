import Audit
import AuthorizationCore
import Delivery
@testable import Flows
import GuardianWire
import Primitives
import Synchronization
import TestSupport

/// Blocks callers until it is opened.
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

    var value: Int { state.withLock(\.count) }

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

/// An in-memory queue that keeps settlements. It may fail a few times first.
final class FakeQueue: DeliveryStore {
    struct Failure: TransientError { var isTransient = true }

    private struct Waiting {
        var entry: DeliveryEntry
        var due = Timestamp(seconds: 0)
        var lease: (owner: String, end: Timestamp)?
    }

    private struct State {
        var waiting: [Waiting]
        var settled: [DeliverySettlement] = []
        var dead: [Int64: String] = [:]
        var settleFailures: Int
        var readFailures: Int
        var leases: [Set<Int64>] = []
    }

    private let state: Mutex<State>
    private let watches = Mutex<[@Sendable (DeliveryQueue) -> Void]>([])
    private let settledCount = Counter()
    private let reads = Counter()

    init(
        _ entries: [DeliveryEntry] = [], settleFailures: Int = 0, readFailures: Int = 0
    ) {
        state = Mutex(
            State(
                waiting: entries.map { Waiting(entry: $0) }, settleFailures: settleFailures, readFailures: readFailures)
        )
    }

    var settled: [DeliverySettlement] { state.withLock { $0.settled } }
    /// Ids in order of settlement.
    var settledIDs: [Int64] { settled.map(\.id) }
    var steps: [DeliveryStep] { settled.map(\.step) }
    var events: [AuditEvent] { settled.compactMap(\.event) }
    var waiting: [DeliveryEntry] { state.withLock { $0.waiting.map(\.entry) } }
    /// Problems of dead letters by id.
    var dead: [Int64: String] { state.withLock { $0.dead } }
    /// Leased ids by transaction.
    var leases: [Set<Int64>] { state.withLock { $0.leases } }

    func add(_ entry: DeliveryEntry, due: Timestamp = Timestamp(seconds: 0)) {
        state.withLock { $0.waiting.append(Waiting(entry: entry, due: due)) }
    }
    func awaitSettled(_ count: Int) async { await settledCount.wait(for: count) }
    func awaitReads(_ count: Int) async { await reads.wait(for: count) }

    func watchEntries(_ announce: @escaping @Sendable (DeliveryQueue) -> Void) {
        watches.withLock { $0.append(announce) }
    }

    func announce(_ queue: DeliveryQueue) { for announce in watches.withLock(\.self) { announce(queue) } }

    func dueDeliveries(
        _ queue: DeliveryQueue, perLane: Int, limit: Int, now: Timestamp
    ) async throws -> [DeliveryEntry] {
        defer { reads.add() }
        return try state.withLock { state in
            if state.readFailures > 0 {
                state.readFailures -= 1
                throw Failure()
            }
            var counts: [String: Int] = [:]
            let due = state.waiting.filter { waiting in
                let delivery = waiting.entry.delivery
                guard waiting.due <= now, waiting.lease.map({ $0.end <= now }) ?? true, delivery.queue == queue
                else { return false }
                counts[delivery.recipient, default: 0] += 1
                return counts[delivery.recipient, default: 0] <= perLane
            }
            return due.sorted { ($0.due, $0.entry.id) < ($1.due, $1.entry.id) }.prefix(limit).map(\.entry)
        }
    }

    func lease(
        _ entries: [DeliveryEntry], to owner: String, until end: Timestamp, now: Timestamp
    ) async throws -> Set<Int64> {
        state.withLock { state in
            let wanted = Set(entries.map(\.id))
            var leased: Set<Int64> = []
            for index in state.waiting.indices where wanted.contains(state.waiting[index].entry.id) {
                if let lease = state.waiting[index].lease, lease.end > now { continue }
                state.waiting[index].lease = (owner, end)
                leased.insert(state.waiting[index].entry.id)
            }
            state.leases.append(leased)
            return leased
        }
    }

    func releaseLeases(of owner: String) async throws {
        state.withLock { state in
            for index in state.waiting.indices where state.waiting[index].lease?.owner == owner {
                state.waiting[index].lease = nil
            }
        }
    }

    @discardableResult
    func settle(
        _ settlements: [DeliverySettlement], by owner: String, now: Timestamp
    ) async throws -> [AuthReqIDHash] {
        try state.withLock { state in
            if state.settleFailures > 0 {
                state.settleFailures -= 1
                throw Failure()
            }
            for settlement in settlements {
                guard let index = state.waiting.firstIndex(where: { $0.entry.id == settlement.id }) else { continue }
                switch settlement.step {
                case .done, .sent, .skipped: state.waiting.remove(at: index)
                case .dead(let problem), .ended(let problem):
                    state.waiting.remove(at: index)
                    state.dead[settlement.id] = problem
                case .retry(let due, let problem, let isTried):
                    let entry = state.waiting[index].entry
                    state.waiting[index] = Waiting(
                        entry: DeliveryEntry(
                            id: entry.id, delivery: entry.delivery, attempts: entry.attempts + (isTried ? 1 : 0),
                            problem: problem),
                        due: due)
                }
                state.settled.append(settlement)
            }
        }
        settledCount.add(settlements.count)
        return []
    }
}

/// Requests by number and devices by id.
struct FakeSource: NotificationSource, ApproverStore {
    var person: Approver?
    var requests: [Int64: SealedRequest] = [:]
    var devices: [DeviceID: Device] = [:]
    var isBroken = false
    var isBusy = true
    var retired = Retired()

    /// Push credentials that were retired, with their events.
    final class Retired: Sendable {
        /// True if each device registered another token while the push service answered.
        let hasNewTokens: Bool

        init(hasNewTokens: Bool = false) { self.hasNewTokens = hasNewTokens }

        private let given = Mutex<[(push: PushCredentials, event: AuditEvent)]>([])

        var all: [(push: PushCredentials, event: AuditEvent)] { given.withLock { $0 } }

        func add(_ push: PushCredentials, _ event: AuditEvent) { given.withLock { $0.append((push, event)) } }
    }

    /// Rerouting of requests that reached nobody.
    func rerouting(_ configuration: any ConfigurationSource) -> RequestRerouting {
        RequestRerouting(source: self, vault: Samples.vault, configuration: configuration, sendsMail: true)
    }

    func passkeys(of user: UserID, tenant: TenantID) async throws -> [OwnedPasskey] { [] }

    func approver(_ user: UserReference, tenant: TenantID) async throws -> Approver? { person }

    func notification(
        of request: Int64, to device: DeviceID
    ) async throws -> (request: SealedRequest, device: Device?)? {
        if isBroken { throw FakeQueue.Failure(isTransient: isBusy) }
        return requests[request].map { ($0, devices[device]) }
    }

    func request(_ sequence: Int64) async throws -> SealedRequest? { requests[sequence] }

    func retire(
        _ push: PushCredentials, of device: DeviceID, tenant: TenantID, event: AuditEvent
    ) async throws -> Bool {
        guard !retired.hasNewTokens else { return false }
        retired.add(push, event)
        return true
    }
}

struct OneTenant: ConfigurationSource {
    let current: ConfigurationSnapshot

    init(_ tenant: TenantConfiguration) { current = ConfigurationSnapshot(tenants: [tenant]) }
}

/// A provider with given answers that keeps its messages.
final class FakeProvider: NotificationProvider {
    let name: String
    let queue: DeliveryQueue
    let policy: DeliveryPolicy
    private let answer: @Sendable (DeviceMessage) async -> DeliveryResult
    private let given = Mutex<[DeviceMessage]>([])
    private let calls = Counter()
    private let reachesDevices: Bool

    /// If `isInstant`, works like the device channel, otherwise like a push service.
    init(
        _ name: String, queue: DeliveryQueue = .notifications, reaches: Bool = true, isInstant: Bool = false,
        answer: @escaping @Sendable (DeviceMessage) async -> DeliveryResult = { _ in .delivered }
    ) {
        self.name = name
        self.queue = queue
        self.answer = answer
        reachesDevices = reaches
        let pace: DeliveryPolicy.Pace =
            isInstant ? .instant(batch: 512) : .leased(for: .seconds(60), inFlight: 64, perTenant: 64, perRecipient: 1)
        policy = DeliveryPolicy(pace: pace, attempts: 8, firstDelay: .seconds(1), longestDelay: .seconds(60))
    }

    func reaches(_ device: DeviceID) -> Bool { reachesDevices }

    var messages: [DeviceMessage] { given.withLock { $0 } }
    /// Numbers of the requests in order of delivery.
    var delivered: [Int64] { messages.map(\.event.id) }

    func awaitCalls(_ count: Int) async { await calls.wait(for: count) }

    func send(_ message: DeviceMessage, now: Timestamp) async -> DeliveryAttempt {
        given.withLock { $0.append(message) }
        calls.add()
        return DeliveryAttempt(await answer(message))
    }
}

/// Reports of a worker.
final class Reports: Sendable {
    private let told = Mutex<[String]>([])

    var lines: [String] { told.withLock { $0 } }

    func add(_ line: String) { told.withLock { $0.append(line) } }
}

/// Runs a worker with `couriers` during `body` and returns its reports.
@discardableResult
func working(
    _ queue: FakeQueue, _ couriers: [any DeliveryCourier], clock: ManualClock,
    _ body: (DeliveryWorker, ManualTimer) async throws -> Void
) async throws -> [String] {
    let reports = Reports()
    let timer = ManualTimer(clock)
    let worker = DeliveryWorker(
        store: queue, couriers: couriers, decisions: DecisionHub(), owner: "node", clock: clock, timer: timer,
        jitter: { 0 }
    ) { _, line in reports.add(line) }
    let task = Task { await worker.run() }
    do {
        try await body(worker, timer)
    } catch {
        task.cancel()
        throw error
    }
    task.cancel()
    await task.value
    return reports.lines
}
