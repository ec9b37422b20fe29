import AuthorizationCore
import HTTPModel
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

    /// A certificate without a password, written by OpenSSL.
    private static let p12 = [
        "MIIB2AIBAzCCAdEGCSqGSIb3DQEHAaCCAcIEggG+MIIBujCCAbYGCSqGSIb3DQEHAaCCAacEggGjMIIBnzCCAZsGCyqGSIb3",
        "DQEMCgEDoIIBijCCAYYGCiqGSIb3DQEJFgGgggF2BIIBcjCCAW4wggEToAMCAQICFG8DAhv8kP37q22DxsqZ/jSqCMI+MAoG",
        "CCqGSM49BAMCMAwxCjAIBgNVBAMMAWEwHhcNMjYxMTIxMjEwOTE3WhcNMjYxMTIyMjEwOTE3WjAMMQowCAYDVQQDDAFhMFkw",
        "EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEMeKbd0t6CTf5d6+KfdLVausDAE8ZG3xCPhkBrAt+JBsdun8GMfJWOIXlvfTwj08M",
        "uV3HNpw90yiT4FTFDTSPZqNTMFEwHQYDVR0OBBYEFGYElcDXVRlfq15+TFisTBxFp5LzMB8GA1UdIwQYMBaAFGYElcDXVRlf",
        "q15+TFisTBxFp5LzMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhANRKwDJjXFJtWJl3/hdcYUaoxrI/3W4/",
        "wM4lnTmt4QqlAiEAgFET1ACekOVnBLV3b0UQPenRs30PJERU1Fam6mtuneA=",
    ].joined()

    @Test("a push provider's secrets are sealed, not shown and not in the audit log")
    func apns() async throws {
        let fixture = try await ManagementFixture()
        let path = Self.providers + "/apns"
        let secret = Self.p12
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
        let account = #"{"project_id":"p","client_email":"a@b.example","private_key":"k"}"#
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
