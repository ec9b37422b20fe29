import Glibc
import Histories
import Load
import Synchronization
import Threads
import Workbench

/// One run: load, faults meanwhile, and the questions afterwards.
struct Run {
    /// Clients of each person, all at once.
    private static let agentsPerPerson = 2

    let options: Options
    private(set) var history = History()
    private(set) var violations: [Checker.Violation] = []
    private(set) var complaints: [String] = []
    private(set) var began: UInt64 = 0
    private(set) var ended: UInt64 = 0

    init(_ options: Options) { self.options = options }

    var flows: Int { history.persons.count }

    mutating func run(folder: String) throws {
        let stand = try Stand(options, folder: folder)
        let (ledger, results) = (Ledger(limit: options.flows), Results())
        progress("load of \(Stand.persons * Self.agentsPerPerson) clients and \(Stand.persons) phones")
        began = MonotonicClock.now
        let participants = try Participants(stand, agents: Self.agentsPerPerson, ledger: ledger, results: results)
        var injector = try Injector(stand, options: options)
        let end = began + UInt64(options.seconds) * 1_000_000_000
        if options.injectsFaults { try injector.run(until: end) { participants.areOver } }
        while !participants.areOver, options.flows != nil || MonotonicClock.now < end { usleep(50_000) }
        ledger.endLoad()
        ended = MonotonicClock.now
        progress("waiting for \(ledger.flows) flows to end")
        try participants.join()

        progress("asking for what became of them")
        let auditor = Auditor(site: stand.site, ledger: ledger, results: results)
        try auditor.ask()
        history = ledger.history
        history.troubles = injector.troubles
        history.audit = try auditor.log(stand.nodes[0], persons: stand.phones.map(\.userID))
        complaints = injector.complaints
        violations = Checker(history).violations
        do { try stand.stop() } catch { complaints.append("\(error)") }
    }
}

/// Threads of all clients and phones.
private final class Participants: Sendable {
    /// Time after the load in which phones get what is still on its way.
    private static let settling: UInt64 = 30_000_000_000

    private let agentsAreOver = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)
    private let failure = Mutex<LoadFailure?>(nil)

    init(_ stand: Stand, agents: Int, ledger: Ledger, results: Results) throws {
        let (site, phones) = (stand.site, stand.phones)
        try SystemThread.detach { [self] in
            do throws(LoadFailure) {
                try withThreads(phones.count * agents) { number in
                    let person = number % phones.count
                    AgentWork(
                        "client \(person).\(number / phones.count)", person: phones[person].userID, site: site,
                        ledger: ledger, results: results,
                        random: SeededRandom(seed: site.seed, stream: UInt64(number) + 100)
                    ).run()
                }
            } catch { failure.withLock { $0 = error } }
            agentsAreOver.store(true, ordering: .releasing)
        }
        try SystemThread.detach { [self] in
            do throws(LoadFailure) {
                try withThreads(phones.count) { number in
                    PhoneWork(
                        "phone \(number)", phone: phones[number], site: site, ledger: ledger,
                        random: SeededRandom(seed: site.seed, stream: UInt64(number) + 500)
                    ).run { self.isDone(ledger, results) }
                }
            } catch { failure.withLock { $0 = error } }
            isOver.store(true, ordering: .releasing)
        }
    }

    /// Time at which the clients were done.
    private let doneAt = Atomic<UInt64>(0)

    /// True once the clients are done, and the phones have read every request, or had the time to do so.
    private func isDone(_ ledger: Ledger, _ results: Results) -> Bool {
        guard areOver else { return false }
        let now = MonotonicClock.now
        _ = doneAt.compareExchange(expected: 0, desired: now, ordering: .relaxed)
        return ledger.isRead(results.flows.keys) || now > doneAt.load(ordering: .relaxed) + Self.settling
    }

    var areOver: Bool { agentsAreOver.load(ordering: .acquiring) }

    func join() throws {
        while !isOver.load(ordering: .acquiring) { usleep(20_000) }
        if let failure = failure.withLock(\.self) { throw failure }
    }
}
