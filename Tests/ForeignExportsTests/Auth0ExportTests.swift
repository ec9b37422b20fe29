@testable import ForeignExports
import Primitives
import Testing

@Suite("An export of Auth0's deploy CLI in this server's terms")
struct Auth0ExportTests {
    private let report: MoveReport
    private let entry: JSONValue

    init() throws {
        let move = try Exports.settled(try Exports.auth0())
        report = move.report
        entry = try Exports.entry(move)
    }

    private func client(_ id: String) -> JSONValue? { entry["clients"]?.element("client_id", id) }

    @Test("Clients without ids are named by their names, and those without secrets get one that nobody knows")
    func clients() throws {
        let web = try #require(client("storefront"))
        #expect(web["callbacks"] == ["https://shop.northwind.example/callback"])
        #expect(web["grant_types"] == ["authorization_code", "refresh_token", "client_credentials"])
        #expect(web["client_secret"]?.stringValue?.count == 64)
        #expect(web["jwt_configuration"] == ["lifetime_in_seconds": 3600])
        #expect(web["refresh_token"]?["leeway"] == 5)
        #expect(web["additional"]?["description"] == "The shop")
        #expect(report.difference("Storefront", "client_id")?.here == "storefront")
        #expect(
            report.difference("Storefront", "client_secret")?.follows.contains("rotate-secret storefront") == true)
        #expect(report.difference("Storefront", "callbacks")?.was == "https://*.preview.northwind.example/callback")
        #expect(report.differs.contains { $0.was == "implicit" && $0.follows.contains("PKCE") })
        #expect(client("phone-app")?["client_secret"] == nil)
        #expect(client("phone-app")?["callbacks"] == ["com.northwind.shop:/callback"])
        #expect(client("payment-agent")?["async_approval_notification_channels"] == ["guardian-push", "email"])
        #expect(client("all-applications") == nil && client("orders-resource-server") == nil)
    }

    @Test("The list of applications brings their ids and secrets, and the report shows neither")
    func list() throws {
        let secret = String(repeating: "k", count: 64)
        let list = ForeignFile(
            path: "apps.json",
            bytes: Array(
                #"[{"name":"Storefront","client_id":"9xYzStorefront","client_secret":"\#(secret)"}]"#.utf8))
        let move = try Exports.settled(try Exports.auth0(clients: list))
        let entry = try Exports.entry(move)
        #expect(entry["clients"]?.element("client_id", "9xYzStorefront")?["client_secret"]?.stringValue == secret)
        let bare = ForeignFile(path: "clients/Storefront.json", bytes: Array(#"{"name":"Storefront"}"#.utf8))
        let alone = try Exports.settled(
            try Auth0Export([bare], clients: list, into: Exports.target).configuration())
        #expect(try Exports.entry(alone)["clients"]?[0]?["client_secret"]?.stringValue == secret)
        #expect(move.report.difference("Storefront", "client_secret") == nil)
        #expect(move.report.difference("Storefront", "client_id") == nil)
        #expect(
            entry["connections"]?.element("name", "customers")?["enabled_clients"] == ["9xYzStorefront", "phone-app"])
        #expect(!JSONWriter.string(move.report.json).contains(secret))
    }

    @Test("APIs keep scopes, types and rules; grants keep no scope that there is not, and are never wider than before")
    func apis() throws {
        let api = try #require(entry["apis"]?.element("identifier", "https://api.northwind.example/"))
        #expect(api["token_lifetime"] == 7200 && api["enforce_policies"] == true)
        #expect(api["authorization_details"] == [["type": "payment"]])
        #expect(entry["apis"]?.element("identifier", "urn:legacy")?["signing_alg"] == nil)
        #expect(entry["apis"]?.arrayValue?.count == 2)
        let grants = client("ledger")?["client_grants"]
        #expect(grants?.element("audience", "https://api.northwind.example/")?["scope"] == ["orders:read"])
        #expect(grants?.element("audience", "https://id.northwind.example/api/v2/")?["scope"] == ["read:users"])
        #expect(client("ledger")?["limited_to_grants"] == false)
        #expect(report.differs.contains { $0.was == "orders:archive of https://api.northwind.example/" })
        #expect(report.absent.contains { $0.instead.contains("no client Gone") })
        #expect(entry["roles"]?.element("id", "team-lead")?["permissions"]?.arrayValue?.count == 1)
        #expect(report.difference("Team Lead", "permissions")?.was.hasPrefix("orders:audit") == true)
    }

    @Test("Connections come with a secret alone, and a tenant has one database")
    func connections() throws {
        let names = entry["connections"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
        #expect(names == ["staff", "customers"])
        let staff = entry["connections"]?.element("name", "staff")
        #expect(staff?["options"]?["client_secret"] == "the-secret-of-the-staff-provider")
        #expect(staff?["enabled_clients"] == ["back-office"])
        #expect(report.absence("github")?.instead.contains("no secret of the provider") == true)
        #expect(report.absence("partners")?.instead.contains("SAML is not spoken") == true)
        #expect(report.absence("old-staff")?.instead.contains("one database") == true)
        #expect(entry["settings"]?["password_minimum_length"] == 12)
        let keywords = try Auth0Keywords(
            ForeignFile(
                path: "config.json",
                bytes: Array(
                    """
                    {"AUTH0_KEYWORD_REPLACE_MAPPINGS": {"CONNECTIONS_GITHUB_SECRET": "s\\\\e", "SMTP_USER": "u",
                     "SMTP_PASS": "p"}}
                    """.utf8)))
        let entry = try Exports.entry(try Exports.settled(try Exports.auth0(keywords: keywords)))
        #expect(entry["connections"]?.element("name", "github")?["options"]?["client_secret"] == #"s\e"#)
        #expect(entry["email_provider"]?["credentials"]?["smtp_pass"] == "p")
    }

    @Test("Settings, factors and mails")
    func settings() throws {
        #expect(entry["name"] == "Northwind" && entry["host"] == "id.northwind.example")
        #expect(entry["custom_domains"] == ["login.northwind.example"])
        let settings = entry["settings"]
        #expect(settings?["session_lifetime"] == 604_800 && settings?["session_idle_lifetime"] == 259_200)
        #expect(settings?["multi_factor"] == "always")
        #expect(settings?["brute_force_protection"]?["attempts_per_address"] == 7)
        #expect(settings?["branding"]?["primary_color"] == "#0A5C36")
        #expect(entry["email_templates"]?["verify_email"]?["body"] == "<p>{{ url }}</p>\n")
        #expect(entry["email_templates"]?["enrollment_email"] == nil)
        #expect(report.absence("enrollment_email")?.instead.contains("must show the link") == true)
        #expect(report.absence("welcome_email")?.instead == "this server sends no such mail")
        #expect(entry["email_provider"] == nil)
        #expect(report.absence("smtp")?.instead.contains("smtp_user, smtp_pass") == true)
        #expect(report.difference("push-notification", "enabled")?.follows.contains("device invite") == true)
    }

    @Test("Folders without a counterpart have a line each, with what to do instead")
    func folders() {
        for path in [
            "actions/Add Claims.json", "rules/Legacy.json", "hooks/Exchange.json", "organizations/acme.json",
            "prompts/prompts.json", "log-streams/events.json", "themes/theme-1.json",
            "guardian/providers/sms-twilio.json",
        ] {
            #expect(report.absent.contains { $0.subjects.names.contains(path) && !$0.instead.isEmpty }, "\(path)")
        }
    }

    @Test("The report holds no secret of the export")
    func secrets() throws {
        let text = JSONWriter.string(report.json)
        for secret in [
            "the-secret-of-the-staff-provider", "a-very-secret-signing-secret", "twilio-token", "sms-provider-token",
        ] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }
}
