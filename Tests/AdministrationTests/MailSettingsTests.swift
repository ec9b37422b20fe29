import AuthorizationCore
import Configuration
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@Suite("A tenant's mail server and templates")
struct MailSettingsTests {
    private func relay(_ name: String, _ credentials: JSONObject, from: String? = "shop@tenant.example") throws
        -> MailRelay?
    {
        var document: JSONObject = ["name": .string(name)]
        document["default_from_address"] = from.map(JSONValue.string)
        return try #require(EmailProvider(rawValue: name)).relay(document, credentials)
    }

    @Test("Providers have the server, the port and the account that they document for SMTP")
    func relays() throws {
        func text(_ relay: MailRelay?) -> String? {
            relay.map { "\($0.url) \($0.account(Samples.hashing)?.user ?? "-")" }
        }
        let key: JSONObject = ["api_key": "k"]
        #expect(try text(relay("sendgrid", key)) == "smtp://smtp.sendgrid.net:587 apikey")
        #expect(try text(relay("resend", key)) == "smtp://smtp.resend.com:587 resend")
        #expect(try text(relay("mandrill", key)) == "smtp://smtp.mandrillapp.com:587 countersign")
        #expect(
            try text(relay("sparkpost", ["api_key": "k", "region": "eu"]))
                == "smtp://smtp.eu.sparkpostmail.com:587 SMTP_Injection")
        #expect(
            try text(relay("smtp", ["smtp_host": "mail.tenant.example", "smtp_port": 465]))
                == "smtps://mail.tenant.example:465 -")
        #expect(try relay("mailgun", key) == nil && relay("custom", [:]) == nil)
    }

    @Test("The password of Amazon's SMTP interface is derived from the secret, whose own bytes it does not have")
    func amazon() throws {
        let relay = try relay(
            "ses",
            [
                "accessKeyId": "AKIAIOSFODNN7EXAMPLE", "secretAccessKey": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "region": "us-east-1",
            ])
        let account = relay?.account(Samples.hashing)
        #expect(relay?.host == "email-smtp.us-east-1.amazonaws.com" && account?.user == "AKIAIOSFODNN7EXAMPLE")
        let password = String(decoding: account?.password.bytes ?? [], as: UTF8.self)
        #expect(Base64.decode(password)?.first == 4 && Base64.decode(password)?.count == 33)
    }

    @Test("A host or region that is none, and a missing sender, are named")
    func problems() throws {
        for (name, credentials, from, member) in [
            ("smtp", ["smtp_host": "mail.example:25"], "a@b.example", "credentials.smtp_host"),
            ("smtp", ["smtp_host": "a/b"], "a@b.example", "credentials.smtp_host"),
            ("smtp", ["smtp_host": "-a.example"], "a@b.example", "credentials.smtp_host"),
            ("ses", ["region": "x.evil.example/"], "a@b.example", "credentials.region"),
            ("smtp", ["smtp_host": "mail.example"], "a@b\r\nBcc: x", "default_from_address"),
        ] as [(String, JSONObject, String, String)] {
            let problem = #expect(throws: DocumentProblem.self) { try relay(name, credentials, from: from) }
            #expect(problem?.path == member)
        }
        #expect(throws: DocumentProblem.self) { try relay("resend", ["api_key": "k"], from: nil) }
    }

    private func settings(_ documents: [TenantDocument]) throws -> (MailSettings, [String]) {
        var problems: [String] = []
        let opened = try documents.map { try OpenedDocument($0, of: TenantID("dev"), with: Samples.sealer) }
        let settings = MailSettings(opened) { problems.append($0) }
        return (settings, problems)
    }

    @Test("Documents that cannot be used are reported once and count as absent")
    func documents() throws {
        let (settings, problems) = try settings([
            TenantDocument(.emailProvider, id: "provider", document: ["name": "ms365", "credentials": [:]]),
            TenantDocument(.emailTemplate, id: "async_approval", document: ["body": "{{ x", "enabled": true]),
            TenantDocument(.emailTemplate, id: "reset_email", document: ["body": "{{ url }}", "enabled": true]),
            TenantDocument(.emailTemplate, id: "enrollment_email", document: ["body": "Buy now", "enabled": true]),
            TenantDocument(.emailTemplate, id: "verify_email", document: ["body": "{{ url }}", "enabled": false]),
            TenantDocument(.emailTemplate, id: "welcome_email", document: ["body": "{{ url }}", "enabled": true]),
            TenantDocument(.tenantSettings, id: "settings", document: ["support_email": "help@dev.example"]),
        ])
        #expect(settings.supportEmail == "help@dev.example")
        #expect(settings.relay == nil && settings.unusedProvider?.contains("ms365") == true)
        #expect(settings.templates.keys.map(\.rawValue) == ["reset_email"])
        #expect(problems.count == 3 && problems.contains { $0.contains("line 1, column 1") }, "\(problems)")
    }
}
