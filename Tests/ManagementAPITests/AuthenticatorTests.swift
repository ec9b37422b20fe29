import Administration
import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import Primitives
import TestSupport
import Testing

@Suite("Management API: phones, tickets and linked accounts")
struct AuthenticatorTests {
    private static let ann = "/users/auth0%7Cann"

    @Test("a phone that said that its key is gone is pending, and not confirmed")
    func lostKey() async throws {
        let fixture = try await ManagementFixture()
        let phone = try await InProcessPhone(in: fixture.server)
        let path = "/appliance-mfa/api/device-accounts/\(phone.id)/farewell"
        let secret = try phone.enrollment.farewell.orThrow("no farewell")
        let answer = await fixture.server.send(
            .json(.post, path, [:], fields: ["Authorization": "Farewell id=\"\(secret)\""]))
        #expect(answer.status == 204)
        let listed = await fixture.get("\(Self.ann)/enrollments").json
        #expect(listed[0]?["status"] == "pending")
        #expect(listed[0]?["key_lost_at"] == .string(fixture.server.clock.now.iso8601))
        let methods = await fixture.get("\(Self.ann)/authentication-methods").json.arrayValue ?? []
        let confirmed = methods.map { [$0["type"], $0["confirmed"]] }
        #expect(confirmed.contains(["push", false]) && confirmed.contains(["totp", true]))
    }

    @Test("enrolled phones are shown and removed")
    func enrollments() async throws {
        let fixture = try await ManagementFixture()
        let phone = try await InProcessPhone(in: fixture.server)
        let listed = await fixture.get("\(Self.ann)/enrollments").json
        #expect(listed.arrayValue?.count == 1)
        #expect(listed[0]?["id"] == .string(phone.id.rawValue))
        #expect(listed[0]?["auth_method"] == "guardian")
        #expect(listed[0]?["status"] == "confirmed")
        let path = "/guardian/enrollments/\(phone.id)"
        #expect(await fixture.get(path)["name"] == "Ann's phone")
        #expect(await fixture.delete(path).status == 204)
        #expect(await fixture.get(path).code == "inexistent_enrollment")
        #expect(await fixture.delete(path).status == 204)
        #expect(try await InProcessClient(via: fixture.server).start().status == 400)
        for number in 0..<2 { _ = try await InProcessPhone(identifier: "P\(number)", in: fixture.server) }
        #expect(await fixture.delete("\(Self.ann)/authenticators").status == 204)
        #expect(await fixture.get("\(Self.ann)/enrollments").json == [])
    }

    @Test("authentication methods: the password, and a phone's push and one-time passwords separately")
    func methods() async throws {
        let fixture = try await ManagementFixture { $0.passwords[InProcessServer.ann] = "wide river under snow" }
        let phone = try await InProcessPhone(in: fixture.server)
        let path = "\(Self.ann)/authentication-methods"
        let listed = await fixture.get("\(path)?include_totals=true").json["authenticators"]?.arrayValue ?? []
        #expect(listed.compactMap { $0["type"]?.stringValue } == ["password", "push", "totp"])
        #expect(listed.allSatisfy { $0["created_at"]?.stringValue != nil }, "\(listed)")
        let push = "\(path)/push%7C\(phone.id)"
        #expect(await fixture.get(push)["name"] == "Ann's phone")
        #expect(await fixture.patch(push, ["name": "New phone"])["name"] == "New phone")
        #expect(await fixture.get("/guardian/enrollments/\(phone.id)")["name"] == "New phone")
        #expect(await fixture.delete("\(path)/totp%7C\(phone.id)").status == 204)
        #expect(await fixture.get(path).json.arrayValue?.count == 2)
        #expect(await fixture.delete("\(path)/password%7Cauth0%7Cann").code == "operation_not_supported")
        #expect(await fixture.get("\(path)/push%7Cdev_none").code == "inexistent_authentication_method")
        #expect(await fixture.post(path, ["type": "phone", "phone_number": "+1"]).code == "operation_not_supported")
        #expect(await fixture.put(path, [["type": "totp"]]).code == "operation_not_supported")
        #expect(await fixture.put(path, []).json.arrayValue?.count == 1)
        _ = try await InProcessPhone(in: fixture.server)
        #expect(await fixture.delete("\(Self.ann)/multifactor/google-authenticator").status == 204)
        #expect(await fixture.get(path).json.arrayValue?.count == 2)
        #expect(await fixture.delete("\(Self.ann)/multifactor/duo").code == "operation_not_supported")
        #expect(await fixture.delete("\(Self.ann)/multifactor/pigeon").code == "invalid_uri")
        #expect(await fixture.delete(path).status == 204)
        #expect(await fixture.get(path).json.arrayValue?.count == 1)
        let recovery = await fixture.send(.post, "\(Self.ann)/recovery-code-regeneration")
        #expect(recovery.code == "operation_not_supported", "there is no phone any more")
    }

    @Test("an authenticator app with a known secret is given, listed, stands for a phone at codes, and is removed")
    func authenticatorApp() async throws {
        let fixture = try await ManagementFixture()
        let path = "\(Self.ann)/authentication-methods"
        let secret = "JBSWY3DPEHPK3PXP"
        #expect(await fixture.post(path, ["type": "totp"]).status == 400)
        #expect(await fixture.post(path, ["type": "totp", "totp_secret": "no base 32"]).status == 400)
        let weak = try await fixture.with(scopes: ["create:authentication_methods"])
        #expect(await weak.post(path, ["type": "totp", "totp_secret": .string(secret)]).status == 403)
        let made = await fixture.post(path, ["type": "totp", "totp_secret": .string(secret), "name": "Work"])
        #expect(made.status == 201 && made["name"] == "Work" && !made.text.contains(secret), "\(made.text)")
        let id = try #require(made["id"]?.stringValue)
        #expect(id.hasPrefix("totp|totp_"))
        let own = "\(path)/\(PercentEncoding.encode(id))"
        #expect(await fixture.get(own)["type"] == "totp")
        #expect(await fixture.patch(own, ["name": "Other"]).code == "operation_not_supported")
        #expect(await fixture.send(.post, "\(Self.ann)/recovery-code-regeneration").status == 200)
        #expect(await fixture.delete(own).status == 204)
        #expect(await fixture.get(path).json == [], "recovery codes take nothing's place any more")
        for _ in 0..<5 {
            #expect(await fixture.post(path, ["type": "totp", "totp_secret": .string(secret)]).status == 201)
        }
        #expect(
            await fixture.post(path, ["type": "totp", "totp_secret": .string(secret)]).code == "operation_not_supported"
        )
        let updater = try await fixture.with(scopes: ["update:users"])
        #expect(await updater.delete("\(Self.ann)/multifactor/google-authenticator").status == 403)
        #expect(await fixture.delete("\(Self.ann)/multifactor/google-authenticator").status == 204)
        #expect(await fixture.get(path).json == [])
        for (name, value) in [("totp_digits", 9), ("totp_period", 3600), ("name", "a\u{0}")] as [(String, JSONValue)] {
            var body: JSONObject = ["type": "totp", "totp_secret": .string(secret)]
            body[name] = value
            let refused = await fixture.post(path, .object(body))
            #expect(refused.status == 400 && refused.text.contains(name), "\(refused.text)")
        }
        #expect(try await !fixture.server.auditText().contains(secret))
        #expect(try await !fixture.server.dump().contains { $0.contains(secret) })
    }

    @Test("a new recovery code replaces the others, is counted, and is worth as much as a phone")
    func recoveryCode() async throws {
        let fixture = try await ManagementFixture()
        _ = try await InProcessPhone(in: fixture.server)
        for _ in 0..<2 {
            let made = await fixture.send(.post, "\(Self.ann)/recovery-code-regeneration")
            #expect(made.status == 200 && RecoveryCode(typed: made.json["recovery_code"]?.stringValue ?? "") != nil)
        }
        let methods = await fixture.get("\(Self.ann)/authentication-methods").json.arrayValue ?? []
        let codes = try #require(methods.first { $0["type"] == "recovery-code" })
        #expect(codes["codes_left"] == 1)
        let id = try #require(codes["id"]?.stringValue)
        let path = "\(Self.ann)/authentication-methods/\(PercentEncoding.encode(id))"
        #expect(await fixture.delete(path).status == 204)
        #expect(await fixture.get(path).status == 404)
    }

    @Test("an enrolment ticket opens a page with the code, and enrols one phone")
    func enrollmentTicket() async throws {
        let fixture = try await ManagementFixture()
        let made = await fixture.post(
            "/guardian/enrollments/ticket",
            ["user_id": "auth0|ann", "allow_multiple_enrollments": "true", "factor": "otp"])
        #expect(made.status == 200)
        let url = try (made["ticket_url"]?.stringValue).orThrow(made.text)
        let id = try (made["ticket_id"]?.stringValue).orThrow(made.text)
        #expect(url == "https://\(InProcessServer.host)/guardian/enroll?ticket=\(id)")
        let browser = InProcessBrowser(fixture.server)
        let page = try await browser.open(url)
        #expect(page.answer.status == 200)
        #expect(page.text.contains(id))
        #expect(try await browser.send(page.form).text.contains("No phone was added yet"))
        let key = try Keys.signer(.es256, "ticket").publicKey.json
        let enrolled = await fixture.server.send(InProcessPhone.enrollRequest(ticket: id, key: key))
        #expect(enrolled.status == 200, "\(enrolled.text)")
        #expect(try await browser.send(page.form).text.contains("Your phone was added"))
        #expect(try await browser.open(url).answer.status == 400)
        #expect(await fixture.server.send(InProcessPhone.enrollRequest(ticket: id, key: key)).status == 404)
        #expect(try await !fixture.server.auditText().contains(id))
        #expect(try await !fixture.server.dump().contains { $0.contains(id) })
    }

    @Test("an enrolment ticket expires after five days; other factors are refused; a mail needs an address")
    func enrollmentTicketRules() async throws {
        let fixture = try await ManagementFixture { $0.users[0].email = "ann@example.org" }
        let path = "/guardian/enrollments/ticket"
        let made = await fixture.post(path, ["user_id": "auth0|ann"])
        let url = made["ticket_url"]?.stringValue ?? ""
        fixture.server.advance(.seconds(431_999))
        #expect(try await InProcessBrowser(fixture.server).open(url).answer.status == 200)
        fixture.server.advance(.seconds(1))
        #expect(try await InProcessBrowser(fixture.server).open(url).answer.status == 400)
        // The fixture's token has expired.
        let later = try await fixture.with(scopes: ["create:guardian_enrollment_tickets"])
        let phone = await later.post(path, ["user_id": "auth0|ann", "factor": "phone"])
        #expect(phone.code == "operation_not_supported")
        #expect(await later.post(path, ["user_id": "auth0|gone"]).code == "inexistent_user")
        #expect(await later.post(path, ["user_id": "auth0|ann", "send_mail": "true"]).status == 400)
        let mailed = await later.post(
            path, ["user_id": "auth0|ann", "send_mail": "true", "email": "ann@example.org", "email_locale": "fr"])
        #expect(mailed.status == 200)
        #expect(try await fixture.server.dump().contains { $0.hasPrefix("delivery: ") && $0.contains("'mail'") })
    }

    @Test("allow_multiple_enrollments: without it a ticket adds a first phone and no other")
    func multipleEnrollments() async throws {
        let fixture = try await ManagementFixture()
        let path = "/guardian/enrollments/ticket"
        let first = await fixture.post(path, ["user_id": "auth0|ann"])
        #expect(first.status == 200)
        _ = try await InProcessPhone(in: fixture.server)
        let url = first["ticket_url"]?.stringValue ?? ""
        #expect(try await InProcessBrowser(fixture.server).open(url).answer.status == 400)
        for flag in [nil, false, "false"] as [JSONValue?] {
            var body: JSONObject = ["user_id": "auth0|ann"]
            body["allow_multiple_enrollments"] = flag
            let refused = await fixture.post(path, .object(body))
            #expect(refused.status == 400 && refused.code == "invalid_body")
            #expect(refused.text.contains("must be true for a user who has a phone"), "\(refused.text)")
        }
        for flag in [true, "true"] as [JSONValue] {
            let made = await fixture.post(path, ["user_id": "auth0|ann", "allow_multiple_enrollments": flag])
            let url = made["ticket_url"]?.stringValue ?? ""
            #expect(try await InProcessBrowser(fixture.server).open(url).answer.status == 200)
        }
    }

    @Test("a ticket works for the tenant's enrollment_ticket_lifetime")
    func ticketLifetime() async throws {
        let fixture = try await ManagementFixture { $0.tenant.settings.enrollmentTicketLifetime = 300 }
        let made = await fixture.post("/guardian/enrollments/ticket", ["user_id": "auth0|ann"])
        let url = made["ticket_url"]?.stringValue ?? ""
        fixture.server.advance(.seconds(299))
        #expect(try await InProcessBrowser(fixture.server).open(url).answer.status == 200)
        fixture.server.advance(.seconds(1))
        #expect(try await InProcessBrowser(fixture.server).open(url).answer.status == 400)
    }

    @Test(
        "by the operator's mail server, links go to the user's own address alone, and within a budget; by a tenant's own to any"
    )
    func operatorsMailServer() async throws {
        let fixture = try await ManagementFixture { setup in
            setup.users[0].email = "ann@example.org"
            setup.users[1].email = "bob@example.org"
            setup.users[1].emailVerified = true
        }
        let path = "/guardian/enrollments/ticket"
        func send(to email: String) async -> HTTPAnswer {
            await fixture.post(path, ["user_id": "auth0|ann", "send_mail": true, "email": .string(email)])
        }
        let other = await send(to: "eve@example.org")
        #expect(other.status == 400 && other.code == "invalid_body")
        #expect(other.text.contains("must be the user's address"), "\(other.text)")
        for _ in 0..<20 { #expect(await send(to: "ann@example.org").status == 200) }
        let refused = await send(to: "ann@example.org")
        #expect(refused.status == 429 && refused.code == "too_many_requests")
        #expect(refused.fields["Retry-After"] == "180", "\(refused.text)")
        let job = await fixture.post("/jobs/verification-email", ["user_id": "auth0|ann"])
        #expect(job.status == 429, "every route that mails draws on it")
        #expect(await fixture.post("/jobs/verification-email", ["user_id": "auth0|bob"]).status == 201)
        let provider = await fixture.post(
            "/emails/provider",
            [
                "name": "smtp", "default_from_address": "a@bank.example",
                "credentials": ["smtp_host": "mail.example"],
            ])
        #expect(provider.status == 201)
        #expect(await send(to: "eve@example.org").status == 200)
        #expect(await send(to: "ann@example.org").status == 200)
    }

    @Test("a link that adds a phone is mailed to a verified address, or to one that the administrator names")
    func mailedTicket() async throws {
        let fixture = try await ManagementFixture { setup in
            setup.users[0].email = "ann@example.org"
            setup.users[1].email = "bob@example.org"
            setup.users[1].emailVerified = true
        }
        let path = "/guardian/enrollments/ticket"
        let unverified = await fixture.post(path, ["user_id": "auth0|ann", "send_mail": true])
        #expect(unverified.status == 400)
        #expect(unverified.text.contains("is required, because the user's address is not verified"))
        let broken = await fixture.post(path, ["user_id": "auth0|ann", "send_mail": true, "email": "no address"])
        #expect(broken.text.contains("must be an e-mail address"), "\(broken.text)")
        #expect(try await !fixture.server.dump().contains { $0.hasPrefix("enrollment_ticket: ") })
        #expect(
            await fixture.post(path, ["user_id": "auth0|ann", "send_mail": true, "email": "ann@example.org"]).status
                == 200)
        #expect(await fixture.post(path, ["user_id": "auth0|bob", "send_mail": "true"]).status == 200)
        let log = try await fixture.server.auditText()
        for text in ["mailed_to", "ann@example.org", "bob@example.org"] { #expect(log.contains(text), "\(log)") }
    }

    // MARK: tickets

    private static let resultURL = "https://app.example/done"

    private func deskWithAddress() async throws -> ManagementFixture {
        try await ManagementFixture { setup in
            setup.users[0].email = "ann@example.org"
            setup.passwords[InProcessServer.ann] = "an old pass phrase"
            setup.tenant.settings.allowedLogoutURLs = [Self.resultURL]
        }
    }

    @Test("a password ticket sets a password once, and redirects to an allowed URL")
    func passwordTicket() async throws {
        let fixture = try await deskWithAddress()
        let made = await fixture.post(
            "/tickets/password-change", ["user_id": "auth0|ann", "result_url": .string(Self.resultURL)])
        #expect(made.status == 201)
        let url = try (made["ticket"]?.stringValue).orThrow(made.text)
        #expect(url.hasPrefix("https://\(InProcessServer.host)/u/reset-password?ticket=") && url.hasSuffix("#"))
        let browser = InProcessBrowser(fixture.server)
        let form = try await browser.open(url).form
        let typed = ["password": "wide river under snow", "password_again": "wide river under snow"]
        let names = form.fields.keys.filter { $0.hasPrefix("password") }.sorted()
        let values = Dictionary(uniqueKeysWithValues: names.map { ($0, typed["password"]) })
        #expect(try await browser.send(form, values).url == Self.resultURL)
        #expect(
            try await fixture.server.dump().contains { $0.contains(PlainPasswords.encoded("wide river under snow")) })
        #expect(try await browser.open(url).answer.status == 400)
        // A ticket that was not mailed does not verify the address.
        #expect(await fixture.get(Self.ann)["email_verified"] == false)
    }

    @Test("a password ticket verifies the address if it was created with mark_email_as_verified")
    func provingTicket() async throws {
        let fixture = try await deskWithAddress()
        let made = await fixture.post(
            "/tickets/password-change", ["email": "ANN@example.org", "mark_email_as_verified": true])
        let browser = InProcessBrowser(fixture.server)
        let form = try await browser.open(made["ticket"]?.stringValue ?? "").form
        let names = form.fields.keys.filter { $0.hasPrefix("password") }
        let values = Dictionary(uniqueKeysWithValues: names.map { ($0, Optional("wide river under snow")) })
        #expect(try await browser.send(form, values).answer.status == 200)
        #expect(await fixture.get(Self.ann)["email_verified"] == true)
    }

    @Test("a new address or password revokes tickets")
    func takenBack() async throws {
        let fixture = try await deskWithAddress()
        for patch: JSONValue in [["email": "new@example.org"], ["password": "wide river under snow"]] {
            let made = await fixture.post("/tickets/password-change", ["user_id": "auth0|ann"])
            #expect(await fixture.patch(Self.ann, patch).status == 200)
            let page = try await InProcessBrowser(fixture.server).open(made["ticket"]?.stringValue ?? "")
            #expect(page.answer.status == 400)
        }
    }

    private static let requests: [(path: String, body: JSONValue, status: Int)] = [
        ("password-change", ["user_id": "auth0|gone"], 404), ("password-change", [:], 400),
        ("password-change", ["email": "nobody@example.org"], 404),
        ("password-change", ["user_id": "auth0|ann", "result_url": "https://evil.example/"], 400),
        ("password-change", ["user_id": "auth0|ann", "ttl_sec": 9_999_999], 400),
        ("password-change", ["user_id": "auth0|ann", "client_id": "nope"], 400),
        ("email-verification", ["user_id": "auth0|ann", "client_id": "nope"], 400),
        ("email-verification", ["user_id": "auth0|ann", "identity": ["user_id": "bob", "provider": "auth0"]], 400),
        ("email-verification", ["user_id": "auth0|ann", "identity": ["user_id": "ann", "provider": "corp"]], 400),
        ("email-verification", ["user_id": "auth0|ann", "identity": ["user_id": "ann", "provider": "auth0"]], 201),
        ("email-verification", ["user_id": "auth0|ann", "client_id": "operator"], 201),
        ("password-change", ["user_id": "auth0|ann", "includeEmailInRedirect": true], 201),
        ("email-verification", ["user_id": "auth0|bob"], 400), ("email-verification", [:], 400),
    ]

    @Test("invalid ticket requests are refused, and valid ones accepted", arguments: requests)
    func refusals(path: String, body: JSONValue, status: Int) async throws {
        let fixture = try await deskWithAddress()
        #expect(await fixture.post("/tickets/\(path)", body).status == status)
    }

    @Test("a verification job mails the link to the user and is completed at once")
    func verificationJob() async throws {
        let fixture = try await deskWithAddress()
        let job = await fixture.post("/jobs/verification-email", ["user_id": "auth0|ann"])
        #expect(job.status == 201, "\(job.text)")
        #expect(job["type"] == "verification_email" && job["status"] == "completed")
        #expect(try await fixture.server.dump().contains { $0.hasPrefix("delivery: ") && $0.contains("'mail'") })
        #expect(await fixture.post("/jobs/verification-email", ["user_id": "auth0|bob"]).status == 400)
        #expect(await fixture.post("/jobs/verification-email", ["user_id": "auth0|gone"]).code == "inexistent_user")
    }

    @Test("the page's button verifies an address, opening the page does not; once, and only the current address")
    func emailTicket() async throws {
        let fixture = try await deskWithAddress()
        func made() async throws -> String {
            let answer = await fixture.post("/tickets/email-verification", ["user_id": "auth0|ann"])
            return try (answer["ticket"]?.stringValue).orThrow(answer.text)
        }
        let browser = InProcessBrowser(fixture.server)
        let url = try await made()
        let page = try await browser.open(url)
        #expect(page.text.contains("ann@example.org"))
        #expect(await fixture.get(Self.ann)["email_verified"] == false)
        #expect(try await browser.send(page.form).answer.status == 200)
        #expect(await fixture.get(Self.ann)["email_verified"] == true)
        #expect(try await browser.send(page.form).answer.status == 200, "the same form, sent twice, is told the same")
        #expect(try await browser.open(url).answer.status == 400)
        #expect(try await fixture.server.auditKinds().filter { $0 == "sv" }.count == 1)
        let late = try await made()
        let form = try await browser.open(late).form
        #expect(await fixture.patch(Self.ann, ["email": "new@example.org"]).status == 200)
        #expect(try await browser.send(form).answer.status == 400)
        #expect(await fixture.get(Self.ann)["email_verified"] == false)
    }

    @Test("verify_email mails a link that verifies the address")
    func verifyEmail() async throws {
        let fixture = try await ManagementFixture()
        func mails() async throws -> Int {
            try await fixture.server.dump().count { $0.hasPrefix("delivery: ") && $0.contains("'mail'") }
        }
        let id = try await UserTests.created(fixture, ["email": "eve@example.org"])
        #expect(try await mails() == 0)
        #expect(await fixture.patch(UserTests.path(id), ["verify_email": true]).status == 200)
        #expect(try await mails() == 1)
        _ = try await UserTests.created(fixture, ["email": "fay@example.org", "verify_email": true])
        #expect(try await mails() == 2)
        let nowhere = await fixture.post(
            "/users", ["connection": UserTests.database, "username": "gus", "verify_email": true])
        #expect(nowhere.status == 400)
        #expect(await fixture.patch(Self.ann, ["verify_phone_number": true]).code == "operation_not_supported")
    }

    // MARK: linked accounts

    @Test("a provider's account is linked and unlinked")
    func identities() async throws {
        let fixture = try await ManagementFixture { $0.connections = [.defaultDatabase, try UserTests.upstream()] }
        let other = try await UserTests.created(fixture, ["connection": "corp", "user_id": "77"])
        let linked = await fixture.post("\(Self.ann)/identities", ["provider": "corp", "user_id": "corp|77"])
        #expect(linked.status == 201, "\(linked.text)")
        #expect(linked.json.arrayValue?.count == 2)
        #expect(
            linked.json[1] == [
                "connection": "corp", "user_id": "77", "provider": "corp", "isSocial": true,
            ])
        #expect(await fixture.get(UserTests.path(other)).status == 404)
        let again = await fixture.post("/users/auth0%7Cbob/identities", ["provider": "corp", "user_id": "77"])
        #expect(again.status == 409)
        let own = await fixture.post("\(Self.ann)/identities", ["provider": "auth0", "user_id": "bob"])
        #expect(own.code == "operation_not_supported")
        let nowhere = await fixture.post("\(Self.ann)/identities", ["provider": "no-such", "user_id": "1"])
        #expect(nowhere.code == "inexistent_connection")
        #expect(await fixture.delete("\(Self.ann)/identities/auth0/ann").code == "operation_not_supported")
        let left = await fixture.delete("\(Self.ann)/identities/corp/77")
        #expect(left.status == 200)
        #expect(left.json.arrayValue?.count == 1)
        #expect(await fixture.delete("\(Self.ann)/identities/corp/77").code == "inexistent_identity")
    }
}
