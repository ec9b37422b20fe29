import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: a tenant's log")
struct TenantLogContractTests {
    private static let dev = TenantID("dev")
    private static let day = Duration.seconds(86_400)

    /// Twelve entries, two of every three in `dev`, by Ann and Bob in turn.
    private func logged(_ kind: StoreKind) async throws -> (made: TemporaryStore, logs: TenantLogs) {
        let made = try await kind.populated()
        try await made.store.change { transaction in
            for number in 0..<12 {
                try transaction.record(
                    AuditEvent(
                        number % 4 == 0 ? .loggedIn : .approved, tenant: number % 3 == 2 ? TenantID("other") : Self.dev,
                        at: Samples.start + .seconds(number), user: UserID(number % 2 == 0 ? "auth0|ann" : "auth0|bob"),
                        client: number % 2 == 0 ? ClientID("agent") : nil, remoteAddress: "192.0.2.\(number)"))
            }
        }
        return (made, TenantLogs(store: made.store))
    }

    private func numbers(_ records: [LogRecord]) -> [Int64] { records.map(\.id.sequence) }

    @Test("Pages show only a tenant's entries, newest or oldest first", arguments: StoreKind.all)
    func pages(_ kind: StoreKind) async throws {
        let (_, logs) = try await logged(kind)
        #expect(numbers(try await logs.page(of: .tenant(Self.dev), limit: 100)) == [11, 10, 8, 7, 5, 4, 2, 1])
        #expect(numbers(try await logs.page(of: .tenant(Self.dev), limit: 3)) == [11, 10, 8])
        #expect(numbers(try await logs.page(of: .tenant(Self.dev), offset: 3, limit: 3)) == [7, 5, 4])
        #expect(numbers(try await logs.page(of: .tenant(Self.dev), offset: 1, limit: 2, oldestFirst: true)) == [2, 4])
        #expect(try await logs.page(of: .tenant(Self.dev), offset: 8, limit: 3).isEmpty)
        #expect(try await logs.page(of: .tenant(Self.dev), offset: TenantLogs.depthLimit, limit: 3).isEmpty)
        #expect(try await logs.page(of: .tenant(TenantID("none")), limit: 3).isEmpty)
        #expect(try await logs.total(of: Self.dev) == 8)
    }

    @Test(
        "The scope of all tenants shows all entries, including those of deleted tenants",
        arguments: StoreKind.all)
    func allTenants(_ kind: StoreKind) async throws {
        let (made, logs) = try await logged(kind)
        try await made.store.change { try $0.remove(tenant: Self.dev) }
        #expect(numbers(try await logs.page(of: .allTenants, limit: 5)) == [12, 11, 10, 9, 8])
        #expect(
            numbers(try await logs.page(.matches(.client, "agent"), of: .allTenants, limit: 3)) == [11, 9, 7])
        #expect(numbers(try await logs.following(LogID(sequence: 10), of: .allTenants, limit: 5)) == [11, 12])
        #expect(numbers(try await logs.page(of: .tenant(Self.dev), limit: 3)) == [11, 10, 8])
        #expect(try await logs.knows(Self.dev))
        #expect(try await !logs.knows(TenantID("none")))
    }

    @Test("Checkpoints continue after an entry until none is left", arguments: StoreKind.all)
    func checkpoints(_ kind: StoreKind) async throws {
        let (_, logs) = try await logged(kind)
        var seen: [Int64] = []
        var checkpoint: LogID?
        while true {
            let records = try await logs.following(checkpoint, of: .tenant(Self.dev), limit: 3)
            guard let last = records.last else { break }
            seen += numbers(records)
            checkpoint = last.id
        }
        #expect(seen == [1, 2, 4, 5, 7, 8, 10, 11])
        #expect(try await logs.following(LogID(sequence: .max - 1), of: .tenant(Self.dev), limit: 3).isEmpty)
        #expect(try await logs.end() == LogID(sequence: 12))
    }

    @Test("A checkpoint passes no number whose entry a change under way may still append")
    func outOfOrder() async throws {
        let log = try await LanedLog(entries: 6)
        try await log.made.database.write { try $0.script("CREATE TABLE changing (lane INTEGER)") }
        let logs = TenantLogs(
            store: Store(
                database: ChangingLanes(wrapped: log.made.database), hashing: Samples.hashing, rows: Samples.sealer))
        func changing(_ lanes: String) async throws {
            try await log.made.database.write { try $0.script("DELETE FROM changing; \(lanes)") }
        }
        let checkpoint = try await logs.end()
        #expect(checkpoint == LogID(sequence: 6))
        let entries = try await log.made.store.entries(after: 0, limit: 9)
        // The next change of another lane has the number 7, and has not ended. One of this lane has the number 8.
        let slow = try #require(entries.dropLast().last)
        try await changing("INSERT INTO changing VALUES (\(slow.place.lane))")
        try await log.append(1)
        #expect(try await logs.following(checkpoint, of: .allTenants, limit: 9).isEmpty)
        #expect(try await logs.end() == LogID(sequence: slow.sequence))
        #expect(numbers(try await logs.page(of: .allTenants, limit: 1)) == [7], "pages show what is there")
        try await changing("")
        #expect(numbers(try await logs.following(checkpoint, of: .allTenants, limit: 9)) == [7])
        // A lane without an entry holds everything back.
        try await changing("INSERT INTO changing VALUES (9)")
        #expect(try await logs.end() == LogID(sequence: 0))
    }

    @Test("An id names an entry of its tenant only", arguments: StoreKind.all)
    func byID(_ kind: StoreKind) async throws {
        let (_, logs) = try await logged(kind)
        #expect(try await logs.record(LogID(sequence: 4), of: Self.dev)?.entry.user == "auth0|bob")
        #expect(try await logs.record(LogID(sequence: 3), of: Self.dev) == nil, "another tenant's")
        #expect(try await logs.record(LogID(sequence: 13), of: Self.dev) == nil)
    }

    struct Search: Sendable {
        let query: LogQuery
        let found: [Int64]
    }

    @Test(
        "A query finds exactly what matches",
        arguments: [
            Search(query: .user(UserID("auth0|ann")), found: [11, 7, 5, 1]),
            Search(query: .matches(.type, "s"), found: [5, 1]),
            Search(query: .matches(.client, "agent"), found: [11, 7, 5, 1]),
            Search(query: .matches(.address, "192.0.2.7"), found: [8]),
            Search(query: .matches(.address, "' OR 1=1 --"), found: []),
            Search(query: .all([.user(UserID("auth0|ann")), .matches(.type, "gd_auth_succeed")]), found: [11, 7]),
            Search(query: .any([.matches(.type, "s"), .matches(.address, "192.0.2.7")]), found: [8, 5, 1]),
            Search(query: .not(.matches(.client, "agent")), found: [10, 8, 4, 2]),
            Search(query: .since(Samples.start + .seconds(9)), found: [11, 10]),
            Search(query: .before(Samples.start + .seconds(3)), found: [2, 1]),
            Search(query: .all([]), found: [11, 10, 8, 7, 5, 4, 2, 1]),
            Search(query: .any([]), found: []),
        ])
    func queries(_ search: Search) async throws {
        let (_, logs) = try await logged(StoreKind.all[0])
        #expect(numbers(try await logs.page(search.query, of: .tenant(Self.dev), limit: 100)) == search.found)
        #expect(try await logs.total(search.query, of: Self.dev) == search.found.count)
    }

    @Test("Rare entries are found behind many others, in either direction", arguments: StoreKind.all)
    func rare(_ kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.change { transaction in
            for number in 0..<12_000 {
                let isRare = number == 5 || number == 11_990
                try transaction.record(
                    AuditEvent(
                        isRare ? .keyRotated : .loggedIn, tenant: isRare ? Self.dev : TenantID("other"),
                        at: Samples.start))
            }
        }
        let logs = TenantLogs(store: made.store)
        let query = LogQuery.matches(.type, "key_rotated")
        #expect(numbers(try await logs.page(query, of: .tenant(Self.dev), limit: 2)) == [11_991, 6])
        #expect(numbers(try await logs.page(query, of: .tenant(Self.dev), limit: 1, oldestFirst: true)) == [6])
        #expect(try await logs.total(query, of: Self.dev) == 2)
        #expect(try await logs.total(of: TenantID("other")) == TenantLogs.depthLimit, "counted no further")
    }

    @Test(
        "A record has Auth0's shape, with current names and the columns among the details",
        arguments: StoreKind.all)
    func record(_ kind: StoreKind) async throws {
        let made = try await kind.populated()
        let trace = RequestTrace(userAgent: "Guardian/1 iPhone", correlationID: "corr-1")
        var event = AuditEvent(
            .approved, tenant: Self.dev, at: Samples.start, user: UserID("auth0|ann"), client: ClientID("agent"),
            device: DeviceID("dev_one"), consent: ConsentID("cns_x"), remoteAddress: "192.0.2.1",
            details: ["audience": "https://pay.example/"])
        event.request = trace
        try await made.store.record(event)
        let record = try #require(try await TenantLogs(store: made.store).record(LogID(sequence: 1), of: Self.dev))
        var expected: JSONObject = [
            "date": .string(Samples.start.iso8601), "type": "gd_auth_succeed",
            "description": "Request allowed by a person", "client_id": "agent", "client_name": "Agent",
            "ip": "192.0.2.1", "user_agent": "Guardian/1 iPhone", "user_id": "auth0|ann",
            "audience": "https://pay.example/", "tenant_name": "dev", "isMobile": true,
            "details": [
                "audience": "https://pay.example/", "transaction_linking_id": "cns_x", "device_id": "dev_one",
            ],
            "references": ["correlation_id": "corr-1"], "_id": "90000000000000000001",
            "log_id": "90000000000000000001",
        ]
        expected["user_name"] = Samples.user("auth0|ann").email.map { .string($0.description) }
        #expect(record.json(clientName: "Agent") == expected)
    }

    @Test("A removed user's entries stay and no longer have a name", arguments: StoreKind.all)
    func removedUser(_ kind: StoreKind) async throws {
        let (made, logs) = try await logged(kind)
        try await made.database.write { try $0.execute(#"DELETE FROM "user" WHERE id = 'auth0|ann'"#) }
        let records = try await logs.page(.user(UserID("auth0|ann")), of: .tenant(Self.dev), limit: 10)
        #expect(numbers(records) == [11, 7, 5, 1])
        #expect(records.allSatisfy { $0.userName == nil })
    }

    @Test("Daily counts are in UTC and include days without entries", arguments: StoreKind.all)
    func daily(_ kind: StoreKind) async throws {
        let made = try await kind.populated()
        let monday = try #require(Statistics.day("20260302"))
        func event(_ kind: AuditEvent.Kind, _ at: Timestamp, _ user: String = "auth0|ann") -> AuditEvent {
            AuditEvent(kind, tenant: Self.dev, at: at, user: UserID(user))
        }
        let events = [
            event(.loggedIn, monday - .milliseconds(1)), event(.loggedIn, monday),
            event(.loggedIn, monday + Self.day - .milliseconds(1), "auth0|bob"), event(.signedUp, monday),
            event(.backchannelStarted, monday + Self.day * 2), event(.approved, monday + Self.day * 2),
            event(.rejected, monday + Self.day * 2), event(.reported, monday + Self.day * 2),
            event(.wrongNumber, monday + Self.day * 2), event(.codeExchanged, monday),
            AuditEvent(.loggedIn, tenant: TenantID("other"), at: monday, user: UserID("auth0|ann")),
        ]
        for event in events { try await made.store.record(event) }
        let statistics = Statistics(store: made.store)
        let days = try await statistics.daily(Self.dev, from: monday, through: monday + Self.day * 2)
        #expect(days.map(\.logins) == [2, 0, 0])
        #expect(days.map(\.signUps) == [1, 0, 0])
        #expect(
            days.map { [$0.backchannelStarts, $0.approvals, $0.rejections] } == [[0, 0, 0], [0, 0, 0], [1, 1, 3]])
        #expect(days.first?.json["date"] == "2026-03-02T00:00:00.000Z")
        #expect(try await statistics.daily(Self.dev, from: monday, through: monday - Self.day).isEmpty)
        let long = try await statistics.daily(Self.dev, from: monday - Self.day * 1000, through: monday)
        #expect(long.count == Statistics.dayLimit)
        #expect(long.last?.day == monday)
    }

    @Test("Active users are those whose last login is recent, each once", arguments: StoreKind.all)
    func activeUsers(_ kind: StoreKind) async throws {
        let made = try await kind.populated()
        let statistics = Statistics(store: made.store)
        #expect(try await statistics.activeUsers(Self.dev, now: LoginSamples.start) == 0)
        for (name, user) in [("one", LoginSamples.ann), ("two", LoginSamples.ann), ("three", LoginSamples.bob)] {
            try await made.loggedIn(LoginSamples.session(name, user: user))
        }
        #expect(try await statistics.activeUsers(Self.dev, now: LoginSamples.start + Self.day) == 2)
        #expect(try await statistics.activeUsers(Self.dev, now: LoginSamples.start + Self.day * 31) == 0)
        #expect(try await statistics.activeUsers(TenantID("other"), now: LoginSamples.start) == 0)
    }

    @Test(
        "A day must be eight digits of a valid date",
        arguments: ["2026030", "202603021", "20260230", "2026-3-2", "abcdefgh"])
    func noDay(_ text: String) { #expect(Statistics.day(text) == nil) }

    @Test(
        "Counts and one user's entries are read from indexes",
        arguments: [
            (
                "SELECT count(*) FROM user_profile WHERE tenant = 'dev' AND last_login >= 5",
                "COVERING INDEX user_profile_by_last_login (tenant=? AND last_login>?)"
            ),
            (
                """
                WITH RECURSIVE segment (number) AS (
                    SELECT 24 UNION ALL SELECT number + 1 FROM segment WHERE number < 78)
                SELECT kind FROM segment CROSS JOIN audit_log l WHERE l.id / 128 = segment.number AND l.tenant = 'dev'
                AND l.id BETWEEN 3072 AND 9999 AND (l."user" = 'x') ORDER BY l.id DESC LIMIT 5
                """, "INDEX audit_log_by_segment (<expr>=? AND tenant=? AND user=?"
            ),
        ])
    func indexed(_ statement: String, _ expected: String) async throws {
        let made = try await StoreKind.all[0].make()
        let plan = try await made.database.read { connection in
            try connection.query("EXPLAIN QUERY PLAN \(raw: statement)") { try $0.text(3) }
        }
        #expect(plan.contains { $0.contains(expected) }, "\(plan)")
    }
}

/// A database whose changes run at once: those under way are the rows of a table.
private struct ChangingLanes: DatabaseWrapper {
    struct Dialect: DialectWrapper {
        let wrapped: any SQL.Dialect
        var changingLanes: Statement? { "SELECT lane FROM changing" }
    }

    let wrapped: any Database
    var dialect: any SQL.Dialect { Dialect(wrapped: wrapped.dialect) }
}
