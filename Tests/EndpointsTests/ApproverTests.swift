import Approver
import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("The approver's addresses")
struct ApproverTests {
    @Test("The shell has the tenant's name and colour, and a policy without inline scripts")
    func shell() async throws {
        let server = try await InProcessServer {
            $0.tenant.name = "Example & Bank"
            $0.tenant.settings.branding.primaryColor = "#0b6e4f"
        }
        let answer = await server.send(.get("/approver"))
        #expect(answer.status == 200)
        #expect(answer.text.contains("<title>Example &#38; Bank</title>") && answer.text.contains("palette-0b6e4f.css"))
        #expect(answer.fields["Content-Security-Policy"] == ApproverApp.policy)
        #expect(answer.fields["X-Frame-Options"] == "DENY")
        #expect(answer.fields["Referrer-Policy"] == "no-referrer")
        #expect(answer.fields["Cache-Control"] == "no-cache")
    }

    @Test("RFC 9110 13.1.2: shell, worker, manifest and settings are asked for each time, and sent if they changed")
    func revalidation() async throws {
        let server = try await InProcessServer()
        for path in ["/approver", "/approver/sw.js", "/approver/manifest.webmanifest", "/approver/settings.json"] {
            let first = await server.send(.get(path))
            #expect(first.status == 200 && first.fields["Cache-Control"] == "no-cache", "\(path)")
            var again = Request.get(path)
            again.fields.set("If-None-Match", try #require(first.fields["ETag"]))
            #expect(await server.send(again).status == 304, "\(path)")
        }
    }

    @Test("Service Workers 3.4.3: the worker may answer for the shell, and has the app's policy")
    func worker() async throws {
        let server = try await InProcessServer()
        let answer = await server.send(.get("/approver/sw.js"))
        #expect(answer.fields["Content-Type"] == "text/javascript; charset=utf-8")
        #expect(answer.fields["Service-Worker-Allowed"] == "/approver")
        #expect(answer.fields["Content-Security-Policy"] == ApproverApp.policy)
    }

    @Test("RFC 8246: files with the version in their address are immutable, and of other versions there are none")
    func files() async throws {
        let server = try await InProcessServer()
        let shell = await server.send(.get("/approver")).text
        let named = shell.matches(of: /\/approver\/[0-9a-f]{16}\/[\w.-]+/).map { String($0.0) }
        let folder = try #require(named.first { $0.hasSuffix("/main.js") }).dropLast("main.js".count)
        let paths = named + ApproverApp(hashing: Samples.hashing).loaded.map { folder + $0.name }
        #expect(paths.count > 15)
        for path in paths {
            let answer = await server.send(.get(path))
            #expect(answer.status == 200, "\(path)")
            #expect(answer.fields["Cache-Control"] == "public, max-age=31536000, immutable", "\(path)")
        }
        for path in ["/approver/0123456789abcdef/main.js", "/approver/main.js", "/approver/x/../sw.js"] {
            #expect(await server.send(.get(path)).status == 404, "\(path)")
        }
    }

    @Test("The manifest starts the app in its own scope")
    func manifest() async throws {
        let server = try await InProcessServer { $0.tenant.name = "Bank \"A\"" }
        let answer = await server.send(.get("/approver/manifest.webmanifest"))
        #expect(answer.fields.mediaType == "application/manifest+json")
        let manifest = try JSONReader.parse(answer.text)
        #expect(manifest["name"] == "Bank \"A\"")
        #expect(manifest["start_url"] == "/approver" && manifest["scope"] == "/approver")
        #expect(manifest["display"] == "standalone")
    }

    @Test("The settings name the issuer of the called host, and the device API below it")
    func settings() async throws {
        let server = try await InProcessServer()
        let settings = try JSONReader.parse(await server.send(.get("/approver/settings.json")).text)
        let issuer = try #require(settings["issuer"]?.stringValue)
        #expect(issuer.hasSuffix("/"))
        #expect(settings["base"]?.stringValue == "\(issuer)appliance-mfa")
    }
}
