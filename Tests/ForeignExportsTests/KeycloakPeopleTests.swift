@testable import ForeignExports
import Primitives
import Testing

@Suite("People of a realm: names for logins, languages and second factors")
struct KeycloakPeopleTests {
    private static func realm(
        users: String = "", flows: String? = nil, others: String = ""
    ) throws -> SettledMove {
        let flows = flows.map { #""browserFlow":"browser","authenticationFlows":\#($0),"# } ?? ""
        let text = #"{"realm":"northwind",\#(flows)\#(others)"users":[\#(users)]}"#
        return try Exports.settled(
            try KeycloakRealm(ForeignFile(path: "r.json", bytes: Array(text.utf8))).configuration())
    }

    private static func options(_ move: SettledMove) throws -> JSONValue? {
        try Exports.entry(move)["connections"]?.element("strategy", "auth0")?["options"]
    }

    @Test("A person without an address logs in by username, and the login page names usernames")
    func username() throws {
        let move = try Self.realm(users: #"{"username":"hanna"},{"username":"b@c.example","email":"b@c.example"}"#)
        #expect(move.users.map { $0["username"] } == ["hanna", nil])
        #expect(move.report.difference("hanna", "username")?.follows.contains("log in by username") == true)
        #expect(try Self.options(move)?["requires_username"] == true)
        let none = try Self.realm(users: #"{"username":"b@c.example","email":"b@c.example"}"#)
        #expect(try Self.options(none)?["requires_username"] == nil)
    }

    @Test("A username with an @ is no name for logins, and the report says so")
    func at() throws {
        let move = try Self.realm(
            users: #"{"username":"a@b.example","email":"c@d.example"},{"username":"e@f.example"}"#)
        #expect(move.users[0]["username"] == nil)
        #expect(move.report.difference("a@b.example", "username")?.here == "the address")
        #expect(move.report.difference("e@f.example", "username")?.follows.contains("give each person") == true)
    }

    @Test("The attribute locale is the user's language, if it is one of the pages'")
    func locale() throws {
        let move = try Self.realm(
            users: """
                {"username":"a","attributes":{"locale":["de-AT"],"team":["web"]}},
                {"username":"b","attributes":{"locale":["it"]}}
                """)
        #expect(move.users[0]["locale"] == "de" && move.users[0]["app_metadata"] == ["team": "web"])
        #expect(move.users[1]["locale"] == nil && move.users[1]["app_metadata"] == ["locale": "it"])
    }

    private static func flows(_ requirement: String, _ inner: String, _ authenticator: String = "auth-otp-form")
        -> String
    {
        """
        [{"alias":"browser","authenticationExecutions":[
          {"authenticator":"auth-cookie","requirement":"ALTERNATIVE"},
          {"flowAlias":"forms","authenticatorFlow":true,"requirement":"ALTERNATIVE"}]},
         {"alias":"forms","authenticationExecutions":[
          {"authenticator":"auth-username-password-form","requirement":"REQUIRED"},
          {"flowAlias":"2fa","authenticatorFlow":true,"requirement":"\(requirement)"}]},
         {"alias":"2fa","authenticationExecutions":[
          {"authenticator":"conditional-user-configured","requirement":"REQUIRED"},
          {"authenticator":"\(authenticator)","requirement":"\(inner)"}]}]
        """
    }

    @Test(
        "The browser flow's second factor becomes multi_factor",
        arguments: [
            (nil, "when-enrolled"), (flows("CONDITIONAL", "REQUIRED"), "when-enrolled"),
            (flows("CONDITIONAL", "ALTERNATIVE"), "when-enrolled"), (flows("REQUIRED", "REQUIRED"), "always"),
            (flows("REQUIRED", "REQUIRED", "webauthn-authenticator"), "always"),
            (flows("REQUIRED", "ALTERNATIVE"), "when-enrolled"), (flows("DISABLED", "REQUIRED"), "never"),
            (flows("CONDITIONAL", "DISABLED"), "never"),
            (
                #"[{"alias":"browser","authenticationExecutions":[{"flowAlias":"browser","requirement":"REQUIRED"}]}]"#,
                "when-enrolled"
            ),
        ] as [(String?, String)])
    func multiFactor(flows: String?, setting: String) throws {
        let move = try Self.realm(flows: flows)
        #expect(try Exports.entry(move)["settings"]?["multi_factor"]?.stringValue == setting)
        #expect((move.report.difference("northwind", "browserFlow") == nil) == (setting == "never"))
    }

    @Test("The report counts the people whose factor does not come")
    func factors() throws {
        func user(_ name: String, _ type: String) -> String {
            #"{"username":"\#(name)","credentials":[{"type":"\#(type)","credentialData":"{}","secretData":"{}"}]}"#
        }
        let report = try Self.realm(users: "\(user("a", "webauthn")),\(user("b", "webauthn")),\(user("c", "otp"))")
            .report
        let passkeys = try #require(report.difference("a", "credentials[].type"))
        #expect(passkeys.subjects.count == 2 && passkeys.follows.contains("loses this factor"))
        #expect(report.difference("c", "credentials[].type")?.follows.contains("loses them") == true)
    }

    @Test("A provider has its name on the button, and one without a secret says how to bring it")
    func providers() throws {
        let move = try Self.realm(
            others: """
                "identityProviders":[
                 {"alias":"google","providerId":"google","config":{"clientId":"a","clientSecret":"b"}},
                 {"alias":"staff","providerId":"github","config":{"clientId":"a"}}],
                """)
        #expect(try Exports.entry(move)["connections"]?.element("name", "google")?["display_name"] == "Google")
        let advice = try #require(move.report.absence("staff")?.instead)
        #expect(advice.contains("clientSecret") && !advice.contains("--keywords"))
    }
}
