import Glibc
import Workbench

/// A PostgreSQL server with its settings as they come, so that each commit is durable.
final class PostgreSQLUnderTest {
    private let folder: String
    private let server: PostgreSQLServer
    private static let database = "bench"

    init() throws {
        folder = try makeTemporaryFolder()
        let disk = try makeTemporaryFolder()
        // A quarter of the memory of a small machine, as PostgreSQL's manual advises.
        server = try PostgreSQLServer(
            "PostgreSQL", folder: disk, settings: ["shared_buffers=512MB", "max_connections=200"])
        try server.initialize()
        try server.start()
        try server.query("CREATE DATABASE \(Self.database)")
    }

    var uri: String { "postgres://\(PostgreSQLServer.user)@127.0.0.1:\(server.port)/\(Self.database)" }

    /// Simplest durable inserts a second, one row a transaction.
    func inserts(clients: Int, seconds: Int) throws -> Double {
        try server.query(
            "CREATE TABLE IF NOT EXISTS simplest (id bigserial PRIMARY KEY, text text NOT NULL)",
            database: Self.database)
        let script = "\(folder)/insert.sql"
        try writeFile(script, "INSERT INTO simplest (text) VALUES ('0123456789abcdef0123456789abcdef');\n")
        let log = "\(folder)/pgbench"
        let child = try server.client(
            "pgbench",
            [
                "--no-vacuum", "--protocol=prepared", "--file=\(script)", "--client=\(clients)", "--jobs=2",
                "--time=\(seconds)", Self.database,
            ], log: log)
        defer { child.end() }
        let status = child.wait(within: .seconds(seconds + 30))
        let text = try readText(log)
        let line = text.split(separator: "\n").first { $0.hasPrefix("tps = ") }
        guard status == 0, let rate = line?.dropFirst(6).split(separator: " ").first.flatMap({ Double(String($0)) })
        else { throw Failure("pgbench printed no rate: \(text.suffix(1000))") }
        return rate
    }

    /// Processor time of the server and of its processes, ended ones too.
    func processorSeconds() throws -> Double {
        guard let first = server.processes.first else { throw Failure("PostgreSQL has ended") }
        return try ProcessMeter(pid: first).processorSeconds(withEnded: true)
            + server.processes.dropFirst().reduce(0) {
                // One may have ended meanwhile.
                $0 + ((try? ProcessMeter(pid: $1).processorSeconds()) ?? 0)
            }
    }

    /// Part (`0...1`) of the time of connections at work that waits for a lock, looked at 50 times a second.
    func lockWaits(during body: () throws -> Void) throws -> Double {
        let script = "\(folder)/locks.sql"
        try writeFile(
            script,
            """
            SELECT count(*) FILTER (WHERE wait_event_type = 'Lock'), count(*) FROM pg_stat_activity
            WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid() \\watch 0.02

            """)
        let log = "\(folder)/locks"
        let looking = try server.client("psql", ["--no-psqlrc", "-At", "--file=\(script)", Self.database], log: log)
        do { try body() } catch {
            looking.end()
            throw error
        }
        looking.end(SIGKILL)
        var (waiting, all) = (0, 0)
        for line in try readText(log).split(separator: "\n") {
            let counts = line.split(separator: "|").compactMap { Int($0) }
            guard counts.count == 2 else { continue }
            waiting += counts[0]
            all += counts[1]
        }
        guard all > 0 else { throw Failure("nobody was seen at work: \(try readText(log).suffix(500))") }
        return Double(waiting) / Double(all)
    }

    func stop() { server.stop() }
}
