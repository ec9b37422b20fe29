import AuthorizationCore
import GuardianWire
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Number matching and reports, over HTTP")
struct NumberMatchingTests {
    private func fixture(
        _ change: (inout InProcessServer.Setup) throws -> Void = { _ in }
    ) async throws -> (ConformanceFixture, InProcessPhone) {
        let fixture = try await ConformanceFixture {
            $0.tenant.settings.matching = .choose
            try change(&$0)
        }
        let phone = try await InProcessPhone(
            identifier: "ABLE", capabilities: [.numberMatching, .signedDigest], in: fixture.server)
        return (fixture, phone)
    }

    /// The start's answer: the id and the number to display.
    private func started(_ fixture: ConformanceFixture) async throws -> (id: String, code: MatchingNumber) {
        let answer = try await fixture.client.start()
        #expect(answer.status == 200, "\(answer.text)")
        let code = answer["matching_code"]?.stringValue.flatMap { MatchingNumber($0) }
        return (
            try (answer["auth_req_id"]?.stringValue).orThrow("no id"), try code.orThrow("no number: \(answer.text)")
        )
    }

    @Test("The start answers matching_code, the phone is shown three numbers, and the right one allows")
    func right() async throws {
        let (fixture, phone) = try await fixture()
        let (id, code) = try await started(fixture)
        let consent = await fixture.server.send(
            try phone.consentRequest(try await phone.notification(of: id)))
        let record = try JSONReader.parse((consent["record"]?.stringValue).orThrow("no record"))
        let choices = record["matching_choices"]?.stringsValue ?? []
        #expect(Set(choices).count == 3 && choices.contains(code.description))
        #expect(try await phone.decide(id, pick: code).status == 204)
        #expect(try await fixture.client.poll(id).status == 200)
    }

    @Test("Without a number the answer is 403 number_required, and the request still waits")
    func missing() async throws {
        let (fixture, phone) = try await fixture()
        let (id, code) = try await started(fixture)
        _ = try await phone.notification(of: id)
        let before = try await fixture.server.dump()
        let answer = try await phone.decide(id)
        #expect(answer.status == 403 && answer["errorCode"] == "number_required", "\(answer.text)")
        #expect(answer.hasPlainDescription)
        #expect(try await fixture.server.dump() == before)
        #expect(try await phone.decide(id, pick: code).status == 204)
    }

    @Test("A wrong number is 403 wrong_number and rejects: the right one comes too late")
    func wrong() async throws {
        let (fixture, phone) = try await fixture()
        let (id, code) = try await started(fixture)
        let wrong = try MatchingNumber((code.value + 1) % 100).orThrow("no number")
        let notification = try await phone.notification(of: id)
        let late = phone.answerRequest(
            notification,
            response: try phone.response(to: notification, ["matching_pick": .string(code.description)]))
        let answer = try await phone.decide(id, pick: wrong)
        #expect(answer.status == 403 && answer["errorCode"] == "wrong_number", "\(answer.text)")
        #expect(answer.hasPlainDescription)
        expectError(try await fixture.client.poll(id), 400, "access_denied")
        #expect(await fixture.server.send(late).status == 404)
        #expect(try await fixture.server.auditKinds().filter { $0 == "ciba_wrong_number" }.count == 1)
    }

    @Test("A phone of Guardian's protocol alone sees the number in notification and consent, and needs to send none")
    func guardian() async throws {
        let (fixture, _) = try await fixture()
        let (id, code) = try await started(fixture)
        let notification = try await fixture.phone.notification(of: id)
        #expect(notification.body?.hasSuffix("TX-4711. Number: \(code)") == true)
        let consent = await fixture.server.send(try fixture.phone.consentRequest(notification))
        #expect(consent["requested_details"]?["binding_message"]?.stringValue == "TX-4711. Number: \(code)")
        #expect(try await fixture.phone.decide(id).status == 204)
        #expect(try await fixture.client.poll(id).status == 200)
    }

    @Test("RFC 6585 4: after a report the client gets 429 with the end of its pause, and others do not")
    func reported() async throws {
        let fixture = try await ConformanceFixture()
        let other = try await InProcessPhone(UserID("auth0|bob"), identifier: "BOB", in: fixture.server)
        let id = try await fixture.client.started()
        #expect(try await fixture.phone.decide(id, accepted: false, isReported: true).status == 204)
        #expect(try await fixture.server.auditKinds().filter { $0 == "ciba_reported" }.count == 1)
        expectError(try await fixture.client.poll(id), 400, "access_denied")
        let before = try await fixture.server.dump()
        let answer = try await fixture.client.start()
        expectError(
            answer, 429, "too_many_requests",
            "This user rejected requests of this client. Try again in 900 seconds.")
        #expect(try await fixture.server.dump() == before)
        #expect(answer.fields["Retry-After"] == "900")
        #expect(answer.fields["x-ratelimit-limit"] == "5")
        #expect(answer.fields["x-ratelimit-remaining"] == "0")
        #expect(answer.fields["x-ratelimit-reset"] == "\(fixture.server.clock.now.seconds + 900)")
        let bob = try await fixture.client.started(["login_hint": InProcessClient.loginHint("auth0|bob")])
        #expect(try await other.decide(bob).status == 204)
        fixture.server.advance(.seconds(900))
        #expect(try await fixture.client.start().status == 200)
    }

    @Test("The login page shows the number to pick, in every language, and the right one logs in")
    func login() async throws {
        let fixture = try await AttackFixture { $0.tenant.settings.multiFactor = .always }
        let phone = try await InProcessPhone(capabilities: [.numberMatching], in: fixture.server)
        let browser = fixture.browser()
        let page = try await fixture.logIn(browser)
        #expect(page.path == "/u/mfa-push")
        let notification = try await phone.newestNotification()
        let code = try await fixture.server.matchingCode(of: notification, to: phone.id).orThrow("no number")
        #expect(page.text.contains("pick this number: \(code)"), "\(page.text)")
        #expect(notification.body?.contains(code.description) == false, "the phone does not tell")
        let link = try page.links.first { $0.contains("ui_locales=fr") }.orThrow("no link")
        #expect(try await browser.open(link).text.contains("nombre\u{A0}: \(code)"))
        let answer = await fixture.server.send(
            phone.answerRequest(
                notification,
                response: try phone.response(to: notification, ["matching_pick": .string(code.description)])))
        #expect(answer.status == 204, "\(answer.text)")
        #expect(try await browser.open(page.url).path != "/u/mfa-push")
    }

    @Test("The login page shows the number to type, and its record names the browser and the address")
    func typedLogin() async throws {
        let fixture = try await AttackFixture {
            $0.tenant.settings.multiFactor = .always
            $0.tenant.settings.loginMatching = .type
        }
        let phone = try await InProcessPhone(capabilities: [.numberMatching, .numberTyping], in: fixture.server)
        let page = try await fixture.logIn(fixture.browser())
        let notification = try await phone.newestNotification()
        let code = try await fixture.server.matchingCode(of: notification, to: phone.id).orThrow("no number")
        #expect(page.text.contains("type this number: \(code)"), "\(page.text)")
        let consent = await fixture.server.send(try phone.consentRequest(notification))
        let record = try JSONReader.parse((consent["record"]?.stringValue).orThrow("no record"))
        #expect(record["matching"] == "type" && record["matching_choices"] == nil)
        #expect(record["login"]?["application"]?.stringValue == record["client_name"]?.stringValue)
        #expect(record["login"]?["address"]?.stringValue?.isEmpty == false, "\(record["login"] ?? .null)")
    }

    @Test(
        "A newer login in the same browser takes the place of the older one, whose page says so and offers another request"
    )
    func superseded() async throws {
        let fixture = try await AttackFixture { $0.tenant.settings.multiFactor = .always }
        let phone = try await InProcessPhone(capabilities: [.numberMatching], in: fixture.server)
        let browser = fixture.browser()
        let old = try await fixture.logIn(browser)
        let notification = try await phone.newestNotification()
        let new = try await fixture.logIn(browser)
        #expect(old.url != new.url)
        #expect(try await browser.open(old.url).text.contains("It took the place of this one."))
        #expect(try await browser.open(new.url).text.contains("pick this number"))
        let late = await fixture.server.send(
            phone.answerRequest(
                notification, response: try phone.response(to: notification, ["auth0_guardian_accepted": false])))
        #expect(late.status == 404, "\(late.text)")
    }
}
