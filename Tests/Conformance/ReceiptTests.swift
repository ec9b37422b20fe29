import Audit
import ApprovalWire
import AuthorizationCore
import Configuration
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import OpenSSLCrypto
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Receipts")
struct ReceiptTests {
    private static func path(_ authReqID: String) -> String {
        "/approvals/\(InProcessClient.consent(of: authReqID))/receipt"
    }

    private static let agent = basic("agent", Samples.secret)

    private func receipt(
        _ fixture: ConformanceFixture, _ authReqID: String, _ authorization: String? = agent,
        host: String = InProcessServer.host
    ) async -> HTTPAnswer {
        let fields: HTTPFields = authorization.map { ["Authorization": $0] } ?? [:]
        return await fixture.server.send(.get(Self.path(authReqID), host: host, fields: fields))
    }

    private func claims(_ fixture: ConformanceFixture, _ receipt: String) async throws -> ReceiptClaims {
        let verified = try await fixture.verified(.string(receipt))
        #expect(verified.jws.type == "approval-receipt+jwt")
        return try ReceiptClaims(parsing: JSONWriter.bytes(.object(verified.claims.members)))
    }

    @Test("A receipt has the record, the decision, the device, its answer and the place in the audit log")
    func contents() async throws {
        let fixture = try await ConformanceFixture()
        let details = #"[{"type":"payment","amount":12.50,"currency":"EUR"}]"#
        let id = try await fixture.client.started([
            "audience": Samples.api, "scope": "openid pay:send", "authorization_details": details,
        ])
        let notification = try await fixture.phone.notification(of: id)
        let digest = try await fixture.phone.shownDigest(notification)
        let response = try fixture.phone.response(to: notification, ["request_digest": .string(digest)])
        #expect(await fixture.server.send(fixture.phone.answerRequest(notification, response: response)).status == 204)
        let answer = await receipt(fixture, id)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.fields["Content-Type"] == "application/approval-receipt+jwt")
        #expect(answer.fields["Cache-Control"] == "no-store")
        let claims = try await claims(fixture, answer.text)
        let record = claims.evidence.record
        #expect(record.id == notification.transactionLinkingID)
        #expect(record.text.contains(#""authorization_details":\#(details)"#), "numbers as they came")
        #expect(record.scope.map(\.description) == [nil, "Pay in your name"])
        #expect(record.client == RequestRecord.Party(id: "agent", name: "Client agent"))
        #expect(record.audience == RequestRecord.Party(id: Samples.api, name: "Payments"))
        #expect(claims.digest.description == digest)
        #expect(claims.evidence.decision == .allowed)
        #expect(claims.evidence.level == .signedDigest)
        #expect(claims.evidence.answer?.token == response)
        #expect(claims.evidence.answer?.device.id == fixture.phone.id.rawValue)
        #expect(claims.evidence.answer?.device.publicKey.isSameKey(as: fixture.phone.signer.publicKey) == true)
        let log = try await fixture.server.database.query(
            "SELECT lane, place, details FROM audit_log WHERE kind = 'gd_auth_succeed'"
        ) { (place: AuditPlace(lane: try $0.int64(0), try $0.int64(1)), details: try $0.text(2)) }
        let place = try #require(log.first?.place)
        #expect(claims.audit.entry.hasPrefix("\(place):"))
        let entry = try JSONReader.parse(log.first?.details ?? "")
        #expect(entry["request_digest"]?.stringValue == digest)
        let hash = Base64URL.encode(Samples.hashing.sha256(Array(response.utf8)))
        #expect(entry["answer_sha256"]?.stringValue == hash)
    }

    @Test("The audit entries of start, decision and redemption carry the request's digest")
    func auditDigests() async throws {
        let fixture = try await ConformanceFixture()
        _ = try await fixture.tokens()
        var digests: [String?] = []
        for kind in ["ciba_start_succeeded", "gd_auth_succeed", "ciba_exchange_succeeded"] {
            digests += try await fixture.server.auditDetails(kind).map { $0["request_digest"]?.stringValue }
        }
        #expect(digests.count == 3 && Set(digests).count == 1 && digests[0] != nil)
    }

    @Test("A rejection has a receipt with the user's words")
    func rejected() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        #expect(try await fixture.phone.decide(id, accepted: false, reason: "not me").status == 204)
        let claims = try await claims(fixture, await receipt(fixture, id).text)
        #expect(claims.evidence.decision == .rejected)
        #expect(claims.evidence.reason == "not me")
        #expect(claims.evidence.level == .signedChallenge)
    }

    @Test("approval_receipt=true brings the receipt with the tokens; without it there is none")
    func withTokens() async throws {
        let fixture = try await ConformanceFixture()
        let answer = try await fixture.tokens(["approval_receipt": "true"])
        let claims = try await claims(fixture, answer["approval_receipt"]?.stringValue ?? "")
        #expect(claims.evidence.decision == .allowed)
        #expect(try await fixture.tokens()["approval_receipt"] == nil)
        #expect(try await fixture.tokens(["approval_receipt": "false"])["approval_receipt"] == nil)
        expectError(
            try await fixture.client.start(["approval_receipt": "yes"]), 400, "invalid_request",
            "approval_receipt must be true or false")
    }

    @Test("The client gets it by any authentication; others get 404, and nobody gets it unauthenticated")
    func readers() async throws {
        let fixture = try await ConformanceFixture { $0.clients = [Samples.client(), Samples.client("second")] }
        let id = try await fixture.client.started()
        #expect(try await fixture.phone.decide(id).status == 204)
        let token = try await fixture.client.poll(id)["access_token"]?.stringValue ?? ""
        let other = try await fixture.tokens()["access_token"]?.stringValue ?? ""
        #expect(await receipt(fixture, id).status == 200)
        #expect(await receipt(fixture, id, "Bearer \(token)").status == 200)
        let posted = await fixture.server.send(
            .form(Self.path(id), ["client_id": "agent", "client_secret": Samples.secret]))
        #expect(posted.status == 200)
        for authorization in [basic("second", Samples.secret), "Bearer \(other)"] {
            expectError(await receipt(fixture, id, authorization), 404, "not_found")
        }
        let nothing = await receipt(fixture, id, nil)
        #expect(nothing.status == 401 && nothing.message.contains("Bearer") && !nothing.message.contains("in the body"))
        #expect(await receipt(fixture, id, basic("agent", "wrong")).status == 401)
        #expect(await receipt(fixture, id, "Bearer nonsense").status == 401)
        expectError(await receipt(fixture, "unknown"), 404, "not_found")
    }

    @Test("The person gets it on their phones, and nobody else's")
    func person() async throws {
        let fixture = try await ConformanceFixture()
        let bob = try await InProcessPhone(UserID("auth0|bob"), identifier: "BOB", in: fixture.server)
        let id = try await fixture.client.started()
        #expect(await fixture.server.send(try fixture.phone.receiptRequest(id)).status == 404, "not decided")
        #expect(try await fixture.phone.decide(id).status == 204)
        let answer = await fixture.server.send(try fixture.phone.receiptRequest(id))
        #expect(answer.status == 200)
        #expect(try await claims(fixture, answer.text).evidence.record.user == "auth0|ann")
        #expect(await fixture.server.send(try bob.receiptRequest(id)).status == 404)
    }

    @Test("A removed device's decision keeps its evidence, a deleted user's is gone at once, and the log stays whole")
    func removals() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        #expect(try await fixture.phone.decide(id).status == 204)
        let removal = fixture.phone.accountRequest(.delete, token: try fixture.phone.token())
        #expect(await fixture.server.send(removal).status == 204)
        let claims = try await claims(fixture, await receipt(fixture, id).text)
        #expect(claims.evidence.answer?.device.id == fixture.phone.id.rawValue)
        try await fixture.server.configure { transaction in
            _ = try transaction.removeRequests(to: InProcessServer.ann, in: TenantID("dev"))
            _ = try transaction.remove(user: InProcessServer.ann, from: TenantID("dev"))
        }
        expectError(await receipt(fixture, id), 404, "not_found")
        #expect(try await fixture.server.database.count("approval") == 0)
        #expect(try await fixture.server.database.count("backchannel_request") == 0)
        #expect(try await fixture.server.auditDetails("gd_auth_succeed").first?["request_digest"] != nil)
    }

    @Test(
        "Evidence that was changed gives no receipt, and the audit log has it",
        arguments: [
            "sealed_evidence = randomblob(100)", "sealed_evidence = x''", "client = 'second'",
            "\"user\" = 'auth0|bob'",
        ])
    func changed(assignment: String) async throws {
        let fixture = try await ConformanceFixture { $0.clients = [Samples.client(), Samples.client("second")] }
        let id = try await fixture.client.started()
        #expect(try await fixture.phone.decide(id).status == 204)
        try await fixture.server.database.write { try $0.execute("UPDATE approval SET \(raw: assignment)") }
        let reader = assignment.contains("second") ? basic("second", Samples.secret) : Self.agent
        expectError(await receipt(fixture, id, reader), 500, "server_error")
        #expect(try await fixture.server.auditKinds().contains("ciba_request_tampered"))
    }

    @Test("Access tokens carry the approval's id and digest if the API wants it, also after a refresh")
    func claim() async throws {
        let fixture = try await ConformanceFixture { setup in
            setup.apis = [
                try Samples.resourceServer {
                    $0.carriesApproval = true; $0.allowsOfflineAccess = true
                }
            ]
        }
        let id = try await fixture.client.started(["audience": Samples.api, "scope": "openid offline_access pay:send"])
        #expect(try await fixture.phone.decide(id).status == 204)
        let tokens = try await fixture.client.poll(id)
        let approval = try await fixture.verified(tokens["access_token"])["approval"]
        let receipt = try await claims(fixture, await receipt(fixture, id).text)
        #expect(approval == ["id": .string(receipt.evidence.record.id), "digest": .string(receipt.digest.description)])
        let refreshed = await fixture.server.send(
            .form(
                "/oauth/token",
                [
                    "client_id": "agent", "client_secret": Samples.secret, "grant_type": "refresh_token",
                    "refresh_token": tokens["refresh_token"]?.stringValue,
                ]))
        #expect(try await fixture.verified(refreshed["access_token"])["approval"] == approval)
        let bearer = "Bearer \(refreshed["access_token"]?.stringValue ?? "")"
        #expect(await self.receipt(fixture, id, bearer).status == 200)
        let plain = try await ConformanceFixture()
        let other = try await plain.tokens(["audience": Samples.api])
        #expect(try await plain.verified(other["access_token"])["approval"] == nil)
    }

    @Test(
        "A refresh token whose stored access was changed gives nothing, and its family ends",
        arguments: [
            #"authorization_details = '[{"type":"payment","amount":1000000}]'"#,
            "scope = 'openid offline_access pay:send'",
            "approval = NULL", "audience = 'https://dev.example/userinfo'", "auth_time = auth_time + 1",
        ])
    func changedFamily(assignment: String) async throws {
        let fixture = try await ConformanceFixture { setup in
            setup.apis = [try Samples.resourceServer { $0.allowsOfflineAccess = true }]
        }
        let tokens = try await fixture.tokens([
            "audience": Samples.api, "scope": "openid offline_access",
            "authorization_details": #"[{"type":"payment","amount":1}]"#,
        ])
        try await fixture.server.database.write {
            try $0.execute("UPDATE refresh_token_family SET \(raw: assignment)")
        }
        let answer = await fixture.server.send(
            .form(
                "/oauth/token",
                [
                    "client_id": "agent", "client_secret": Samples.secret, "grant_type": "refresh_token",
                    "refresh_token": tokens["refresh_token"]?.stringValue,
                ]))
        expectError(answer, 400, "invalid_grant")
        #expect(try await fixture.server.auditKinds().contains("ciba_request_tampered"))
        #expect(try await fixture.server.database.count("refresh_token_family") == 0)
    }

    @Test("A rejection that somebody took back in the database is not decided again")
    func reopened() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        let notification = try await fixture.phone.notification(of: id)
        #expect(try await fixture.phone.decide(id, accepted: false).status == 204)
        try await fixture.server.database.write {
            try $0.execute("UPDATE backchannel_request SET state = 0, decided_by = NULL, sealed_outcome = NULL")
        }
        let again = try fixture.phone.response(to: notification)
        #expect(await fixture.server.send(fixture.phone.answerRequest(notification, response: again)).status == 404)
        #expect(try await fixture.client.poll(id)["access_token"] == nil)
    }

    @Test("A changed place in the audit log gives no receipt")
    func changedPlace() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        #expect(try await fixture.phone.decide(id).status == 204)
        try await fixture.server.database.write { try $0.execute("UPDATE approval SET audit_entry = 1") }
        expectError(await receipt(fixture, id), 500, "server_error")
    }

    @Test("A digest in another normalization is not that of the record")
    func otherCharacters() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        let notification = try await fixture.phone.notification(of: id)
        let digest = try await fixture.phone.shownDigest(notification)
        for (ascii, other) in [("K", "\u{212A}"), ("A", "\u{41}\u{200D}")] {
            let changed = digest.replacing(ascii, with: other)
            let spelt = changed == digest && !changed.utf8.elementsEqual(digest.utf8)
            let response = try fixture.phone.response(to: notification, ["request_digest": .string(changed + "=")])
            #expect(
                await fixture.server.send(fixture.phone.answerRequest(notification, response: response)).status == 401)
            if spelt {
                let equal = try fixture.phone.response(to: notification, ["request_digest": .string(changed)])
                #expect(
                    await fixture.server.send(fixture.phone.answerRequest(notification, response: equal)).status == 401)
            }
        }
    }

    @Test("A record that phones and receipts could not take is refused at the start")
    func tooLong() async throws {
        let fixture = try await ConformanceFixture { setup in
            setup.apis = [
                try Samples.resourceServer { api in
                    api.scopes = (0..<300).map {
                        ResourceServer.Scope(value: "s\($0)", description: String(repeating: "\"", count: 1000))
                    }
                }
            ]
        }
        let scope = (["openid"] + (0..<300).map { "s\($0)" }).joined(separator: " ")
        expectError(
            try await fixture.client.start(["audience": Samples.api, "scope": scope]), 400, "invalid_scope")
    }

    @Test("A public client reads no receipts")
    func publicClient() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        #expect(try await fixture.phone.decide(id).status == 204)
        try await fixture.server.put(
            Samples.client {
                $0.secretHashes = []; $0.authenticationMethod = .none
            })
        let answer = await fixture.server.send(.form(Self.path(id), ["client_id": "agent"]))
        #expect(answer.status == 401 || answer.status == 400, "\(answer.text)")
    }
}

@Suite("Evidence that an API demands")
struct EvidenceDemandTests {
    static let details = #"[{"type":"payment"}]"#

    private func fixture(
        _ change: @escaping @Sendable (inout ResourceServer) -> Void = {
            $0.authorizationDetailsTypes[0].evidence = .signedDigest
        }
    ) async throws -> ConformanceFixture {
        try await ConformanceFixture { $0.apis = [try Samples.resourceServer(Samples.api, change)] }
    }

    private func parameters(details: Bool = true) -> [String: String?] {
        ["audience": Samples.api, "scope": "openid", "authorization_details": details ? Self.details : nil]
    }

    @Test("The start says that the user has no device that signs digests; other types are not concerned")
    func noDevice() async throws {
        let fixture = try await fixture()
        expectError(
            try await fixture.client.start(parameters()), 400, "invalid_request",
            "No eligible notification channels were found. guardian-push: User has no device that signs the digest of "
                + "a request, which is demanded as evidence")
        #expect(try await fixture.client.start(parameters(details: false)).status == 200)
        let whole = try await self.fixture { $0.evidence = .signedDigest }
        expectError(try await whole.client.start(parameters(details: false)), 400, "invalid_request")
    }

    @Test("An answer without the digest does not allow, and one with another record's neither; a rejection needs none")
    func answers() async throws {
        let fixture = try await fixture()
        let phone = try await InProcessPhone(identifier: "NEW", capabilities: [.signedDigest], in: fixture.server)
        let id = try await fixture.client.started(parameters())
        #expect(try await phone.decide(id).status == 401)
        let notification = try await phone.notification(of: id)
        let other = try await fixture.client.started()
        let wrong = try await phone.shownDigest(try await phone.notification(of: other))
        let forged = try phone.response(to: notification, ["request_digest": .string(wrong)])
        #expect(await fixture.server.send(phone.answerRequest(notification, response: forged)).status == 401)
        #expect(try await phone.decide(id, signsDigest: true).status == 204)
        let rejected = try await fixture.client.started(parameters())
        #expect(try await phone.decide(rejected, accepted: false).status == 204)
    }

    @Test("Only devices that sign digests are told")
    func told() async throws {
        let fixture = try await fixture()
        _ = try await InProcessPhone(identifier: "NEW", capabilities: [.signedDigest], in: fixture.server)
        _ = try await fixture.client.started(parameters())
        #expect(try await fixture.server.database.count("delivery") == 1)
    }

    @Test("A login cannot ask for such access, because no device signs what it gives")
    func login() async throws {
        let fixture = try await CodeFixture {
            $0.apis = [try Samples.resourceServer { $0.evidence = .signedDigest }]
        }
        let request = FormFields([
            ("client_id", "app"), ("response_type", "code"), ("redirect_uri", Samples.callback), ("scope", "openid"),
            ("audience", Samples.api),
            ("code_challenge", CodeChallenge(of: Samples.verifier, Samples.hashing).description),
            ("code_challenge_method", "S256"),
        ])
        let plain = Request.get("/authorize")
        let answer = await fixture.server.send(
            Request(method: .get, path: plain.path, query: request.encoded, fields: plain.fields))
        #expect(answer.fields["Location"]?.contains("error=invalid_target") == true, "\(answer.status) \(answer.text)")
    }
}
