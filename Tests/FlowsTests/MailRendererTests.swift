import ApprovalWire
import AuthorizationCore
import Configuration
@testable import Flows
import Localization
import Primitives
import TestSupport
import Testing

@Suite("Mails: templates, layout and text from outside")
struct MailRendererTests {
    func configuration(
        _ template: JSONObject? = nil, relay: Bool = false, _ change: (inout Tenant) -> Void = { _ in }
    ) throws -> TenantConfiguration {
        var mail = MailSettings()
        if let template {
            mail.templates[.asynchronousApproval] = try MailTemplate(.asynchronousApproval, template)
        }
        if relay { mail.relay = Self.relay }
        return TenantConfiguration(
            tenant: Samples.tenant("dev", change), clients: [], resourceServers: [], roles: [],
            keys: KeyRing(current: [], published: []), mail: mail)
    }

    private static let relay = EmailAddress(parsing: "shop@tenant.example").map {
        MailRelay(host: "mail.tenant.example", port: 465, login: .none, from: $0)
    }

    func mail(
        client: String = "Shop", message: String = "Pay 12.50 to Bob", details: [JSONObject] = [],
        language: Language? = nil
    ) -> OutgoingMail {
        var user = User(id: UserID("auth0|ann"), createdAt: Samples.start)
        (user.email, user.emailVerified, user.name) = ("ann@example.org", true, "Ann & Bob")
        user.language = language
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

    func finished(_ mail: OutgoingMail, _ configuration: TenantConfiguration) -> (FinishedMail, String?) {
        MailRenderer(configuration: configuration, now: Samples.start).finished(mail, id: "1x2")
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

    @Test(
        "A template has Auth0's values that there are. Text from outside is compared as it is, and shown without links"
    )
    func values() throws {
        var client = Client(id: ClientID("shop"), name: "Shop", secretHashes: [])
        client.additional["client_metadata"] = ["home": "https://shop.example/"]
        var mail = MailSettings()
        mail.supportEmail = "help@dev.example"
        mail.templates[.asynchronousApproval] = try MailTemplate(
            .asynchronousApproval,
            [
                "body": """
                {{ url }} {{ application.clientID }} {{ application.client_metadata.home }} {{ connection.name }} {{ support_email }}
                {{ user.email }} {{ user.picture }} {{ user.user_metadata.a.b }} {{ user.app_metadata.plan }}
                {% if application.name == 'Node.js shop' and user.user_metadata.site == 'www.evil.example' %}same{% endif %}
                {{ application.name }} {{ user.user_metadata.site }} {{ user.user_metadata.b }}
                """,
                "subject": "{{ user.user_metadata.site }} {{ application.name | upcase }}",
                "from": "{{ user.user_metadata.site }} <{{ support_email }}>", "enabled": true,
            ])
        mail.relay = Self.relay
        let configuration = TenantConfiguration(
            tenant: Samples.tenant("dev"), clients: [client], resourceServers: [], roles: [],
            keys: KeyRing(current: [], published: []), mail: mail)
        var sent = self.mail(client: "Node.js shop")
        var user = try #require(sent.values["user"]?.objectValue)
        user["picture"] = "https://cdn.example/ann.png"
        sent.values["user"] = .object(user)
        let renderer = MailRenderer(configuration: configuration, now: Samples.start)
        #expect(renderer.metadataOwner(of: sent) == UserID("auth0|ann"))
        let metadata = UserMetadata(
            user: ["a": ["b": 1], "site": "www.evil.example", "b": "<b>"], app: ["plan": "gold"])
        let (finished, problem) = renderer.finished(sent, metadata: metadata, id: "1x2")
        #expect(problem == nil)
        let hidden = "www.\u{200C}evil.\u{200C}example"
        #expect(
            finished.html == """
                https://dev.example/u/approve?id=cns_1 shop https://shop.example/ Username-Password-Authentication help@dev.example
                ann@example.org https://cdn.example/ann.png 1 gold
                same
                Node.\u{200C}js shop \(hidden) &lt;b&gt;
                """)
        #expect(finished.subject == "\(hidden) NODE.\u{200C}JS SHOP")
        #expect(finished.senderName == hidden && finished.sender?.description == "help@dev.example")
        #expect(
            MailRenderer(configuration: try self.configuration(), now: Samples.start).metadataOwner(of: sent) == nil)
    }

    @Test("Mails of logins name the client, and every mail a connection")
    func application() throws {
        let email = try #require(EmailAddress(parsing: "ann@example.org"))
        let composer = MailComposer(sealer: Samples.sealer)
        var mail = MailSettings()
        mail.relay = Self.relay
        mail.templates[.resetEmail] = try MailTemplate(
            .resetEmail,
            [
                "subject":
                    "{{ application.name }} {{ application.clientID }} {{ connection.name }} {{ user.user_metadata.a }}",
                "enabled": true,
            ])
        let configuration = TenantConfiguration(
            tenant: Samples.tenant("dev"), clients: [Client(id: ClientID("shop"), name: "Shop", secretHashes: [])],
            resourceServers: [], roles: [], keys: KeyRing(current: [], published: []), mail: mail)
        for (client, expected) in [(ClientID("shop"), "Shop shop"), (nil, "Tenant dev ")] as [(ClientID?, String)] {
            let sent = composer.passwordReset(
                to: email, isVerified: false, ticket: "t", language: .english, client: client, tenant: Samples.tenant())
            let renderer = MailRenderer(configuration: configuration, now: Samples.start)
            // The address may be a stranger's.
            #expect(renderer.metadataOwner(of: sent) == nil)
            let (finished, _) = renderer.finished(sent, metadata: UserMetadata(user: ["a": "no"]), id: "1x2")
            #expect(finished.subject == "\(expected) Username-Password-Authentication ")
        }
    }

    /// Shows what a template of each kind gets of the user.
    func shown(
        _ mail: OutgoingMail, kind: MailTemplate.Kind, metadata: UserMetadata = UserMetadata()
    ) throws -> (subject: String, owner: UserID?) {
        var settings = MailSettings()
        settings.relay = Self.relay
        settings.templates[kind] = try MailTemplate(
            kind,
            [
                "subject": """
                {{ user.email }} {{ user.user_id }} {{ user.name }} {{ user.source_ip }} {{ user.user_metadata.a }} \
                {{ user.app_metadata.b }}
                """,
                "enabled": true,
            ])
        let configuration = TenantConfiguration(
            tenant: Samples.tenant("dev"), clients: [], resourceServers: [], roles: [],
            keys: KeyRing(current: [], published: []), mail: settings)
        let renderer = MailRenderer(configuration: configuration, now: Samples.start)
        let (finished, problem) = renderer.finished(mail, metadata: metadata, id: "1x2")
        #expect(problem == nil)
        return (finished.subject, renderer.metadataOwner(of: mail))
    }

    static let metadata = UserMetadata(user: ["a": "A"], app: ["b": "B"])

    private func ann(isVerified: Bool) -> User {
        var user = User(id: UserID("auth0|ann"), createdAt: Samples.start)
        (user.email, user.emailVerified, user.name) = ("ann@example.org", isVerified, "Ann")
        return user
    }

    @Test(
        "A report of a blocked login has the user's values if the address is the user's and verified",
        arguments: [
            (true, "ann@example.org", "ann@example.org auth0|ann Ann 192.0.2.1 A B"),
            (false, "ann@example.org", "ann@example.org   192.0.2.1  "),
            (true, "eve@example.org", "eve@example.org   192.0.2.1  "),
        ])
    func blocked(isVerified: Bool, recipient: String, subject: String) throws {
        let composer = MailComposer(sealer: Samples.sealer)
        let mail = composer.blocked(
            \.passwordBlocked, to: try #require(EmailAddress(parsing: recipient)), ann(isVerified: isVerified),
            address: "192.0.2.1", forAll: false, client: nil, tenant: Samples.tenant())
        let shown = try shown(mail, kind: .blockedAccount, metadata: Self.metadata)
        #expect(shown.subject == subject && (shown.owner != nil) == subject.hasSuffix("B"))
        let sealed = try composer.sealed(mail, tenant: Samples.tenant(), now: Samples.start)
        #expect(sealed.user == UserID("auth0|ann"))
    }

    @Test(
        "An operator's mail has the user's values at the user's address alone, and app metadata if it is verified",
        arguments: [
            (MailComposer.Kind.phoneToEnroll, true, "ann@example.org", "ann@example.org auth0|ann Ann  A B"),
            (.phoneToEnroll, true, "boss@example.org", "boss@example.org     "),
            (.addressToConfirm, false, "ann@example.org", "ann@example.org auth0|ann Ann  A "),
            (.addressToConfirm, true, "new@example.org", "new@example.org     "),
        ])
    func operators(kind: MailComposer.Kind, isVerified: Bool, recipient: String, subject: String) throws {
        let composer = MailComposer(sealer: Samples.sealer)
        let mail = composer.mail(
            kind, to: try #require(EmailAddress(parsing: recipient)), ann(isVerified: isVerified),
            isNamedByOperator: true, link: "https://dev.example/u/x", lifetime: 60, language: nil,
            tenant: Samples.tenant())
        let template = MailTemplate.Kind.self
        let shown = try shown(
            mail, kind: kind == .phoneToEnroll ? template.enrollment : template.verifyEmail, metadata: Self.metadata)
        #expect(shown.subject == subject, "\(shown.subject)")
        let sealed = try composer.sealed(mail, tenant: Samples.tenant(), now: Samples.start)
        #expect(sealed.user == UserID("auth0|ann"))
    }

    @Test(
        "By the operator's mail server, a tenant's own words go to verified addresses alone",
        arguments: MailRecipient.allCases, [true, false])
    func words(recipient: MailRecipient, hasOwn: Bool) throws {
        let approval = mail()
        var sent = OutgoingMail(
            to: approval.to, recipient: recipient, subject: approval.subject, text: approval.text)
        (sent.kinds, sent.link) = (approval.kinds, approval.link)
        let template: JSONObject = ["body": "own words: {{ url }}", "enabled": true]
        let (finished, problem) = finished(sent, try configuration(template, relay: hasOwn))
        #expect(problem == nil)
        #expect(finished.text.hasPrefix("own words") == (hasOwn || recipient == .verified))
    }

    @Test(
        "A mail that exists for its link shows it: otherwise the built-in text does, and the operator is told",
        arguments: [
            "{% if false %}{{ url }}{% endif %}Buy now", "<img src='{{ url }}'>Buy now", "{{ url | truncate: 9 }}",
            "<style>{{ url }}</style>Buy now",
        ])
    func hiddenLink(body: String) throws {
        let (finished, problem) = finished(mail(), try configuration(["body": .string(body), "enabled": true]))
        #expect(problem == "its template was not used: it does not show the link")
        #expect(finished.text == mail().text)
    }

    @Test("A template of such a kind that never reads the link is refused", arguments: MailTemplate.Kind.allCases)
    func withoutLink(kind: MailTemplate.Kind) throws {
        let exempt: [MailTemplate.Kind] = [
            .blockedAccount, .welcome, .stolenCredentials, .multiFactorCode, .invitation, .verifyEmailByCode,
            .authenticationByCode, .resetEmailByCode,
        ]
        for body in ["Buy now", "{{ urls }}", "{{ user.picture }}"] {
            var path: String?
            do throws(DocumentProblem) { _ = try MailTemplate(kind, ["body": .string(body)]) } catch {
                path = error.path
            }
            #expect(path == (exempt.contains(kind) ? nil : "body"), "\(body)")
        }
        for body in ["{{ url }}", "{{ link }}", ""] { _ = try MailTemplate(kind, ["body": .string(body)]) }
        _ = try MailTemplate(kind, ["subject": "Hello"])
    }

    @Test("A mail with an operator's link is tried as long as the link works")
    func lifetimes() throws {
        let composer = MailComposer(sealer: Samples.sealer)
        for (lifetime, seconds) in [(nil, 3600), (432_000, 432_000)] as [(Int?, Int)] {
            let sealed = try composer.sealed(mail(), lifetime: lifetime, tenant: Samples.tenant(), now: Samples.start)
            #expect(sealed.expiresAt == Samples.start + .seconds(seconds))
        }
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
        #expect(html.contains("prefers-color-scheme: dark") && html.contains(">Voir la demande</a>"))
        #expect(!finished(mail(), try configuration()).0.html.contains("<img"))
    }

    @Test("By the operator's mail server, a stranger gets neither the tenant's picture nor words that are no name")
    func strangers() throws {
        let name =
            "You have won 5,000 EUR. Call +49 30 1234567 or see https://prize.example/claim before it is too late"
        let branded = try configuration(nil) { tenant in
            tenant.name = name
            tenant.settings.branding.logoURL = "https://cdn.example/a.png"
        }
        for recipient in MailRecipient.allCases {
            var stored = mail().json.objectValue ?? [:]
            stored["recipient"] = .string(recipient.rawValue)
            let finished = finished(try #require(OutgoingMail(.object(stored))), branded).0
            #expect(finished.html.contains("<img") == (recipient == .verified), "\(recipient)")
            guard recipient != .verified else { continue }
            #expect(!finished.html.contains("https://prize.example"))
            #expect(finished.senderName.unicodeScalars.count <= 70 && !finished.senderName.contains("prize.example"))
        }
    }

    func approval(
        scope: [RequestRecord.Scope], details: [JSONObject] = [], language: Language? = nil
    ) throws -> OutgoingMail {
        var user = User(id: UserID("auth0|ann"), createdAt: Samples.start)
        user.language = language
        let record = RequestRecord(
            id: "cns_1", issuer: "https://dev.example/", tenant: "dev",
            client: RequestRecord.Party(id: "shop", name: "Shop"),
            user: "auth0|ann", audience: RequestRecord.Party(id: Samples.api, name: "Payments"), scope: scope,
            bindingMessage: "Pay <12.50>", authorizationDetails: details, createdAt: Samples.start,
            expiresAt: Samples.start + .seconds(300), salt: "s")
        return MailComposer.approval(
            Samples.vault.request(record, channel: .email, interval: 5),
            to: try #require(EmailAddress(parsing: "ann@example.org")), user, tenant: Samples.tenant(),
            now: Samples.start)
    }

    @Test("An approval mail names scopes as its page does, and has the sentence of offline access")
    func scopes() throws {
        let mail = try approval(
            scope: [
                .init(value: "openid", description: nil), .init(value: "email", description: nil),
                .init(value: "pay:send", description: nil), .init(value: "offline_access", description: nil),
            ])
        let list = ["Know that it is you", "See your e-mail address", "pay:\u{200C}send"].map {
            "- \u{2068}\($0)\u{2069}"
        }
        #expect(mail.text.contains("\n\n\(list.joined(separator: "\n"))\n\n"), "\(mail.text)")
        #expect(mail.text.contains("\n\n\(Language.english.texts.consent.offline)\n\n"))
        #expect(!mail.text.contains("offline_access"))
        #expect(mail.values["scopes"]?.arrayValue?.first?["description"] == "See your e-mail address")
    }

    @Test("A detail with many values ends with a line that names the page, however they are nested")
    func cut() throws {
        let names = (0..<30).map { "item \($0)" }
        let details: [JSONObject] = [
            ["type": "one", "first": JSONValue(names), "second": JSONValue(names)], ["type": "two", "third": "end"],
        ]
        let text = try approval(scope: [], details: details).text
        let one = try #require(text.split(separator: "\n\n").first { $0.hasPrefix("- \u{2068}first") })
        #expect(one.split(separator: "\n").count == 41 && one.hasSuffix("item 9\u{2069}\n- … The page shows all."))
        #expect(text.contains("- \u{2068}third\u{2069}: \u{2068}end\u{2069}\n\n"))
        let all = try approval(scope: [], details: [["type": "one", "first": JSONValue(names)]]).text
        #expect(all.contains("item 29") && !all.contains("…"))
    }

    @Test(
        "The client's words in an approval mail are a quotation, its lists have headings, and its link the mail's language"
    )
    func emphasis() throws {
        let mail = try approval(
            scope: [.init(value: "email", description: nil)], details: [["type": "payment"]], language: .german)
        let html = finished(mail, try configuration()).0.html
        #expect(html.contains("schreibt: „\u{2068}Pay &lt;12.50&gt;\u{2069}“</blockquote>"))
        #expect(!html.contains("<strong>"))
        let consent = Language.german.texts.consent
        for heading in [consent.able, consent.inDetail] { #expect(html.contains(">\(heading)</h2>")) }
        #expect(mail.link == "https://dev.example/u/approve?id=cns_1&ui_locales=de")
        #expect(html.contains("href=\"https://dev.example/u/approve?id=cns_1&amp;ui_locales=de\""))
        #expect(try approval(scope: []).link == "https://dev.example/u/approve?id=cns_1")
    }

    @Test(
        "A phone's mail names the account to anybody but its owner, and says how long its link works",
        arguments: [("ann@example.org", false), ("boss@example.org", true)])
    func enrollment(recipient: String, names: Bool) throws {
        var user = User(id: UserID("auth0|ann"), createdAt: Samples.start)
        (user.email, user.language) = ("ann@example.org", .french)
        let mail = MailComposer(sealer: Samples.sealer).mail(
            .phoneToEnroll, to: try #require(EmailAddress(parsing: recipient)), user,
            isNamedByOperator: true, link: "https://dev.example/guardian/enroll?ticket=t", lifetime: 432_000,
            language: .english,
            tenant: Samples.tenant())
        let account = "\u{2068}ann@\u{200C}example.\u{200C}org\u{2069}"
        #expect(mail.text.contains(names ? "to the account \(account) at Tenant dev" : "to your account at Tenant dev"))
        #expect(mail.text.contains("once, within 5 days") && mail.text.contains("Do not forward it"))
        #expect(mail.link == "https://dev.example/guardian/enroll?ticket=t&ui_locales=en")
        #expect(finished(mail, try configuration()).0.html.contains(">Add the phone</a>"))
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
        let earlier = OutgoingMail(["to": "a@b.example", "subject": "s", "text": "t"])
        #expect(earlier?.language == .english && earlier?.recipient == .unverified)
        #expect(OutgoingMail(["to": "a@b.example"]) == nil)
    }
}
