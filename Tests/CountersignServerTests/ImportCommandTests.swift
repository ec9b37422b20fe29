import CurlTransport
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("countersign import auth0 and import keycloak")
struct ImportCommandTests {
    private let folder: Folder
    private static let exports = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "ForeignExportsTests/Exports")
    private static let realm = ["keycloak", "northwind-realm.json", "northwind-users-0.json"]
    private static let new = ["--tenant", "northwind", "--host", "id.northwind.example"]

    /// A folder with both exports.
    init() throws {
        folder = try Folder()
        let files = FileManager.default
        try files.copyItem(at: Self.exports.appending(path: "auth0"), to: folder.url.appending(path: "auth0"))
        for name in ["northwind-realm.json", "northwind-users-0.json"] {
            try files.copyItem(
                at: Self.exports.appending(path: "keycloak/\(name)"), to: folder.url.appending(path: name))
        }
    }

    private func run(_ words: [String]) async throws -> Program.Result {
        try await Program.run(words, in: folder.url)
    }

    private func imported(_ words: [String]) async throws -> JSONValue {
        let result = try await run(["import"] + words + ["--json"])
        try #require(result.status == 0, "\(result.errors)")
        return try JSONReader.parse(result.output, depthLimit: 64)
    }

    private func changed(_ result: JSONValue) -> Int {
        result["changes"]?.arrayValue?.filter { $0["action"]?.stringValue != "unchanged" }.count ?? -1
    }

    private func expectRefusal(_ words: [String], _ texts: String...) async throws {
        let result = try await run(["import"] + words)
        #expect(result.status != 0, "\(words)")
        for text in texts { #expect(result.errors.contains(text), "\(text): \(result.errors)") }
    }

    @Test("A dry run shows the report and makes nothing; importing twice changes nothing")
    func twice() async throws {
        for export in [Self.realm, ["auth0", "auth0"]] {
            let data = ["--data", export[0] + "-data"]
            let dry = try await imported(export + Self.new + data + ["--dry-run", "--create"])
            #expect(dry["dry_run"] == true && changed(dry) > 10)
            #expect(!folder.exists(export[0] + "-data"))
            let first = try await imported(export + Self.new + data + ["--create"])
            #expect(changed(first) >= changed(dry))
            #expect(first["report"] == dry["report"])
            let second = try await imported(export + Self.new + data)
            #expect(changed(second) == 0, "\(second["changes"] ?? .null)")
            let third = try await imported(export + data + ["--dry-run"])
            #expect(changed(third) == 0)
        }
    }

    @Test("An import with ids finds the clients that one without made, and one without ids refuses to make them twice")
    func ids() async throws {
        let secret = String(repeating: "k", count: 64)
        try folder.write(
            #"[{"name":"Storefront","client_id":"9xYzStorefront","client_secret":"\#(secret)"}]"#, to: "apps.json")
        let (export, list) = (["auth0", "auth0"] + Self.new, ["--clients", "apps.json"])
        let first = try await imported(export + ["--create"])
        let again = try await imported(export + list)
        let clients = try await run(["client", "list", "--json"]).output
        #expect(clients.contains("storefront") && !clients.contains("9xYzStorefront"))
        #expect(changed(again) == 1, "the secret is the export's: \(again["changes"] ?? .null)")
        #expect(JSONWriter.string(again["report"] ?? .null).contains("countersign client delete storefront"))
        #expect(changed(first) > 10)

        let other = ["--data", "other-data"]
        _ = try await imported(export + list + other + ["--create"])
        try await expectRefusal(export + other, "9xYzStorefront", "--clients")
        #expect(changed(try await imported(export + list + other)) == 0)
    }

    @Test("A client of the realm gets a token with its old secret, and a redirect URI leads to the login")
    func whole() async throws {
        _ = try await imported(Self.realm + Self.new + ["--create", "--users-file", "users.json"])
        let server = try await RunningServer(in: folder, ["--development", "off"])
        func send(
            _ method: HTTPMethod, _ path: String, _ form: [String: String] = [:], secret: String? = nil
        ) async throws -> ClientResponse {
            var configuration = CurlTransport.Configuration()
            configuration.trust = .file(folder.url.appending(path: "countersign-data/tls/ca.pem").path)
            var fields: HTTPFields = ["Host": "id.northwind.example"]
            if let secret {
                let pair = Data("payment-agent:\(secret)".utf8).base64EncodedString()
                fields.set("Authorization", "Basic \(pair)")
            }
            var body = FormFields()
            for (name, value) in form { body.append(name, value) }
            if method == .post { fields.set("Content-Type", "application/x-www-form-urlencoded") }
            return try await CurlTransport(configuration).send(
                ClientRequest(
                    method: method, url: server.issuer + path, fields: fields,
                    body: method == .post ? Array(body.encoded.utf8) : [], timeout: .seconds(20)))
        }
        let grant = ["grant_type": "client_credentials", "audience": "orders"]
        let token = try await send(.post, "oauth/token", grant, secret: "agent-secret-of-more-than-32-bytes-0001")
        #expect(token.status == 200, "\(String(decoding: token.body, as: UTF8.self))")
        let access = try JSONReader.parse(token.body)["access_token"]?.stringValue ?? ""
        let claims = access.split(separator: ".").dropFirst().first.flatMap { Base64URL.decode($0) } ?? []
        let scopes = try JSONReader.parse(claims)["scope"]?.stringValue?.split(separator: " ").sorted()
        #expect(try JSONReader.parse(claims)["aud"] == "orders" && scopes == ["pay", "read"])
        let wrong = try await send(.post, "oauth/token", grant, secret: String(repeating: "x", count: 40))
        #expect(wrong.status == 401)
        let request =
            "authorize?response_type=code&client_id=phone-app&scope=openid&state=a&code_challenge_method=S256"
            + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&redirect_uri="
        let login = try await send(.get, request + "com.northwind.shop%3A%2Fcallback")
        #expect(login.status == 302 && login.fields["Location"]?.contains("/u/login") == true, "\(login.fields)")
        #expect(try await send(.get, request + "com.northwind.shop%3A%2Fother").status == 400)
        #expect(await server.stop() == 0)
    }

    @Test("Users go to a new file that its owner alone reads, and the report to one without secrets")
    func files() async throws {
        let first = try await imported(
            Self.realm + Self.new + ["--create", "--users-file", "users.json", "--report", "r.json"])
        #expect(first["users"] == 6 && first["users_file"] == "users.json")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.url.appending(path: "users.json").path)
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
        let users = try folder.json("users.json").arrayValue ?? []
        #expect(users.count == 6 && users[0]["custom_password_hash"]?["algorithm"] == "pbkdf2")
        let report = try String(contentsOf: folder.url.appending(path: "r.json"), encoding: .utf8)
        #expect(report.contains("payment-agent") && !report.contains("agent-secret-of"))
        try await expectRefusal(Self.realm + ["--users-file", "users.json"], "users.json", "does not exist yet")
        let text = try await run(["import"] + Self.realm + ["--dry-run"])
        for heading in ["Came\n", "Differs\n", "Absent\n", "0 would change"] { #expect(text.output.contains(heading)) }
        #expect(!(text.output + text.errors).contains("agent-secret-of"))
    }

    @Test("Nothing that the tenant has is removed, and its settings stay unless the export has them")
    func kept() async throws {
        try folder.write(
            """
            { "tenants": [ { "id": "acme", "name": "Acme", "host": "acme.example.com",
              "settings": { "support_url": "https://acme.example.com/help", "poll_interval": 9 },
              "apis": [ { "identifier": "urn:own", "scopes": [ { "value": "a" } ] } ],
              "clients": [ { "client_id": "own", "name": "Own", "token_endpoint_auth_method": "none" } ] } ] }
            """, to: "acme.json")
        try #require(try await run(["apply", "acme.json", "--create"]).status == 0)
        let result = try await imported(["auth0", "auth0"])
        #expect(result["changes"]?.arrayValue?.contains { $0["action"] == "removed" } == false)
        let stored = try JSONReader.parse(try await run(["apply", "--print"]).output, depthLimit: 64)["tenants"]?[0]
        #expect(stored?["name"] == "Acme" && stored?["custom_domains"] == ["login.northwind.example"])
        #expect(stored?["settings"]?["poll_interval"] == 9)
        #expect(stored?["settings"]?["support_url"] == "https://northwind.example/help")
        #expect(stored?["clients"]?.arrayValue?.contains { $0["client_id"] == "own" } == true)
        #expect(stored?["apis"]?.arrayValue?.contains { $0["identifier"] == "urn:own" } == true)
        #expect(stored?["connections"]?.arrayValue?.contains { $0["name"] == "customers" } == true)
    }

    @Test("A later import keeps callbacks, credentials and grants that were added here since")
    func later() async throws {
        _ = try await imported(["auth0", "auth0"] + Self.new + ["--create"])
        let key = """
            openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
            openssl pkey -in key.pem -pubout -out key.pub
            """
        try #require(try await Program.run(["-ec", key], of: "bash", in: folder.url).status == 0)
        for words in [
            ["client", "update", "storefront", "--set", #"callbacks=["https://new.northwind.example/callback"]"#],
            ["client", "credential", "add", "ledger", "--public-key", "key.pub", "--use"],
            ["client", "grant", "payment-agent", "https://api.northwind.example/", "orders:pay", "--for", "user"],
        ] {
            let done = try await run(words)
            try #require(done.status == 0, "\(done.errors)")
        }
        let again = try await imported(["auth0", "auth0"])
        #expect(changed(again) == 1, "\(again["changes"] ?? .null)")
        let stored = try JSONReader.parse(try await run(["apply", "--print"]).output, depthLimit: 64)["tenants"]?[0]
        func client(_ id: String) -> JSONValue? {
            stored?["clients"]?.arrayValue?.first { $0["client_id"]?.stringValue == id }
        }
        #expect(
            client("storefront")?["callbacks"]?.stringsValue?.sorted() == [
                "https://new.northwind.example/callback", "https://shop.northwind.example/callback",
            ])
        #expect(client("ledger")?["token_endpoint_auth_method"] == "private_key_jwt")
        #expect(client("payment-agent")?["client_grants"]?.arrayValue?.count == 2)
    }

    @Test("Exports that lead out of their folder, are huge, or are none, are refused, and nothing is made")
    func refused() async throws {
        let create = Self.new + ["--create"]
        let files = FileManager.default
        let link = folder.url.appending(path: "auth0/clients/Link.json").path
        try files.createSymbolicLink(atPath: link, withDestinationPath: "/etc/passwd")
        try await expectRefusal(
            ["auth0", "auth0"] + create, "auth0/clients/Link.json is a symbolic link", "in its place")
        try files.removeItem(atPath: link)
        try files.createSymbolicLink(
            atPath: folder.url.appending(path: "auth0/logs").path, withDestinationPath: "/var/log")
        try await expectRefusal(["auth0", "auth0"] + create, "auth0/logs is a symbolic link")
        try files.removeItem(at: folder.url.appending(path: "auth0/logs"))
        try Data(count: 17 * 1_048_576).write(to: folder.url.appending(path: "auth0/clients/Huge.json"))
        try await expectRefusal(["auth0", "auth0"] + create, "auth0/clients/Huge.json has 17825792 bytes")
        try files.removeItem(at: folder.url.appending(path: "auth0/clients/Huge.json"))
        try folder.write("{", to: "auth0/clients/Broken.json")
        try await expectRefusal(
            ["auth0", "auth0"] + create, "clients/Broken.json: is not valid JSON", "nothing was changed")
        try folder.write("tenant: {}", to: "tenant.yaml")
        try await expectRefusal(["auth0", "tenant.yaml"] + create, "is not a folder", "--format=directory")
        try await expectRefusal(["auth0", "gone"] + create, "cannot open gone")
        try await expectRefusal(["keycloak", "auth0/tenant.json"] + create, "auth0/tenant.json: realm is required")
        try await expectRefusal(Self.realm + ["--create"], "no tenant is configured", "--host HOST")
        #expect(try await run(["tenant", "list", "--json"]).output == "[]\n")
        try await expectRefusal(Self.realm + ["--host", "a.example"], "--host needs --tenant")
    }
}
