import ApprovalWire
import AuthorizationCore
import Configuration
@testable import Flows
import Localization
import Primitives
import TestSupport
import Testing

extension MailRendererTests {
    @Test("A template's values that no mail of its kind has are known when it is stored")
    func unknown() throws {
        let template = try MailTemplate(
            .welcome,
            [
                "body": """
                {{ user.user_metadata.x }}{{ user.nme }}{{ binding_message }}{% for s in scopes %}{{ s.title }}{% endfor %}
                """,
                "subject": "{{ user.nme }}{{ home_url }}{% assign y = 1 %}{{ y }}",
                "enabled": true,
            ])
        #expect(template.unknownPaths(in: .asynchronousApproval) == ["user.nme", "scopes.title", "home_url"])
        #expect(
            template.unknownPaths(in: .resetEmail) == [
                "user.nme", "binding_message", "scopes", "scopes.title", "home_url",
            ])
        #expect(template.unknownPaths(in: .welcome).isEmpty)
    }

    @Test("A template has Auth0's values of the custom domain that the mail's link leads to")
    func customDomains() throws {
        let email = try #require(EmailAddress(parsing: "ann@example.org"))
        let composer = MailComposer(sealer: Samples.sealer)
        let template = try MailTemplate(
            .resetEmail,
            [
                "subject": """
                {{ custom_domain.domain }}|{{ custom_domain.domain_metadata.brand }}|{{ application.metadata.plan }}|\
                {{ organization.display_name }}
                """,
                "body": "{{ url }}", "enabled": true,
            ])
        var mail = MailSettings()
        mail.templates[.resetEmail] = template
        mail.domainMetadata = ["login.shop.example": ["brand": "shop.example"]]
        var tenant = Samples.tenant("dev")
        tenant.hosts += ["login.shop.example", "other.example"]
        var client = Client(id: ClientID("shop"), name: "Shop", secretHashes: [])
        client.additional["client_metadata"] = ["plan": "gold"]
        let configuration = TenantConfiguration(
            tenant: tenant, clients: [client], resourceServers: [], roles: [],
            keys: KeyRing(current: [], published: []), mail: mail)
        for (host, expected) in [
            ("login.shop.example", "login.shop.example|shop.example|gold|"), ("other.example", "other.example||gold|"),
            (tenant.hosts[0], "||gold|"), ("login.shop.example.evil.example", "||gold|"),
        ] {
            var sent = composer.passwordReset(
                to: email, isVerified: true, ticket: "t", language: .english, client: client.id, tenant: tenant)
            sent.link = "https://\(host)/u/reset"
            let (finished, problem) = MailRenderer(configuration: configuration, now: Samples.start).finished(
                sent, id: "1x2")
            #expect(finished.subject == expected && problem == nil)
        }
        for kind in MailTemplate.Kind.allCases {
            #expect(template.unknownPaths(in: kind).isEmpty)
        }
    }

    @Test("A template with very many values counts as one that reads the metadata, and its values are told apart fast")
    func manyValues() throws {
        let many = (0..<7000).map { "{{x\($0)}}" }.joined()
        let template = try MailTemplate(.welcome, ["body": .string(many), "enabled": true])
        #expect(template.readsMetadata && template.unknownPaths(in: .resetEmail).count == 1000)
        let few = try MailTemplate(.welcome, ["body": "{{ user.name }}", "enabled": true])
        #expect(!few.readsMetadata && few.unknownPaths(in: .resetEmail).isEmpty)
        let long = "{{ user['user_metadata']" + String(repeating: ".long_name", count: 500) + " }}"
        #expect(try MailTemplate(.welcome, ["body": .string(long), "enabled": true]).readsMetadata)
    }

    @Test("Metadata stay out of a mail to another address than that of the user whom it names")
    func otherAddress() throws {
        var mail = mail()
        mail.values["user"] = ["user_id": "auth0|ann", "email": "other@example.org", "email_verified": true]
        let shown = try shown(mail, kind: .asynchronousApproval, metadata: Self.metadata)
        #expect(shown.owner == nil && shown.subject == "other@example.org auth0|ann    ")
    }

    @Test("A user without an address has none in a mail, and the id of an imported user makes no link")
    func userText() throws {
        var user = User(id: UserID("auth0|www.evil.example"), createdAt: Samples.start)
        #expect(user.mailValues["email"] == nil)
        user.email = "Ann@Example.org"
        #expect(user.mailValues["email"] == "ann@example.org")
        var mail = mail()
        mail.values["user"] = .object(user.mailValues)
        let shown = try shown(mail, kind: .asynchronousApproval)
        #expect(shown.subject.contains("www.\u{200C}evil.\u{200C}example"), "\(shown.subject)")
    }

    @Test("A payment stands out in its mail above the client's words, which are a quotation")
    func headline() throws {
        let mail = try approval(
            scope: [],
            details: [["type": "t", "amount": ["value": "2500.00", "currency": "EUR"], "payee": "<Merchant>"]])
        let html = finished(mail, try configuration()).0.html
        let amount = "<strong>\u{2068}€2,500.00\u{2069} to \u{2068}&lt;Merchant&gt;\u{2069}</strong>"
        let words = "says: “\u{2068}Pay &lt;12.50&gt;\u{2069}”</blockquote>"
        let first = try #require(html.firstRange(of: amount))
        let second = try #require(html.firstRange(of: words))
        #expect(first.upperBound < second.lowerBound)
        #expect(mail.values["headline"]?.arrayValue?.count == 1)
        #expect(!mail.subject.contains("2,500"))
    }
}
