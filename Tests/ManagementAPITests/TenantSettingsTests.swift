import AuthorizationCore
import Configuration
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Management API: tenant settings")
struct TenantSettingsTests {
    private static let path = "/tenants/settings"

    @Test("lifetimes are in hours in the API and in seconds in the configuration")
    func hours() async throws {
        let fixture = try await ManagementFixture()
        let settings = await fixture.get(Self.path).json
        #expect(settings["session_lifetime"] == 168)
        #expect(settings["idle_session_lifetime"] == 72)
        let half = JSONValue.number(try JSONNumber(0.5).orThrow("no number"))
        let changed = await fixture.patch(Self.path, ["session_lifetime": 12, "idle_session_lifetime": half])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed["idle_session_lifetime"]?.doubleValue == 0.5)
        #expect(try fixture.server.tenant.settings.sessionLifetime == 43_200)
        #expect(try fixture.server.tenant.settings.sessionIdleLifetime == 1800)
        #expect(await fixture.patch(Self.path, ["session_lifetime": nil])["session_lifetime"] == 168)
        let tooLong = await fixture.patch(Self.path, ["idle_session_lifetime": 200])
        #expect(tooLong.code == "invalid_body")
        #expect(tooLong.message.contains("idle_session_lifetime"))
        let shorter = await fixture.patch(Self.path, ["session_lifetime": 10, "idle_session_lifetime": 72])
        #expect(shorter.message.contains("idle_session_lifetime"), "a member that was sent is not changed")
        let followed = await fixture.patch(Self.path, ["session_lifetime": nil, "idle_session_lifetime": nil])
        #expect(followed["idle_session_lifetime"] == 72)
        #expect(await fixture.patch(Self.path, ["session_lifetime": 10])["idle_session_lifetime"] == 10)
        #expect(await fixture.patch(Self.path, ["session_lifetime": 0]).code == "invalid_body")
    }

    @Test("approvals are kept for 400 days, or for 1 day to 10 years")
    func approvalRetention() async throws {
        let fixture = try await ManagementFixture()
        let days = 86_400
        #expect(await fixture.get(Self.path).json["approval_retention"]?.intValue == 400 * days)
        for (seconds, status) in [(days, 200), (days - 1, 400), (3650 * days, 200), (3650 * days + 1, 400)] {
            let answer = await fixture.patch(
                Self.path, ["approval_retention": .number(JSONNumber(seconds))])
            #expect(answer.status == status, "\(seconds): \(answer.text)")
        }
        #expect(try fixture.server.tenant.settings.approvalRetention == 3650 * days)
        #expect(
            await fixture.patch(Self.path, ["approval_retention": nil])["approval_retention"]?.intValue == 400 * days)
    }

    @Test("the OpenAPI document lists every setting, and answers are never null")
    func described() async throws {
        let operations = try await ManagementFixture.paths["/api/v2/tenants/settings"]
        func members(_ content: JSONValue?) -> JSONObject {
            content?["content"]?["application/json"]?["schema"]?["properties"]?.objectValue ?? [:]
        }
        let accepted = members(operations?["patch"]?["requestBody"])
        let answered = members(operations?["patch"]?["responses"]?["200"])
        for field in TenantSettings.fields.all where field.name != "session_idle_lifetime" {
            #expect(accepted[field.name]?["type"]?.arrayValue?.last == "null", "\(field.name)")
            #expect(answered[field.name]?["type"]?.stringValue != nil, "\(field.name)")
        }
        func nested(_ members: JSONObject) -> [JSONValue] {
            (members["brute_force_protection"]?["properties"]?.objectValue ?? [:]).compactMap { $0.value["type"] }
        }
        #expect(!nested(accepted).isEmpty && nested(accepted).allSatisfy { $0.arrayValue?.last == "null" })
        #expect(!nested(answered).isEmpty && nested(answered).allSatisfy { $0.stringValue != nil })
    }

    @Test(
        "objects that settings reference must exist",
        arguments: [
            (["default_audience": "https://nowhere.example/"], "default_audience"),
            (["default_directory": "nowhere"], "default_directory"), (["enabled_locales": ["en", "tlh"]], "[1]"),
        ] as [(JSONValue, String)])
    func references(patch: JSONValue, place: String) async throws {
        let fixture = try await ManagementFixture()
        let before = await fixture.get(Self.path).json
        let answer = await fixture.patch(Self.path, patch)
        #expect(answer.code == "invalid_body", "\(answer.text)")
        #expect(answer.message.contains(place), "\(answer.message)")
        #expect(await fixture.get(Self.path).json == before)
    }

    @Test(
        "page links and default_redirection_uri are https URLs",
        arguments: ["support_url", "privacy_url", "terms_url", "default_redirection_uri"])
    func links(name: String) async throws {
        let fixture = try await ManagementFixture()
        let set = await fixture.patch(Self.path, [name: "https://www.example/x"])
        #expect(set.status == 200 && set[name] == "https://www.example/x", "\(set.text)")
        let settings = try fixture.server.tenant.settings
        let all = [
            settings.links.support, settings.links.privacy, settings.links.terms, settings.defaultRedirectionURL,
        ]
        #expect(all.compactMap(\.self) == ["https://www.example/x"])
        for wrong in ["http://www.example/", "javascript:alert(1)", "https://www.example/#x"] {
            let refused = await fixture.patch(Self.path, [name: .string(wrong)])
            #expect(refused.code == "invalid_body" && refused.message.contains(name), "\(refused.text)")
        }
        #expect(await fixture.patch(Self.path, [name: ""])[name] == nil)
        #expect(try fixture.server.tenant.settings.links == PageLinks())
    }

    @Test("an empty text clears a reference")
    func cleared() async throws {
        let fixture = try await ManagementFixture()
        let audience = JSONValue.string(Samples.api)
        let set = await fixture.patch(
            Self.path,
            [
                "default_audience": audience, "default_directory": "Username-Password-Authentication",
                "enabled_locales": ["fr", "en-GB"],
            ])
        #expect(set["default_audience"] == audience, "\(set.text)")
        #expect(set["default_directory"] == "Username-Password-Authentication")
        let cleared = await fixture.patch(Self.path, ["default_audience": "", "default_directory": ""])
        #expect(cleared.status == 200, "\(cleared.text)")
        #expect(try fixture.server.tenant.settings.defaultAudience == nil)
    }

    @Test("Auth0's names map to this server's settings, and its other settings have their own names")
    func names() async throws {
        let fixture = try await ManagementFixture()
        let answer = await fixture.patch(
            Self.path,
            [
                "friendly_name": "Bank", "picture_url": "https://img.example/logo.png",
                "default_audience": .string(Samples.api), "allowed_logout_urls": ["https://bank.example/bye"],
                "poll_interval": 7, "multi_factor": "when-enrolled", "branding": ["primary_color": "#aabbcc"],
                "authorization_details_limits": ["entries": 3], "require_proof_key": true,
            ])
        #expect(answer.status == 200, "\(answer.text)")
        let tenant = try fixture.server.tenant
        #expect(tenant.name == "Bank")
        #expect(tenant.settings.branding.logoURL == "https://img.example/logo.png")
        #expect(tenant.settings.branding.primaryColor == "#aabbcc")
        #expect(tenant.settings.defaultAudience == Samples.api)
        #expect(tenant.settings.allowedLogoutURLs == ["https://bank.example/bye"])
        #expect(tenant.settings.pollInterval == 7)
        #expect(tenant.settings.requiresProofKey)
        #expect(tenant.settings.multiFactor == .whenEnrolled)
        #expect(tenant.settings.authorizationDetailsLimits.entries == 3)
        #expect(tenant.settings.authorizationDetailsLimits.bytes == TenantSettings().authorizationDetailsLimits.bytes)
        #expect(answer["picture_url"] == "https://img.example/logo.png")
        _ = await fixture.patch(
            Self.path, ["picture_url": nil, "friendly_name": nil, "default_audience": nil, "allowed_logout_urls": nil])
        let reset = try fixture.server.tenant
        #expect(reset.name == "dev")
        #expect(reset.settings.branding.logoURL == nil)
        #expect(reset.settings.branding.primaryColor == "#aabbcc")
        #expect(reset.settings.defaultAudience == nil)
        #expect(reset.settings.allowedLogoutURLs.isEmpty)
    }

    @Test("settings without effect are stored: objects are merged, and null deletes")
    func kept() async throws {
        let fixture = try await ManagementFixture()
        _ = await fixture.patch(
            Self.path,
            [
                "support_email": "help@bank.example", "flags": ["revoke_refresh_token_grant": true, "other": false],
                "session_cookie": ["mode": "persistent"], "sessions": ["a": ["b": 1, "c": 2]],
            ])
        let merged = await fixture.patch(
            Self.path, ["flags": ["other": nil], "sessions": ["a": ["b": nil]], "support_email": nil])
        #expect(merged["flags"] == ["revoke_refresh_token_grant": true])
        #expect(merged["sessions"] == ["a": ["c": 2]])
        #expect(merged["session_cookie"] == ["mode": "persistent"])
        #expect(merged["support_email"] == nil)
        let shown = merged.json.objectValue?.patched(with: ["warnings": nil])
        #expect(await fixture.get(Self.path).json.objectValue == shown)
        #expect(await fixture.get(Self.path + "?fields=flags").json == ["flags": ["revoke_refresh_token_grant": true]])
    }

    @Test("errors name the property, and nothing changes")
    func wrong() async throws {
        let fixture = try await ManagementFixture()
        let before = await fixture.get(Self.path).json
        let bodies: [(JSONValue, String)] = [
            (["poll_interval": 0], "poll_interval"), (["friendly_name": "", "poll_interval": 9], "friendly_name"),
            (["picture_url": "http://plain.example/", "poll_interval": 9], "logo_url"),
            (["pending_requests": "many"], "pending_requests"), (["flags": []], "flags"), ([], ""),
            (["session_cookie": ["mode": "sometimes"]], "mode"),
            (["sessions": .string(String(repeating: "x", count: 70_000))], "bytes"),
        ]
        for (body, property) in bodies {
            let answer = await fixture.patch(Self.path, body)
            #expect(answer.code == "invalid_body", "\(answer.text)")
            #expect(answer.message.contains(property), "\(answer.message)")
        }
        #expect(await fixture.get(Self.path).json == before)
    }

    @Test("the audit log names changed settings without values; an update without changes is not logged")
    func audit() async throws {
        let fixture = try await ManagementFixture()
        _ = await fixture.patch(Self.path, ["support_email": "somebody@bank.example", "poll_interval": 8])
        let log = try await fixture.server.auditText()
        #expect(log.contains("support_email") && log.contains("poll_interval"))
        #expect(!log.contains("somebody@bank.example"))
        let count = try await fixture.server.auditKinds().count
        _ = await fixture.patch(Self.path, ["poll_interval": 8])
        #expect(try await fixture.server.auditKinds().count == count)
    }
}
