import AuthorizationCore
import GuardianWire
import Primitives
import SQL
import TestSupport
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
    static let harmless = ["sequence": "sequence + 1000", "idempotency_key": "x'01'", "body_digest": "x'01'"]

    /// Every other column has a row here.
    static let changes = [
        Change("hash", "randomblob(32)", isFound: false), Change("tenant", "'other'", isFound: false),
        Change("client", "'second'"), Change("user", "'auth0|bob'", isFound: false),
        Change("audience", "'https://pay.example/'"), Change("channel", "'email'"),
        Change("created_at", "created_at - 1"), Change("expires_at", "expires_at + 3600000"),
        Change("poll_interval", "0"), Change("wants_receipt", "1"), Change("login", "randomblob(32)"),
        Change("sealed_record", "x''"), Change("sealed_record", "randomblob(length(sealed_record))"),
        Change("sealed_record", "(SELECT sealed_record FROM backchannel_request ORDER BY sequence DESC LIMIT 1)"),
        Change("state", "0"), Change("state", "1"), Change("state", "2"), Change("state", "3"), Change("state", "4"),
        Change("decided_by", "'dev_else'"), Change("decided_by", "NULL"), Change("sealed_outcome", "x'00'"),
        Change("sealed_outcome", "NULL"),
        Change("sealed_outcome", "(SELECT sealed_outcome FROM backchannel_request ORDER BY sequence DESC LIMIT 1)"),
    ]

    private struct Scene {
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

        func expectNoted(_ change: Change) async throws {
            let kinds = try await server.auditKinds()
            #expect(kinds.contains("ciba_request_tampered") == change.isFound, "\(change.testDescription) \(kinds)")
        }
    }

    @Test("The table of changes has every column")
    func everyColumn() async throws {
        let columns = try await Scene().columns()
        #expect(Set(columns) == Set(Self.changes.map(\.column) + Self.harmless.keys))
    }

    @Test("Before it is shown: not listed, not shown, not decided, and no tokens", arguments: changes)
    func beforeShown(change: Change) async throws {
        let scene = try await Scene()
        guard try await scene.apply(change) else { return }
        #expect(try await scene.phone.notifications().isEmpty)
        let consent = await scene.server.send(try scene.phone.consentRequest(scene.notification))
        #expect(consent.status == 404, "\(consent.text)")
        #expect(!consent.text.contains("TX-4711"))
        let decided = await scene.server.send(
            scene.phone.answerRequest(
                scene.notification, response: try scene.phone.response(to: scene.notification)))
        #expect(decided.status == 404, "\(decided.text)")
        #expect(try await scene.server.database.count("approval") == 1, "only the other request")
        scene.server.clock.advance(by: .seconds(10))
        #expect(try await scene.client.poll(scene.authReqID)["access_token"] == nil)
        try await scene.expectNoted(change)
    }

    @Test("Between showing and the decision: not decided", arguments: changes)
    func beforeDecision(change: Change) async throws {
        let scene = try await Scene()
        #expect(await scene.server.send(try scene.phone.consentRequest(scene.notification)).status == 200)
        let response = try scene.phone.response(to: scene.notification)
        guard try await scene.apply(change) else { return }
        let decided = await scene.server.send(scene.phone.answerRequest(scene.notification, response: response))
        #expect(decided.status == 404, "\(decided.text)")
        #expect(try await scene.client.poll(scene.authReqID)["access_token"] == nil)
        try await scene.expectNoted(change)
    }

    @Test("Between the decision and the exchange: not redeemed", arguments: changes)
    func beforeRedemption(change: Change) async throws {
        let scene = try await Scene()
        try await scene.allow()
        guard try await scene.apply(change) else { return }
        for client in [scene.client, InProcessClient("second", via: scene.server)] {
            #expect(try await client.poll(scene.authReqID)["access_token"] == nil, "\(client.id)")
        }
    }

    @Test("After the exchange: not redeemed again", arguments: changes)
    func afterRedemption(change: Change) async throws {
        let scene = try await Scene()
        try await scene.allow()
        #expect(try await scene.client.poll(scene.authReqID)["access_token"] != nil)
        guard try await scene.apply(change) else { return }
        for client in [scene.client, InProcessClient("second", via: scene.server)] {
            #expect(try await client.poll(scene.authReqID)["access_token"] == nil, "\(client.id)")
        }
    }

    @Test("Two columns at once: a decision that nobody took, and one taken back")
    func pairs() async throws {
        for assignment in [
            "state = 1, decided_by = (SELECT id FROM device LIMIT 1)",
            "state = 1, decided_by = (SELECT id FROM device LIMIT 1), sealed_outcome = (SELECT sealed_outcome FROM "
                + "backchannel_request ORDER BY sequence DESC LIMIT 1)",
        ] {
            let scene = try await Scene()
            try await scene.server.database.write { connection in
                try connection.execute(
                    """
                    UPDATE backchannel_request SET \(raw: assignment)
                    WHERE sequence = (SELECT min(sequence) FROM backchannel_request)
                    """)
            }
            expectError(try await scene.client.poll(scene.authReqID), 400, "invalid_grant")
            #expect(try await scene.server.auditKinds().contains("ciba_request_tampered"))
        }
        let scene = try await Scene()
        try await scene.allow()
        #expect(try await scene.client.poll(scene.authReqID)["access_token"] != nil)
        try await scene.server.database.write { connection in
            try connection.execute("UPDATE backchannel_request SET state = 1")
        }
        expectError(try await scene.client.poll(scene.authReqID), 400, "invalid_grant")
    }

    @Test("A change of other columns shows the request as it is", arguments: harmless.keys.sorted())
    func others(column: String) async throws {
        let scene = try await Scene()
        #expect(try await scene.apply(Change(column, Self.harmless[column] ?? "")))
        let consent = await scene.server.send(try scene.phone.consentRequest(scene.notification))
        #expect(try ConsentRecord(parsing: consent.body).requestedDetails.bindingMessage == "TX-4711")
    }
}
