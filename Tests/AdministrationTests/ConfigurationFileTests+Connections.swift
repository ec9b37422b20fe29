import Administration
import Configuration
import Primitives
import TestSupport
import Testing

extension ConfigurationFileTests {
    static func connection(_ text: String) -> String {
        tenant("\"connections\": [\(text)]")
    }

    static let https =
        "must be an https URL, or an http URL of this machine, without user name and fragment"

    static let connections: [Wrong] = [
        Wrong(
            connection(#"{¦"name": "a|b", "strategy": "auth0"}"#), "tenants[0].connections[0].name",
            "may hold letters, digits and, between them, hyphens"),
        Wrong(connection(#"¦{"name": "a"}"#), "tenants[0].connections[0].strategy", "is required"),
        Wrong(
            connection(#"{"name": "a", ¦"strategy": "saml"}"#), "tenants[0].connections[0].strategy",
            "must be one of auth0, oidc, oauth2, github"),
        Wrong(
            connection(
                #"{¦"name": "auth0", "strategy": "github", "options": {"client_id": "c", "client_secret": "s"}}"#),
            "tenants[0].connections[0].name", "auth0 names the users of the database"),
        Wrong(
            connection(#"{"name": "a", "strategy": "auth0", "options": {¦"client_secret": "s"}}"#),
            "tenants[0].connections[0].options.client_secret", "is not a known field"),
        Wrong(
            connection(#"{"name": "a", "strategy": "auth0", ¦"enabled_clients": ["nobody"]}"#),
            "tenants[0].connections[0].enabled_clients", "nobody is no client in this file"),
        Wrong(
            connection(#"{"name": "a", "strategy": "auth0"}, {"name": "b", ¦"strategy": "auth0"}"#),
            "tenants[0].connections[1].strategy", "auth0 is used twice; a tenant has one database"),
        Wrong(
            connection(#"¦{"name": "g", "strategy": "github"}"#), "tenants[0].connections[0].options.client_id",
            "is required"),
        Wrong(
            connection(#"{"name": "g", "strategy": "github", "options": {"client_id": "c", ¦"client_secret": ""}}"#),
            "tenants[0].connections[0].options.client_secret", "must not be empty"),
        Wrong(
            connection(
                #"{"name": "g", "strategy": "github", "options": {"client_id": "c", ¦"url": "http://ghe.example"}}"#),
            "tenants[0].connections[0].options.url", https),
        Wrong(
            connection(
                #"{"name": "g", "strategy": "github", "options": {"client_id": "c", ¦"api_url": "https://a?b"}}"#),
            "tenants[0].connections[0].options.api_url", "must have no query"),
        Wrong(
            connection(#"{"name": "o", "strategy": "oidc", "options": {"client_id": "c", ¦"issuer": "https://a@b/"}}"#),
            "tenants[0].connections[0].options.issuer", https),
        Wrong(
            connection(
                #"{"name": "o", "strategy": "oidc", "options": {"client_id": "c", "issuer": "https://b", ¦"scope": "email"}}"#
            ), "tenants[0].connections[0].options.scope", "must contain openid"),
        Wrong(
            connection(
                #"{"name": "o", "strategy": "oidc", "options": {"client_id": "c", "issuer": "https://b", "attribute_map": {¦"sub": "oid"}}}"#
            ), "tenants[0].connections[0].options.attribute_map.sub", "is not a known field"),
    ]

    @Test("A provider's http address must be on this machine, on any port")
    func loopback() throws {
        for url in ["http://127.0.0.1:9000", "http://[::1]:9000", "http://localhost/x", "https://ghe.example"] {
            _ = try file(
                Self.connection(
                    #"{"name": "g", "strategy": "github", "options": {"client_id": "c", "url": "\#(url)"}}"#))
        }
        for url in ["http://127.0.0.1.example", "http://localhost@evil.example", "http://[::1", "http://0.0.0.0"] {
            #expect(throws: ConfigurationFile.Failure.self, "\(url)") {
                try file(
                    Self.connection(
                        #"{"name": "g", "strategy": "github", "options": {"client_id": "c", "url": "\#(url)"}}"#))
            }
        }
    }
}
