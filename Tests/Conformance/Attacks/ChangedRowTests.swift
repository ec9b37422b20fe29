import Audit
import AuthorizationCore
import GuardianWire
import HTTPModel
import Primitives
import SQL
import TestSupport
import TestTools
import Testing

/// Somebody who can write to the database, but has no master key, changes a request.
@Suite("A request whose row was changed is never shown, decided or redeemed")
struct ChangedRowTests {
    /// Change of one column, in SQL.
    struct Change: Sendable, CustomTestStringConvertible {
        let column: String
        let value: String
        /// False if the row is found under its id, client, user or tenant no more, so that nothing can be noted of it.
        let isFound: Bool

        init(_ column: String, _ value: String, isFound: Bool = true) {
            self.column = column
            self.value = value
            self.isFound = isFound
        }

        var testDescription: String { "\(column) = \(value)" }
    }

    /// Columns that say nothing of what is asked: the order of requests, and a client's name for one.
    static let harmless = [
        "sequence": "sequence + 1000", "idempotency_key": "x'01'", "body_digest": "x'01'",
    ]

    /// Every other column has a row here.
    static let changes = [
        Change("hash", "randomblob(32)", isFound: false), Change("tenant", "'other'", isFound: false),
        Change("client", "'second'"), Change("user", "'auth0|bob'", isFound: false),
        Change("audience", "'https://pay.example/'"), Change("channel", "'email'"),
        Change("created_at", "created_at - 1"), Change("expires_at", "expires_at + 3600000"),
        Change("poll_interval", "0"), Change("wants_receipt", "1"), Change("login", "randomblob(32)"),
        Change("browser", "randomblob(32)"),
        Change("sealed_record", "x''"), Change("sealed_record", "randomblob(length(sealed_record))"),
        Change("sealed_record", "(SELECT sealed_record FROM backchannel_request ORDER BY sequence DESC LIMIT 1)"),
        Change("state", "0"), Change("state", "1"), Change("state", "2"), Change("state", "3"),
        // The row says that it is over, which is refused without a look at it.
        Change("state", "4", isFound: false), Change("state", "6", isFound: false),
        Change("decided_by", "'dev_else'"), Change("decided_by", "NULL"), Change("decided_in", "'else'"),
        Change("sealed_outcome", "x'00'"),
        Change("sealed_outcome", "NULL"),
        Change("sealed_outcome", "(SELECT sealed_outcome FROM backchannel_request ORDER BY sequence DESC LIMIT 1)"),
    ]

    /// Changes that a row of that state does not have yet.
    private static func changes(but values: [String: String]) -> [Change] {
        changes.filter { values[$0.column] != $0.value }
    }

    static let ofPending = changes(but: ["state": "0", "decided_by": "NULL", "sealed_outcome": "NULL"])
    static let ofApproved = changes(but: ["state": "1"])
    static let ofRedeemed = changes(but: ["state": "3", "sealed_outcome": "NULL"])

    private struct Attack {
        let server: InProcessServer
        let client: InProcessClient
        let phone: InProcessPhone
        let authReqID: String
        let notification: NotificationPayload

        /// Two requests of one user: the one that is changed, and one, already allowed, that parts are taken from.
        init() async throws {
            let second = Samples.client("second")
            server = try await InProcessServer { setup in
                setup.clients = [Samples.client(), second]
            }
            client = InProcessClient(via: server)
            phone = try await InProcessPhone(in: server)
            authReqID = try await client.started()
            let other = try await client.started(["binding_message": "Other"])
            #expect(try await phone.decide(other).status == 204)
            notification = try await phone.notification(of: authReqID)
        }

        func allow() async throws { #expect(try await phone.decide(authReqID).status == 204) }

        /// Returns true if that changed a value.
        func apply(_ change: Change) async throws -> Bool {
            let before = try await dump()
            try await server.database.write { connection in
                try connection.execute(
                    """
                    UPDATE backchannel_request SET "\(raw: change.column)" = \(raw: change.value)
                    WHERE sequence = (SELECT min(sequence) FROM backchannel_request)
                    """)
            }
            return try await dump() != before
        }

        private func dump() async throws -> [String] {
            let names = try await columns().map { "quote(\"\($0)\")" }.joined(separator: " || ' ' || ")
            return try await server.database.query(
                "SELECT \(raw: names) FROM backchannel_request ORDER BY sequence"
            ) { try $0.text(0) }
        }

        func columns() async throws -> [String] {
            try await server.database.query("SELECT name FROM pragma_table_info('backchannel_request')") {
                try $0.text(0)
            }
        }

        func expectNoTokens(_ client: InProcessClient) async throws {
            let answer = try await client.poll(authReqID)
            #expect(answer["access_token"] == nil)
            #expect(
                ["authorization_pending", "invalid_grant", "access_denied", "expired_token"].contains(answer.code),
                "\(answer.text)")
        }

        func expectNoted(_ change: Change) async throws {
            let kinds = try await server.auditKinds()
            if change.isFound { #expect(kinds.contains("ciba_request_tampered"), "\(change.testDescription)") }
        }
    }

    @Test("The table of changes has every column")
    func everyColumn() async throws {
        let columns = try await Attack().columns()
        #expect(Set(columns) == Set(Self.changes.map(\.column) + Self.harmless.keys))
    }

    @Test("Deliveries and requests share one limit of entries of refusals", .timeLimit(.minutes(1)))
    func oneLimit() async throws {
        let service = try PushServiceStandIn()
        let fixture = try await ConformanceFixture { $0.http = try service.transport() }
        let subscription = try service.subscriber().credentials
        let push: JSONValue = ["service": .string(subscription.service.rawValue), "token": .string(subscription.token)]
        let subscribed = await fixture.server.send(
            fixture.phone.accountRequest(.patch, token: try fixture.phone.token(), ["push_credentials": push]))
        #expect(subscribed.status == 200)
        let notification = try await fixture.phone.notification(of: fixture.client.started())
        try await fixture.server.database.write { try $0.execute("UPDATE backchannel_request SET sealed_record = x''") }
        let delivering = fixture.server.delivering()
        while try await fixture.server.failedDeliveries().isEmpty { await Task.yield() }
        delivering.cancel()
        await delivering.value
        await service.stop()
        #expect(service.requests.isEmpty)
        for _ in 0..<2 * RefusalLog.perMinute {
            _ = await fixture.server.send(try fixture.phone.consentRequest(notification))
        }
        let entries = try await fixture.server.auditDetails("ciba_request_tampered").map { $0["purpose"]?.stringValue }
        #expect(entries.contains("notification") && entries.count == RefusalLog.perMinute)
    }

    @Test("Before it is shown: not listed, not shown, not decided, and no tokens", arguments: ofPending)
    func beforeShown(change: Change) async throws {
        let attack = try await Attack()
        #expect(try await attack.apply(change))
        #expect(try await attack.phone.notifications().isEmpty)
        let consent = await attack.server.send(try attack.phone.consentRequest(attack.notification))
        #expect(consent.status == 404, "\(consent.text)")
        #expect(!consent.text.contains("TX-4711"))
        let decided = await attack.server.send(
            attack.phone.answerRequest(
                attack.notification, response: try attack.phone.response(to: attack.notification)))
        #expect(decided.status == 404, "\(decided.text)")
        #expect(try await attack.server.database.count("approval") == 1, "only the other request")
        attack.server.clock.advance(by: .seconds(10))
        try await attack.expectNoTokens(attack.client)
        try await attack.expectNoted(change)
    }

    @Test("Between showing and the decision: not decided", arguments: ofPending)
    func beforeDecision(change: Change) async throws {
        let attack = try await Attack()
        #expect(await attack.server.send(try attack.phone.consentRequest(attack.notification)).status == 200)
        let response = try attack.phone.response(to: attack.notification)
        #expect(try await attack.apply(change))
        let decided = await attack.server.send(attack.phone.answerRequest(attack.notification, response: response))
        #expect(decided.status == 404, "\(decided.text)")
        try await attack.expectNoTokens(attack.client)
        try await attack.expectNoted(change)
    }

    @Test("Between the decision and the exchange: not redeemed", arguments: ofApproved)
    func beforeRedemption(change: Change) async throws {
        let attack = try await Attack()
        try await attack.allow()
        #expect(try await attack.apply(change))
        for client in [attack.client, InProcessClient("second", via: attack.server)] {
            try await attack.expectNoTokens(client)
        }
    }

    @Test("After the exchange: not redeemed again", arguments: ofRedeemed)
    func afterRedemption(change: Change) async throws {
        let attack = try await Attack()
        try await attack.allow()
        #expect(try await attack.client.poll(attack.authReqID)["access_token"] != nil)
        #expect(try await attack.apply(change))
        for client in [attack.client, InProcessClient("second", via: attack.server)] {
            try await attack.expectNoTokens(client)
        }
    }

    @Test("A change of other columns shows the request as it is", arguments: harmless.keys.sorted())
    func others(column: String) async throws {
        let attack = try await Attack()
        #expect(try await attack.apply(Change(column, Self.harmless[column] ?? "")))
        let consent = await attack.server.send(try attack.phone.consentRequest(attack.notification))
        #expect(try ConsentRecord(parsing: consent.body).requestedDetails.bindingMessage == "TX-4711")
    }
}
