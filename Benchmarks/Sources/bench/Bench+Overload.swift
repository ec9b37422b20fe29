import Configuration
import Glibc
import Load
import Synchronization
import Workbench

extension Bench {
    /// Connections that start requests as fast as answers come.
    private static let flood = 4_000

    /// Measures acceptance, refusals and memory while clients ask for many times of what the machine can do.
    mutating func measureOverload(_ fixture: BenchmarkFixture, _ server: ServerUnderTest) throws {
        let requests = fixture.sleepers.map { fixture.agent.start(user: $0, expiry: 60) }
        progress("starts before an overload")
        let before = try load(server.port).run { _ in FloodScenario(requests: requests) }
        try check(before, "/bc-authorize", good: before.tally["accepted"])
        progress("an overload of \(Self.flood) connections")
        var load = load(server.port, connections: Self.flood, warmUp: .seconds(1))
        load.duration = .seconds(options.isQuick ? 5 : 60)
        let witness = Witness(server)
        let during = try load.run { _ in FloodScenario(requests: requests) }
        let seen = witness.stop()
        try check(during, "/bc-authorize", good: during.answers - (during.tally["failed"] ?? 0))
        let recovery = try recovery(server, requests[0])
        let after = try self.load(server.port, warmUp: .zero).run { _ in FloodScenario(requests: requests) }
        func p99(_ measurement: Measurement) -> String { formatted(measurement.latencies.percentile(0.99) / 1e6) }
        let (accepted, refused) = (during.rate(of: "accepted"), during.rate(of: "refused"))
        rows.append(
            Row(
                name: "starts accepted during an overload", value: accepted, unit: "1/s",
                reference: before.rate(of: "accepted"), referenceName: "before, 64 connections",
                note:
                    "\(Self.flood) connections that ignore Retry-After for \(load.duration): \(formatted(refused)) refusals a second; "
                    + "p99 of accepted starts \(p99(before)) ms before, \(p99(during)) ms during, \(p99(after)) ms after; p99 of "
                    + "refusals \(formatted(Double(during.tally["refusal p99 us"] ?? 0) / Double(threads) / 1e3)) ms; "
                    + "/healthz took at most \(formatted(seen.slowest * 1e3)) ms"))
        rows.append(
            Row(
                name: "memory that grows during an overload", value: seen.end - seen.begin, unit: "MB",
                reference: seen.begin, referenceName: "its first second",
                note: "\(during.tally["accepted"] ?? 0) pending requests are remembered meanwhile"))
        rows.append(
            Row(
                name: "first accepted start after an overload", value: recovery.seconds, unit: "s",
                goal: .valueAtMost(1)))
    }

    private func recovery(_ server: ServerUnderTest, _ request: [UInt8]) throws -> Duration {
        let begin = ContinuousClock.now
        while try Load.ask(port: server.port, request).status != 200 {
            guard ContinuousClock.now - begin < .seconds(30) else { throw Failure("no start is accepted afterwards") }
            usleep(1_000)
        }
        return ContinuousClock.now - begin
    }

    /// Latencies beside idle and slow connections, of a load that leaves the machine time.
    mutating func measureCrowd() async throws {
        let folder = "\(folder)/crowd"
        mkdir(folder, 0o700)
        let count = Self.crowd
        // An eighth of the limit is kept for addresses with few connections.
        let server = try ServerUnderTest(
            program: options.serverPath, isBatch: options.isBatch, folder: folder, connections: count * 6 / 5,
            perAddress: 1_000)
        defer { server.stop() }
        let fixture = try await BenchmarkFixture(server: server, folder: folder, parts: [.start], flows: 0)
        let starts = fixture.sleepers.map { fixture.agent.start(user: $0, expiry: 300) }
        let ids = StartScenario.Ids()
        let quota = StartScenario.Quota(1_000)
        _ = try load(server.port, warmUp: .zero).run { _ in StartScenario(requests: starts, quota: quota, ids: ids) }
        let pending = ids.all
        let polls = stride(from: 0, to: pending.count, by: identifierSize).map {
            fixture.agent.poll(pending[$0..<$0 + identifierSize])
        }
        // Three polls a start.
        let requests = starts.prefix(polls.count / 3).enumerated().flatMap { [$1] + polls[3 * $0..<3 * $0 + 3] }
        func measure() throws -> Double {
            var load = load(server.port, connections: 32, warmUp: .seconds(1))
            load.duration = .seconds(options.isQuick ? 5 : 20)
            let measurement = try load.run { _ in PacedScenario(requests, expecting: [200, 400], pause: 50) }
            try check(measurement, "a paced load")
            return measurement.latencies.percentile(0.99) / 1e6
        }
        progress("a paced load alone")
        let alone = try measure()
        let empty = try server.meter.residentMegabytes()
        progress("opening \(count) idle and slow connections")
        let crowd = try Crowd(port: server.port, count: count)
        let beside: Double
        do {
            beside = try measure()
        } catch {
            crowd.stop()
            throw error
        }
        let full = try server.meter.residentMegabytes()
        crowd.stop()
        rows.append(
            Row(
                name: "p99 beside \(formatted(Double(count))) idle and slow connections", value: beside, unit: "ms",
                reference: alone, referenceName: "without them", goal: .ratioAtMost(2),
                note:
                    "starts and polls of 32 paced connections; the others are silent, or send a byte of a head or a body "
                    + "every 5 s; \(crowd.reopened) were closed by their deadline and opened again; they take "
                    + "\(formatted((full - empty) / Double(count) * 1e3)) kB each"))
    }

    /// 20,000, or as many as this process and the server may open.
    private static var crowd: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return min(20_000, Int(clamping: limit.rlim_cur) - 500)
    }
}

/// Watches a server during a load: its memory each second, and how long it takes to say that it is healthy.
private final class Witness: Sendable {
    struct Seen {
        var begin = 0.0
        var end = 0.0
        var slowest = 0.0
    }

    private let seen = Mutex(Seen())
    private let isOver = Atomic(false)

    init(_ server: ServerUnderTest) {
        let (meter, port, host) = (server.meter, server.port, server.host)
        Task.detached { [self] in
            while !isOver.load(ordering: .relaxed) {
                try? await Task.sleep(for: .seconds(1))
                measure(meter, port, host)
            }
        }
    }

    private func measure(_ meter: ProcessMeter, _ port: UInt16, _ host: String) {
        let begin = ContinuousClock.now
        _ = try? Load.ask(port: port, HTTPRequest.get("/healthz", host: host))
        let took = (ContinuousClock.now - begin).seconds
        let memory = (try? meter.residentMegabytes()) ?? 0
        seen.withLock { seen in
            if seen.begin == 0 { seen.begin = memory }
            seen.end = max(seen.end, memory)
            seen.slowest = max(seen.slowest, took)
        }
    }

    func stop() -> Seen {
        isOver.store(true, ordering: .relaxed)
        return seen.withLock { $0 }
    }
}
