import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import JOSE
import Primitives
import TestSupport
import Testing

@Suite("Ways into an account: codes, another phone, lost keys")
struct PhoneWaysTests {
    private static let enroll = "/appliance-mfa/api/enroll"

    private func issue(_ ticket: String, at server: InProcessServer) async -> HTTPAnswer {
        await server.send(
            .json(.post, Self.enroll + "/code", [:], fields: ["Authorization": "Ticket id=\"\(ticket)\""]))
    }

    private func enroll(
        code: String, name: String = "typed", at server: InProcessServer
    ) async throws -> HTTPAnswer {
        let body: JSONValue = [
            "identifier": .string(name), "name": .string(name),
            "public_key": try Keys.signer(.es256, name).publicKey.json,
        ]
        return await server.send(.json(.post, Self.enroll, body, fields: ["Authorization": "Code id=\"\(code)\""]))
    }

    private func enroll(ticket: String, at server: InProcessServer) async throws -> HTTPAnswer {
        await server.send(
            InProcessPhone.enrollRequest(
                ticket: ticket, identifier: "by ticket", key: try Keys.signer(.es256, "by ticket").publicKey.json))
    }

    // MARK: codes

    @Test("Getting a code does not use the ticket up; the code then enrols once, in the ticket's place")
    func code() async throws {
        let server = try await InProcessServer()
        let ticket = try await InProcessPhone.ticket(in: server)
        let first = try (await issue(ticket, at: server))["code"]?.stringValue.orThrow("no code")
        let answer = await issue(ticket, at: server)
        #expect(answer.fields["Cache-Control"] == "no-store")
        let code = try (answer["code"]?.stringValue).orThrow("no code")
        #expect(code.wholeMatch(of: /[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}/) != nil)
        // The ticket of the test lives for 300 seconds, and no code outlives its ticket.
        #expect(answer["expires_at"]?.stringValue == (server.clock.now + .seconds(300)).iso8601)
        #expect(try await enroll(code: first ?? "", at: server).status == 404)
        #expect(try await enroll(code: code.lowercased(), at: server).status == 200)
        let refused = [
            try await enroll(code: code, at: server), try await enroll(ticket: ticket, at: server),
            try await enroll(code: "ZZZZ-ZZZZ", at: server), await issue(ticket, at: server),
        ]
        for refused in refused { #expect(refused.text == refused.text && refused.status == 404, "\(refused.text)") }
        #expect(Set(refused.map(\.text)).count == 1, "unknown, used and replaced ones are refused alike")
        #expect(try await !server.dump().contains { $0.contains(code) || $0.contains(ticket) })
    }

    @Test("Wrong codes end for an address after as many as wrong passwords, and the link goes on")
    func guesses() async throws {
        let server = try await InProcessServer { $0.tenant.settings.bruteForceProtection.attemptsPerAddress = 3 }
        let ticket = try await InProcessPhone.ticket(in: server)
        let code = try ((await issue(ticket, at: server))["code"]?.stringValue).orThrow("no code")
        for _ in 0..<3 { #expect(try await enroll(code: "ZZZZ-ZZZ0", at: server).status == 404) }
        let refused = try await enroll(code: code, at: server)
        #expect(refused.status == 429)
        #expect(refused["errorCode"] == "too_many_requests")
        #expect(try await server.database.auditLog("gd_start_enroll_failed").count == 3)
        #expect(try await enroll(ticket: ticket, at: server).status == 200)
    }

    // MARK: another phone

    private func ask(
        _ phone: InProcessPhone, passkey: PasskeyAssertion? = nil, token: String? = nil, at server: InProcessServer
    ) async throws -> HTTPAnswer {
        var body: JSONObject = [:]
        if let passkey {
            let request = ResolveTransactionRequest(challengeResponse: "x", passkey: passkey)
            body["passkey"] = try JSONReader.parse(request.json)["passkey"]
        }
        return await server.send(
            .json(
                .post, "/appliance-mfa/api/device-accounts/\(phone.enrollment.id)/tickets", .object(body),
                host: phone.host, fields: ["Authorization": "Bearer \(try token ?? phone.token())"]))
    }

    @Test("A phone adds another by its key: once, within ten minutes, for its own person, who gets a mail")
    func anotherPhone() async throws {
        let server = try await InProcessServer {
            $0.tenant.settings.phonesAddPhones = .key
            $0.users[0].email = EmailAddress("ann@example.org")
            $0.users[0].emailVerified = true
        }
        let phone = try await InProcessPhone(in: server)
        let answer = try await ask(phone, at: server)
        #expect(answer.status == 200, "\(answer.text)")
        let ticket = try (answer["ticket"]?.stringValue).orThrow("no ticket")
        #expect(answer["link"]?.stringValue?.hasPrefix("https://dev.example/approver#enroll=\(ticket)") == true)
        #expect(answer["modules"] == ["10", "01"])
        #expect(answer["expires_at"]?.stringValue == (server.clock.now + .seconds(600)).iso8601)
        let before = try await server.dueDeliveries(.mail).count
        let code = try (answer["code"]?.stringValue).orThrow("no code")
        let added = try await enroll(code: code, at: server)
        #expect(added["user_id"] == "auth0|ann")
        #expect(try await enroll(ticket: ticket, at: server).status == 404)
        #expect(try await server.dueDeliveries(.mail).count == before + 1)
        let log = try await server.auditDetails("gd_enrollment_complete")
        #expect(log.last?["asked_by"]?.stringValue == phone.enrollment.id)
        let late = try (try await ask(phone, at: server)["ticket"]?.stringValue).orThrow("no ticket")
        server.clock.advance(by: .seconds(600))
        #expect(try await enroll(ticket: late, at: server).status == 404)
        // The opaque token proves no key.
        #expect(try await ask(phone, token: phone.enrollment.token, at: server).status == 401)
    }

    @Test(
        "Without the tenant's leave a phone adds none, and by default its passkey is demanded",
        arguments: PhoneAddition.allCases)
    func proof(rule: PhoneAddition) async throws {
        #expect(TenantSettings().phonesAddPhones == .passkey)
        let fixture = try await PasskeyFixture {
            $0.tenant.settings.phonesAddPhones = rule
            $0.tenant.settings.evidence = .passkey
        }
        let bare = try await ask(fixture.phone, at: fixture.server)
        #expect(bare.status == 403)
        #expect(bare["errorCode"]?.stringValue == (rule == .never ? "addition_not_allowed" : "passkey_required"))
        let wrong = try fixture.authenticator.assertion([UInt8](repeating: 1, count: 40))
        #expect(try await ask(fixture.phone, passkey: wrong, at: fixture.server).status == 403)
        fixture.server.clock.advance(by: .seconds(1))
        let right = try fixture.authenticator.assertion(try await fixture.challenge())
        let answer = try await ask(fixture.phone, passkey: right, at: fixture.server)
        #expect(answer.status == (rule == .never ? 403 : 200), "\(answer.text)")
        fixture.server.clock.advance(by: .seconds(300))
        #expect(try await ask(fixture.phone, passkey: right, at: fixture.server).status == 403)
    }

    @Test("Tickets of phones draw on the budget of the person's phones")
    func budget() async throws {
        let server = try await InProcessServer {
            $0.tenant.settings.phonesAddPhones = .key
            $0.tenant.settings.actionsPerMinute = 2
        }
        let phone = try await InProcessPhone(in: server)
        for status in [200, 200, 429] { #expect(try await ask(phone, at: server).status == status) }
    }

    // MARK: lost keys

    private func farewell(_ phone: InProcessPhone, _ secret: String?, at server: InProcessServer) async -> HTTPAnswer {
        await server.send(
            .json(
                .post, "/appliance-mfa/api/device-accounts/\(phone.enrollment.id)/farewell", [:],
                fields: secret.map { ["Authorization": "Farewell id=\"\($0)\""] } ?? [:]))
    }

    @Test("A phone whose key is gone says so once; then requests take another channel, until it signs again")
    func lostKey() async throws {
        let server = try await InProcessServer {
            $0.tenant.settings.multiFactor = .whenEnrolled
        }
        let client = InProcessClient(via: server)
        let phone = try await InProcessPhone(in: server)
        let other = try await InProcessPhone(InProcessServer.ann, identifier: "OTHER", in: server)
        let secret = try phone.enrollment.farewell.orThrow("no farewell")
        #expect(await farewell(phone, nil, at: server).status == 401)
        #expect(await farewell(phone, "wrong", at: server).status == 404)
        #expect(await farewell(phone, other.enrollment.farewell, at: server).status == 404)
        #expect(await farewell(phone, secret, at: server).status == 204)
        #expect(await farewell(phone, secret, at: server).status == 404)
        let consent = try await client.started()
        #expect(try await other.notification(of: consent).transactionToken.isEmpty == false)
        let recipients = try await server.dueDeliveries(.notifications).map(\.recipient)
        #expect(!recipients.contains(phone.enrollment.id))
        let list = await server.send(
            .get(
                "/appliance-mfa/api/device-accounts/\(other.enrollment.id)/devices",
                fields: ["Authorization": "Bearer \(try other.token())"]))
        let lost = list["devices"]?.arrayValue?.filter { $0["key_lost"] == true }.map { $0["id"]?.stringValue }
        #expect(list["devices"]?.arrayValue?.count == 2 && lost == [phone.enrollment.id])
        let kinds = try await server.auditKinds()
        #expect(kinds.contains("device_key_lost"))
        // A stolen farewell silences the phone only until the phone signs.
        let back = await server.send(
            .get(
                "/appliance-mfa/api/device-accounts/\(phone.enrollment.id)/devices",
                fields: ["Authorization": "Bearer \(try phone.token())"]))
        #expect(back.status == 200)
        #expect(try await server.device(phone.enrollment.id)?.keyLostAt == nil)
        #expect(await farewell(phone, secret, at: server).status == 404)
    }
}
