import ApprovalWire
import AuthorizationCore
@testable import Flows
import Localization
import Primitives
import TestSupport
import Testing

@Suite("Mails: templates, layout and text from outside")
struct MailRendererTests {
    private func configuration(
        _ template: JSONObject? = nil, relay: Bool = false, _ change: (inout Tenant) -> Void = { _ in }
    ) throws -> TenantConfiguration {
        var mail = MailSettings()
        if let template { mail.templates[.asynchronousApproval] = try MailTemplate(template) }
        if relay, let from = EmailAddress(parsing: "shop@tenant.example") {
            mail.relay = MailRelay(host: "mail.tenant.example", port: 465, login: .none, from: from)
        }
        return TenantConfiguration(
            tenant: Samples.tenant("dev", change), clients: [], resourceServers: [], roles: [],
            keys: KeyRing(current: [], published: []), mail: mail)
    }

    private func mail(
        client: String = "Shop", message: String = "Pay 12.50 to Bob", details: [JSONObject] = [],
        language: Language? = nil
    ) -> OutgoingMail {
        var user = User(id: UserID("auth0|ann"), createdAt: Samples.start)
        (user.email, user.name, user.language) = ("ann@example.org", "Ann & Bob", language)
        let record = RequestRecord(
            id: "cns_1", issuer: "https://dev.example/", tenant: "dev",
            client: RequestRecord.Party(id: "shop", name: client),
            user: "auth0|ann", audience: RequestRecord.Party(id: Samples.api, name: "Payments"),
            scope: [.init(value: "openid", description: nil), .init(value: "pay:send", description: "Send payments")],
            bindingMessage: message, authorizationDetails: details, createdAt: Samples.start,
            expiresAt: Samples.start + .seconds(300), salt: "s")
        let request = Samples.vault.request(record, channel: .email, interval: 5)
        guard let email = EmailAddress(parsing: "ann@example.org") else { preconditionFailure("a constant") }
        return MailComposer.approval(request, to: email, user, tenant: Samples.tenant(), now: Samples.start)
    }

    private func finished(_ mail: OutgoingMail, _ configuration: TenantConfiguration) -> (FinishedMail, String?) {
        MailRenderer(configuration, now: Samples.start).finished(mail, id: "1x2")
    }

    @Test("A template has the application, the message, the link and the user, each escaped; its HTML makes the text")
    func template() throws {
        let source = """
            <p>{{ application.name }}: {{ binding_message }} ({{ user.name }}, {{ tenant }}, {{ friendly_name }})</p>
            <a href="{{ url }}">Open</a>{% for s in scopes %}<p>{{ s.description }}</p>{% endfor %}
            """
        let (finished, problem) = finished(
            mail(client: "<Shop>"),
            try configuration(["body": .string(source), "subject": "{{ application.name | upcase }}", "enabled": true]))
        #expect(problem == nil)
        #expect(finished.subject == "<SHOP>")
        #expect(finished.html.contains("<p>&lt;Shop&gt;: Pay 12.50 to Bob (Ann &amp; Bob, dev, Tenant dev)</p>"))
        #expect(
            finished.text == """
                <Shop>: Pay 12.50 to Bob (Ann & Bob, dev, Tenant dev)

                Open (https://dev.example/u/approve?id=cns_1)

                Send payments
                """)
    }

    @Test("A template's sender counts with the tenant's own mail server alone: the operator's names no other sender")
    func senders() throws {
        let template: JSONObject = ["from": "{{ application.name }} <pay@tenant.example>", "enabled": true]
        let own = finished(mail(), try configuration(template, relay: true)).0
        #expect(own.senderName == "Shop" && own.sender?.description == "pay@tenant.example")
        let servers = finished(mail(), try configuration(template)).0
        #expect(servers.senderName == "Shop" && servers.sender == nil)
        for text in ["<a@b.example>\r\nBcc: eve@example.org", "no address", "\"x\r\n\" <a@b>", ""] {
            #expect(MailRenderer.Sender(text).address == nil, "\(text)")
            #expect(MailRenderer.Sender(text).name?.contains("\n") != true)
        }
    }

    @Test(
        "Nothing from outside becomes a link, markup or another line, or turns the text around it",
        arguments: Language.allCases)
    func outside(language: Language) throws {
        let hostile = "a\u{202E}b\nhttps://evil.example/x <a href=https://evil.example>www.evil.example me@evil.example"
        let (finished, _) = finished(
            mail(
                client: hostile, message: hostile, details: [["type": "payment", "to": .string(hostile)]],
                language: language), try configuration())
        for text in [finished.text, finished.html, finished.subject] {
            #expect(!text.contains("\u{202E}") && !text.contains("evil.example") && !text.contains("https://evil"))
        }
        #expect(finished.html.split(separator: "href=\"").count == 3 && !finished.html.contains("<a href=h"))
        let lines = finished.subject.split(whereSeparator: { $0.isNewline })
        #expect(lines.count == 1)
        #expect(finished.language == language)
        #expect(mail(message: "Pay 12.50 to Bob: 3/4").text.contains("\u{2068}Pay 12.50 to Bob: 3/4\u{2069}"))
    }

    @Test("Names of phones and identities become no links in the mail that lists what was removed")
    func removed() throws {
        var user = User(id: UserID("auth0|ann"), createdAt: Samples.start)
        user.email = "ann@example.org"
        let email = try #require(EmailAddress(parsing: "ann@example.org"))
        let removed = RemovedAccess(
            devices: [.init(id: DeviceID("dev_1"), name: "a\u{202E}b https://evil.example/x me@evil.example")],
            identities: [])
        let mail = MailComposer(sealer: Samples.sealer).accessRemoved(
            removed, from: user, to: email, tenant: Samples.tenant())
        #expect(mail.text.contains("\u{2068}") && !mail.text.contains("\u{202E}"))
        #expect(!mail.text.contains("https://evil") && !mail.text.contains("evil.example"))
    }

    @Test("The built-in HTML has the tenant's name, colour and logo, and readable ink on each colour")
    func layout() throws {
        let branded = try configuration(nil) { tenant in
            tenant.settings.branding.primaryColor = "#ffee00"
            tenant.settings.branding.logoURL = "https://cdn.example/a.png?x=\"&y"
        }
        let html = finished(mail(language: .french), branded).0.html
        #expect(html.contains("<html lang=\"fr\">") && html.contains("background: #ffee00; color: #000000"))
        #expect(html.contains("src=\"https://cdn.example/a.png?x=&quot;&amp;y\" alt=\"Tenant dev\""))
        #expect(html.contains("prefers-color-scheme: dark") && html.contains(">Ouvrir</a>"))
        #expect(!finished(mail(), try configuration()).0.html.contains("<img"))
        #expect(MailLayout.ink(on: "#1f4fd8") == "#ffffff" && MailLayout.ink(on: "#ffffff") == "#000000")
    }

    @Test("Every kind of mail has a sample in each language of its tenant", arguments: MailTemplate.Kind.allCases)
    func preview(kind: MailTemplate.Kind) {
        let (finished, problem) = MailPreview(tenant: Samples.tenant(), mail: MailSettings()).finished(
            kind, now: Samples.start)
        #expect(problem == nil && finished.html.contains("<!doctype html>") && !finished.text.isEmpty)
    }

    @Test("A mail survives its stored form, and one of an earlier form is readable")
    func stored() throws {
        let mail = mail(language: .german)
        #expect(OutgoingMail(mail.json) == mail)
        #expect(OutgoingMail(["to": "a@b.example", "subject": "s", "text": "t"])?.language == .english)
        #expect(OutgoingMail(["to": "a@b.example"]) == nil)
    }
}
