import Glibc
import Histories
import Load
import Workbench

/// Something that goes wrong for some seconds.
enum Fault {
    enum Kind: String, CaseIterable {
        case killNode = "kill-node"
        case freezeNode = "freeze-node"
        case killDatabase = "kill-database"
        case killReplica = "kill-replica"
        case failOver = "fail-over"
        case stall
        case slow
        case cut
        case fullDisk = "full-disk"
        case clockJump = "clock-jump"
        /// A commit that was not acknowledged is half in the log that comes before the file.
        case tornLog = "torn-log"

        /// True if a single node with its own file has it.
        var isOfSQLite: Bool {
            switch self {
            case .killNode, .freezeNode, .fullDisk, .clockJump, .tornLog: true
            case .killDatabase, .killReplica, .failOver, .stall, .slow, .cut: false
            }
        }

        /// True if nodes of a database server have it.
        var isOfPostgreSQL: Bool { self != .tornLog }
    }
}

/// Injects faults one after the other, by a deck of all kinds that is shuffled again and again.
struct Injector {
    /// Time for all nodes to be ready after a fault is over, in nanoseconds. More is a fault of its own.
    static let readyWithin: UInt64 = 5_000_000_000

    private let stand: Stand
    private let kinds: [Fault.Kind]
    private var random: SeededRandom
    private var deck: [Fault.Kind] = []
    private(set) var troubles: [Trouble] = []
    /// Breaches of a rule meanwhile.
    private(set) var complaints: [String] = []

    init(_ stand: Stand, options: Options) throws {
        self.stand = stand
        random = SeededRandom(seed: options.seed, stream: 1)
        var impossible: Set<Fault.Kind> = []
        if !stand.disks.allSatisfy(\.isOwn) {
            impossible.insert(.fullDisk)
            progress("no disk is filled: this account may not mount a file system")
        }
        if try stand.nodes.last?.setClock(0) != true {
            impossible.insert(.clockJump)
            progress("no clock jumps: Debian's libfaketime is not installed")
        }
        kinds = Fault.Kind.allCases.filter {
            options.only.contains($0) && (options.isSQLite ? $0.isOfSQLite : $0.isOfPostgreSQL)
                && !impossible.contains($0)
        }
    }

    /// Injects faults until the time has come, each followed by a time without one.
    mutating func run(until end: UInt64, isOver: () -> Bool) throws {
        while MonotonicClock.now < end, !isOver(), let kind = draw() {
            try inject(kind)
            pause(1500...3000)
        }
    }

    private mutating func draw() -> Fault.Kind? {
        if deck.isEmpty { deck = kinds.shuffled(using: &random) }
        return deck.popLast()
    }

    private mutating func pause(_ range: ClosedRange<Int>) {
        usleep(UInt32(Int.random(in: range, using: &random)) * 1000)
    }

    private mutating func inject(_ kind: Fault.Kind) throws {
        let began = MonotonicClock.now
        let name = try perform(kind)
        let healed = MonotonicClock.now
        try stand.awaitReadiness()
        let recovered = MonotonicClock.now
        troubles.append(Trouble(name: kind.rawValue, began: began, recovered: recovered))
        progress(
            "\(name): \((healed - began) / 1_000_000) ms, and all nodes were ready "
                + "\((recovered - healed) / 1_000_000) ms later")
        if recovered - healed > Self.readyWithin {
            complaints.append("\(kind.rawValue): nodes were ready only \((recovered - healed) / 1_000_000) ms after it")
        }
        // The primary has a replica again before the next fault.
        if kind == .failOver { try stand.pair?.attach() }
        if let pair = stand.pair { try pair.awaitStandby() }
    }

    /// Causes a fault and undoes it.
    /// - Returns: a description for people.
    private mutating func perform(_ kind: Fault.Kind) throws -> String {
        switch kind {
        case .killNode:
            let node = anyNode()
            node.kill()
            pause(200...2000)
            try node.start()
            return "kill -9 of node \(node.number)"
        case .freezeNode:
            let node = anyNode()
            node.send(SIGSTOP)
            pause(1500...5000)
            node.send(SIGCONT)
            return "node \(node.number) frozen"
        case .killDatabase:
            guard let pair = stand.pair else { return "" }
            pair.primary.kill()
            pause(0...1500)
            try pair.primary.start()
            try pair.awaitStandby()
            return "kill -9 of PostgreSQL"
        case .killReplica:
            guard let pair = stand.pair else { return "" }
            pair.standby.kill()
            pause(500...2500)
            try pair.standby.start()
            try pair.awaitStandby()
            return "kill -9 of the replica"
        case .failOver:
            try stand.pair?.failOver()
            return "failover to the replica"
        case .stall:
            return "network stalled" + impair { _ in .stalled }
        case .slow:
            return "network slow" + impair { .slow(Int.random(in: 20...60, using: &$0)) }
        case .cut:
            return "network cut" + impair { _ in .cut }
        case .fullDisk: return try fillDisk()
        case .tornLog:
            stand.nodes[0].kill()
            let torn = (0..<Int.random(in: 1...9000, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            try append(torn, to: "\(stand.nodes[0].data)/countersign.db-wal")
            try stand.nodes[0].start()
            return "\(torn.count) bytes of a torn commit"
        case .clockJump:
            let seconds = Int.random(in: 5...25, using: &random) * (random.isLikely(0.5) ? 1 : -1)
            _ = try stand.nodes.last?.setClock(seconds)
            pause(2500...5000)
            _ = try stand.nodes.last?.setClock(0)
            return "clock of node \(stand.nodes.count) \(seconds > 0 ? "+" : "")\(seconds) s"
        }
    }

    private mutating func anyNode() -> Node {
        stand.nodes[Int.random(in: 0..<stand.nodes.count, using: &random)]
    }

    /// Impairs the network of one node, or of all.
    private mutating func impair(_ mode: (inout SeededRandom) -> Relay.Mode) -> String {
        let mode = mode(&random)
        let one = random.isLikely(0.6) ? Int.random(in: 0..<stand.relays.count, using: &random) : nil
        let impaired = one.map { [stand.relays[$0]] } ?? stand.relays
        for relay in impaired { relay.set(mode) }
        pause(1500...5000)
        for relay in impaired { relay.set(.open) }
        return one.map { " for node \($0 + 1)" } ?? " for all nodes"
    }

    private mutating func fillDisk() throws -> String {
        guard let pair = stand.pair else {
            try stand.disks[0].fill()
            pause(1500...3000)
            let status = stand.nodes[0].readiness(within: .seconds(5))
            if status != 503 { complaints.append("full-disk: /readyz answered \(status ?? 0) meanwhile") }
            stand.disks[0].clear()
            return "full disk"
        }
        guard let disk = stand.disks.first(where: { $0.folder == pair.primary.folder }) else { return "" }
        try disk.fill()
        pause(1500...3000)
        disk.clear()
        // Without room for its log, the server gives up. Operators have it started again.
        if !pair.primary.isRunning { try pair.primary.start() }
        try pair.primary.start()
        try pair.awaitStandby()
        return "full disk of PostgreSQL"
    }
}
