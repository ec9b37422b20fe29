import AuthorizationCore
@testable import ForeignExports
import Primitives
import Testing

@Suite("The report lists as come only what is here")
struct ArrivalTests {
    private static func move(_ texts: [String: String], withMail: Bool = true) throws -> SettledMove {
        let files = try Exports.files("auth0").filter { texts[$0.path] == nil }
        let others = texts.map { ForeignFile(path: $0.key, bytes: Array($0.value.utf8)) }
        return try SettledMove(
            try Auth0Export(files + others, into: Exports.target).configuration(),
            into: MoveTarget(new: TenantID("northwind"), host: "id.northwind.example"), withMail: withMail,
            now: Exports.now
        ) { String(repeating: "r", count: 64) }
    }

    @Test("A client whose method is private_key_jwt by name alone gets a secret, and its grants")
    func methodAlone() throws {
        for method in ["private_key_jwt", "tls_client_auth"] {
            let move = try Self.move([
                "clients/Robot.json":
                    #"{"name":"Robot","grant_types":["client_credentials"],"token_endpoint_auth_method":"\#(method)"}"#,
                "grants/Robot.json":
                    #"{"client_id":"Robot","audience":"https://api.northwind.example/","scope":["orders:read"]}"#,
            ])
            let client = try #require(try Exports.entry(move)["clients"]?.element("client_id", "robot"))
            #expect(client["token_endpoint_auth_method"] == "client_secret_post")
            #expect(client["client_secret"]?.stringValue?.count == 64)
            #expect(client["client_grants"]?.arrayValue?.count == 1)
            #expect(
                move.report.difference("Robot", "token_endpoint_auth_method")?.follows.contains("credential add robot")
                    == true)
            #expect(move.report.came.contains { $0.here == "grant of client robot" })
        }
    }

    @Test("A grant of which no scope is here, and one of a client that was left out, have not come")
    func grants() throws {
        let move = try Self.move([
            "clients/Robot.json": #"{"name":"Robot","grant_types":["client_credentials"]}"#,
            "grants/Robot.json":
                #"{"client_id":"Robot","audience":"https://api.northwind.example/","scope":["gone:read"]}"#,
            "clients/Long.json": #"{"name":"\#(String(repeating: "n", count: 300))","client_id":"long"}"#,
            "grants/Long.json":
                #"{"client_id":"long","audience":"https://api.northwind.example/","scope":["orders:read"]}"#,
        ])
        #expect(!move.report.came.contains { ["grant of client robot", "grant of client long"].contains($0.here) })
        #expect(move.report.absence("grants/Robot.json")?.instead.contains("lines of the client robot") == true)
        #expect(move.report.absence("grants/Long.json")?.instead == "the client long did not come")
        #expect(move.report.came.contains { $0.here == "grant of client ledger" })
    }

    @Test("A provider without a name of its own has the strategy's on its button")
    func names() throws {
        let move = try Self.move([
            "connections/google-oauth2.json": """
            {"name":"google-oauth2","strategy":"google-oauth2","options":{"client_id":"a","client_secret":"b"}}
            """,
            "connections/mine.json": """
            {"name":"mine","strategy":"github","options":{"client_id":"a","client_secret":"b"}}
            """,
        ])
        let connections = try Exports.entry(move)["connections"]
        #expect(connections?.element("name", "google-oauth2")?["display_name"] == "Google")
        #expect(connections?.element("name", "mine")?["display_name"] == nil)
    }

    @Test("The mail server is named, since mail goes to real people, and stays away if it is not wanted")
    func mail() throws {
        let provider = """
            {"name":"smtp","enabled":true,"default_from_address":"a@northwind.example",
             "credentials":{"smtp_host":"mail.northwind.example","smtp_port":587,"smtp_user":"u","smtp_pass":"p"}}
            """
        let move = try Self.move(["emails/provider.json": provider])
        #expect(move.mailServer == "mail.northwind.example")
        let trial = try Self.move(["emails/provider.json": provider], withMail: false)
        #expect(trial.mailServer == nil)
        #expect(try Exports.entry(trial)["email_provider"] == nil)
        #expect(trial.report.absence("smtp")?.instead.contains("--without-mail") == true)
        #expect(trial.report.arrival("smtp") == nil)
        let off = provider.replacing("true", with: "false")
        #expect(try Self.move(["emails/provider.json": off]).mailServer == nil)
    }

    @Test("Usernames as identifiers at Auth0 have the login page name them")
    func usernames() throws {
        for option in [
            #""requires_username":true"#, #""attributes":{"username":{"identifier":{"active":true}}}"#,
        ] {
            let move = try Self.move([
                "database-connections/customers/database.json":
                    #"{"name":"customers","strategy":"auth0","options":{\#(option)}}"#
            ])
            let options = try Exports.entry(move)["connections"]?.element("name", "customers")?["options"]
            #expect(options?["requires_username"] == true, "\(option)")
        }
    }
}
