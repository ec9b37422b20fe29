package import Glibc

/// A PostgreSQL server of this run, in a folder of its own on a port of the loopback address.
package final class PostgreSQLServer {
    package static let user = "countersign"
    package static let database = "countersign"

    /// Newest folder of Debian's packages with the server's programs. Nil without one.
    package static let programs: String? = (14...30).reversed().map { "/usr/lib/postgresql/\($0)/bin" }
        .first { access($0 + "/initdb", X_OK) == 0 && access($0 + "/postgres", X_OK) == 0 }

    /// The server refuses to run as root.
    private static let account =
        geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []

    package let name: String
    package let port: UInt16
    /// The disk: all of the server's files are in it.
    package let folder: String
    private let settings: [String]
    private let programs: String
    private var child: Child?

    /// - Parameter settings: Those of the server's configuration, as `name=value`.
    package init(_ name: String, folder: String, settings: [String]) throws {
        guard let programs = Self.programs else {
            throw Failure("PostgreSQL is missing: scripts/install-packages.sh test")
        }
        self.name = name
        self.programs = programs
        self.folder = folder
        self.settings = settings
        port = try freePort()
        try makeFolder("\(folder)-output")
        CleanUp.addFolder("\(folder)-output")
        if geteuid() == 0 {
            guard let account = getpwnam("postgres") else { throw Failure("there is no account postgres") }
            guard chown(folder, account.pointee.pw_uid, account.pointee.pw_gid) == 0 else {
                throw Failure("cannot give \(folder) away", errno: errno)
            }
        }
    }

    private var data: String { "\(folder)/data" }
    package var log: String { "\(folder)-output/log" }

    package func run(_ program: String, _ arguments: [String], within limit: Duration = .seconds(60)) throws -> String {
        try Child.output(
            Self.account + ["\(programs)/\(program)"] + arguments, folder: "\(folder)-output", within: limit)
    }

    /// Makes an empty cluster.
    package func initialize(_ more: [String] = []) throws {
        _ = try run(
            "initdb",
            [
                "--pgdata=\(data)", "--auth=trust", "--username=\(Self.user)", "--encoding=UTF8", "--locale=C.UTF-8",
                "--no-instructions", "--no-sync",
            ] + more)
    }

    /// Makes a streaming replica of a server that runs.
    package func copy(of primary: PostgreSQLServer) throws {
        _ = try Child.output(
            Self.account + ["rm", "-rf", data], folder: "\(folder)-output", within: .seconds(10))
        _ = try run(
            "pg_basebackup",
            primary.place + [
                "--pgdata=\(data)", "--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf", "--no-sync",
                "--dbname=application_name=\(name)",
            ])
    }

    /// Starts the server, and returns once it lets people in.
    package func start(within limit: Duration = .seconds(30)) throws {
        let end = ContinuousClock.now + limit
        while true {
            // After a crash, the processes that it left behind may need a moment to end.
            if child?.wait(within: .zero) != nil || child == nil {
                child = try Child(
                    Self.account
                        + [
                            "\(programs)/postgres", "-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1",
                            "-c",
                            "unix_socket_directories=",
                        ]
                        + settings.flatMap { ["-c", $0] },
                    log: log)
            }
            if (try? query("SELECT 1")) != nil { return }
            guard ContinuousClock.now < end else {
                throw Failure("\(name) did not start: \(((try? readText(log)) ?? "").suffix(1000))")
            }
            usleep(50_000)
        }
    }

    /// Ends the process that all others of the server end with.
    package func kill() {
        guard let child else { return }
        // The others notice it, and end themselves.
        child.end(SIGKILL)
        self.child = nil
    }

    package func stop() { child?.end(SIGQUIT) }

    package var isRunning: Bool { child?.wait(within: .zero) == nil && child != nil }

    @discardableResult
    package func query(_ text: String, database: String = "postgres") throws -> String {
        try run(
            "psql",
            place + [
                "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1",
                "--dbname=dbname=\(database) connect_timeout=2", "--command=\(text)",
            ], within: .seconds(20))
    }

    /// Makes the replica take changes.
    package func promote() throws {
        guard try query("SELECT pg_promote(true, 20)").contains("t") else { throw Failure("\(name) was not promoted") }
    }

    /// Processes of the server that run, its first one at the beginning. Empty if it does not run.
    package var processes: [pid_t] {
        guard let child, let text = try? readText("/proc/\(child.pid)/task/\(child.pid)/children") else { return [] }
        return [child.pid] + text.split(separator: " ").compactMap { pid_t($0) }
    }

    /// Runs a client program beside others. The caller ends it.
    package func client(_ program: String, _ arguments: [String], log: String) throws -> Child {
        try Child(["\(programs)/\(program)"] + place + arguments, log: log)
    }

    /// Options of its client programs.
    package var place: [String] { ["--host=127.0.0.1", "--port=\(port)", "--username=\(Self.user)"] }
}
