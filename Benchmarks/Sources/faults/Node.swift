import Glibc
import Load
import Workbench

/// `countersign serve` as one of several nodes of a store, over plain HTTP behind nginx.
final class Node {
    let number: Int
    let port: UInt16
    let folder: String
    private let program: String
    private let options: [String]
    private let clock: FakeClock?
    private var child: Child?

    /// - Parameter clock: the node's own. Nil for the system's.
    init(_ number: Int, program: String, folder: String, options: [String], clock: FakeClock?) throws {
        self.clock = clock
        self.number = number
        self.program = program
        self.folder = folder
        self.options = options
        port = try freePort()
    }

    var data: String { "\(folder)/data" }

    func start() throws {
        child = try Child(
            (clock?.prefix ?? []) + [
                program, "serve", "--data", data, "--address", "127.0.0.1", "--port", String(port), "--tls", "off",
                "--metrics-port", "none", "--development", "off", "--quiet", "--log-requests", "off", "--log-level",
                "warning", "--client-address-proxies", "127.0.0.1", "--max-connections", "4000",
                "--max-connections-per-address", "4000",
            ] + options, log: "\(folder)/log-\(MonotonicClock.now / 1_000_000)")
    }

    func kill() {
        child?.end(SIGKILL)
        child = nil
    }

    /// Sets the node's clock to a number of seconds before or after the system's. False without a clock of its own.
    func setClock(_ seconds: Int) throws -> Bool {
        guard let clock else { return false }
        try clock.set(seconds)
        return true
    }

    func send(_ signal: Int32) { if let child { Glibc.kill(child.pid, signal) } }

    /// The exit status of a graceful stop.
    func stop() -> Int32? {
        child?.end()
        return child?.wait(within: .zero)
    }

    /// Nil while it runs.
    var hasEnded: Int32? { child?.wait(within: .zero) }

    /// Status that `/readyz` answers. Nil without an answer.
    func readiness(within limit: Duration = .seconds(2)) -> Int? {
        try? Load.ask(port: port, HTTPRequest.get("/readyz", host: "127.0.0.1"), within: limit).status
    }

    func awaitReadiness(within limit: Duration) throws {
        let end = ContinuousClock.now + limit
        while readiness() != 200 {
            guard hasEnded == nil, ContinuousClock.now < end else {
                throw Failure("node \(number) is not ready; its log is in \(folder)")
            }
            usleep(20_000)
        }
    }

    /// Runs another of the program's commands on the same store.
    func command(_ arguments: [String], within limit: Duration = .seconds(120)) throws -> String {
        try Child.output(
            [program] + arguments + ["--data", data] + options, folder: folder, within: limit, omitsErrors: true)
    }
}
