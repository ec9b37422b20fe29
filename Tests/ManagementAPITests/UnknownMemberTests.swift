import AuthorizationCore
import Configuration
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Management API: members that nobody knows")
struct UnknownMemberTests {
    private static let misspelt: [(HTTPMethod, String, JSONObject, wrong: String, meant: String)] = [
        (.post, "/clients", ["name": "A", "grant_type": ["client_credentials"]], "grant_type", "grant_types"),
        (
            .patch, "/clients/agent", ["async_approval_notification_chanels": ["page"]],
            "async_approval_notification_chanels", "async_approval_notification_channels"
        ),
        (.patch, "/clients/agent", ["require_proof_keys": nil], "require_proof_keys", "require_proof_key"),
        (.patch, "/clients/agent", ["refresh_token": ["leway": 5]], "refresh_token.leway", "leeway"),
        (.patch, "/clients/agent", ["jwt_configuration": ["algo": "RS256"]], "jwt_configuration.algo", "alg"),
        (
            .post, "/resource-servers", ["identifier": "https://a.example/", "evidense": "passkey"], "evidense",
            "evidence"
        ),
        (
            .post, "/resource-servers",
            ["identifier": "https://a.example/", "authorization_details": [["type": "a", "evidense": "passkey"]]],
            "authorization_details[0].evidense", "evidence"
        ),
        (.patch, "/tenants/settings", ["multi_facor": "always"], "multi_facor", "multi_factor"),
        (
            .patch, "/tenants/settings", ["brute_force_protection": ["windw": 60]], "brute_force_protection.windw",
            "window"
        ),
        (
            .post, "/connections", ["name": "db2", "strategy": "auth0", "options": ["disable_singup": true]],
            "options.disable_singup", "disable_signup"
        ),
        (
            .post, "/client-grants", ["client_id": "agent", "audience": .string(Samples.api), "scopes": []], "scopes",
            "scope"
        ),
        (.post, "/roles", ["name": "A", "descripton": "B"], "descripton", "description"),
        (.post, "/users", ["connection": "x", "emial": "a@example.com"], "emial", "email"),
        (
            .post, "/emails/provider", ["name": "resend", "credentials": ["api_key": "k"], "enable": true], "enable",
            "enabled"
        ),
        (.put, "/guardian/factors/push-notification", ["enable": true], "enable", "enabled"),
    ]

    @Test("An unknown member is refused with the nearest known one, and nothing changes", arguments: misspelt)
    func refused(_ method: HTTPMethod, path: String, body: JSONObject, wrong: String, meant: String) async throws {
        let fixture = try await ManagementFixture()
        let before = try await fixture.server.dump()
        let answer = await fixture.send(method, path, .object(body))
        #expect(answer.status == 400 && answer.code == "invalid_body", "\(answer.text)")
        #expect(
            answer.message.contains("is not a known field; did you mean \(meant)?' on property \(wrong)"),
            "\(answer.message)")
        #expect(try await fixture.server.dump() == before)
    }

    @Test("Members that Auth0 documents are taken, kept where they were before, and named in warnings and the log")
    func taken() async throws {
        let fixture = try await ManagementFixture()
        let bodies: [(HTTPMethod, String, JSONObject, names: [String])] = [
            (
                .patch, "/clients/agent", ["sso": true, "jwt_configuration": ["scopes": [:]]],
                ["jwt_configuration.scopes", "sso"]
            ),
            (
                .post, "/resource-servers", ["identifier": "https://a.example/", "allow_online_access": true],
                ["allow_online_access"]
            ),
            (
                .patch, "/tenants/settings", ["sandbox_version": "22", "flags": ["x": true]],
                ["flags", "sandbox_version"]
            ),
            (.post, "/roles", ["name": "A", "owner_id": "x"], ["owner_id"]),
        ]
        for (method, path, body, names) in bodies {
            let answer = await fixture.send(method, path, .object(body))
            #expect(answer.status < 300, "\(answer.text)")
            #expect(answer["warnings"]?.stringsValue?.sorted() == names.map { "\($0) has no effect on this server" })
        }
        let plain = await fixture.patch("/clients/agent", ["jwt_configuration": nil])
        #expect(plain.status == 200 && plain["warnings"] == nil, "\(plain.text)")
        #expect(plain["sso"] == true)
    }

    @Test("A setting's former name still works, with a warning, but not beside the new one")
    func formerName() async throws {
        let fixture = try await ManagementFixture()
        let path = "/tenants/settings"
        let answer = await fixture.patch(path, ["log_ins_per_minute_per_address": 17])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer["logins_per_minute_per_address"] == 17)
        #expect(
            answer["warnings"] == ["log_ins_per_minute_per_address is called logins_per_minute_per_address now"])
        #expect(try fixture.server.tenant.settings.loginsPerMinutePerAddress == 17)
        let both = await fixture.patch(
            path, ["log_ins_per_minute_per_address": 17, "logins_per_minute_per_address": 18])
        #expect(both.code == "invalid_body", "\(both.text)")
    }
}
