import Workbench
import GuardianWire
import HTTPModel
import Load

extension Bench {
    /// Requests by mail, through the server to a mail server on this machine.
    mutating func measureMail() async throws {
        progress("mails through the server")
        let own = "\(folder)/mail"
        try makeFolder(own)
        let receiver = try MailReceiver()
        defer { receiver.stop() }
        let server = try ServerUnderTest(
            program: options.serverPath, isBatch: options.isBatch, folder: own,
            more: [
                "--smtp-url", receiver.url, "--mail-from", "bench@bench.example", "--mails-per-hour-per-tenant",
                "1000000", "--mails-per-hour-per-mailbox", "1000000",
            ])
        defer { server.stop() }
        let users = (0..<(options.isQuick ? 100 : 500)).map { Tenancy.user("mail", $0) }
        _ = try await BenchmarkFixture(server: server, folder: own, pushed: users) { _ in nil }
        let agent = Agent(
            host: server.host, clientID: Tenancy.mailingClientID, secret: Tenancy.secret, audience: Tenancy.audience)
        var histogram = LatencyHistogram()
        for user in users {
            let before = receiver.count
            let begin = MonotonicClock.now
            let answer = try Load.ask(port: server.port, agent.start(user: user, expiry: 300))
            guard answer.status == 200 else { throw Failure("/bc-authorize answered \(answer.status)") }
            histogram.record(nanoseconds: try await receiver.awaitReceipts(before + 1) - begin)
        }
        rows.append(
            Row(
                name: "/bc-authorize to the mail server's receipt, median", value: histogram.percentile(0.5) / 1e6,
                unit: "ms",
                note:
                    "one at a time over a kept connection, \(histogram.count) of them, p99 "
                    + "\(formatted(histogram.percentile(0.99) / 1e6)) ms"))
    }
}
