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
        let event = try #require(try await fixture.server.database.auditLog("sapi").last)
        #expect(event.actor == "person:auth0|ann")
    }

    @Test("The card of a type is shown in every language for a sample")
    func preview() async throws {
        let fixture = try await DashboardFixture { setup in
            var type = ResourceServer.AuthorizationDetailsType(
                type: "payment",
                schemaSource: [
                    "type": "object", "required": ["amount"],
                    "properties": [
                        "type": true,
                        "amount": [
                            "type": "integer", "title": "Amount", "x-translations": ["de": ["title": "Betrag"]],
                        ],
                    ],
                ])
            type.isUrgent = false
            setup.apis[0].authorizationDetailsTypes = [type]
        }
        let api = PercentEncoding.encode(Samples.api)
        let page = try await fixture.open("/admin/apis/\(api)/preview:payment", in: fixture.browser())
        #expect(page.answer.status == 200 && page.text.contains("Amount"), "\(page.text)")
    }
}
