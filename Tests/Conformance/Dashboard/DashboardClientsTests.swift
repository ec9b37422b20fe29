import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("The dashboard's clients")
struct DashboardClientsTests {
    @Test("A new agent's secret is shown once, and on no page afterwards")
    func secret() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let made = try await fixture.change("/admin/clients/new/agent", ["m.name": "Shopper"], in: browser)
        #expect(made.text.contains("never again"), "\(made.text)")
        let codes = try Markup.read(made.answer.body).all("code").map(\.text)
        let (id, secret) = (try #require(codes.first), try #require(codes.dropFirst().first))
        #expect(secret.count >= 32)
        let page = try await fixture.open("/admin/clients/\(id)", in: browser)
        #expect(page.text.contains("Shopper") && !page.text.contains(secret))
        #expect(page.text.contains("urn:openid:params:grant-type:ciba"))
    }

    @Test("A trial sends the administrator a request of the client, and the log names the administrator")
    func trial() async throws {
        let fixture = try await DashboardFixture()
        _ = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        let done = try await fixture.change(
            "/admin/clients/agent/try", ["m.binding_message": "TRY-1", "m.scope": "openid"], in: browser)
        #expect(done.text.contains("on its way to you"), "\(done.text)")
        #expect(try await fixture.open("/admin/requests", in: browser).text.contains("TRY-1"))
        let event = try #require(try await fixture.server.database.auditLog("ciba_start_succeeded").last)
        #expect(event.actor == "person:auth0|ann")
    }

    @Test("A secret is in the answer of its change alone: no cache, no log and no later page has it")
    func leaks() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let made = try await fixture.change("/admin/clients/agent/rotate", in: browser)
        #expect(made.answer.status == 200 && made.answer.fields["Cache-Control"] == "no-store", "\(made.text)")
        let secret = try #require(try Markup.read(made.answer.body).all("code").map(\.text).dropFirst().first)
        #expect(secret.count >= 32)
        #expect(!fixture.server.log.lines.joined().contains(secret))
        #expect(try await fixture.server.database.auditLog().allSatisfy { !$0.details.contains(secret) })
        #expect(!(try await fixture.open("/admin/clients/agent", in: browser).text.contains(secret)))
        let old = try await InProcessClient(via: fixture.server).start()
        #expect(old.status == 401, "the old one ended")
    }

    @Test("A client's id stays one word of the programs to copy")
    func quoting() async throws {
        let id = "a'\"; rm -rf ~ #"
        let fixture = try await DashboardFixture { $0.clients.append(Samples.client(id)) }
        let address = "/admin/clients/\(PercentEncoding.encode(id))"
        let page = try await fixture.open(address, in: fixture.browser())
        let codes = try Markup.read(page.answer.body).all("code").map(\.text)
        #expect(codes.contains { $0.contains(#"CLIENT='a'\''"; rm -rf ~ #'"#) }, "\(page.text)")
        #expect(codes.count { $0.contains(#""a'\"; rm -rf ~ #""#) } == 2, "\(page.text)")
    }

    @Test("Each purpose makes a client of its kind", arguments: ["web", "native", "machine"])
    func purposes(purpose: String) async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let made = try await fixture.change("/admin/clients/new/\(purpose)", ["m.name": "Mine"], in: browser)
        let id = try #require(try Markup.read(made.answer.body).all("code").map(\.text).first)
        let client = try #require(try fixture.server.entry.registered(ClientID(id))?.client)
        #expect(client.name == "Mine" && client.grantTypes.contains(.clientCredentials) == (purpose == "machine"))
        #expect(client.grantTypes.contains(.authorizationCode) == (purpose != "machine"))
        #expect(made.text.contains("The client has no secret.") == (purpose == "native"), "\(made.text)")
    }

    @Test("A form that is refused keeps what was typed, with the reason beside its field")
    func refused() async throws {
        let fixture = try await DashboardFixture()
        _ = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        let page = try await fixture.change(
            "/admin/clients/agent/try", ["m.binding_message": "TRY-1", "m.audience": "https://nobody.example/"],
            in: browser)
        #expect(page.answer.status == 400 && page.text.contains("Service not found"), "\(page.text)")
        #expect(try page.form("/admin/clients/agent/try").fields["m.audience"] == "https://nobody.example/")
        #expect(try await fixture.open("/admin/requests", in: browser).text.contains("There are no requests."))
    }

    @Test("Trials count towards the person's limit, and go to no other person")
    func limited() async throws {
        let fixture = try await DashboardFixture { $0.tenant.settings.requestsPerMinutePerUser = 2 }
        _ = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        for number in 1...2 {
            let done = try await fixture.change(
                "/admin/clients/agent/try", ["m.binding_message": "TRY-\(number)", "m.login_hint": "bob"], in: browser)
            #expect(done.text.contains("on its way to you"), "\(done.text)")
        }
        let third = try await fixture.change("/admin/clients/agent/try", ["m.binding_message": "TRY-3"], in: browser)
        #expect(third.answer.status == 400 && !third.text.contains("on its way to you"), "\(third.text)")
        let started = try await fixture.server.database.auditLog("ciba_start_succeeded")
        #expect(started.allSatisfy { $0.user == "auth0|ann" } && started.count == 2, "\(started)")
    }

    @Test("A sample that the schema refuses is shown with the reason, and a preview names each language")
    func sample() async throws {
        let fixture = try await Self.withPayments()
        let address = "/admin/apis/\(PercentEncoding.encode(Samples.api))/preview:payment"
        let browser = fixture.browser()
        let good = try await fixture.open(address, in: browser)
        for text in ["Amount", "Betrag", "English", "Deutsch", "Français", "In mails"] {
            #expect(good.text.contains(text), "\(text): \(good.text)")
        }
        let typed = PercentEncoding.encode(#"{"type":"payment","amount":"<b>much</b>"}"#)
        let bad = try await fixture.open("\(address)?sample=\(typed)", in: browser)
        #expect(bad.text.contains("must be") || bad.text.contains("amount"), "\(bad.text)")
        #expect(bad.text.contains("<b>much</b>") && !bad.answer.text.contains("<b>much"), "\(bad.text)")
        let broken = try await fixture.open("\(address)?sample=%7B", in: browser)
        #expect(broken.text.contains("That is no JSON object."))
        #expect(try await fixture.open("\(address)s", in: browser).answer.status == 404)
    }

    @Test("The page before a change of the types shows the card that they would have")
    func review() async throws {
        let fixture = try await Self.withPayments()
        let address = "/admin/apis/\(PercentEncoding.encode(Samples.api))/types"
        let browser = fixture.browser()
        let page = try await fixture.open(address, in: browser)
        let typed =
            #"[{"type":"payment","schema":{"type":"object","required":["sum"],"properties":{"type":true,"sum":{"type":"integer","title":"Whole sum"}}}}]"#
        let review = try await browser.send(
            page.form(address), ["m.authorization_details": typed, "step": "review"])
        #expect(review.text.contains("Preview of the card") && review.text.contains("Whole sum"), "\(review.text)")
        #expect(try await fixture.open(address, in: browser).text.contains("Amount"), "nothing has changed yet")
    }

    @Test("A schema that cannot be used is refused beside its field, and the typed text stays")
    func schema() async throws {
        let fixture = try await Self.withPayments()
        let address = "/admin/apis/\(PercentEncoding.encode(Samples.api))/types"
        let typed = #"[{"type":"payment","schema":{"type":"nothing"}}]"#
        let page = try await fixture.change(address, ["m.authorization_details": typed], in: fixture.browser())
        #expect(page.answer.status == 400 && page.path == address, "\(page.text)")
        #expect(try page.form(address).fields["m.authorization_details"] == typed)
        let problems = try Markup.read(page.answer.body).all("p").filter {
            $0.attributes.contains { $0 == ("class", "problem") }
        }
        #expect(!problems.isEmpty, "\(page.text)")
    }

    private static func withPayments() async throws -> DashboardFixture {
        try await DashboardFixture { setup in
            let amount: JSONValue = [
                "type": "integer", "title": "Amount", "x-translations": ["de": ["title": "Betrag"]],
            ]
            setup.apis[0].authorizationDetailsTypes = [
                ResourceServer.AuthorizationDetailsType(
                    type: "payment",
                    schemaSource: [
                        "type": "object", "required": ["amount"], "properties": ["type": true, "amount": amount],
                    ])
            ]
        }
    }
}
