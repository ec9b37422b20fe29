import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import OAuthWire
import Primitives
import SQL
import TestSupport
import Testing

@Suite("The page to decide a request on")
struct ApprovalPageTests {
    @Test("A start answers with the page's address, a repeated start with the same, at the host that was called")
    func address() async throws {
        let fixture = try await ApprovalPageFixture()
        let fields: HTTPFields = ["Idempotency-Key": "order-1"]
        let first = try await fixture.client.start(fields: fields)
        let id = InProcessClient.consent(of: first["auth_req_id"]?.stringValue ?? "")
        #expect(first["approval_uri"]?.stringValue == "https://dev.example/u/approve?id=\(id)")
        #expect(try await fixture.client.start(fields: fields).text == first.text)
        let custom = await fixture.server.send(
            .form("/bc-authorize", fixture.client.startParameters(), host: InProcessServer.customHost))
        let expected = "https://\(InProcessServer.customHost)/u/approve?id=cns_"
        #expect(custom["approval_uri"]?.stringValue?.hasPrefix(expected) == true)
    }

    @Test("The person logs in first, comes back, sees the record, and allows: the client gets tokens and a receipt")
    func allowed() async throws {
        let fixture = try await ApprovalPageFixture()
        let details = #"[{"type":"payment","instructedAmount":{"amount":"12.50","currency":"EUR"}}]"#
        let (id, url) = try await fixture.started([
            "audience": Samples.api, "scope": "openid pay:send", "authorization_details": details,
            "approval_receipt": "true",
        ])
        let browser = fixture.browser()
        let page = try await fixture.open(url, in: browser)
        #expect(page.path == "/u/approve" && page.answer.status == 200)
        for text in ["Shopping agent", "TX-4711", "Pay in your name", "€12.50", "5 minutes", AttackFixture.ann] {
            #expect(page.text.contains(text), "\(text)")
        }
        expectGuarded(page.answer)
        #expect(page.links.contains("/approver#request=\(InProcessClient.consent(of: id))"))
        let held = Task { try await fixture.client.poll(id, wait: 30) }
        await fixture.server.timer.awaitSleepers()
        let done = try await browser.send(fixture.form(page), ["decision": "allow"])
        #expect(done.text.contains("This request was allowed"), "\(done.text)")
        let answer = try await held.value
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await fixture.logins.claims(answer["access_token"])["sub"] == "auth0|ann")
        let idToken = try await fixture.logins.claims(answer["id_token"])
        #expect(idToken["amr"]?.stringsValue == ["pwd"] && idToken["acr"] == nil)
        #expect(idToken["auth_time"]?.intValue == Int(fixture.server.clock.now.seconds))

        let receipt = try await fixture.logins.claims(answer["approval_receipt"])
        #expect(receipt["evidence"] == "session" && receipt["device"] == nil && receipt["answer"] == nil)
        #expect(receipt["session"]?["amr"] == ["pwd"])
        let log = try await fixture.server.auditDetails("gd_auth_succeed")[0]
        let sid = try (log["sid"]?.stringValue).orThrow("no sid")
        let digest = Base64URL.encode(Samples.hashing.sha256(Array(sid.utf8)))
        #expect(receipt["session"]?["sid_sha256"]?.stringValue == digest)
        #expect(log["evidence"] == "session" && log["request_digest"] == receipt["request_digest"])
    }

    @Test("The login belongs to no client: no code, no login and no client of the session are left behind")
    func nothingLeft() async throws {
        let fixture = try await ApprovalPageFixture()
        _ = try await fixture.open(try await fixture.started().page, in: fixture.browser())
        for table: StaticString in [
            "authorization_code", "authorization_transaction", "session_client", "consent_grant",
        ] {
            #expect(try await fixture.server.database.count(table) == 0, "\(table)")
        }
        #expect(try await fixture.server.database.count("session") == 1)
        let log = try await fixture.server.database.auditLog("s")
        #expect(log.map(\.client) == [nil])
    }

    @Test("The session is the product's: a login for an app is enough here, and one here is enough for an app")
    func singleSignOn() async throws {
        let fixture = try await ApprovalPageFixture()
        let (app, here) = (fixture.browser(), fixture.browser())
        let signedIn = try await app.open(AttackFixture.authorize())
        _ = try await app.send(
            signedIn.form("/u/login"), ["username": AttackFixture.ann, "password": AttackFixture.password])
        let (_, url) = try await fixture.started()
        #expect(try await app.open(url).path == "/u/approve")
        _ = try await fixture.open(url, in: here)
        #expect(try await here.open(AttackFixture.authorize()).isAway)
    }

    @Test("A tenant's rule for second factors holds here too: a session without one goes on at that step")
    func multiFactor() async throws {
        let fixture = try await ApprovalPageFixture { $0.tenant.settings.multiFactor = .always }
        _ = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        let (id, url) = try await fixture.started()
        let page = try await fixture.open(url, in: browser)
        #expect(page.path == "/u/mfa-push" && !page.text.contains("TX-4711"))
        #expect(try await browser.open(url).path == "/u/login")
        #expect(try await fixture.poll(id) == "authorization_pending")
    }

    // MARK: fetching

    @Test("Without a session, a request and none are the same, and fetching decides nothing")
    func unauthenticated() async throws {
        let fixture = try await ApprovalPageFixture()
        let (id, url) = try await fixture.started()
        var answers: [String] = []
        for target in [url, "https://dev.example/u/approve?id=cns_AAAAAAAAAAAAAAAAAAAAAA"] {
            let query = String(target.split(separator: "?")[1])
            let answer = await fixture.browser().request(
                Request(method: .get, path: "/u/approve", query: query, fields: ["Host": InProcessServer.host]))
            let location = try answer.fields["Location"].orThrow("no Location")
            answers.append("\(answer.status) \(location.prefix { $0 != "=" }) \(answer.fields.map { $0.name })")
            #expect(location.count == "/u/login?state=".count + 43)
            #expect(answer.text.isEmpty)
            let login = try await fixture.browser().open(target)
            #expect(login.path == "/u/login")
            for fact in ["Shopping", "TX-4711", "cns_"] { #expect(!login.text.contains(fact)) }
        }
        #expect(answers[0].hasPrefix("302 /u/login?state ") && answers[0] == answers[1])
        let head = await fixture.browser().request(
            Request(
                method: .head, path: "/u/approve", query: String(url.split(separator: "?")[1]),
                fields: ["Host": InProcessServer.host]))
        #expect(head.status == 405)
        let malformed = try await fixture.browser().open("/u/approve?id=1")
        #expect(malformed.answer.status == 400)
        #expect(try await fixture.poll(id) == "authorization_pending")
    }

    @Test("With the person's session, GET decides nothing, whatever the query says")
    func fetched() async throws {
        let fixture = try await ApprovalPageFixture()
        let (id, url) = try await fixture.started()
        let browser = fixture.browser()
        let form = try fixture.form(try await fixture.open(url, in: browser))
        _ = try await browser.open("\(url)&decision=allow&csrf=\(form.fields["csrf"] ?? "")")
        #expect(try await fixture.states() == [0])
        #expect(try await fixture.poll(id) == "authorization_pending")
    }

    // MARK: forms

    @Test("RFC 9700 4.7: a form without the token, of another browser or of another site decides nothing")
    func foreignForms() async throws {
        let fixture = try await ApprovalPageFixture()
        let (_, url) = try await fixture.started()
        let browser = fixture.browser()
        let form = try fixture.form(try await fixture.open(url, in: browser))
        let other = fixture.browser()
        let theirs = try fixture.form(try await fixture.open(url, in: other))
        let allow = ["decision": "allow"]
        expectErrorPage(try await browser.send(form, ["decision": "allow", "csrf": nil]))
        expectErrorPage(try await browser.send(form, ["decision": "allow", "csrf": theirs.fields["csrf"]]))
        expectErrorPage(try await browser.send(form, allow, origin: "https://evil.example"))
        #expect(try await fixture.states() == [0])
        #expect(try await browser.send(form, allow).text.contains("This request was allowed"))
    }

    @Test("A second click, a repeated form and the opposite form show the outcome, which stays")
    func secondClick() async throws {
        let fixture = try await ApprovalPageFixture()
        let (id, url) = try await fixture.started()
        let browser = fixture.browser()
        let form = try fixture.form(try await fixture.open(url, in: browser))
        async let one = browser.send(form, ["decision": "deny", "reason": "not mine"])
        async let two = browser.send(form, ["decision": "deny", "reason": "not mine"])
        for page in [try await one, try await two] { #expect(page.text.contains("This request was rejected")) }
        for answer in ["deny", "allow"] {
            #expect(try await browser.send(form, ["decision": answer]).text.contains("This request was rejected"))
        }
        #expect(try await browser.open(url).forms.isEmpty)
        let log = try await fixture.server.auditDetails("gd_auth_rejected")
        #expect(log.map { $0["reason"]?.stringValue } == ["not mine"])
        #expect(try await fixture.poll(id) == "access_denied")
    }

    @Test("After the exchange the page still says that the request was allowed")
    func exchanged() async throws {
        let fixture = try await ApprovalPageFixture()
        let (id, url) = try await fixture.started()
        let browser = fixture.browser()
        _ = try await browser.send(fixture.form(try await fixture.open(url, in: browser)), ["decision": "allow"])
        #expect(try await fixture.poll(id) == "tokens")
        #expect(try await browser.open(url).text.contains("This request was allowed"))
    }

    @Test("A long request is allowed only by a form that says that it was read; a rejection needs nothing")
    func unread() async throws {
        let fixture = try await ApprovalPageFixture()
        let members = (0..<9).map { #""member\#($0)":"value""# }.joined(separator: ",")
        let detail = "{\"type\":\"payment\",\(members)}"
        let (id, url) = try await fixture.started([
            "audience": Samples.api, "scope": "openid pay:send",
            "authorization_details": "[\(detail),\(detail)]",
        ])
        let browser = fixture.browser()
        let form = try fixture.form(try await fixture.open(url, in: browser))
        for read in [nil, "", "on"] {
            let page = try await browser.send(form, ["decision": "allow", "read": read])
            #expect(page.answer.status == 400 && page.text.contains("Read the whole request first"))
        }
        #expect(try await fixture.states() == [0])
        #expect(try await fixture.poll(id) == "authorization_pending")
        let done = try await browser.send(form, ["decision": "allow", "read": "all"])
        #expect(done.text.contains("This request was allowed"))
    }

    @Test("Outcomes are told apart: reported, rejected, and decided in another browser", arguments: ["report", "deny"])
    func outcomes(decision: String) async throws {
        let fixture = try await ApprovalPageFixture()
        let (_, url) = try await fixture.started()
        let (browser, other) = (fixture.browser(), fixture.browser())
        _ = try await fixture.open(url, in: other)
        let form = try fixture.form(try await fixture.open(url, in: browser))
        let done = try await browser.send(form, ["decision": decision])
        #expect(done.text.contains("rejected and reported") == (decision == "report"))
        #expect(done.text.contains("This request was rejected") && !done.text.contains("another browser"))
        #expect(try await other.open(url).text.contains("It was answered on a phone or in another browser."))
    }

    // MARK: other people

    @Test("Another account is told to switch, with no fact of the request, and as if there were none")
    func otherAccount() async throws {
        let fixture = try await ApprovalPageFixture()
        let (id, url) = try await fixture.started()
        let ann = fixture.browser()
        let form = try fixture.form(try await fixture.open(url, in: ann))
        let browser = fixture.browser()
        let page = try await fixture.open(url, in: browser, as: "bob@example.org")
        #expect(page.path == "/u/approve" && page.answer.status == 404)
        for fact in ["Shopping", "TX-4711", "auth0|ann", AttackFixture.ann] { #expect(!page.text.contains(fact)) }
        let none = try await browser.open("/u/approve?id=cns_AAAAAAAAAAAAAAAAAAAAAA")
        #expect(none.text == page.text && none.answer.status == page.answer.status)
        #expect(page.waiting == nil)
        // Ann's form, sent with Bob's session and token.
        var forged = form
        forged.fields["csrf"] = try page.form("/u/approve").fields["csrf"]
        _ = try await browser.send(forged, ["decision": "allow"])
        #expect(try await fixture.states() == [0])

        let login = try await browser.send(page.form("/u/approve"))
        #expect(login.path == "/u/login")
        let back = try await browser.send(
            login.form("/u/login"), ["username": AttackFixture.ann, "password": AttackFixture.password])
        #expect(back.path == "/u/approve" && back.text.contains("TX-4711"))
        _ = try await browser.send(fixture.form(back), ["decision": "allow"])
        #expect(try await fixture.poll(id) == "tokens")
    }

    @Test("A user who was blocked, a session that ended and a session of another tenant decide nothing")
    func endedSessions() async throws {
        let fixture = try await ApprovalPageFixture()
        let (_, url) = try await fixture.started()
        let browser = fixture.browser()
        let form = try fixture.form(try await fixture.open(url, in: browser))
        let foreign = fixture.browser(InProcessServer.otherHost)
        foreign.plant(
            browser.cookies.map { cookie in
                var cookie = cookie
                cookie.host = InProcessServer.otherHost
                return cookie
            })
        #expect(
            try await foreign.open(url.replacing("dev.example", with: InProcessServer.otherHost)).path == "/u/login")
        try await fixture.server.database.write {
            try $0.execute(#"UPDATE "user" SET blocked = 1 WHERE id = 'auth0|ann'"#)
        }
        #expect(try await browser.send(form, ["decision": "allow"]).path == "/u/login")
        try await fixture.server.database.write { try $0.execute(#"UPDATE "user" SET blocked = 0"#) }
        #expect(try await browser.open(url).path == "/u/approve")
        try await fixture.server.database.write { try $0.execute("DELETE FROM session") }
        #expect(try await browser.send(form, ["decision": "allow"]).path == "/u/login")
        #expect(try await fixture.states() == [0])
    }

    @Test("The request of a login for a second factor is for the phone alone")
    func loginRequest() async throws {
        let fixture = try await ApprovalPageFixture()
        let (_, url) = try await fixture.started()
        let browser = fixture.browser()
        _ = try await fixture.open(url, in: browser)
        for (name, login) in [("client", nil), ("login", [1, 2, 3])] as [(String, [UInt8]?)] {
            var (hash, request) = Samples.request(name, channel: .page, at: fixture.server.clock.now)
            request.login = login
            let sealed = try Samples.vault.seal(request, hash)
            try await fixture.server.database.write { connection in
                try connection.execute(
                    """
                    UPDATE backchannel_request SET hash = \(sealed.hash.bytes), login = \(sealed.login),
                        audience = \(sealed.audience), sealed_record = \(sealed.record)
                    """)
            }
            let page = try await browser.open("/u/approve?id=\(hash.consentID)")
            #expect(page.text.contains("TX-4711") == (login == nil))
            #expect(page.answer.status == (login == nil ? 200 : 404))
        }
    }

    // MARK: evidence

    @Test(
        "The page has no button if a key has to sign, and a form decides nothing",
        arguments: ["a client with phones", "an API", "a type of details", "a client that changed meanwhile"])
    func evidenceDemanded(by demand: String) async throws {
        let fixture = try await ApprovalPageFixture { setup in
            if demand == "an API" { setup.apis[0].evidence = .signedDigest }
            if demand == "a type of details" { setup.apis[0].authorizationDetailsTypes[0].evidence = .signedDigest }
        }
        let phone = try await InProcessPhone(capabilities: [.signedDigest], in: fixture.server)
        var parameters: [String: String?] = ["audience": Samples.api]
        if demand == "a type of details" { parameters["authorization_details"] = #"[{"type":"payment"}]"# }
        let (id, url) = try await fixture.started(
            parameters, from: demand == "a client with phones" ? "phones" : "agent")
        let browser = fixture.browser()
        var form = InProcessBrowser.Form(action: "/u/approve", fields: [:])
        if demand == "a client that changed meanwhile" {
            form = try fixture.form(try await fixture.open(url, in: browser))
            try await fixture.server.put(Samples.client("agent") { $0.notificationChannels = [.page, .guardianPush] })
        }
        let page = try await fixture.open(url, in: browser)
        #expect(page.path == "/u/approve" && page.text.contains("TX-4711"))
        #expect(page.text.contains("Answer on your phone") && page.forms.isEmpty)
        #expect(page.links.contains { $0.hasPrefix("/approver#request=cns_") })
        // A form of another page of this browser has its token.
        let other = try await browser.open("/u/approve?id=cns_AAAAAAAAAAAAAAAAAAAAAA").form("/u/approve")
        form.fields.merge(["csrf": other.fields["csrf"] ?? "", "id": "\(InProcessClient.consent(of: id))"]) { $1 }
        let sent = try await browser.send(form, ["decision": "allow"])
        #expect(sent.text.contains("Answer on your phone"))
        #expect(try await fixture.states() == [0])
        #expect(try await phone.decide(id, signsDigest: true).status == 204)
        #expect(try await browser.open(url).text.contains("This request was allowed"))
    }

    @Test(
        "The page shows three numbers and no Allow if one has to be picked; only the displayed one allows",
        arguments: [true, false])
    func numbers(isRight: Bool) async throws {
        let fixture = try await ApprovalPageFixture { setup in
            for index in setup.clients.indices { setup.clients[index].matching = .choose }
        }
        let answer = try await fixture.client.start()
        let code = try (answer["matching_code"]?.stringValue).orThrow("no matching_code")
        let browser = fixture.browser()
        let page = try await fixture.open(try (answer["approval_uri"]?.stringValue).orThrow("no page"), in: browser)
        #expect(page.text.contains(code) && page.text.contains("pick the number") && !page.text.contains("Allow"))
        let form = try fixture.form(page)
        for fields in [["decision": "allow"], ["pick": "4"], ["pick": ""], [:]] {
            #expect(try await browser.send(form, fields).text.contains("TX-4711"))
        }
        #expect(try await fixture.states() == [0])
        let sent = try await browser.send(form, ["pick": isRight ? code : code == "00" ? "01" : "00"])
        #expect(sent.text.contains(isRight ? "was allowed" : "was rejected"))
        let id = try (answer["auth_req_id"]?.stringValue).orThrow("no auth_req_id")
        #expect(try await fixture.poll(id) == (isRight ? "tokens" : "access_denied"))
    }

    @Test(
        "The page has a field and no choices if the number has to be typed; only the displayed one allows",
        arguments: [true, false])
    func typedNumber(isRight: Bool) async throws {
        @Sendable func typing(_ setup: inout InProcessServer.Setup) {
            for index in setup.clients.indices { setup.clients[index].matching = .type }
        }
        let fixture = try await ApprovalPageFixture(typing)
        let answer = try await fixture.client.start()
        let code = try (answer["matching_code"]?.stringValue).orThrow("no matching_code")
        let browser = fixture.browser()
        let page = try await fixture.open(try (answer["approval_uri"]?.stringValue).orThrow("no page"), in: browser)
        #expect(page.text.contains("type the number"))
        // Times and the binding message may have the same two digits, so that they alone say nothing: the page of a
        // request with another number is the same.
        let other = try await ApprovalPageFixture(typing)
        #expect(try await other.open(other.started().page, in: other.browser()).text == page.text)
        #expect(!page.answer.text.contains(">\(code)<") && !page.answer.text.contains("\"\(code)\""))
        #expect(page.answer.text.contains(#"name="pick""#) && page.answer.text.contains(#"inputmode="numeric""#))
        let form = try fixture.form(page)
        for fields in [["decision": "allow"], ["pick": "4"], ["pick": ""], [:]] {
            #expect(try await browser.send(form, fields).text.contains("TX-4711"))
        }
        #expect(try await fixture.states() == [0])
        let sent = try await browser.send(form, ["pick": isRight ? code : code == "00" ? "01" : "00"])
        #expect(sent.text.contains(isRight ? "was allowed" : "was rejected"))
        let id = try (answer["auth_req_id"]?.stringValue).orThrow("no auth_req_id")
        #expect(try await fixture.poll(id) == (isRight ? "tokens" : "access_denied"))
    }

    @Test("A request that the person did not ask for is rejected, and slows its client down")
    func reported() async throws {
        let fixture = try await ApprovalPageFixture()
        let (id, url) = try await fixture.started()
        let browser = fixture.browser()
        let page = try await fixture.open(url, in: browser)
        let sent = try await browser.send(fixture.form(page), ["decision": "report", "reason": "who?"])
        #expect(sent.text.contains("This request was rejected"))
        #expect(try await fixture.poll(id) == "access_denied")
        #expect(try await fixture.client.start().status == 429)
    }

    @Test("A phone that the person opens shows the request, and is told of the decision")
    func phones() async throws {
        let fixture = try await ApprovalPageFixture()
        let phone = try await InProcessPhone(in: fixture.server)
        let (id, url) = try await fixture.started()
        #expect(try await fixture.server.database.count("delivery") == 0, "nobody is told")
        #expect(try await phone.notifications().map(\.transactionLinkingID) == ["\(InProcessClient.consent(of: id))"])
        let browser = fixture.browser()
        _ = try await browser.send(fixture.form(try await fixture.open(url, in: browser)), ["decision": "allow"])
        #expect(try await fixture.server.database.count("delivery") == 2, "the phone that asked, and the withdrawal")
        #expect(try await phone.notifications().isEmpty)
    }

    @Test("The page is in the person's languages, also after the login")
    func languages() async throws {
        let fixture = try await ApprovalPageFixture()
        let (_, url) = try await fixture.started()
        let page = try await fixture.open("\(url)&ui_locales=fr", in: fixture.browser())
        #expect(page.path == "/u/approve" && page.text.contains("demande votre accord"))
        let german = try page.links.first { $0.contains("ui_locales=de") }.orThrow("no link")
        #expect(!german.contains("wait="))
    }
}
