import Administration
import Audit
import AuthorizationCore
import Configuration
import JOSE
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

/// Push services, the e-mail provider and mail templates.
extension ApplyConfigurationTests {
    private func pem() throws -> String {
        let key = try OpenSSLSigner.generate(algorithm: .es256).exportPKCS8()
        return "-----BEGIN PRIVATE KEY-----\n\(Base64.encode(key.bytes))\n-----END PRIVATE KEY-----\n"
    }

    private static let mail = #""name": "smtp", "default_from_address": "a@shop.example""#
    private static let amazon = """
        "aws_access_key_id": "AKIDEXAMPLE", "aws_region": "eu-central-1",
        "sns_apns_platform_application_arn": "arn:aws:sns:eu-central-1:123456789012:app/APNS/phones"
        """

    private func text(_ members: String) -> String {
        #"{"tenants": [{"id": "dev", "name": "Dev", "host": "dev.example", \#(members)}]}"#
    }

    private func problems(_ fixture: AdministrationFixture, _ members: String) async throws -> [String] {
        let failure = try await #require(throws: ConfigurationFile.Failure.self) {
            try await fixture.apply(text(members))
        }
        return failure.lines.map { "\($0.path) \($0.message)" }
    }

    private func secrets(
        _ fixture: AdministrationFixture, _ kind: TenantDocument.Kind, _ id: String
    ) async throws -> JSONObject? {
        try await fixture.part()?.documents.first { $0.kind == kind && $0.id == id }?
            .secrets(of: TenantID("dev"), with: Samples.sealer)
    }

    @Test("A file sets services and seals their secrets; again it changes nothing, and without secrets they stay")
    func services() async throws {
        let fixture = try await AdministrationFixture()
        let key = try pem()
        func whole(_ key: String, _ amazon: String, _ password: String) -> String {
            text(
                """
                "push": {
                    "selected": "sns",
                    "apns": {\(key)"bundle_id": "com.example.app", "key_id": "ABC123DEFG", "team_id": "DEF123GHIJ"},
                    "sns": {\(amazon)\(Self.amazon)}
                },
                "email_provider": {\(Self.mail), "credentials": {\(password)"smtp_host": "mail.shop.example"}},
                "email_templates": {"blocked_account": {"subject": "Please answer", "body": {"file": "/run/secret"}}}
                """)
        }
        let file = whole(
            "\"p8\": \(JSONWriter.string(.string(key))), ", #""aws_secret_access_key": {"env": "SECRET"}, "#,
            #""smtp_user": "u", "smtp_pass": "mail-secret", "#)
        let objects = [
            "guardian_factor push-notification", "push_provider apns", "push_provider sns", "email_provider provider",
            "email_template blocked_account",
        ]
        #expect(try await fixture.apply(file) == (["tenant dev"] + objects).map { "created \($0)" })
        let version = try await fixture.store.version()
        #expect(try await fixture.apply(file) == (["tenant dev"] + objects).map { "unchanged \($0)" })
        #expect(
            try await fixture.apply(whole("", "", #""smtp_user": "u", "#))
                == (["tenant dev"] + objects).map { "unchanged \($0)" })
        #expect(try await fixture.store.version() == version)
        #expect(try await secrets(fixture, .pushProvider, "apns") == ["p8": .string(key)])
        #expect(try await secrets(fixture, .emailProvider, "provider") == ["smtp_pass": "mail-secret"])
        #expect(
            try await fixture.part()?.documents.first { $0.kind == .emailTemplate }?.document["body"]
                == "a-file's-secret-of-32-bytes-or-more")
        let other = whole(
            "\"p8\": \(JSONWriter.string(.string(try pem()))), ", "", #""smtp_user": "u", "smtp_pass": "other", "#)
        let changes = try await fixture.apply(other)
        #expect(changes.contains("changed push_provider apns (credentials.p8)"))
        #expect(changes.contains("changed email_provider provider (credentials.smtp_pass)"))
        let told = "\(changes)\(try await fixture.made.database.auditLog())"
        for secret in ["PRIVATE KEY", "mail-secret", "environment-secret"] { #expect(!told.contains(secret)) }
    }

    @Test("Pruning removes services that the file does not name, and no other settings of the tenant")
    func prunedServices() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(
            text(
                """
                "push": {"selected": "direct", "sns": {\(Self.amazon), "aws_secret_access_key": "s"}},
                "email_templates": {"reset_email": {"subject": "New", "body": "{{ url }}"}}
                """))
        let policies = TenantDocument(.guardianSetting, id: "policies", document: ["former": "never"])
        let contact = TenantDocument(.tenantSettings, id: "settings", document: ["support_email": "help@dev.example"])
        try await fixture.store.change { transaction in
            for document in [policies, contact] { try transaction.put(document, in: TenantID("dev")) }
        }
        let bare = #"{"tenants": [{"id": "dev", "name": "Dev", "host": "dev.example"}]}"#
        #expect(try await fixture.apply(bare) == ["unchanged tenant dev"])
        #expect(
            Set(try await fixture.apply(bare, prune: true)) == [
                "unchanged tenant dev", "removed push_provider sns", "removed guardian_factor push-notification",
                "removed email_template reset_email",
            ])
        #expect(try await fixture.part()?.documents == [policies, contact])
    }

    @Test("An e-mail provider that the server does not use is stored with a note")
    func unusedProvider() async throws {
        let fixture = try await AdministrationFixture()
        func notes(_ provider: String) async throws -> [String] {
            let credentials = #""credentials": {"domain": "shop.example", "api_key": "k"}"#
            let text = text(#""email_provider": {"name": "mailgun", \#(provider)\#(credentials)}"#)
            return try await fixture.apply.apply(
                file(text), prune: false, by: .account("jo"), now: Samples.start
            ).compactMap(\.note)
        }
        #expect(
            try await notes("") == [
                "the server does not use the e-mail provider, and sends mails by its own mail server: the server does "
                    + "not speak the interface of mailgun"
            ])
        #expect(try await notes("").count == 1, "also if it is unchanged")
        #expect(try await notes(#""enabled": false, "#).isEmpty)
    }

    @Test("Problems of services and of clients' secrets are reported together")
    func together() async throws {
        let fixture = try await AdministrationFixture()
        let found = try await problems(
            fixture,
            """
            "push": {"sns": {\(Self.amazon)}},
            "clients": [{"client_id": "agent", "name": "Agent",
                "grant_types": ["urn:openid:params:grant-type:ciba"]}]
            """)
        #expect(
            Set(found) == [
                "tenants[0].push.sns.aws_secret_access_key is required for new credentials",
                "tenants[0].clients[0].client_secret is required for a new client",
            ])
    }

    @Test("A value that a push service or a mail cannot use is refused at its place")
    func unusableServices() async throws {
        let fixture = try await AdministrationFixture()
        let place = "tenants[0]."
        let apple = #""bundle_id": "com.example.app""#
        for (members, problem) in [
            ("\"push\": {\"apns\": {\(apple)}}", "push.apns.p8 is required for new credentials"),
            (
                "\"push\": {\"apns\": {\(apple), \"p12\": \"\(KeyFiles.withPassword)\"}}",
                "push.apns.p12 is protected by a password; export it again with an empty one"
            ),
            ("\"push\": {\"sns\": {\(Self.amazon)}}", "push.sns.aws_secret_access_key is required for new credentials"),
            (
                #""push": {"fcmv1": {"server_credentials": {"env": "MISSING"}}}"#,
                "push.fcmv1.server_credentials needs the environment variable MISSING"
            ),
            (#""push": {"fcm": {}}"#, "push.fcm is not a known field; did you mean fcmv1?"),
            (
                #""email_provider": {"name": "smtp", "credentials": {}}"#,
                "email_provider.credentials.smtp_host is required for smtp"
            ),
            (
                #""email_provider": {"name": "resend", "credentials": {"api_key": "k", "smtp_host": "h"}}"#,
                "email_provider.credentials.smtp_host is not a known field"
            ),
            (
                #""email_templates": {"reset_email": {"subject": "x", "body": "{{ x"}}"#,
                "email_templates.reset_email.body is no Liquid that this server reads"
            ),
        ] {
            let found = try await problems(fixture, members)
            #expect(found.count == 1 && found[0].hasPrefix(place + problem), "\(found)")
        }
        #expect(try await fixture.part() == nil)
    }

    @Test("A certificate may be a file of bytes or its text; a stored one that expires meanwhile stays")
    func certificate() async throws {
        let fixture = try await AdministrationFixture()
        let bytes = try #require(Base64.decode(KeyFiles.current))
        let members = #""push": {"apns": {"bundle_id": "com.example.app", "p12": {"file": "p12"}}}"#
        func apply(_ file: [UInt8], at now: Timestamp) async throws -> [ApplyConfiguration.Change] {
            let read = try ConfigurationFile(parsing: Array(text(members).utf8), now: now) { _ in SecretBytes(file) }
            return try await fixture.apply.apply(read, prune: false, by: .account("jo"), now: now)
        }
        _ = try await apply(bytes, at: Samples.start)
        #expect(try await secrets(fixture, .pushProvider, "apns") == ["p12": .string(KeyFiles.current)])
        let later = Samples.start + .seconds(100 * 366 * 86_400)
        let again = try await apply(Array(KeyFiles.current.utf8), at: later)
        #expect(again.first { $0.kind == "push_provider" }?.action == .unchanged)
        let new = try #require(Base64.decode(KeyFiles.keychain))
        await #expect(throws: ConfigurationFile.Failure.self) { try await apply(new, at: later) }
    }

    @Test("A mail server's stored password is never sent to another server")
    func movedMailServer() async throws {
        let fixture = try await AdministrationFixture()
        func members(_ credentials: String) -> String {
            "\"email_provider\": {\(Self.mail), \"credentials\": {\"smtp_user\": \"u\", \(credentials)}}"
        }
        try await fixture.apply(text(members(#""smtp_host": "one.example", "smtp_pass": "secret""#)))
        #expect(
            try await problems(fixture, members(#""smtp_host": "two.example""#)) == [
                "tenants[0].email_provider.credentials.smtp_pass is required when other credentials change: "
                    + "the stored secret is never sent elsewhere"
            ])
    }

    @Test("A file whose sources are replaced by their texts is the same file, and other members stay")
    func inlined() throws {
        let texts = [
            "client_secret", "users.password", "users.initial", "provider", "old", "p8", "server", "smtp", "body",
        ]
        let file: JSONValue = try JSONReader.parse(
            text(
                """
                "clients": [{"client_id": "a", "name": "A", "client_secret": {"env": "client_secret"}, "grant_types": []}],
                "users": [
                    {"user_id": "auth0|1", "password": {"file": "users.password"},
                     "user_metadata": {"env": "client_secret"}, "app_metadata": {"password": {"file": "p8"}}},
                    {"user_id": "auth0|2", "initial_password": {"file": "users.initial"}}
                ],
                "connections": [{"name": "c", "strategy": "oidc", "options": {
                    "issuer": "https://a.example", "client_id": "us", "client_secret": {"env": "provider"}}},
                    {"name": "db", "strategy": "auth0", "options": {"old_server": {
                    "url": "https://old.example", "secret": {"env": "old"}}}}],
                "push": {"apns": {"bundle_id": "a", "p8": {"file": "p8"}}, "fcmv1": {"server_credentials": {"env": "server"}}},
                "email_provider": {\(Self.mail), "credentials": {"smtp_pass": {"file": "smtp"}}},
                "email_templates": {"blocked_account": {"body": {"file": "body"}, "subject": "s"}}
                """))
        var used: [ConfigurationFile.SecretSource] = []
        func source(_ source: ConfigurationFile.SecretSource) -> SecretBytes? {
            used.append(source)
            switch source {
            case .text(let text): return SecretBytes(utf8: text)
            case .environment(let name), .file(let name): return SecretBytes(utf8: String(repeating: name, count: 8))
            }
        }
        // Every source that the file itself reads is among the places.
        _ = try? ConfigurationFile(parsing: JSONWriter.bytes(file), now: Samples.start, secret: source)
        #expect(used.count == texts.count, "\(used)")
        let inlined = ConfigurationFile.inlining(file, secret: source)
        used = []
        _ = try? ConfigurationFile(parsing: JSONWriter.bytes(inlined), now: Samples.start, secret: source)
        #expect(used.count == texts.count && used.allSatisfy { if case .text = $0 { true } else { false } }, "\(used)")
        let users = inlined["tenants"]?[0]?["users"]
        #expect(users?[0]?["user_metadata"] == ["env": "client_secret"])
        #expect(users?[0]?["app_metadata"] == ["password": ["file": "p8"]])
        #expect(users?[0]?["password"]?.stringValue == String(repeating: "users.password", count: 8))
    }
}
