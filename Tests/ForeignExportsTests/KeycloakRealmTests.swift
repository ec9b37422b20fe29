@testable import ForeignExports
import Primitives
import Testing

@Suite("A realm of Keycloak in this server's terms")
struct KeycloakRealmTests {
    private let move: SettledMove
    private let entry: JSONValue
    private var report: MoveReport { move.report }

    init() throws {
        move = try Exports.settled(try Exports.keycloak())
        entry = try Exports.entry(move)
    }

    private func client(_ id: String) -> JSONValue? { entry["clients"]?.element("client_id", id) }
    private func user(_ name: String) -> JSONObject? { move.users.first { $0["username"]?.stringValue == name } }

    @Test("Clients keep id and secret; redirect URIs with wildcards are left out and named")
    func clients() throws {
        let web = try #require(client("storefront"))
        #expect(web["client_secret"] == "0123456789abcdef0123456789abcdef")
        #expect(
            web["callbacks"] == ["https://shop.northwind.example/callback", "https://shop.northwind.example/silent"])
        #expect(web["web_origins"] == ["https://www.northwind.example"])
        #expect(web["allowed_logout_urls"] == ["https://shop.northwind.example/bye"])
        #expect(web["grant_types"] == ["authorization_code", "refresh_token"])
        #expect(web["require_proof_key"] == true && web["is_first_party"] == false)
        #expect(web["refresh_token"]?["rotation_type"] == "rotating")
        #expect(web["jwt_configuration"]?["alg"] == "ES256")
        #expect(report.difference("storefront", "redirectUris")?.was == "https://preview.northwind.example/*")
        #expect(report.difference("storefront", "directAccessGrantsEnabled") != nil)
        let agent = try #require(client("payment-agent"))
        #expect(
            agent["grant_types"] == ["client_credentials", "refresh_token", "urn:openid:params:grant-type:ciba"])
        #expect(report.difference("payment-agent", "attributes.ciba.backchannel.token.delivery.mode")?.here == "poll")
        #expect(client("kiosk")?["client_secret"]?.stringValue?.count == 64)
        #expect(report.difference("kiosk", "client_secret")?.was.hasPrefix("5 bytes") == true)
        #expect(client("phone-app")?["token_endpoint_auth_method"] == "none")
        #expect(client("wild")?["grant_types"] == [])
        #expect(client("ledger")?["jwks_uri"] == "https://ledger.northwind.example/jwks")
        #expect(client("bank")?["token_endpoint_auth_method"] == "tls_client_auth")
        for name in ["account", "orders", "legacy", "retired"] {
            #expect(client(name) == nil && report.absence(name) != nil, "\(name)")
        }
    }

    @Test("Client roles are scopes of an API, and roles have the scopes of all that they include")
    func roles() throws {
        let api = try #require(entry["apis"]?.element("identifier", "orders"))
        #expect(api["scopes"]?.arrayValue?.compactMap { $0["value"]?.stringValue } == ["read", "pay"])
        #expect(api["enforce_policies"] == true && api["token_lifetime"] == 300)
        #expect(entry["apis"]?.element("identifier", "northwind")?["scopes"]?[0]?["value"] == "catalogue:read")
        #expect(entry["settings"]?["default_audience"] == "northwind")
        let lead = try #require(entry["roles"]?.element("id", "team-lead"))
        #expect(
            lead["permissions"]?.arrayValue?.compactMap { $0["permission_name"]?.stringValue } == ["pay", "read"])
        #expect(entry["roles"]?.element("id", "customer")?["permissions"] == [])
        #expect(entry["roles"]?.element("id", "offline_access") == nil)
        #expect(user("ann")?["roles"] == ["customer", "orders:read", "team-lead"])
        #expect(user("ben")?["roles"] == ["customer", "orders:pay"])
        let grants = client("payment-agent")?["client_grants"]
        #expect(grants?.element("audience", "orders")?["scope"] == ["pay", "read"])
        #expect(user("service-account-payment-agent") == nil)
    }

    @Test("Hashes and codes become the members of Auth0's users import")
    func credentials() throws {
        let ann = try #require(user("ann"))
        #expect(ann["user_id"] == "u-ann" && ann["email"] == "ann@northwind.example" && ann["blocked"] == false)
        #expect(ann["username"] == "ann" && ann["roles"] != nil)
        #expect(ann["name"] == "Ann Example" && ann["app_metadata"]?["team"] == "web")
        #expect(ann["app_metadata"]?["sites"] == ["ZRH", "BSL"])
        let hash = try #require(ann["custom_password_hash"])
        #expect(hash["algorithm"] == "pbkdf2" && hash["hash"]?["encoding"] == "utf8")
        #expect(
            hash["hash"]?["value"]?.stringValue?.hasPrefix("$pbkdf2-sha256$i=27500,l=64$c2FsdHNhbHRzYWx0c2FsdA$")
                == true)
        // Without an encoding, Keycloak's key is the text itself.
        #expect(
            user("fay")?["mfa_factors"] == [
                [
                    "totp": [
                        "secret": .string(Base32.encode(Array("aB3dE6gH9jK2mN5pQ8sT".utf8))), "algorithm": "sha256",
                        "digits": 8, "period": 60, "name": "Work phone",
                    ]
                ],
                ["totp": ["secret": "JBSWY3DPEHPK3PXP", "algorithm": "sha1", "digits": 6, "period": 30]],
            ])
        // Codes of a counter do not come.
        #expect(user("eve")?["mfa_factors"] == nil)
        #expect(report.differs.contains { $0.was == "one-time passwords" && $0.here == "none" })
        let argon = user("ben")?["custom_password_hash"]
        #expect(argon?["algorithm"] == "argon2")
        #expect(
            argon?["hash"]?["value"]?.stringValue?.hasPrefix("$argon2id$v=19$m=7168,t=5,p=1$c2FsdHNhbHRzYWx0c2FsdA$")
                == true)
        #expect(user("cyd")?["blocked"] == true)
        #expect(
            user("cyd")?["custom_password_hash"]?["hash"]?["value"]?.stringValue?.hasPrefix(
                "$pbkdf2-sha512$i=210000,l=64$") == true)
        #expect(user("dan")?["custom_password_hash"] == nil)
        #expect(user("eve")?["custom_password_hash"]?["algorithm"] == "bcrypt")
        #expect(user("fay")?["custom_password_hash"] == nil)
        #expect(
            report.differs.contains { $0.was == "webauthn" } && report.differs.contains { $0.was == "scrypt-custom" })
        #expect(report.came.contains { $0.subjects.kind == "user" && $0.subjects.count == 6 })
    }

    @Test("An address that is also the username is the address alone")
    func addressAsName() throws {
        let users = try Exports.keycloak { text in
            text = text.replacing(#""username": "ben""#, with: #""username": "Ben@northwind.example""#)
        }.users
        let ben = try #require(users.first { $0["email"] == "ben@northwind.example" })
        #expect(ben["username"] == nil)
    }

    @Test("Settings, providers and the mail server")
    func settings() throws {
        let settings = entry["settings"]
        #expect(settings?["session_lifetime"] == 36_000 && settings?["session_idle_lifetime"] == 1800)
        #expect(settings?["refresh_token_lifetime"] == 5_184_000 && settings?["poll_interval"] == 7)
        #expect(settings?["password_minimum_length"] == 12)
        #expect(settings?["brute_force_protection"] == ["attempts_per_account": 30, "window": 43_200])
        #expect(entry["email_provider"]?["credentials"]?["smtp_port"] == 587)
        let staff = try #require(entry["connections"]?.element("name", "staff-login"))
        #expect(staff["options"]?["scope"] == "openid profile email")
        #expect(report.difference("staff_login", "alias")?.here == "staff-login")
        #expect(report.absence("github")?.instead.contains("no secret of the provider") == true)
        #expect(entry["connections"]?.element("strategy", "auth0")?["options"]?["disable_signup"] == true)
        #expect(report.differs.contains { $0.member == "passwordPolicy" && $0.was == "digits(1)" })
    }

    @Test("The report holds no secret of the realm")
    func secrets() {
        let text = JSONWriter.string(report.json)
        for secret in [
            "0123456789abcdef0123456789abcdef", "agent-secret-of", "registration-token-of", "the-secret-of-the-staff",
            "the-password-of-the-mail", "MIIEPRIVATEKEY", "plain-password-of-fay", "c2FsdHNhbHRzYWx0c2FsdA",
            "kNQ5Zt0uQvYw1rXbT7aM",
        ] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }

    @Test("The same export gives the same ids each time")
    func stable() throws {
        let again = try Exports.settled(try Exports.keycloak())
        #expect(again.file == move.file && again.users == move.users && again.report == move.report)
    }
}
