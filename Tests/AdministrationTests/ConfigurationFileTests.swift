import Administration
import Configuration
import Localization
import Primitives
import TestSupport
import Testing

@Suite("Configuration file: problems and positions")
struct ConfigurationFileTests {
    /// An invalid file, with `¦` at the position of the problem.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let text: String
        let path: String
        let message: String

        init(_ text: String, _ path: String, _ message: String) {
            self.text = text
            self.path = path
            self.message = message
        }

        var testDescription: String { "\(path) \(message)" }
    }

    static func tenant(_ members: String) -> String {
        """
        {
          "tenants": [{
            "id": "dev", "name": "Dev", "host": "dev.example",
            \(members)
          }]
        }
        """
    }

    private static let notJSON = [
        Wrong("{\"tenants\": [\n  ¦nope]}", "", "is not valid JSON: a value was expected"),
        Wrong("{\"tenants\": []¦", "", "is not valid JSON: ',' or '}' was expected"),
        Wrong("¦", "", "is not valid JSON: the text ends where a value was expected"),
        Wrong("{\"tenants\": [{\"id\": \"a\",\n ¦\"id\": \"b\"}, oops", "", "has the member id twice in one object"),
        Wrong(
            "{\"a\": " + String(repeating: "[", count: 63) + "¦[1]" + String(repeating: "]", count: 63) + "}", "",
            "is nested more than 64 levels deep"),
    ]

    private static let structure = [
        Wrong("¦[]", "", "must be an object"),
        Wrong("¦{}", "tenants", "is required"),
        Wrong("{¦\"tenants\": {}}", "tenants", "must be a list"),
        Wrong("{\"tenants\": [¦7]}", "tenants[0]", "must be an object"),
        Wrong("{\"tenants\": [], ¦\"tenant\": 1}", "tenant", "is not a known field; did you mean tenants?"),
        Wrong("{\"tenants\": [], ¦\"zebra\": 1}", "zebra", "is not a known field"),
    ]

    private static let tenants = [
        Wrong("{\"tenants\": [¦{\"name\": \"n\", \"host\": \"h\"}]}", "tenants[0].id", "is required"),
        Wrong("{\"tenants\": [¦{\"id\": \"n\", \"host\": \"h\"}]}", "tenants[0].name", "is required"),
        Wrong("{\"tenants\": [¦{\"id\": \"n\", \"name\": \"h\"}]}", "tenants[0].host", "is required"),
        Wrong(
            "{\"tenants\": [{¦\"id\": \"De v\", \"name\": \"n\", \"host\": \"h\"}]}", "tenants[0].id",
            "may hold a–z, 0–9, - and _"),
        Wrong(
            "{\"tenants\": [{\"id\": \"a\", \"name\": \"n\", ¦\"host\": \"https://h\"}]}", "tenants[0].host",
            "https://h is no host name with an optional port"),
        Wrong(
            "{\"tenants\": [{\"id\": \"a\", \"name\": \"n\", ¦\"host\": \"h:99999\"}]}", "tenants[0].host",
            "h:99999 is no host name with an optional port"),
        Wrong(
            tenant(#"¦"custom_domains": ["a b"]"#), "tenants[0].custom_domains",
            "a b is no host name with an optional port"),
        Wrong(
            tenant(#"¦"custom_domains": "a""#), "tenants[0].custom_domains", "must be a list of texts of 1 to 255 bytes"
        ),
        Wrong(
            tenant(#""settings": {¦"poll_interval": 0}"#), "tenants[0].settings.poll_interval",
            "must be a whole number from 1 to 60"),
        Wrong(
            tenant(#""settings": {¦"poll_interval": "5"}"#), "tenants[0].settings.poll_interval",
            "must be a whole number from 1 to 60"),
        Wrong(
            tenant(#""settings": {¦"push_enabled": 1}"#), "tenants[0].settings.push_enabled", "must be true or false"),
        Wrong(
            tenant(#""settings": {¦"binding_message_alphabet": "klingon"}"#),
            "tenants[0].settings.binding_message_alphabet", "must be one of restricted, unicode"),
        Wrong(
            tenant(#""settings": {"authorization_details_limits": {¦"deepness": 1}}"#),
            "tenants[0].settings.authorization_details_limits.deepness", "is not a known field"),
        Wrong(
            tenant(#""settings": {¦"default_audience": "https://none/"}"#), "tenants[0].settings.default_audience",
            "https://none/ is no API in this file"),
        Wrong(tenant(#"¦"name2": "x""#), "tenants[0].name2", "is not a known field; did you mean name?"),
    ]

    private static let parts = [
        Wrong(tenant(#""apis": [¦{}]"#), "tenants[0].apis[0].identifier", "is required"),
        Wrong(
            tenant(#""apis": [{"identifier": "a", "scopes": [{¦"value": "two words"}]}]"#),
            "tenants[0].apis[0].scopes[0].value",
            "must be one scope token: printable ASCII without blanks and quotes"),
        Wrong(
            tenant(#""apis": [{"identifier": "a", ¦"signing_alg": "HS256"}]"#), "tenants[0].apis[0].signing_alg",
            "must be one of RS256, PS256, ES256, EdDSA"),
        Wrong(
            tenant(#""apis": [{"identifier": "a", ¦"token_dialect": "jwt"}]"#), "tenants[0].apis[0].token_dialect",
            "must be one of access_token, access_token_authz, rfc9068_profile, rfc9068_profile_authz"),
        Wrong(
            tenant(#""apis": [{"identifier": "a", ¦"consent_policy": "none"}]"#), "tenants[0].apis[0].consent_policy",
            "must be standard or transactional-authorization-with-mfa"),
        Wrong(
            tenant(#""roles": [{¦"id": "two words", "name": "r"}]"#), "tenants[0].roles[0].id",
            "may hold printable ASCII without blanks"),
        Wrong(
            tenant(
                #""roles": [{"id": "r", "name": "r", ¦"permissions": [{"resource_server_identifier": "a", "permission_name": "s"}]}]"#
            ),
            "tenants[0].roles[0].permissions", "s is no scope of an API a in this file"),
        Wrong(
            tenant(#""users": [{¦"user_id": "a b"}]"#), "tenants[0].users[0].user_id",
            "may hold printable ASCII without blanks"),
        Wrong(
            tenant(#""users": [{¦"user_id": "agent@clients"}]"#), "tenants[0].users[0].user_id",
            "must not end in @clients, the ending of clients' subjects"),
        Wrong(
            tenant(#""users": [{"user_id": "u", ¦"email": "nobody"}]"#), "tenants[0].users[0].email",
            "must be an e-mail address"),
        Wrong(
            tenant(#""users": [{"user_id": "u", ¦"locale": "tlh"}]"#), "tenants[0].users[0].locale",
            "must be one of \(Language.allCases.map(\.rawValue).joined(separator: ", "))"),
        Wrong(
            tenant(#""users": [{"user_id": "u", ¦"roles": ["r"]}]"#), "tenants[0].users[0].roles",
            "r is no role in this file"),
        Wrong(
            tenant(#""users": [{"user_id": "u", ¦"password": "short"}]"#), "tenants[0].users[0].password",
            "must have 8 to 72 bytes"),
        Wrong(
            tenant(#""users": [{"user_id": "u", ¦"name": "tab\there"}]"#), "tenants[0].users[0].name",
            "must be a text of 1 to 255 bytes without control characters"),
    ]

    private static let clients = [
        Wrong(tenant(#""clients": [¦{"name": "c"}]"#), "tenants[0].clients[0].client_id", "is required"),
        Wrong(
            tenant(#""clients": [{"client_id": "c", "name": "c", "grant_types": [¦"password"]}]"#),
            "tenants[0].clients[0].grant_types[0]",
            "must be one of authorization_code, refresh_token, client_credentials, urn:openid:params:grant-type:ciba"),
        Wrong(
            tenant(
                #""clients": [{"client_id": "c", "name": "c", ¦"token_endpoint_auth_method": "client_secret_jwt"}]"#),
            "tenants[0].clients[0].token_endpoint_auth_method",
            "must be one of client_secret_post, client_secret_basic, private_key_jwt, tls_client_auth, "
                + "self_signed_tls_client_auth, none"),
        Wrong(
            tenant(#""clients": [¦{"client_id": "c", "name": "c", "token_endpoint_auth_method": "private_key_jwt"}]"#),
            "tenants[0].clients[0]",
            "needs something to prove it by for private_key_jwt: client_authentication_methods, jwks or jwks_uri"),
        Wrong(
            client(#""client_authentication_methods": {"private_key_jwt": {"credentials": [{¦"pem": "x"}]}}"#),
            "tenants[0].clients[0].client_authentication_methods.private_key_jwt.credentials[0].pem",
            "must be one public key or certificate in PEM: RSA of 2048 to 8192 bits, P-256, P-384 or Ed25519"),
        Wrong(
            client(
                #""client_authentication_methods": {"tls_client_auth": {"credentials": [{¦"subject_dn": "agent"}]}}"#),
            "tenants[0].clients[0].client_authentication_methods.tls_client_auth.credentials[0].subject_dn",
            "must be a name as RFC 4514 writes it, such as CN=agent,O=Example,C=CH"),
        Wrong(
            client(#"¦"jwks": {"keys": []}"#), "tenants[0].clients[0].jwks",
            "must be an object with a list of 1 to 10 keys"),
        Wrong(
            client(#"¦"jwks": {"keys": [{"kty": "EC", "crv": "P-256", "use": "enc", "x": "AA", "y": "AA"}]}"#),
            "tenants[0].clients[0].jwks", "has a key 0 that is not a public key: its x is missing or wrong"),
        Wrong(
            client(#"¦"jwks": {"keys": [{"kty": "OKP", "crv": "X25519", "x": "AA"}]}"#), "tenants[0].clients[0].jwks",
            "has no key that verifies signatures; add one without use or with use sig"),
        Wrong(
            client(#"¦"jwks": {"keys": [{"kty": "oct", "k": "AA"}]}"#), "tenants[0].clients[0].jwks",
            "has a key 0 that is not a public key: it has the private member k; remove it from everywhere and use a new key"
        ),
        Wrong(
            client(#"¦"jwks_uri": "http://client.example/keys""#), "tenants[0].clients[0].jwks_uri",
            "must be an https URL without a fragment, or http on 127.0.0.1, [::1] or localhost"),
        Wrong(
            tenant(
                #""clients": [{"client_id": "c", "name": "c", "async_approval_notification_channels": ["email", ¦"sms"]}]"#
            ),
            "tenants[0].clients[0].async_approval_notification_channels[1]", "must be one of guardian-push, email, page"
        ),
        Wrong(
            tenant(#""clients": [{¦"client_id": "approval-page", "name": "c"}]"#), "tenants[0].clients[0].client_id",
            "must not be approval-page, which stands for a page of this server"),
        Wrong(
            tenant(
                #""users": [{"user_id": "u", "password": "long enough", ¦"initial_password": "long enough"}]"#),
            "tenants[0].users[0].initial_password", "must be omitted with password"),
        Wrong(
            tenant(#""clients": [{"client_id": "c", "name": "c", ¦"client_secret": "short"}]"#),
            "tenants[0].clients[0].client_secret", "must have at least 32 bytes; generate it at random"),
        Wrong(
            tenant(#""clients": [{"client_id": "c", "name": "c", ¦"client_secret": {"env": "MISSING"}}]"#),
            "tenants[0].clients[0].client_secret", "needs the environment variable MISSING"),
        Wrong(
            tenant(#""clients": [{"client_id": "c", "name": "c", ¦"client_secret": {"file": "/missing"}}]"#),
            "tenants[0].clients[0].client_secret", "cannot be read from /missing"),
        Wrong(
            tenant(#""clients": [{"client_id": "c", "name": "c", ¦"client_secret": {"vault": "x"}}]"#),
            "tenants[0].clients[0].client_secret", #"must be a text, {"env": "NAME"} or {"file": "PATH"}"#),
        Wrong(
            tenant(#""clients": [{"client_id": "c", "name": "c", ¦"client_grants": [{"audience": "a"}]}]"#),
            "tenants[0].clients[0].client_grants", "a is no API in this file"),
        Wrong(
            tenant(
                #""apis": [{"identifier": "a"}], "clients": [{"client_id": "c", "name": "c", ¦"client_grants": [{"audience": "a", "scope": ["s"]}]}]"#
            ),
            "tenants[0].clients[0].client_grants", "s is no scope of a"),
        Wrong(
            tenant(#""clients": [{"client_id": "c", "name": "c", "jwt_configuration": {¦"alg": "none"}}]"#),
            "tenants[0].clients[0].jwt_configuration.alg", "must be one of RS256, PS256, ES256, EdDSA"),
    ]

    private static func client(_ members: String) -> String {
        tenant(#""clients": [{"client_id": "c", "name": "c", \#(members)}]"#)
    }

    private static func settings(_ members: String) -> String { tenant(#""settings": {\#(members)}"#) }

    private static let redirectRule =
        "must be an absolute URI without fragment and wildcard: https, http on 127.0.0.1, [::1] or localhost, "
        + "or a scheme of an app's own"

    private static let logIn = [
        Wrong(
            client(#""grant_types": ["authorization_code"]"#).replacing(#"{"client_id""#, with: #"¦{"client_id""#),
            "tenants[0].clients[0].callbacks", "must name at least one URI for the grant type authorization_code"),
        Wrong(
            client(#""callbacks": ["https://a.example/", ¦"http://a.example/"]"#),
            "tenants[0].clients[0].callbacks[1]", redirectRule),
        Wrong(
            client(#""grant_types": ["authorization_code"], "callbacks": [¦"http://a.example/"]"#),
            "tenants[0].clients[0].callbacks[0]", redirectRule),
        Wrong(
            client(#""callbacks": [¦"javascript:alert(1)"]"#), "tenants[0].clients[0].callbacks[0]", redirectRule),
        Wrong(
            client(#""allowed_logout_urls": [¦"https://a.example/#x"]"#),
            "tenants[0].clients[0].allowed_logout_urls[0]", redirectRule),
        Wrong(
            client(
                #""token_endpoint_auth_method": "none", ¦"client_secret": "\#(Samples.secret)""#),
            "tenants[0].clients[0].client_secret",
            "must be left out: with token_endpoint_auth_method none there is no secret"),
        Wrong(
            client(#""token_endpoint_auth_method": "none", ¦"grant_types": ["client_credentials"]"#),
            "tenants[0].clients[0].grant_types",
            "client_credentials needs a confidential client, and token_endpoint_auth_method is none"),
        Wrong(
            client(#""refresh_token": {¦"leeway": "1e3"}"#), "tenants[0].clients[0].refresh_token.leeway",
            "must be a whole number from 0 to 86400"),
        Wrong(
            client(#""refresh_token": {¦"token_lifetime": "31557601"}"#),
            "tenants[0].clients[0].refresh_token.token_lifetime", "must be a whole number from 1 to 31557600"),
        Wrong(
            client(#""refresh_token": {¦"rotation_type": "sometimes"}"#),
            "tenants[0].clients[0].refresh_token.rotation_type", "must be one of rotating, non-rotating"),
        Wrong(
            client(#""refresh_token": {"token_lifetime": 60, ¦"idle_token_lifetime": 61}"#),
            "tenants[0].clients[0].refresh_token.idle_token_lifetime", "must not be longer than token_lifetime, 60"),
        Wrong(
            client(#""oidc_logout": {¦"backchannel_logout_urls": ["https://a.example/", "https://b.example/"]}"#),
            "tenants[0].clients[0].oidc_logout.backchannel_logout_urls", "may hold one URL"),
        Wrong(
            client(#""oidc_logout": {"backchannel_logout_urls": [¦"com.example:/x"]}"#),
            "tenants[0].clients[0].oidc_logout.backchannel_logout_urls[0]",
            "must be an https URL, or http on 127.0.0.1, [::1] or localhost"),
        Wrong(
            client(#"¦"logo_uri": "http://a.example/l.png""#), "tenants[0].clients[0].logo_uri",
            "must be an https URL without a fragment"),
        Wrong(
            client(#"¦"app_type": "desktop""#), "tenants[0].clients[0].app_type",
            "must be one of native, spa, regular_web, non_interactive"),
        Wrong(
            settings(#"¦"multi_factor": "sometimes""#), "tenants[0].settings.multi_factor",
            "must be one of never, when-enrolled, always"),
        Wrong(
            settings(#""session_lifetime": 3600, ¦"session_idle_lifetime": 3601"#),
            "tenants[0].settings.session_idle_lifetime", "must not be longer than session_lifetime, 3600"),
        Wrong(
            settings(#"¦"password_minimum_length": 7"#), "tenants[0].settings.password_minimum_length",
            "must be a whole number from 8 to 64"),
        Wrong(
            settings(#""brute_force_protection": {¦"attempts_per_address": 0}"#),
            "tenants[0].settings.brute_force_protection.attempts_per_address",
            "must be a whole number from 1 to 1000"),
        Wrong(
            settings(##""branding": {¦"primary_color": "#12345g"}"##), "tenants[0].settings.branding.primary_color",
            "must be # and six hexadecimal digits"),
        Wrong(
            settings(#""branding": {¦"logo_url": "data:image/png,x"}"#), "tenants[0].settings.branding.logo_url",
            "must be an https URL without a fragment"),
        Wrong(
            settings(#""allowed_logout_urls": [¦"/bye"]"#), "tenants[0].settings.allowed_logout_urls[0]",
            redirectRule),
    ]

    private static let twice = [
        Wrong(
            tenant(#""apis": [{"identifier": "a"}, {¦"identifier": "a"}]"#), "tenants[0].apis[1].identifier",
            "a is used twice"),
        Wrong(
            tenant(#""roles": [{"id": "r", "name": "r"}, {¦"id": "r", "name": "r"}]"#), "tenants[0].roles[1].id",
            "r is used twice"),
        Wrong(
            tenant(#""users": [{"user_id": "u"}, {¦"user_id": "u"}]"#), "tenants[0].users[1].user_id", "u is used twice"
        ),
        Wrong(
            tenant(#""users": [{"user_id": "u", "email": "A@b.org"}, {"user_id": "v", ¦"email": "a@B.org"}]"#),
            "tenants[0].users[1].email", "a@b.org is used twice"),
        Wrong(
            tenant(#""clients": [{"client_id": "c", "name": "c"}, {¦"client_id": "c", "name": "c"}]"#),
            "tenants[0].clients[1].client_id", "c is used twice"),
        Wrong(
            tenant(#"¦"custom_domains": ["DEV.example:443"]"#), "tenants[0].custom_domains", "dev.example is used twice"
        ),
        Wrong(
            """
            {"tenants": [
              {"id": "a", "name": "a", "host": "a.example"},
              {"id": "b", "name": "b", "host": "b.example", ¦"custom_domains": ["A.example"]}
            ]}
            """, "tenants[1].custom_domains", "a.example is used twice"),
    ]

    @Test(
        "A problem is reported with its line, column and path",
        arguments: notJSON + structure + tenants + parts + clients + connections + logIn + twice)
    func located(wrong: Wrong) throws {
        let marked = Array(wrong.text.utf8)
        let mark = Array("¦".utf8)
        let at = try #require(marked.indices.first { marked[$0...].starts(with: mark) })
        let line = marked[..<at].reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
        let column = at - (marked[..<at].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        let text = String(decoding: marked[..<at] + marked[(at + mark.count)...], as: UTF8.self)
        let failure = try #require(throws: ConfigurationFile.Failure.self) { try file(text) }
        let found = failure.lines.map { "\($0.line):\($0.column) \($0.path) \($0.message)" }
        #expect(found == ["\(line):\(column) \(wrong.path) \(wrong.message)"])
    }

    @Test("RFC 8259 8.1: a byte order mark before the text is ignored")
    func byteOrderMark() throws {
        #expect(throws: Never.self) { try file("\u{FEFF}" + Self.tenant(#""users": []"#)) }
    }

    @Test("An invalid schema is reported with the position in the schema")
    func schema() throws {
        let text = Self.tenant(
            #""apis": [{"identifier": "a", "authorization_details": [{"type": "t", "schema": {"properties": {"x": {"type": "strin"}}}}]}]"#
        )
        let failure = try #require(throws: ConfigurationFile.Failure.self) { try file(text) }
        #expect(failure.lines.map(\.path) == ["tenants[0].apis[0].authorization_details[0].schema"])
        #expect(failure.lines.first?.message.contains("/properties/x") == true)
        #expect(failure.lines.first?.line == 4)
    }

    @Test("All problems are reported in one run, in the order of the file")
    func allAtOnce() throws {
        let failure = try #require(throws: ConfigurationFile.Failure.self) {
            try file(
                """
                {
                  "tenants": [{
                    "id": "dev", "name": "Dev", "host": "dev.example",
                    "apis": [
                      {"identifer": "a"},
                      {"identifier": "b"},
                      {"identifier": "b"}
                    ],
                    "users": [
                      {"user_id": "u", "roles": ["nobody"]},
                      {"name": "U", "locale": "en", "usr_id": "u"}
                    ]
                  }],
                  "version": 2
                }
                """)
        }
        #expect(
            failure.lines.map { "\($0.line) \($0.path) \($0.message)" } == [
                "5 tenants[0].apis[0].identifier is required",
                "5 tenants[0].apis[0].identifer is not a known field; did you mean identifier?",
                "7 tenants[0].apis[2].identifier b is used twice",
                "10 tenants[0].users[0].roles nobody is no role in this file",
                "11 tenants[0].users[1].user_id is required",
                "11 tenants[0].users[1].usr_id is not a known field; did you mean user_id?",
                "14 version is not a known field",
            ])
    }

    @Test("The file is read once for the lines of any number of problems", .timeLimit(.minutes(1)))
    func manyProblems() throws {
        let users = (0..<10_000).map { #"{"user_id": "u\#($0)", "email": "nobody"}"# }.joined(separator: ",\n")
        let failure = try #require(throws: ConfigurationFile.Failure.self) {
            try file(Self.tenant("\"users\": [\n\(users)]"))
        }
        #expect(failure.lines.count == 10_000, "no address")
        #expect(failure.lines.last?.line == 10_004)
    }

    @Test("No problem's message contains a secret")
    func noSecrets() throws {
        let secret = "sEcReT-value"
        let failure = try #require(throws: ConfigurationFile.Failure.self) {
            try file(
                Self.tenant(
                    #""users": [{"user_id": "u", "password": "\#(secret)\u0000\#(String(repeating: "x", count: 80))"}], "clients": [{"client_id": "c", "name": "c", "client_secret": "\#(secret)"}, {"client_id": "d", "name": "d", "client_secret": ["\#(secret)"]}]"#
                ))
        }
        #expect(failure.lines.count == 3)
        #expect(!"\(failure)".contains(secret))
    }

    @Test("A truncated file is refused, and no changed byte crashes the program")
    func brokenEverywhere() throws {
        let text = Array(
            Self.tenant(
                #""users": [{"user_id": "u", "roles": ["r"], "name": "\u00e9\\"}], "apis": [{"identifier": "a"}]"#
            ).utf8)
        for cut in text.indices {
            for byte: UInt8 in [0x22, 0x5C, 0x7B, 0x7D, 0x5B, 0x5D, 0x2C, 0x00, 0xFF] {
                var changed = text
                changed[cut] = byte
                _ = try? ConfigurationFile(parsing: changed, now: Samples.start) { _ in nil }
            }
            #expect(throws: ConfigurationFile.Failure.self, "\(cut) bytes of it") {
                try ConfigurationFile(parsing: Array(text[..<cut]), now: Samples.start) { _ in nil }
            }
        }
    }
}
