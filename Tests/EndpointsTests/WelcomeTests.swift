import AuthorizationCore
import HTTPModel
import TestSupport
import Testing

@Suite("The issuer's root path")
struct WelcomeTests {
    private static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

    @Test("Browsers get a page in their language that names the service and links to the endpoints")
    func page() async throws {
        let server = try await InProcessServer { $0.tenant.name = "Example Bank" }
        for (language, text) in [
            ("en", "log you in here"), ("fr", "vous connectent"), ("de", "Hier melden die Apps von"),
        ] {
            var request = Request.get("/")
            request.fields.set("Accept", Self.browser)
            request.fields.set("Accept-Language", language)
            let answer = await server.send(request)
            #expect(answer.status == 200)
            #expect(answer.fields["Content-Language"] == language)
            #expect(answer.text.contains(text) && answer.text.contains("Example Bank"), "\(answer.text)")
            #expect(answer.text.contains("/.well-known/openid-configuration"))
            #expect(answer.fields["Content-Security-Policy"]?.contains("default-src 'none'") == true)
        }
    }

    @Test(
        "Programs get a JSON 404, as for every unknown path", arguments: ["*/*", "application/json", nil])
    func json(accept: String?) async throws {
        let server = try await InProcessServer()
        var request = Request.get("/")
        if let accept { request.fields.set("Accept", accept) }
        let answer = await server.send(request)
        #expect(answer.status == 404)
        #expect(answer.fields.mediaType == "application/json")
        #expect(answer.text.contains("/.well-known/openid-configuration"))
    }
}
