import Workbench
import Load
import Primitives

extension Bench {
    /// Polls of a client that signs an assertion for each poll.
    mutating func measureAssertions(_ fixture: BenchmarkFixture, _ server: ServerUnderTest, _ nginx: Nginx) throws {
        progress("polls under private_key_jwt")
        let verifications = try opensslSpeed().ecdsap256.verify
        let count = 20_000
        let agent = fixture.signingAgent
        let ids = StartScenario.Ids()
        let starts = try fixture.sleepers.prefix(count).map { try agent.start(user: $0, expiry: 3600) }
        let share = starts.count / threads
        var starting = load(server.port, warmUp: .zero)
        starting.duration = .seconds(60)
        let started = try starting.run { number in
            StartScenario(requests: Array(starts[number * share..<(number + 1) * share]), quota: .init(share), ids: ids)
        }
        try check(started, "/bc-authorize under private_key_jwt")
        let all = ids.all
        var cost: [Double] = []
        let (reference, value) = try profiling(.assertions, server) {
            try taking(turns: rounds, reference: { try nginxRate(nginx) }) {
                // Signed before the round, so that the load signs nothing during it.
                let polls = try stride(from: 0, to: all.count, by: identifierSize).map { start in
                    try agent.poll(all[start..<start + identifierSize])
                }
                let share = polls.count / threads
                let before = try server.meter.processorSeconds()
                let measurement = try load(server.port, warmUp: .zero).run { number in
                    OnceScenario(polls[number * share..<(number + 1) * share])
                }
                let used = try server.meter.processorSeconds() - before
                cost.append(used / Double(max(1, measurement.answers)) * 1e6)
                try check(measurement, "polls under private_key_jwt")
                return measurement.rate
            }
        }
        rows.append(
            Row(
                name: "polls under private_key_jwt (ES256)", value: value, unit: "1/s", reference: reference,
                referenceName: "nginx 400 JSON",
                note:
                    "each poll has an assertion of its own, which is verified and durably used up; a core verifies "
                    + "\(formatted(verifications)) signatures a second (openssl speed), and two cores do all: the "
                    + "server's work and the load's; \(formatted(median(cost))) us of the server's processor time each")
        )
    }
}
