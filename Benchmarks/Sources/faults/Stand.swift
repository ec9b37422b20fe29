import Glibc
import Load
import Primitives
import Threads
import Workbench

/// The place at which clients and phones find the server.
struct Site: Sendable {
    let agent: Agent
    let port: UInt16
    let seed: UInt64
}

/// Everything that a run starts: database servers, nodes, the networks between them, and nginx. Used by one thread.
final class Stand {
    static let persons = 8
    private static let host = "faults.localhost"
    private static let audience = "https://pay.example/"
    private static let secret = "zR3nVq8wXk5tYb2mLc7pHd4sJf6gNa9e"

    let folder: String
    /// Nil with SQLite.
    let pair: PostgreSQLPair?
    let nodes: [Node]
    /// The networks of the nodes.
    let relays: [Relay]
    /// The disk of each database server, or that of the only node.
    let disks: [Disk]
    let nginx: Nginx
    let site: Site
    let phones: [Phone]

    init(_ options: Options, folder: String) throws {
        self.folder = folder
        // The database servers run as another account.
        chmod(folder, 0o711)
        var relays: [Relay] = []
        if options.isSQLite {
            pair = nil
            disks = [try Disk("\(folder)/node-1")]
        } else {
            progress("starting PostgreSQL and its replica")
            disks = try (1...2).map { try Disk("\(folder)/disk-\($0)") }
            pair = try PostgreSQLPair(disks: disks.map(\.folder))
        }
        progress("starting \(options.nodes) nodes")
        var nodes: [Node] = []
        for number in 1...options.nodes {
            let own = "\(folder)/node-\(number)"
            if !options.isSQLite { try makeFolder(own) }
            var store: [String] = []
            if let pair {
                let relay = try Relay(to: pair.ports)
                try SystemThread.detach { relay.work() }
                relays.append(relay)
                let hosts = relay.ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
                store = [
                    "--store",
                    "postgres://\(PostgreSQLServer.user)@\(hosts)/\(PostgreSQLServer.database)"
                        + "?target_session_attrs=read-write",
                ]
            }
            // One clock that differs from all the others is enough.
            let clock = number == options.nodes ? try FakeClock(folder: own) : nil
            let node = try Node(number, program: options.serverPath, folder: own, options: store, clock: clock)
            try makeFolder(node.data)
            if let first = nodes.first {
                try writeFile("\(node.data)/master.key", try readText("\(first.data)/master.key"))
            }
            try node.start()
            if number == 1 { try Self.awaitServing(node) }
            nodes.append(node)
        }
        self.nodes = nodes
        self.relays = relays
        let persons = (0..<Self.persons).map { "auth0|person\($0)" }
        try writeFile("\(folder)/tenancy.json", Self.document(persons))
        _ = try nodes[0].command(["apply", "\(folder)/tenancy.json"])
        for node in nodes { try node.awaitReadiness(within: .seconds(30)) }
        nginx = try Nginx.balancing(folder: folder, over: nodes.map(\.port))
        site = Site(
            agent: Agent(host: Self.host, clientID: "agent", secret: Self.secret, audience: Self.audience),
            port: nginx.port, seed: options.seed)
        try Self.awaitTenant(nodes)
        progress("enrolling \(persons.count) phones")
        var phones: [Phone] = []
        for person in persons {
            let printed = try nodes[0].command(["device", "ticket", "--tenant", "faults", "--user", person])
            guard let uri = printed.split(whereSeparator: \.isWhitespace).first(where: { $0.hasPrefix("otpauth://") })
            else { throw Failure("no ticket in: \(printed)") }
            phones.append(try Phone(uri: String(uri), host: Self.host, port: nginx.port))
        }
        self.phones = phones
    }

    /// Returns once the node listens. It is not ready before there is a tenant.
    private static func awaitServing(_ node: Node) throws {
        let end = ContinuousClock.now + .seconds(60)
        while node.readiness() == nil {
            guard node.hasEnded == nil, ContinuousClock.now < end else {
                throw Failure("node \(node.number) did not start")
            }
            usleep(20_000)
        }
    }

    /// Returns once each node serves what was applied.
    private static func awaitTenant(_ nodes: [Node]) throws {
        let request = HTTPRequest.get("/.well-known/openid-configuration", host: host)
        for node in nodes {
            let end = ContinuousClock.now + .seconds(30)
            while (try? Load.ask(port: node.port, request))?.status != 200 {
                guard ContinuousClock.now < end else { throw Failure("node \(node.number) does not serve \(host)") }
                usleep(20_000)
            }
        }
    }

    private static func document(_ persons: [String]) -> String {
        let users = persons.map { #"{"user_id": "\#($0)", "email": "\#($0.dropFirst(6))@example.org"}"# }
        return """
            {"tenants": [{
              "id": "faults", "name": "Faults", "host": "\(host)",
              "settings": {
                "requests_per_minute_per_user": 1000000, "pending_requests_per_user": 1000000, "rejection_pause": 0,
                "actions_per_minute": 1000000, "poll_interval": 1
              },
              "apis": [{"identifier": "\(audience)", "name": "Pay", "allow_offline_access": true}],
              "users": [\(users.joined(separator: ",\n"))],
              "clients": [{
                "client_id": "agent", "name": "Agent", "client_secret": "\(secret)", "allow_long_push": true,
                "grant_types": ["\(Agent.grantType)", "refresh_token"],
                "refresh_token": {"rotation_type": "rotating", "leeway": 0}
              }]
            }]}
            """
    }

    /// Returns once every node is ready.
    func awaitReadiness() throws {
        for node in nodes { try node.awaitReadiness(within: .seconds(60)) }
    }

    /// Ends the nodes gracefully, then the rest.
    /// - Throws: `Failure` if a node did not end as it should.
    func stop() throws {
        let statuses = nodes.map { $0.stop() }
        nginx.stop()
        pair?.stop()
        guard statuses.allSatisfy({ $0 == 0 }) else { throw Failure("nodes ended with \(statuses)") }
    }
}
