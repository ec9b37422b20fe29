import Glibc
import Load
import Workbench

extension Bench {
    /// Starts and whole flows over one, two and three nodes of a PostgreSQL, beside pgbench's simplest insert.
    mutating func measurePostgreSQL() async throws {
        progress("starting PostgreSQL and three nodes")
        let database = try PostgreSQLUnderTest()
        defer { database.stop() }
        var nodes = [
            try ServerUnderTest(
                program: options.serverPath, isBatch: options.isBatch, folder: folder, database: database.uri)
        ]
        defer { for node in nodes { node.stop() } }
        for _ in 1..<3 { nodes.append(try nodes[0].joined()) }
        let fixture = try await BenchmarkFixture(
            server: nodes[0], folder: folder, parts: [.start, .flows], flows: options.connections)
        for node in nodes { try node.waitUntilServed() }
        try measureStarts(fixture, nodes, database)
        try measureFlows(fixture, nodes, database)
    }

    private mutating func measureStarts(
        _ fixture: BenchmarkFixture, _ nodes: [ServerUnderTest], _ database: PostgreSQLUnderTest
    ) throws {
        progress("starts over PostgreSQL, and pgbench")
        let ids = StartScenario.Ids()
        var costs: (server: [Double], database: [Double]) = ([], [])
        var waits: [Double] = []
        let (reference, value) = try taking(
            turns: rounds,
            reference: { try database.inserts(clients: options.connections, seconds: options.isQuick ? 1 : 2) }
        ) {
            let before = (try nodes[0].meter.processorSeconds(), try database.processorSeconds())
            var measurement = Measurement()
            waits.append(
                try database.lockWaits {
                    measurement = try start(options.isQuick ? 4000 : 12_000, fixture, nodes[0], ids)
                })
            let count = Double(measurement.answers) / 1e6
            costs.server.append((try nodes[0].meter.processorSeconds() - before.0) / count)
            costs.database.append((try database.processorSeconds() - before.1) / count)
            return measurement.rate
        }
        rows.append(
            Row(
                name: "/bc-authorize, durable, PostgreSQL", value: value, unit: "1/s", reference: reference,
                referenceName: "pgbench, one row", goal: .ratioAtLeast(0.4),
                note:
                    "one node, \(options.connections) at a time like pgbench's clients; processor time each: "
                    + "\(formatted(median(costs.server))) us of the server, \(formatted(median(costs.database))) us of PostgreSQL"
            ))
        rows.append(
            Row(
                name: "waits for locks in PostgreSQL, starts", value: median(waits) * 100, unit: "%",
                goal: .valueAtMost(5), note: "of the time of connections at work, looked at 50 times a second"))
    }

    private mutating func measureFlows(
        _ fixture: BenchmarkFixture, _ nodes: [ServerUnderTest], _ database: PostgreSQLUnderTest
    ) throws {
        var alone: Double?
        for count in 1...nodes.count {
            progress("whole flows over \(count) nodes")
            let nodes = nodes.prefix(count)
            var (rates, costs, busy, waits): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
            for _ in 0..<3 {
                let before = try nodes.map { try $0.meter.processorSeconds() }.reduce(0, +)
                let database0 = try database.processorSeconds()
                var load = load(nodes[0].port, connections: flowConnections, warmUp: .milliseconds(800))
                load.otherPorts = nodes.dropFirst().map(\.port)
                load.duration = options.isQuick ? .seconds(1) : .seconds(3)
                var measurement = Measurement()
                waits.append(try database.lockWaits { measurement = try runFlows(load, fixture) })
                let flows = measurement.tally["flows"] ?? 0
                try check(measurement, "whole flows over PostgreSQL", good: flows)
                // Including the warm-up, whose first part opens the streams.
                let rate = measurement.rate(of: "flows")
                let all = rate * (load.duration + load.warmUp - FlowScenario.quiet).seconds
                rates.append(rate)
                costs.append((try nodes.map { try $0.meter.processorSeconds() }.reduce(0, +) - before) / all * 1e6)
                busy.append(all / (try database.processorSeconds() - database0))
            }
            let name = count == 1 ? "one node" : "\(count) nodes"
            rows.append(
                Row(
                    name: "whole flows a busy processor of PostgreSQL, \(name)", value: median(busy), unit: "1/s",
                    goal: .valueAtLeast(400),
                    note: "\(formatted(median(rates))) flows a second on this machine, which runs all of it"))
            rows.append(
                Row(
                    name: "waits for locks in PostgreSQL, flows, \(name)", value: median(waits) * 100, unit: "%",
                    goal: .valueAtMost(5)))
            rows.append(
                Row(
                    name: "processor time of a whole flow, \(name)", value: median(costs), unit: "us",
                    reference: alone, referenceName: alone == nil ? "" : "one node",
                    goal: alone == nil ? nil : .ratioAtMost(1.1), note: "of all nodes together"))
            alone = alone ?? median(costs)
        }
    }
}
