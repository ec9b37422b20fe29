import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Management API: e-mail")
struct EmailTests {
    private static let provider = "/emails/provider"

    @Test("a provider is created, changed and deleted; its secrets are never shown")
    func life() async throws {
        let fixture = try await ManagementFixture()
        let none = await fixture.get(Self.provider)
        #expect(none.status == 404)
        #expect(none.code == "inexistent_email_provider")
        #expect(none.message == "There is not a configured email provider")
        let body: JSONValue = [
            "name": "smtp", "default_from_address": "a@bank.example",
            "credentials": [
                "smtp_host": "mail.example", "smtp_port": 587, "smtp_user": "u", "smtp_pass": "top-secret",
            ],
        ]
        let created = await fixture.post(Self.provider, body)
        #expect(created.status == 201, "\(created.text)")
        #expect(
            created.json == [
                "name": "smtp", "enabled": true, "default_from_address": "a@bank.example",
                "credentials": ["smtp_host": "mail.example", "smtp_port": 587, "smtp_user": "u"],
            ])
        #expect(await fixture.post(Self.provider, body).code == "email_provider_conflict")
        for other: JSONValue in [["smtp_host": "evil.example"], ["smtp_port": 25], ["smtp_user": "v"]] {
            let refused = await fixture.patch(Self.provider, ["credentials": other])
            #expect(refused.code == "invalid_body", "the password would go to another place: \(other)")
            #expect(refused.message.contains("credentials.smtp_pass"), "\(refused.message)")
        }
        let changed = await fixture.patch(
            Self.provider,
            [
                "enabled": false, "credentials": ["smtp_port": 25, "smtp_pass": "top-secret"],
                "default_from_address": nil,
            ])
        #expect(
            changed.json == [
                "name": "smtp", "enabled": false,
                "credentials": ["smtp_host": "mail.example", "smtp_port": 25, "smtp_user": "u"],
            ])
        #expect(await fixture.patch(Self.provider, ["credentials": ["smtp_pass": "another-secret"]]).status == 200)
        for secret in ["top-secret", "another-secret"] {
            #expect(try await fixture.server.dump().joined().contains(secret) == false)
            #expect(try await fixture.server.auditText().contains(secret) == false)
        }
        #expect(await fixture.delete(Self.provider).status == 204)
        #expect(await fixture.get(Self.provider).status == 404)
    }

    @Test("only the region of Amazon's credentials is shown; another provider needs its own credentials")
    func another() async throws {
        let fixture = try await ManagementFixture()
        let created = await fixture.post(
            Self.provider,
            [
                "name": "ses",
                "credentials": ["accessKeyId": "id", "secretAccessKey": "key-secret", "region": "eu-west-1"],
            ])
        #expect(created["credentials"] == ["region": "eu-west-1"])
        #expect(await fixture.patch(Self.provider, ["name": "resend"]).code == "invalid_body")
        let changed = await fixture.patch(Self.provider, ["name": "resend", "credentials": ["api_key": "k"]])
        #expect(changed.json == ["name": "resend", "enabled": true, "credentials": [:]])
    }

    private static let wrong: [JSONValue] = [
        ["name": "pigeon", "credentials": [:]], ["name": "sendgrid"], ["name": "sendgrid", "credentials": [:]],
        ["name": "sendgrid", "credentials": ["api_key": 5]], ["name": "sendgrid", "credentials": ["api_key": ""]],
        ["name": "sendgrid", "credentials": ["api_key": "k", "region": "eu"]],
        ["name": "smtp", "credentials": ["smtp_host": "h", "smtp_port": 70_000]],
        ["name": "custom", "credentials": [:], "unknown": 1],
    ]

    @Test("credentials that do not fit the provider are refused", arguments: wrong)
    func refused(body: JSONValue) async throws {
        let fixture = try await ManagementFixture()
        #expect(await fixture.post(Self.provider, body).code == "invalid_body")
        #expect(await fixture.get(Self.provider).status == 404)
    }

    private static let template: JSONValue = [
        "template": "async_approval", "body": "<p>{{ url }}</p>", "from": "a@bank.example", "subject": "Please answer",
        "syntax": "liquid", "enabled": true,
    ]

    @Test("a template is created, changed and replaced")
    func templates() async throws {
        let fixture = try await ManagementFixture()
        let path = "/email-templates/async_approval"
        #expect(await fixture.get(path).code == "inexistent_email_template")
        #expect(await fixture.patch(path, ["subject": "x"]).status == 404)
        #expect(await fixture.post("/email-templates", Self.template).json == Self.template)
        #expect(await fixture.post("/email-templates", Self.template).status == 409)
        #expect(await fixture.get(path).json == Self.template)
        let changed = await fixture.patch(path, ["subject": "Answer", "urlLifetimeInSeconds": 600])
        #expect(changed["subject"] == "Answer" && changed["urlLifetimeInSeconds"] == 600)
        #expect(await fixture.patch(path, ["urlLifetimeInSeconds": nil])["urlLifetimeInSeconds"] == nil)
        #expect(await fixture.put(path, Self.template).json == Self.template)
        #expect(await fixture.put(path, ["subject": "x"]).code == "invalid_body", "PUT has everything")
        #expect(await fixture.put("/email-templates/welcome_email", Self.template).code == "invalid_body")
        #expect(await fixture.get("/email-templates/none").code == "invalid_uri")
        #expect(await fixture.patch(path, ["syntax": "mustache"]).code == "invalid_body")
        let long = String(repeating: "x", count: 262_145)
        #expect(await fixture.patch(path, ["body": .string(long)]).code == "invalid_body")
    }

    @Test("page partials are stored by screen and insertion point")
    func partials() async throws {
        let fixture = try await ManagementFixture()
        let path = "/prompts/customized-consent/partials"
        let parts: JSONValue = ["customized-consent": ["form-content": "<p>Hello</p>"]]
        #expect(await fixture.get(path).json == [:])
        #expect(await fixture.put(path, parts).status == 200)
        #expect(await fixture.get(path).json == parts)
        #expect(await fixture.put(path, ["login": ["form-content": "x"]]).code == "invalid_body")
        #expect(await fixture.put(path, ["customized-consent": ["somewhere": "x"]]).code == "invalid_body")
        #expect(await fixture.get("/prompts/none/partials").code == "invalid_uri")
        #expect(await fixture.put(path, [:]).json == [:])
        #expect(await fixture.get(path).json == [:])
    }
}
