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
        let folder = try #require(named.first { $0.hasSuffix("/approver.js") }).dropLast("approver.js".count)
        let paths = named + ApproverApp(hashing: Samples.hashing).loaded.map { folder + $0.name }
        #expect(paths.count > 8)
        for path in paths {
            let answer = await server.send(.get(path))
            #expect(answer.status == 200, "\(path)")
            #expect(answer.fields["Cache-Control"] == "public, max-age=31536000, immutable", "\(path)")
        }
        for path in ["/approver/0123456789abcdef/approver.js", "/approver/approver.js", "/approver/x/../sw.js"] {
            #expect(await server.send(.get(path)).status == 404, "\(path)")
        }
    }

    @Test("RFC 9110 8.4: scripts and stylesheet are sent compressed to clients that take gzip, and plain to others")
    func compressed() async throws {
        let server = try await InProcessServer()
        let shell = await server.send(.get("/approver")).text
        for name in ["approver.js", "approver.css"] {
            let path = try #require(
                shell.matches(of: /\/approver\/[0-9a-f]{16}\/[\w.-]+/).map { String($0.0) }.first { $0.hasSuffix(name) }
            )
            let plain = await server.send(.get(path))
            var request = Request.get(path)
            request.fields.set("Accept-Encoding", "br;q=1.0, gzip")
            let small = await server.send(request)
            #expect(plain.fields["Content-Encoding"] == nil && small.fields["Content-Encoding"] == "gzip")
            #expect(plain.fields["Vary"] == "Accept-Encoding" && small.fields["Vary"] == "Accept-Encoding")
            #expect(plain.fields["Content-Type"] == small.fields["Content-Type"])
            #expect(small.body.count * 2 < plain.body.count)
            #expect(small.body.starts(with: [0x1F, 0x8B]))
        }
    }

    @Test(
        "RFC 9110 12.5.3: a coding counts if the client names it, or any, and does not refuse it",
        arguments: [
            ("gzip", true), ("br, GZIP ;q=0.5", true), ("*", true), ("gzip;q=0", false), ("gzip; q=0.000, *", false),
            ("*;q=0", false), ("*;q=0, gzip;q=0.001", true), ("identity", false), ("x-gzip", false), ("", false),
        ])
    func codings(field: String, isAccepted: Bool) {
        #expect(
            HTTPFields([HTTPFields.Field(name: "Accept-Encoding", value: field)]).accepts(coding: "gzip") == isAccepted)
        #expect(!HTTPFields().accepts(coding: "gzip"))
    }

    @Test("The document has the settings that settings.json has, so that a start needs no request for them")
    func settingsInDocument() async throws {
        let server = try await InProcessServer()
        let settings = await server.send(.get("/approver/settings.json")).text
        let shell = await server.send(.get("/approver")).text
        #expect(shell.contains("data-settings=\"\(settings.replacing("\"", with: "&#34;"))\""))
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

    @Test("Application Manifest: an app that is installed with a code starts with it, and another text changes nothing")
    func start() async throws {
        let server = try await InProcessServer()
        func start(_ query: String) async throws -> JSONValue? {
            var request = Request.get("/approver/manifest.webmanifest")
            request.query = "code=\(query)"
            let answer = await server.send(request)
            let manifest = try JSONReader.parse(answer.text)
            #expect(manifest["id"] == "/approver")
            return manifest["start_url"]
        }
        #expect(try await start("0123-abcd") == "/approver#code=0123ABCD")
        for text in ["", "0123", "%22%7D", "0123-ABCDE"] { #expect(try await start(text) == "/approver", "\(text)") }
    }

    @Test("The settings name the issuer of the called host, and the device API below it")
    func settings() async throws {
        let server = try await InProcessServer()
        let settings = try JSONReader.parse(await server.send(.get("/approver/settings.json")).text)
        let issuer = try #require(settings["issuer"]?.stringValue)
        #expect(issuer.hasSuffix("/"))
        #expect(settings["phones_add_phones"] == "passkey")
        #expect(settings["base"]?.stringValue == "\(issuer)appliance-mfa")
    }
}
