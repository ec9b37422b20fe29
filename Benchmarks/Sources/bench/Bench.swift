import Workbench
import Configuration
import Glibc
import JOSE
import Load
import OpenSSLCrypto
import Primitives

/// All measurements of one run, ordered so that each finds its data.
struct Bench {
    let options: Options
    let folder: String
    let threads = 2
    var rows: [Row] = []
    private var measuredSpeed: OpenSSLSpeed?

    private let pendingIds = StartScenario.Ids()
    var rounds: Int { options.isQuick ? 3 : 5 }
    var round: Duration { options.isQuick ? .milliseconds(700) : .seconds(1) }

    init(options: Options, folder: String) {
        self.options = options
        self.folder = folder
    }

    mutating func run() async throws {
        if options.parts.contains(.signing) { try measureSigning() }
        if options.parts.contains(.search) { try await measureSearch() }
        if options.parts.contains(.push) { try await measurePush() }
        if options.parts.contains(.postgresql) { try await measurePostgreSQL() }
        if options.parts.contains(.crowd) { try await measureCrowd() }
        if options.parts.contains(.dashboard) { try await measureDashboard() }
        if options.parts.contains(.moving) { try await measureMoving() }
        guard !options.parts.isSubset(of: [.signing, .search, .push, .postgresql, .crowd, .dashboard, .moving]) else {
            return
        }
        progress("starting nginx and the server")
        let nginx = try Nginx.start(folder: folder)
        defer { nginx.stop() }
        var server = try ServerUnderTest(program: options.serverPath, isBatch: options.isBatch, folder: folder)
        defer { server.stop() }
        let fixture = try await BenchmarkFixture(
            server: server, folder: folder, parts: options.parts, flows: options.connections)

        if options.parts.contains(.ceiling) { try await measureCeiling(nginx) }
        if options.parts.contains(.discovery) { try measureDiscovery(server, nginx) }
        if options.parts.contains(.flows) { try measureFlows(fixture, server, nginx) }
        if options.parts.contains(.wait) { try measureWait(fixture, server, nginx) }
        if !options.parts.isDisjoint(with: Options.Part.logins) { try await measureLogins(fixture, server, nginx) }
        if options.parts.contains(.assertions) { try measureAssertions(fixture, server, nginx) }
        if options.parts.contains(.overload) { try measureOverload(fixture, server) }
        guard !options.parts.isDisjoint(with: [.start, .polls, .memory, .restart, .scale]) else { return }
        try measureStart(to: 100_000, fixture, server, nginx)
        if options.parts.contains(.polls) { try measurePolls(fixture, server, nginx) }
        // With fewer requests, each would be polled more often than its interval allows, and answered slow_down.
        let costAtStart = options.parts.contains(.scale) ? try pollCost(fixture, server) : 0
        if options.parts.contains(.memory) {
            rows.append(
                Row(
                    name: "resident memory at 100,000 pending", value: try server.meter.residentMegabytes(), unit: "MB",
                    reference: try nginx.residentMegabytes(), referenceName: "nginx, which stores nothing",
                    goal: .valueAtMost(150)))
        }
        if options.parts.contains(.restart) {
            progress("restart on 100,000 pending requests")
            server.stop()
            server = try ServerUnderTest(program: options.serverPath, isBatch: options.isBatch, folder: folder)
            rows.append(
                Row(
                    name: "restart at 100,000 pending, to the first answer", value: server.startup.seconds, unit: "s",
                    reference: nginx.startup.seconds, referenceName: "nginx, which stores nothing",
                    goal: .valueAtMost(0.5)))
        }
        if options.parts.contains(.scale) {
            let count = options.isQuick ? 200_000 : 1_000_000
            try seed(to: count, fixture, server)
            let cost = try pollCost(fixture, server)
            rows.append(
                Row(
                    name: "processor time of a poll at \(formatted(Double(count))) pending", value: cost, unit: "us",
                    reference: costAtStart, referenceName: "at 100,000", goal: .ratioAtMost(1.2)))
        }
    }

    // MARK: signatures

    private mutating func measureSigning() throws {
        progress("signatures")
        let speed = try opensslSpeed()
        let message = [UInt8](repeating: 0x61, count: 700)
        // By processor time, like openssl speed.
        func rate(_ body: () throws -> Void) rethrows -> Double {
            let begin = processorNanoseconds()
            var count = 0
            while processorNanoseconds() - begin < 1_000_000_000 {
                for _ in 0..<16 { try body() }
                count += 16
            }
            return Double(count) / Double(processorNanoseconds() - begin) * 1e9
        }
        let pairs: [(JWSAlgorithm, OpenSSLSpeed.Pair, String)] = [
            (.es256, speed.ecdsap256, "ecdsap256"), (.rs256, speed.rsa2048, "rsa2048"),
        ]
        for (algorithm, reference, name) in pairs {
            let signer = try OpenSSLSigner.generate(algorithm: algorithm)
            let verifier = OpenSSLVerifier()
            let signature = try signer.sign(message)
            guard verifier.verify(signature, of: message, algorithm: algorithm, key: signer.publicKey) else {
                throw Failure("a signature of \(algorithm.rawValue) does not verify")
            }
            rows.append(
                Row(
                    name: "\(algorithm.rawValue) token signatures, one core",
                    value: try rate { _ = try signer.sign(message) },
                    unit: "1/s", reference: reference.sign, referenceName: "openssl speed \(name)"))
            rows.append(
                Row(
                    name: "\(algorithm.rawValue) verifications, one core",
                    value: rate {
                        _ = verifier.verify(signature, of: message, algorithm: algorithm, key: signer.publicKey)
                    },
                    unit: "1/s", reference: reference.verify, referenceName: "openssl speed \(name)"))
        }
    }

    /// Measured once a run.
    mutating func opensslSpeed() throws -> OpenSSLSpeed {
        if let measuredSpeed { return measuredSpeed }
        let speed = try OpenSSLSpeed.measure(folder: folder, seconds: 1)
        measuredSpeed = speed
        return speed
    }

    // MARK: rates beside nginx

    /// Alternates rounds of the reference and of the subject, so that both see the machine in the same state. Compares
    /// the medians.
    func taking(
        turns rounds: Int, reference: () throws -> Double, subject: () throws -> Double
    ) throws -> (reference: Double, subject: Double) {
        var references: [Double] = []
        var subjects: [Double] = []
        for _ in 0..<rounds {
            references.append(try reference())
            subjects.append(try subject())
        }
        return (median(references), median(subjects))
    }

    func load(_ port: UInt16, connections: Int? = nil, warmUp: Duration = .milliseconds(200)) -> Load {
        Load(
            port: port, threads: threads, connections: connections ?? options.connections, warmUp: warmUp,
            duration: round)
    }

    /// The reference of every rate: nginx with the answer of a pending poll.
    func nginxRate(_ nginx: Nginx) throws -> Double {
        let request = BenchmarkFixture.agent(host: "bench.localhost").poll(
            [UInt8](repeating: 0x41, count: identifierSize))
        let measurement = try load(nginx.port).run { _ in RepeatScenario(request, expecting: 400) }
        try check(measurement, "nginx")
        return measurement.rate
    }

    private mutating func measureDiscovery(_ server: ServerUnderTest, _ nginx: Nginx) throws {
        progress("discovery")
        let request = HTTPRequest.get("/.well-known/openid-configuration", host: server.host)
        let (reference, value) = try profiling(.discovery, server) {
            try taking(turns: 3, reference: { try nginxRate(nginx) }) {
                let measurement = try load(server.port).run { _ in RepeatScenario(request, expecting: 200) }
                try check(measurement, "discovery")
                return measurement.rate
            }
        }
        rows.append(
            Row(
                name: "discovery documents", value: value, unit: "1/s", reference: reference,
                referenceName: "nginx 400 JSON"))
    }

    private mutating func measurePolls(_ fixture: BenchmarkFixture, _ server: ServerUnderTest, _ nginx: Nginx) throws {
        progress("polls over \(pendingIds.count) pending requests")
        var slowDown = 0
        var answers = 0
        var p99: [Double] = []
        var cost: [Double] = []
        let (reference, value) = try profiling(.polls, server) {
            try taking(turns: rounds, reference: { try nginxRate(nginx) }) {
                let before = try server.meter.processorSeconds()
                let measurement = try poll(fixture, server)
                let used = try server.meter.processorSeconds() - before
                slowDown += measurement.tally["slow_down"] ?? 0
                answers += measurement.answers
                p99.append(measurement.latencies.percentile(0.99) / 1e6)
                cost.append(used / measurement.rate / (round + .milliseconds(200)).seconds * 1e6)
                return measurement.rate
            }
        }
        rows.append(
            Row(
                name: "pending polls, 100,000 pending", value: value, unit: "1/s", reference: reference,
                referenceName: "nginx 400 JSON", goal: .ratioAtLeast(0.6),
                note:
                    "the first poll of each authenticates the client, later ones are the same bytes; poll_interval is 1 s so that requests may be polled this often; "
                    + "\(slowDown) of \(answers) were told to slow down; p99 \(formatted(median(p99))) ms; "
                    + "\(formatted(median(cost))) us of the server's processor time each"))
    }

    /// Polls pending requests from the fraction `start` (`0...1`) on. With `once`, ends when each was polled.
    private func poll(
        _ fixture: BenchmarkFixture, _ server: ServerUnderTest, from start: Double = 0, once: Bool = false
    ) throws -> Measurement {
        let all = pendingIds.all
        let share = pendingIds.count / threads * identifierSize
        let request = fixture.agent.poll([UInt8](repeating: 0x41, count: identifierSize))
        var load = load(server.port)
        if once { load.duration = .seconds(150) }
        let measurement = try load.run { number in
            PollScenario(
                request: request, identifiers: Array(all[number * share..<(number + 1) * share]), start: start,
                once: once)
        }
        let pending = measurement.tally["pending"] ?? 0
        let other = measurement.tally["other"] ?? 0
        guard pending > 0, other * 1000 < measurement.answers, measurement.reopened * 1000 < measurement.answers else {
            throw Failure(
                "of \(measurement.answers) polls \(pending) found their request pending, \(other) "
                    + "had another answer, \(measurement.reopened) lost their connection. \(Problems.take() ?? "")")
        }
        return measurement
    }

    /// Microseconds of the server's processor time per poll, as the median of three rounds.
    private func pollCost(_ fixture: BenchmarkFixture, _ server: ServerUnderTest) throws -> Double {
        progress("cost of a poll at \(pendingIds.count) pending requests")
        // The first poll of a request is read in full (after a restart also the second), and later ones are recognised.
        // Without this, most of the many requests would be polled for the first time, and none of the few.
        for _ in 0..<2 { _ = try poll(fixture, server, once: true) }
        return try profiling(.scale, server) {
            median(
                try (0..<rounds).map { turn in
                    let before = try server.meter.processorSeconds()
                    let measurement = try poll(fixture, server, from: Double(turn) / Double(rounds))
                    let used = try server.meter.processorSeconds() - before
                    return used / (measurement.rate * (round + .milliseconds(200)).seconds) * 1e6
                })
        }
    }

    // MARK: starting

    private mutating func measureStart(
        to count: Int, _ fixture: BenchmarkFixture, _ server: ServerUnderTest, _ nginx: Nginx
    ) throws {
        let missing = count - pendingIds.count
        guard options.parts.contains(.start) else { return try seed(to: count, fixture, server) }
        progress("starting requests up to \(count) pending")
        var cost: [Double] = []
        var kilobytes: (read: [Double], written: [Double]) = ([], [])
        let (reference, value) = try profiling(.start, server) {
            try taking(turns: rounds, reference: { try nginxRate(nginx) }) {
                let before = try server.meter.fileBytes()
                let measurement = try metered(server, &cost) {
                    try start(missing / rounds, fixture, server, pendingIds)
                }
                let (count, after) = (Double(measurement.answers), try server.meter.fileBytes())
                kilobytes.read.append((after.read - before.read) / count / 1e3)
                kilobytes.written.append((after.written - before.written) / count / 1e3)
                return measurement.rate
            }
        }
        try seed(to: count, fixture, server)
        rows.append(
            Row(
                name: "/bc-authorize, durable", value: value, unit: "1/s", reference: reference,
                referenceName: "nginx 400 JSON", goal: .ratioAtLeast(0.12),
                note:
                    "the limits of requests a user and a minute are raised, the rest is as it comes; each took "
                    + "\(formatted(median(cost))) us of the server's processor time, and it read \(formatted(median(kilobytes.read))) "
                    + "and wrote \(formatted(median(kilobytes.written))) kB of files"))
    }

    func start(
        _ count: Int, _ fixture: BenchmarkFixture, _ server: ServerUnderTest, _ ids: StartScenario.Ids
    ) throws -> Measurement {
        let requests = fixture.sleepers.map { fixture.agent.start(user: $0, expiry: 7200) }
        var load = load(server.port, warmUp: .zero)
        load.duration = .seconds(150)
        let quota = StartScenario.Quota(count)
        // Each thread begins with other people, so that none gets two requests at once.
        let share = requests.count / threads
        let measurement = try load.run { number in
            StartScenario(
                requests: Array(requests[(number * share)...] + requests[..<(number * share)]), quota: quota, ids: ids)
        }
        try check(measurement, "/bc-authorize")
        return measurement
    }

    private func seed(to count: Int, _ fixture: BenchmarkFixture, _ server: ServerUnderTest) throws {
        while pendingIds.count < count {
            let missing = min(count - pendingIds.count, 100_000)
            progress("seeding: \(pendingIds.count) of \(count) pending")
            _ = try start(missing, fixture, server, pendingIds)
        }
    }

    private mutating func measureWait(_ fixture: BenchmarkFixture, _ server: ServerUnderTest, _ nginx: Nginx) throws {
        let held = 1000
        progress("decisions with \(held) clients held")
        let ping = HTTPRequest.get("/", host: "bench.localhost")
        let one = Load(port: nginx.port, threads: 1, connections: 1, warmUp: .milliseconds(100), duration: round)
        let reference = try one.run { _ in RepeatScenario(ping, expecting: 400) }.latencies.percentile(0.5) / 1e6
        let load = Load(
            port: server.port, threads: 1,
            connections: WaitScenario.connections(held: held, phones: fixture.waitPhones.count), warmUp: .zero,
            duration: .seconds(options.isQuick ? 15 : 30))
        let agent = fixture.agent
        let phones = fixture.waitPhones
        let samples = options.isQuick ? 200 : 500
        let measurement = try profiling(.wait, server) {
            try load.run { _ in WaitScenario(agent: agent, phones: phones, held: held, samples: samples) }
        }
        try check(measurement, "waiting clients", good: measurement.latencies.count)
        rows.append(
            Row(
                name: "signed answer to tokens, 1,000 held, median",
                value: measurement.latencies.percentile(0.5) / 1e6, unit: "ms", reference: reference,
                referenceName: "one nginx answer", goal: .valueAtMost(3),
                note:
                    "\(measurement.latencies.count) answers, "
                    + "p99 \(formatted(measurement.latencies.percentile(0.99) / 1e6)) ms"
            ))
    }

    // MARK: common

    func check(_ measurement: Measurement, _ name: String, good: Int? = nil) throws {
        let good = good ?? measurement.answers
        let failed = (measurement.tally["failed"] ?? 0) + measurement.reopened
        let problem = Problems.take()
        guard good > 0, failed * 100 <= good else {
            throw Failure("\(name): \(good) were right, \(failed) were not. \(problem ?? "No answer came.")")
        }
        if failed > 0 { progress("\(name): \(failed) failed. \(problem ?? "")") }
    }

    func profiling<Result>(
        _ part: Options.Part, _ server: ServerUnderTest, _ body: () throws -> Result
    ) throws -> Result {
        guard options.profiled == part else { return try body() }
        let profiler = try Profiler(pid: server.meter.pid, folder: folder)
        let result = try body()
        progress("profile of \(part.rawValue)\n\(try profiler.finish())")
        return result
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
