import AuthorizationCore
import Configuration
@testable import ForeignExports
import Primitives
import Testing

@Suite("An export that cannot be read names file, path and the change that it needs")
struct MalformedExportTests {
    private func failure(_ body: () throws -> Void) -> ForeignFailure? {
        do { try body() } catch { return error as? ForeignFailure }
        return nil
    }

    private func auth0(_ path: String, _ text: String) -> ForeignFailure? {
        failure {
            var files = try Exports.files("auth0").filter { $0.path != path }
            files.append(ForeignFile(path: path, bytes: Array(text.utf8)))
            _ = try Auth0Export(files, into: Exports.target).configuration()
        }
    }

    private func keycloak(_ old: String, _ new: String) -> ForeignFailure? {
        failure {
            _ = try Exports.keycloak { text in
                #expect(text.contains(old), "\(old)")
                text = text.replacing(old, with: new, maxReplacements: 1)
            }
        }
    }

    @Test("Auth0: no JSON, wrong types, marks, YAML, missing texts, equal names")
    func auth0Files() throws {
        let cases = [
            ("clients/X.json", "{", "clients/X.json: is not valid JSON: "),
            ("clients/X.json", "[]", "clients/X.json: must be an object, not a list"),
            ("clients/X.json", #"{"name":1}"#, "clients/X.json: name must be a text, not a number"),
            (
                "clients/X.json", #"{"name":"a","callbacks":"b"}"#,
                "clients/X.json: callbacks must be a list of texts, not a text"
            ),
            ("clients/X.json", #"{"name":"a","name":"b"}"#, "has the member name twice"),
            ("clients/X.json", #"{"name":"Storefront"}"#, "name gives the client_id storefront, as clients/"),
            ("clients/X.json", #"{"name":"a","callbacks":["https://##ENV##.b"]}"#, "callbacks has the mark ##ENV##"),
            ("clients/X.json", #"{"name":"a","client_secret":"a\nb"}"#, "client_secret has control characters"),
            ("roles/X.json", #"{"permissions":[]}"#, "roles/X.json: name is required"),
            (
                "resource-servers/X.json", #"{"identifier":"a","scopes":[{"value":1}]}"#,
                "scopes[0].value must be a text"
            ),
            ("emails/reset_email.json", #"{"template":"reset_email","body":"./no.html"}"#, "body names emails/no.html"),
            ("custom-domains/custom-domains.json", "{}", "must be a list, not an object"),
        ]
        for (path, text, message) in cases {
            let failure = auth0(path, text)
            #expect(
                failure?.description.contains(message) == true, "\(path) \(text): \(failure?.description ?? "none")")
            #expect(failure?.file == path)
        }
        #expect(
            failure {
                _ = try Auth0Export([ForeignFile(path: "tenant.yaml", bytes: [])], into: Exports.target)
            }?.description.contains("--format=directory") == true)
        #expect(failure { _ = try Auth0Export([], into: Exports.target) } != nil)
        #expect(
            failure { _ = try Auth0Keywords(ForeignFile(path: "config.json", bytes: Array("{}".utf8))) }?.path
                == "AUTH0_KEYWORD_REPLACE_MAPPINGS")
    }

    @Test("Keycloak: circles, secrets with line breaks, unknown groups and roles, another realm's users")
    func realm() throws {
        let cases = [
            (#""realm": ["#, #""realm": {"a": ["#, "is not valid JSON"),
            (
                #""composites": {\#n      "client": {\#n       "orders": [\#n        "read"\#n       ]"#,
                #""composites": {\#n      "client": {\#n       "orders": [\#n        "pay"\#n       ]"#,
                "composites go in a circle: pay, pay; remove one"
            ),
            (#""path": "/staff/clerks""#, #""path": "/staff""#, "a group cannot contain itself"),
            (
                "0123456789abcdef0123456789abcdef", #"0123456789abcdef0123456789abcdef\n"#,
                "clients[6].secret has control characters, such as a line break at its end; remove them"
            ),
            (
                "/staff/clerks\"\n   ],\n   \"attributes\"", "/gone\"\n   ],\n   \"attributes\"",
                "users[0].groups names /gone"
            ),
            (#""clientId": "kiosk""#, #""clientId": "storefront""#, "clientId is storefront, as another client's"),
            (#""failureFactor": 30"#, #""failureFactor": "many""#, "failureFactor must be a whole number, not a text"),
            (#""users": ["#, #""users": [1,"#, "users[0] must be an object, not a number"),
            (
                #"{\"hashIterations\": 27500"#, #"\"hashIterations\": 27500"#,
                "credentials[0].credentialData must be a text with a JSON object"
            ),
        ]
        for (old, new, message) in cases {
            let failure = keycloak(old, new)
            #expect(failure?.description.contains(message) == true, "\(new): \(failure?.description ?? "none")")
        }
        let other = ForeignFile(path: "others.json", bytes: Array(#"{"realm":"other","users":[]}"#.utf8))
        let realm = try Exports.file("northwind-realm.json", of: try Exports.files("keycloak"))
        #expect(failure { _ = try KeycloakRealm(realm, users: [other]) }?.file == "others.json")
        let list = ForeignFile(path: "all.json", bytes: Array("[]".utf8))
        #expect(failure { _ = try KeycloakRealm(list) }?.description.contains("kc.sh export --realm") == true)
    }

    @Test("A long circle of roles is found without recursion, and a long chain is none")
    func longCircle() throws {
        func realm(_ count: Int, closed: Bool) throws -> KeycloakRealm {
            let roles = (0..<count).map { index in
                let next = index + 1 < count ? "r\(index + 1)" : closed ? "r0" : "r\(count)"
                return #"{"name":"r\#(index)","composites":{"realm":["\#(next)"]}}"#
            }
            let text = #"{"realm":"a","roles":{"realm":[\#(roles.joined(separator: ","))]}}"#
            return try KeycloakRealm(ForeignFile(path: "a.json", bytes: Array(text.utf8)))
        }
        #expect(failure { _ = try realm(10_000, closed: true) }?.message.contains("circle") == true)
        #expect(failure { _ = try realm(10_000, closed: false) } == nil)
    }

    @Test("Parts that this server refuses are left out with a line, and the rest comes")
    func refused() throws {
        let long = String(repeating: "n", count: 300)
        let text = """
            {"name":"Odd","callbacks":["https://a.example/#x","https://a.example/cb"],"logo_uri":"http://a.example/l.png",
             "grant_types":["authorization_code"],"token_endpoint_auth_method":"none","description":"\(long)",
             "jwt_configuration":{"alg":"RS256","lifetime_in_seconds":99999999}}
            """
        var files = try Exports.files("auth0")
        files.append(ForeignFile(path: "clients/Odd.json", bytes: Array(text.utf8)))
        files.append(
            ForeignFile(path: "clients/Long.json", bytes: Array(#"{"name":"\#(long)","grant_types":[]}"#.utf8)))
        let move = try Exports.settled(try Auth0Export(files, into: Exports.target).configuration())
        let client = try #require(try Exports.entry(move)["clients"]?.element("client_id", "odd"))
        #expect(client["callbacks"] == ["https://a.example/cb"])
        #expect(client["logo_uri"] == nil && client["jwt_configuration"] == ["alg": "RS256"])
        #expect(move.report.difference("Odd", "callbacks")?.was == "https://a.example/#x")
        #expect(move.report.difference("Odd", "logo_uri")?.follows.contains("must be an https URL") == true)
        #expect(move.report.absence(long) != nil && move.report.arrival(long) == nil)
        #expect(move.report.arrival("Odd") != nil)
    }
}
