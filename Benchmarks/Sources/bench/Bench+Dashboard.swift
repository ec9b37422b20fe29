import Audit
import AuthorizationCore
import Configuration
import CountersignServer
import Flows
import Load
import OpenSSLCrypto
import Persistence
import Primitives
import Workbench

/// Pages of the dashboard over a large tenant, from the request to the answer's last byte.
extension Bench {
    private static let pages = [
        "", "/users", "/users?q=ba*", "/users/ADMIN", "/users/USER", "/users/USER/timeline", "/roles",
        "/roles/rol_administrator", "/requests", "/deliveries", "/clients", "/clients/agent", "/apis", "/grants",
        "/connections", "/push", "/mail", "/templates", "/branding", "/domains", "/settings", "/keys", "/log",
        "/log?q=type:s", "/log?q=user_id:%22USER%22", "/statistics", "/configuration",
    ]

    mutating func measureDashboard() async throws {
        let (users, entries) = options.isQuick ? (10_000, 100_000) : (100_000, 1_000_000)
        let folder = try makeTemporaryFolder()
        let server = try ServerUnderTest(program: options.serverPath, isBatch: options.isBatch, folder: folder)
        defer { server.stop() }
        try writeFile(
            "\(folder)/bench.json",
            """
            {"tenants": [{"id": "bench", "name": "Bench", "host": "\(server.host)",
              "settings": {"management_requests_per_minute": 1000000},
              "apis": [{"identifier": "https://api.example.com", "name": "Payments"}],
              "clients": [{"client_id": "agent", "name": "Agent", "client_secret": "a-secret-of-thirty-two-characters",
                "grant_types": ["urn:openid:params:grant-type:ciba"]}]}]}
            """)
        _ = try server.command(["apply", "\(folder)/bench.json"], folder: folder)
        let invited = try JSONReader.parse(
            server.command(["admin", "invite", "ann@bench.example", "--tenant", "bench", "--json"], folder: folder))
        let admin = UserID(invited["user_id"]?.stringValue ?? "")
        try server.waitUntilServed()

        var settings = ServerSettings()
        settings.dataFolder = server.dataFolder
        let installation = try await Installation(settings)
        let residents = Residents(count: users)
        progress("making \(formatted(Double(users))) users and \(formatted(Double(entries))) entries of the log")
        try await residents.fillUsers(installation.store, batch: 2000)
        try await fillLog(entries, residents, installation.store)
        let cookie = try await logIn(admin, installation.store)
        await installation.close()

        let connection = try BlockingConnection(port: server.port)
        let user = PercentEncoding.encode(residents.user(users / 2).id.rawValue)
        var slowest: (page: String, time: Double) = ("", 0)
        for page in Self.pages {
            let path =
                "/admin"
                + page.replacing("ADMIN", with: PercentEncoding.encode(admin.rawValue)).replacing("USER", with: user)
                .replacing("rol_administrator", with: invited["role_id"]?.stringValue ?? "")
            let request = HTTPRequest.get(path, host: server.host, fields: [("Cookie", cookie)])
            var taken: [Double] = []
            for _ in 0..<21 {
                let began = ContinuousClock.now
                let answer = try connection.ask(request, within: .seconds(30))
                taken.append((ContinuousClock.now - began).seconds * 1000)
                guard answer.status == 200 else {
                    throw Failure(
                        "\(path) was answered \(answer.status): \(String(decoding: answer.head, as: UTF8.self))")
                }
            }
            // Before the slowest, the first has read what others find in memory.
            let worst = taken.max() ?? 0
            progress("\(path): median \(formatted(median(taken))) ms, slowest \(formatted(worst)) ms")
            if worst > slowest.time { slowest = (page.isEmpty ? "start" : page, worst) }
        }
        rows.append(
            Row(
                name: "slowest page of the dashboard, \(formatted(Double(users))) users", value: slowest.time,
                unit: "ms",
                goal: .valueAtMost(100),
                note: "\(slowest.page), the slowest of 21 of each of \(Self.pages.count) pages, over "
                    + "\(formatted(Double(entries))) entries of the log"))
    }

    /// A session of a person who just logged in. Returns the browser's cookie.
    private func logIn(_ user: UserID, _ store: Store) async throws -> String {
        let (hashing, random, now) = (OpenSSLHashing(), SystemRandom(), Timestamp.current)
        let cookie = Base64URL.encode(random.bytes(32))
        let end = now + .seconds(86_400)
        let tenant = TenantID("bench")
        _ = try await store.create(
            Session(
                hash: hashing.sha256(Array(cookie.utf8)), id: Identifiers.session(random), tenant: tenant,
                authentication: Authentication(
                    user: user, at: now, methods: ["pwd"], connection: LoginConnection.defaultDatabaseName),
                createdAt: now, lastUsedAt: now, expiresAt: end, idleExpiresAt: end),
            replacing: nil, event: AuditEvent(.loggedIn, charge: .server, tenant: tenant, at: now, user: user))
        return "__Host-countersign=\(cookie)"
    }

    private func fillLog(_ count: Int, _ residents: Residents, _ store: Store) async throws {
        let (batch, now) = (5000, Timestamp.current)
        for start in stride(from: 0, to: count, by: batch) {
            try await store.change { transaction in
                for number in start..<min(start + batch, count) {
                    try transaction.record(
                        AuditEvent(
                            .loggedIn, charge: .server, tenant: Residents.tenant, at: now,
                            user: residents.user(number * 7919 % residents.count).id))
                }
            }
            if start > 0, start % 200_000 == 0 { progress("\(formatted(Double(start))) entries") }
        }
    }
}
