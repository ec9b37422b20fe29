import Workbench
import Glibc
import Load

/// `countersign serve` with its own data folder, over plain HTTP on the loopback address like nginx.
final class ServerUnderTest {
    let port: UInt16
    let host: String
    let meter: ProcessMeter
    private let child: Child
    private let program: String
    private let isBatch: Bool
    let dataFolder: String
    /// Connection URI of the store. Nil for a file.
    let database: String?

    /// Starts the server and returns once it answers. `startup` is the time from the start of the program to that
    /// answer.
    private(set) var startup: Duration = .zero

    init(
        program: String, isBatch: Bool, folder: String, data: String = "data", database: String? = nil,
        connections: Int = 8000, perAddress: Int = 8000,
        more: [String] = []
    ) throws {
        self.program = program
        self.isBatch = isBatch
        self.database = database
        dataFolder = "\(folder)/\(data)"
        host = "bench.localhost"
        port = try freePort()
        mkdir(dataFolder, 0o700)
        let log = "\(folder)/\(data).log"
        let begin = ContinuousClock.now
        child = try Child(
            (isBatch ? ["chrt", "--batch", "0"] : []) + [
                program, "serve", "--data", dataFolder, "--address", "127.0.0.1", "--port", String(port), "--tls",
                "off",
                "--metrics-port", "none", "--development", "off", "--quiet", "--log-requests", "off", "--log-level",
                "warning", "--max-connections", "\(connections)", "--max-connections-per-address", "\(perAddress)",
            ] + Self.store(database) + more, log: log)
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

    private static func store(_ database: String?) -> [String] { database.map { ["--store", $0] } ?? [] }

    /// Starts another node of the same database, on a folder of its own with the master key alone.
    func joined() throws -> ServerUnderTest {
        let folder = try makeTemporaryFolder()
        try makeFolder("\(folder)/data")
        try writeFile("\(folder)/data/master.key", try readText("\(dataFolder)/master.key"))
        return try ServerUnderTest(program: program, isBatch: isBatch, folder: folder, database: database)
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
        try Child.output(
            [program] + arguments + ["--data", dataFolder] + Self.store(database), folder: folder,
            within: .seconds(300))
    }
}
