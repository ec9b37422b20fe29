import Glibc
import Load
import Workbench

extension Bench {
    mutating func measureFlows(_ fixture: BenchmarkFixture, _ server: ServerUnderTest, _ nginx: Nginx) throws {
        progress("whole flows")
        var medians: [Double] = []
        var costs: (server: [Double], load: [Double]) = ([], [])
        let own = ProcessMeter(pid: getpid())
        let speed = try OpenSSLSpeed.measure(folder: folder, seconds: 1, cores: threads).ecdsap256
        let (reference, value) = try profiling(.flows, server) {
            try taking(turns: 3, reference: { try nginxRate(nginx) }) {
                var load = load(server.port, connections: flowConnections, warmUp: .milliseconds(800))
                load.duration = options.isQuick ? .seconds(1) : .seconds(2)
                let before = (try server.meter.processorSeconds(), try own.processorSeconds())
                let measurement = try runFlows(load, fixture)
                let flows = measurement.tally["flows"] ?? 0
                try check(measurement, "whole flows", good: flows)
                medians.append(measurement.latencies.percentile(0.5) / 1e6)
                let rate = measurement.rate(of: "flows")
                // Including the warm-up, whose first part opens the streams.
                let all = rate * (load.duration + load.warmUp - FlowScenario.quiet).seconds / 1e6
                costs.server.append((try server.meter.processorSeconds() - before.0) / all)
                costs.load.append((try own.processorSeconds() - before.1) / all)
                return rate
            }
        }
        let signatures = 4 / speed.sign + 2 / speed.verify
        let bound = 1 / (signatures + 5 / reference)
        rows.append(
            Row(
                name: "whole flows, ES256", value: value, unit: "1/s", reference: reference,
                referenceName: "nginx 400 JSON", goal: .ratioAtLeast(0.03),
                note:
                    "start, notification on the device channel, consent with proof, signed decision, two tokens; "
                    + "\(options.connections) at a time over \(fixture.phones.count) phones that listen, "
                    + "median \(formatted(median(medians))) ms; the load signs twice a flow; processor time each, the "
                    + "opening of the streams with it: \(formatted(median(costs.server))) us of the server and "
                    + "\(formatted(median(costs.load))) us of the load; four signatures and two verifications at openssl's "
                    + "own speed on \(threads) cores at once take \(formatted(signatures * 1e6)) us, so with five requests at "
                    + "nginx's price and nothing else there are \(formatted(bound)) flows a second, "
                    + "a ratio of \(formatted(bound / reference))"
            ))
    }

    var flowConnections: Int {
        options.connections * FlowScenario.connections(phones: BenchmarkFixture.phonesPerSlot)
    }

    func runFlows(_ load: Load, _ fixture: BenchmarkFixture) throws -> Measurement {
        let share = options.connections / threads * BenchmarkFixture.phonesPerSlot
        let (agent, phones) = (fixture.agent, fixture.phones)
        return try load.run { number in
            FlowScenario(
                agent: agent, phones: phones[number * share..<(number + 1) * share],
                perSlot: BenchmarkFixture.phonesPerSlot)
        }
    }
}
