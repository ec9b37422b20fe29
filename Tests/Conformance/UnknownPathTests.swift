import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Paths without a route")
struct UnknownPathTests {
    private static let html: HTTPFields = ["Accept": "text/html,application/xhtml+xml;q=0.9"]

    @Test(
        "A browser gets a page in its language, with ways on",
        arguments: [("en", "This page does not exist"), ("de", "Diese Seite gibt es nicht"), ("fr", "n’existe pas")])
    func page(language: String, text: String) async throws {
        let fixture = try await AccountFixture()
        var fields = Self.html
        fields.append("Accept-Language", language)
        let answer = await fixture.server.send(.get("/no/such/page", fields: fields))
        #expect(answer.status == 404 && answer.text.contains(text))
        for link in ["/", "/approver", "/account"] { #expect(answer.text.contains("href=\"\(link)\"")) }
    }

    @Test("Programs, and paths that only programs use, get JSON")
    func program() async throws {
        let fixture = try await AccountFixture()
        let plain = await fixture.server.send(.get("/no/such/page"))
        #expect(plain.status == 404 && plain["error"] == "not_found")
        for path in ["/api/v2/none", "/appliance-mfa/none", "/rich-consents/a/b/c"] {
            let answer = await fixture.server.send(.get(path, fields: Self.html))
            #expect(answer.status == 404 && answer.fields.mediaType == "application/json", "\(path)")
        }
        let posted = await fixture.server.send(.form("/no/such/page", [:], fields: Self.html))
        #expect(posted.fields.mediaType == "application/json")
    }

    @Test("The issuer's own page leads to the approver and to the account")
    func root() async throws {
        let fixture = try await AccountFixture()
        let answer = await fixture.server.send(.get("/", fields: Self.html))
        for link in ["/approver", "/account"] { #expect(answer.text.contains("href=\"\(link)\"")) }
    }
}
