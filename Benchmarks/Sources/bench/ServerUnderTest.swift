import Glibc
import Load

/// `countersign serve` with its own data folder, over plain HTTP on the loopback address like nginx.
final class ServerUnderTest {
    let port: UInt16
    let host: String
    let meter: ProcessMeter
    private let child: Child
    private let program: String
    let dataFolder: String

    /// Starts the server and returns once it answers. `startup` is the time from the start of the program to that
    /// answer.
    private(set) var startup: Duration = .zero

    init(program: String, isBatch: Bool, folder: String, more: [String] = []) throws {
        self.program = program
        dataFolder = "\(folder)/data"
        host = "bench.localhost"
        port = try freePort()
        mkdir(dataFolder, 0o700)
        let log = "\(folder)/server.log"
        let begin = ContinuousClock.now
        child = try Child(
            (isBatch ? ["chrt", "--batch", "0"] : []) + [
                program, "serve", "--data", dataFolder, "--address", "127.0.0.1", "--port", String(port), "--tls",
                "off",
                "--metrics-port", "none", "--development", "off", "--quiet", "--log-requests", "off", "--log-level",
                "warning", "--max-connections", "8000", "--max-connections-per-address", "8000",
            ] + more, log: log)
        meter = ProcessMeter(pid: child.pid)
        let request = HTTPRequest.get("/.well-known/openid-configuration", host: host)
        while (try? Load.ask(port: port, request)) == nil {
            guard child.wait(within: .zero) == nil, ContinuousClock.now - begin < .seconds(30) else {
                child.end()
                throw Failure("\(program) serve did not start: \(((try? readText(log)) ?? "").suffix(1000))")
            }
            usleep(500)
        }
        startup = ContinuousClock.now - begin
    }

    /// A running server loads applied configuration a moment later.
    func waitUntilServed() throws {
        let end = ContinuousClock.now + .seconds(10)
        let request = HTTPRequest.get("/.well-known/openid-configuration", host: host)
        while try Load.ask(port: port, request).status != 200 {
            guard ContinuousClock.now < end else { throw Failure("\(host) is not served 10 s after it was applied") }
            usleep(20_000)
        }
    }

    func stop() { child.end() }

    /// Runs another of the program's commands on the same data.
    func command(_ arguments: [String], folder: String) throws -> String {
        try Child.output([program] + arguments + ["--data", dataFolder], folder: folder, within: .seconds(60))
    }
}
