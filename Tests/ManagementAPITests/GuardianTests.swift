import AuthorizationCore
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@Suite("Management API: factors, policies and push providers")
struct GuardianTests {
    @Test("factors are listed in Auth0's order, and the push factor is a tenant setting")
    func factors() async throws {
        let fixture = try await ManagementFixture()
        let listed = await fixture.get("/guardian/factors").json.arrayValue ?? []
        #expect(
            listed.map { $0["name"]?.stringValue } == [
                "sms", "push-notification", "otp", "email", "duo", "webauthn-roaming", "webauthn-platform",
                "recovery-code",
            ])
        #expect(listed[1] == ["name": "push-notification", "enabled": true, "trial_expired": false])
        let off = await fixture.put("/guardian/factors/push-notification", ["enabled": false])
        #expect(off.json == ["enabled": false])
        #expect(try fixture.server.tenant.settings.pushEnabled == false)
        #expect(await fixture.get("/guardian/factors").json[1]?["enabled"] == false)
        #expect(await fixture.put("/guardian/factors/push-notification", ["enabled": true]).status == 200)
        #expect(try fixture.server.tenant.settings.pushEnabled)
    }

    @Test("enabling an unsupported factor: 400 operation_not_supported")
    func unsupported() async throws {
        let fixture = try await ManagementFixture()
        for name in ["sms", "email", "duo", "webauthn-roaming", "webauthn-platform", "recovery-code"] {
            let on = await fixture.put("/guardian/factors/\(name)", ["enabled": true])
            #expect(on.status == 400)
            #expect(on.code == "operation_not_supported")
            #expect(await fixture.put("/guardian/factors/\(name)", ["enabled": false]).status == 200)
        }
        #expect(await fixture.put("/guardian/factors/otp", ["enabled": false]).code == "operation_not_supported")
        #expect(await fixture.put("/guardian/factors/otp", ["enabled": true]).status == 200)
        #expect(await fixture.put("/guardian/factors/none", ["enabled": true]).code == "invalid_uri")
        #expect(try await fixture.server.auditKinds().contains("sapi") == false, "nothing changed")
    }

    @Test(
        "the policy requires a second factor of everybody, and removing it restores the former setting",
        arguments: [MultiFactorPolicy.never, .whenEnrolled])
    func policies(former: MultiFactorPolicy) async throws {
        let fixture = try await ManagementFixture { $0.tenant.settings.multiFactor = former }
        #expect(await fixture.get("/guardian/policies").json == [])
        #expect(await fixture.put("/guardian/policies", []).json == [])
        #expect(try fixture.server.tenant.settings.multiFactor == former)
        #expect(await fixture.put("/guardian/policies", ["all-applications"]).json == ["all-applications"])
        #expect(try fixture.server.tenant.settings.multiFactor == .always)
        #expect(await fixture.get("/guardian/policies").json == ["all-applications"])
        #expect(await fixture.put("/guardian/policies", ["confidence-score"]).code == "operation_not_supported")
        #expect(await fixture.put("/guardian/policies", []).status == 200)
        #expect(try fixture.server.tenant.settings.multiFactor == former)
    }

    @Test("prompts/mfa-push is the app that pages recommend, with Auth0's members and an icon")
    func approvalApp() async throws {
        let fixture = try await ManagementFixture()
        let path = "/prompts/mfa-push"
        #expect(await fixture.get(path).json == [:])
        let app: JSONValue = [
            "app_name": "CustomApp", "apple_app_link": "https://itunes.apple.com/us/app/my-app/id123121",
            "google_app_link": "https://play.google.com/store/apps/details?id=com.my.app",
            "icon_url": "https://cdn.example/icon.png",
        ]
        #expect(await fixture.patch(path, app).json == app)
        #expect(await fixture.get(path).json == app)
        #expect(await fixture.get("/tenants/settings")["approval_app"] == app)
        #expect(try fixture.server.tenant.settings.approvalApp.google?.host == "play.google.com")
        let fewer = await fixture.patch(path, ["icon_url": nil, "google_app_link": "", "app_name": "Other"])
        #expect(
            fewer.json == ["app_name": "Other", "apple_app_link": "https://itunes.apple.com/us/app/my-app/id123121"])
        for link in [
            "http://apps.example", "javascript:alert(1)", "https://a@b.example", "https://x.example/#a", "x",
            "https://.", "https://a..b/", "https://a.example./", "https://-a.example/", "https://x.example:+80/",
            "https://x.example:/", "https://x.example:65536/", "https://x.example:000080/",
        ] {
            let refused = await fixture.patch(path, ["google_app_link": .string(link)])
            #expect(refused.status == 400 && refused.code == "invalid_body", "\(link)")
        }
        #expect(await fixture.patch(path, ["app_nam": "x"]).status == 400)
        #expect(await fixture.get(path).json == fewer.json)
        let cleared = await fixture.patch("/tenants/settings", ["approval_app": nil])
        #expect(cleared.status == 200)
        #expect(await fixture.get(path).json == [:])
        let prompts = try await ManagementFixture(scopes: ["update:prompts"])
        #expect(await prompts.patch(path, ["app_name": "x"]).status == 200)
        let settings = try await ManagementFixture(scopes: ["update:tenant_settings"])
        #expect(await settings.patch("/tenants/settings", ["approval_app": ["app_name": "x"]]).status == 403)
    }

    @Test("the choice of the push provider is stored")
    func selection() async throws {
        let fixture = try await ManagementFixture()
        let path = "/guardian/factors/push-notification/selected-provider"
        #expect(await fixture.get(path).json == ["provider": "guardian"])
        #expect(await fixture.put(path, ["provider": "direct"]).json == ["provider": "direct"])
        #expect(await fixture.get(path).json == ["provider": "direct"])
        #expect(await fixture.put(path, ["provider": "pigeon"]).code == "invalid_body")
    }

    private static let providers = "/guardian/factors/push-notification/providers"

    @Test("a push provider's secrets are sealed, not shown and not in the audit log")
    func apns() async throws {
        let fixture = try await ManagementFixture()
        let path = Self.providers + "/apns"
        let secret = KeyFiles.current
        #expect(await fixture.get(path).json == ["bundle_id": nil, "sandbox": nil, "enabled": false])
        let set = await fixture.put(path, ["sandbox": true, "bundle_id": "com.example", "p12": .string(secret)])
        #expect(set.json == ["sandbox": true, "bundle_id": "com.example"])
        #expect(await fixture.get(path).json == ["bundle_id": "com.example", "sandbox": true, "enabled": true])
        #expect(await fixture.patch(path, ["sandbox": false]).json == ["sandbox": false, "bundle_id": "com.example"])
        #expect(await fixture.get(path).json == ["bundle_id": "com.example", "sandbox": false, "enabled": true])
        let rows = try await fixture.server.dump().joined()
        #expect(!rows.contains(secret))
        let log = try await fixture.server.auditText()
        #expect(!log.contains(secret) && log.contains("p12"))
        #expect(await fixture.put(path, ["bundle_id": "com.other"]).json == ["bundle_id": "com.other"])
        #expect(await fixture.get(path)["enabled"] == false, "PUT replaces the secret, too")
        for text in ["no Base64!", "AAAA", String(secret.dropLast(4)), secret + "AAAA", "MAMCAQM="] {
            #expect(await fixture.put(path, ["p12": .string(text)]).code == "invalid_body", "\(text)")
        }
        #expect(await fixture.put(path, ["password": "x"]).code == "invalid_body")
    }

    @Test("Firebase and Amazon settings are answered as by Auth0")
    func others() async throws {
        let fixture = try await ManagementFixture()
        #expect(await fixture.put(Self.providers + "/fcm", ["server_key": "k"]).json == [:])
        #expect(await fixture.get(Self.providers + "/fcm").json == ["enabled": true])
        let key = try OpenSSLSigner.generate(algorithm: .rs256).exportPKCS8().bytes
        let pem = "-----BEGIN PRIVATE KEY-----\n\(Base64.encode(key))\n-----END PRIVATE KEY-----\n"
        let account = JSONWriter.string([
            "project_id": "p", "client_email": "a@b.example", "private_key": .string(pem),
        ])
        #expect(
            await fixture.patch(Self.providers + "/fcmv1", ["server_credentials": .string(account)]).json == [:])
        #expect(await fixture.put(Self.providers + "/fcmv1", ["server_credentials": "{}"]).code == "invalid_body")
        let amazon = await fixture.put(
            Self.providers + "/sns",
            ["aws_access_key_id": "id", "aws_secret_access_key": "very-secret", "aws_region": "eu-west-1"])
        #expect(amazon.json == ["aws_access_key_id": "id", "aws_region": "eu-west-1"])
        #expect(
            await fixture.get(Self.providers + "/sns").json == [
                "aws_access_key_id": "id", "aws_region": "eu-west-1", "sns_apns_platform_application_arn": nil,
                "sns_gcm_platform_application_arn": nil, "enabled": true,
            ])
        #expect(await fixture.patch(Self.providers + "/sns", ["aws_secret_access_key": nil]).status == 200)
        #expect(await fixture.get(Self.providers + "/sns")["enabled"] == false)
    }

    @Test("scopes for reading factors do not permit changes")
    func scopes() async throws {
        let reader = try await ManagementFixture(scopes: ["read:guardian_factors", "read:mfa_policies"])
        #expect(await reader.get("/guardian/factors").status == 200)
        #expect(await reader.put("/guardian/factors/push-notification", ["enabled": false]).status == 403)
        #expect(await reader.put("/guardian/policies", []).status == 403)
        #expect(await reader.put(Self.providers + "/fcm", ["server_key": "k"]).status == 403)
        #expect(await reader.get("/tenants/settings").status == 403)
    }
}
