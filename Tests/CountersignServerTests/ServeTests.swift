import CurlTransport
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("countersign serve")
struct ServeTests {
    @Test("Without configuration the server has a development tenant and prints the chosen port")
    func development() async throws {
        let server = try await RunningServer(in: Folder())
        let metadata = try await server.get(".well-known/openid-configuration")
        #expect(metadata.status == 200)
        let document = try JSONReader.parse(metadata.body)
        #expect(document["issuer"]?.stringValue == server.issuer)
        #expect(
            document["authorization_details_types_supported"]?.stringsValue
                == ["command", "money_transfer", "payment", "tool_call"])

        let kept = try server.folder.json("countersign-data/development.json")
        #expect(kept["issuer"]?.stringValue == server.issuer)
        let path = server.folder.url.appendingPathComponent("countersign-data/development.json").path
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let secret = try #require(kept["client_secret"]?.stringValue)
        let password = try #require(kept["password"]?.stringValue)
        #expect(server.program.output.soFar.contains(secret) && server.program.output.soFar.contains(password))
        #expect(await server.stop() == 0)
        let errors = await server.program.errors.all()
        #expect(!errors.contains(secret) && !errors.contains(password))
    }

    @Test("RFC 6797: HSTS is sent with the operator's certificate, and never for localhost")
    func transportSecurity() async throws {
        let field = "Strict-Transport-Security"
        let folder = try Folder()
        let local = try await RunningServer(in: folder)
        #expect(try await local.get("healthz", host: "id.example.com").fields[field] == nil)
        #expect(await local.stop() == 0)
        let tls = [
            "--tls", "files", "--tls-certificate", "countersign-data/tls/server.pem", "--tls-key",
            "countersign-data/tls/server-key.pem",
        ]
        for (options, value) in [
            ([], "max-age=31536000"), (["--hsts-max-age", "1h"], "max-age=3600"), (["--hsts-max-age", "0s"], nil),
        ] {
            let server = try await RunningServer(in: folder, tls + options)
            #expect(try await server.get("healthz", host: "id.example.com").fields[field] == value)
            #expect(try await server.get("healthz").fields[field] == nil)
            #expect(await server.stop() == 0)
        }
    }

    @Test("A restart keeps client, secret and keys, and moves the tenant to the new port")
    func restart() async throws {
        let folder = try Folder()
        let first = try await RunningServer(in: folder)
        let kept = try folder.json("countersign-data/development.json")
        let keys = try await first.get(".well-known/jwks.json").body
        #expect(await first.stop(SIGINT) == 0)
        let second = try await RunningServer(in: folder)
        let again = try folder.json("countersign-data/development.json")
        #expect(again["client_id"] == kept["client_id"])
        #expect(again["client_secret"] == kept["client_secret"])
        #expect(again["password"] == kept["password"] && again["app_client_id"] == "app")
        #expect(again["issuer"]?.stringValue == second.issuer)
        #expect(try await second.get(".well-known/jwks.json").body == keys)
        #expect(!second.program.output.soFar.contains("Created the"))
        // The Management API has the new port in its name, and so has what was granted of it.
        let token = try await second.post(
            "oauth/token",
            [
                "grant_type": "client_credentials", "client_id": "operator",
                "client_secret": again["operator_client_secret"]?.stringValue ?? "",
                "audience": second.issuer + "api/v2/",
            ])
        #expect(token.status == 200)
        #expect(await second.stop() == 0)
    }

    @Test("A second server on a data folder is refused while the first runs, but not after a kill")
    func second() async throws {
        let folder = try Folder()
        let first = try await RunningServer(in: folder)
        let refused = try await Program(["serve", "--port", "0", "--metrics-port", "none"], in: folder.url)
        #expect(await refused.status() == 1)
        #expect(
            await refused.errors.all().contains("another server uses the data folder countersign-data: process "))
        #expect(try await first.get(".well-known/openid-configuration").status == 200)
        #expect(await first.stop(SIGKILL) != 0)
        let next = try await RunningServer(in: folder)
        #expect(await next.stop() == 0)
    }

    @Test("A missing configuration file is named")
    func noFile() async throws {
        let folder = try Folder()
        let refused = try await Program(["serve", "--config", "nowhere.json"], in: folder.url)
        #expect(await refused.status() == 2)
        #expect(await refused.errors.all().contains("error: cannot open nowhere.json: No such file or directory"))
    }

    @Test("--quiet prints nothing, and the log says where it listens")
    func quiet() async throws {
        let folder = try Folder()
        let program = try await Program(
            ["serve", "--port", "0", "--metrics-port", "none", "--quiet", "--log-format", "json"], in: folder.url)
        #expect(await program.errors.wait(for: #""event":"listening","address":"127.0.0.1","port":""#))
        program.send(SIGTERM)
        #expect(await program.status() == 0)
        #expect(await program.output.all() == "")
    }

    @Test("Behind a listed proxy the log has the proxy's and the client's address")
    func clientAddress() async throws {
        let server = try await RunningServer(
            in: Folder(), ["--client-address-proxies", "127.0.0.1,10.0.0.0/8", "--client-address-field", "forwarded"])
        let fields: HTTPFields = ["Forwarded": "for=198.51.100.7, for=10.0.0.9", "X-Forwarded-For": "203.0.113.9"]
        #expect(try await server.get("healthz", fields: fields).status == 200)
        #expect(await server.program.errors.wait(for: "peer=127.0.0.1 client=198.51.100.7 "))
        #expect(await server.stop() == 0)
    }

    @Test("--development off leaves an empty database empty")
    func noDevelopment() async throws {
        let server = try await RunningServer(in: Folder(), ["--development", "off"])
        #expect(server.program.output.soFar.contains("No tenant is configured"))
        #expect(await server.program.errors.wait(for: "warning no_tenant hint="))
        #expect(!server.folder.exists("countersign-data/development.json"))
        for path in ["", ".well-known/openid-configuration", "nowhere"] {
            let answer = try await server.get(path)
            #expect(answer.status == 404)
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(text.contains("countersign apply") && text.contains("countersign tenant list"), "\(text)")
        }
        #expect(try await server.get("healthz").status == 200)
        #expect(try await server.get("readyz").status == 503, "ready means that a request can be served")
        #expect(await server.stop() == 0)
    }

    @Test("The first answer of a first start comes when its tenant can be served")
    func ready() async throws {
        let folder = try Folder()
        let port = try FreePort.find()
        let program = try await Program(["serve", "--port", "\(port)", "--metrics-port", "none"], in: folder.url)
        var configuration = CurlTransport.Configuration()
        configuration.trust = .file(folder.url.appending(path: "countersign-data/tls/ca.pem").path)
        let transport = try CurlTransport(configuration)
        func status(_ path: String) async -> Int? {
            try? await transport.send(
                ClientRequest(method: .get, url: "https://localhost:\(port)/\(path)", timeout: .seconds(20))
            ).status
        }
        var first: Int?
        let deadline = ContinuousClock.now + .seconds(60)
        while first == nil, ContinuousClock.now < deadline { first = await status("readyz") }
        #expect(first == 200)
        #expect(await status(".well-known/openid-configuration") == 200)
        program.send(SIGTERM)
        #expect(await program.status() == 0)
    }

    @Test("The command that an empty server prints creates a tenant, and answers to other hosts name no tenant")
    func firstTenant() async throws {
        let server = try await RunningServer(in: Folder(), ["--development", "off"])
        let line = try #require(
            server.program.output.soFar.split(separator: "\n").first { $0.contains("apply -") }.map(String.init))
        let result = try await Program.run(["-ec", line], of: "bash", in: server.folder.url)
        #expect(result.status == 0, "\(result.errors)")
        var status = 0
        let deadline = ContinuousClock.now + .seconds(20)
        while status != 200, ContinuousClock.now < deadline {
            status = try await server.get(".well-known/openid-configuration", host: "id.shop.example").status
        }
        #expect(status == 200)
        let answer = String(decoding: try await server.get("", host: "other.example").body, as: UTF8.self)
        #expect(answer.contains("countersign apply") && answer.contains("other.example") && !answer.contains("shop"))
        #expect(
            await server.program.errors.wait(for: "no tenant has the host other.example; served are: id.shop.example"))
        #expect(await server.stop() == 0)
    }

    @Test("A host without its port is named in the log, with the proxy's setting that keeps it")
    func droppedPort() async throws {
        let server = try await RunningServer(in: Folder())
        #expect(try await server.get(".well-known/openid-configuration", host: "localhost").status == 404)
        #expect(await server.program.errors.wait(for: "nginx: proxy_set_header Host $http_host"))
        #expect(await server.stop() == 0)
    }

    @Test("A development tenant allows far more than 5 requests a minute to its user, and all printable characters")
    func developmentLimit() async throws {
        let server = try await RunningServer(in: Folder())
        let shown = try await Program.run(
            ["tenant", "show", "dev", "--json"], in: server.folder.url)
        let tenant = try JSONReader.parse(shown.output)
        #expect(tenant["settings"]?["requests_per_minute_per_user"] == 600)
        #expect(tenant["settings"]?["binding_message_alphabet"] == "unicode")
        #expect(await server.stop() == 0)
    }

    @Test("A port in use is named, with exit status 1")
    func busyPort() async throws {
        let server = try await RunningServer(in: Folder())
        let other = try Folder()
        let result = try await Program.run(
            ["serve", "--port", String(server.port), "--metrics-port", "none"], in: other.url)
        #expect(result.status == 1)
        #expect(result.errors.contains("cannot listen: 127.0.0.1 port \(server.port): Address already in use"))
        #expect(result.errors.contains("hint: another program listens there; choose another port with --port\n"))
        let metrics = try await Program.run(
            ["serve", "--port", "0", "--metrics-port", String(server.port)], in: other.url)
        #expect(metrics.errors.contains("--metrics-port, or turn it off with --metrics-port none"), "\(metrics.errors)")
        let elsewhere = try await Program.run(
            ["serve", "--port", "0", "--address", "192.0.2.1", "--tls", "local"], in: other.url)
        #expect(elsewhere.status == 1 && elsewhere.errors.contains("--address must be an address of this machine"))
        #expect(await server.stop() == 0)
    }

    @Test("A wrong setting creates no file")
    func refused() async throws {
        let folder = try Folder()
        let result = try await Program.run(["serve", "--port", "x"], in: folder.url)
        #expect(result.status == 2)
        #expect(!folder.exists("countersign-data"))
    }

    @Test("A master key that did not seal the data is refused")
    func otherMasterKey() async throws {
        let folder = try Folder()
        #expect(try await RunningServer(in: folder).stop() == 0)
        let result = try await Program.run(
            ["serve", "--port", "0", "--metrics-port", "none"], in: folder.url,
            environment: ["COUNTERSIGN_MASTER_KEY": String(repeating: "00", count: 32)])
        #expect(result.status == 2)
        #expect(!result.errors.isEmpty)
    }

    @Test("The first signal waits for running requests; a second one ends the server at once")
    func secondSignal() async throws {
        let server = try await RunningServer(in: Folder(), ["--tls", "off"])
        let connection = try HalfRequest(port: server.port)
        #expect(connection.isOpen)
        server.program.send(SIGTERM)
        #expect(await server.program.errors.wait(for: "stopping signal=SIGTERM"))
        server.program.send(SIGTERM)
        #expect(await server.program.status() == 128 + SIGTERM)
    }

    @Test("The printed commands, pasted, enrol a phone that allows a request")
    func paste() async throws {
        let server = try await RunningServer(in: Folder())
        let blocks = Self.blocks(of: server.program.output.soFar)
        func bash(_ text: String) async throws -> Program.Result {
            try await Program.run(["-c", text], of: "bash", in: server.folder.url)
        }
        let phone = try #require(blocks.first { $0.contains("guardian watch") })
        let watch = try await Program(["-c", phone + " --answer allow"], of: "bash", in: server.folder.url)
        #expect(await watch.output.wait(for: "enrolled"))

        let ask = try await bash(try #require(blocks.first { $0.contains(" ask --user") }))
        #expect(ask.status == 0, "\(ask.errors)")
        #expect(ask.output.split(separator: ".").count == 3)

        let discovery = try await bash(try #require(blocks.first { $0.contains("openid-configuration") }))
        #expect(discovery.output.contains(server.issuer))
        let start = try #require(blocks.first { $0.contains("AUTH_REQ_ID=") })
        let wait = try #require(blocks.first { $0.contains("Prefer: wait=30") })
        let flow = try await bash("\(start)\n\(wait)")
        let tokens = try JSONReader.parse(flow.output)
        #expect(tokens["access_token"] != nil)
        #expect(tokens["authorization_details"]?[0]?["beneficiary"]?.stringValue == "Hanna Herwitz")

        watch.send(SIGKILL)
        #expect(await server.stop() == 0)
    }

    @Test("The printed login command, pasted, works with the printed e-mail address and password")
    func pasteLogin() async throws {
        let server = try await RunningServer(in: Folder())
        let output = server.program.output.soFar
        func printed(_ name: String) throws -> String {
            let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("  \(name) ") })
            return String(try #require(line.split(separator: " ").last))
        }
        let logIn = try #require(Self.blocks(of: output).first { $0.contains(" login --client-id app") })
        // A browser that knows no more than a person is told.
        try server.folder.write(
            #"""
            set -e
            fetch() { curl -sS --fail -L --cacert countersign-data/tls/ca.pem -b cookies -c cookies "$@"; }
            fetch -o page "$1"
            hidden() { sed -n "s/.*name=\"$1\" value=\"\([^\"]*\)\".*/\1/p" page | head -n 1; }
            fetch -o /dev/null "${1%%/authorize*}/u/login" --data-urlencode "csrf=$(hidden csrf)" \
              --data-urlencode "state=$(hidden state)" --data-urlencode 'username=\#(try printed("e-mail"))' \
              --data-urlencode 'password=\#(try printed("password"))'

            """#, to: "browser")
        let result = try await Program.run(
            ["-c", logIn], of: "bash", in: server.folder.url, environment: ["BROWSER": "bash browser %s"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains(user) && result.output.contains("Hanna Herwitz"))
        #expect(server.folder.exists("tokens.json"))
        #expect(await server.stop() == 0)
    }

    private let user = "auth0|48616e6e6120486572776974"

    /// The commands under each comment.
    private static func blocks(of output: String) -> [String] {
        output.components(separatedBy: "\n\n").filter { $0.hasPrefix("# ") }.map { block in
            block.split(separator: "\n").dropFirst().joined(separator: "\n")
        }
    }
}

/// A connection whose request never ends.
private final class HalfRequest {
    private let descriptor: Int32
    let isOpen: Bool

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let descriptor = descriptor
        let connected = withUnsafeBytes(of: &address) { bytes in
            connect(
                descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        let head = Array(
            "POST /oauth/token HTTP/1.1\r\nHost: localhost:\(port)\r\nContent-Length: 100\r\n\r\ngrant_type".utf8)
        isOpen = connected == 0 && send(descriptor, head, head.count, Int32(MSG_NOSIGNAL)) == head.count
    }

    deinit { close(descriptor) }
}
