import AuthorizationCore
import Configuration
import HTTPModel
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

/// Somebody who can write to the database, but has no master key, changes what tokens are made of.
@Suite("A session, login or grant whose row was changed gives nothing")
struct ChangedGrantTests {
    /// A column of a bound table.
    struct Column: Sendable, CustomTestStringConvertible {
        let table: String
        let name: String

        var testDescription: String { "\(table).\(name)" }

        /// False if the row is found under its hash or tenant no more, so that nothing can be noted of it.
        var isFound: Bool { name != "hash" && name != "tenant" }
    }

    private static func columns(_ table: String) -> [Column] {
        RowSeal.all.filter { $0.table == table }.flatMap { seal in
            seal.columns.map { Column(table: table, name: $0) } + [Column(table: table, name: "seal")]
        }
    }

    static let codes = columns("authorization_code")
    static let families = columns("refresh_token_family")
    static let sessions = columns("session")
    static let logins = columns("authorization_transaction")
    static let pushed = columns("pushed_request")
    static let consents = columns("consent_grant")
    static let recoveryCodes = columns("recovery_code")
    private static let configuration: Set = ["tenant", "configuration_object", "signing_key"]

    @Test("Every bound table is tried, here or in the tests of the configuration")
    func complete() {
        let tried = [
            Self.codes, Self.families, Self.sessions, Self.logins, Self.pushed, Self.consents, Self.recoveryCodes,
        ]
        #expect(Set(tried.flatMap { $0.map(\.table) }) == Set(RowSeal.all.map(\.table)).subtracting(Self.configuration))
    }

    private func fixture() async throws -> AttackFixture {
        let fixture = try await AttackFixture()
        try await addOther(fixture)
        return fixture
    }

    /// Adds a user of another tenant, to whom the row may be moved.
    private func addOther(_ fixture: AttackFixture) async throws {
        try await fixture.server.configure { transaction in
            try transaction.put(Samples.user("auth0|ann"), passwordHash: nil, in: TenantID("other"))
        }
    }

    private func change(_ column: Column, _ fixture: AttackFixture) async throws {
        let name = "\"\(column.name)\""
        let type = try await fixture.server.database.first(
            "SELECT type FROM pragma_table_info(\(column.table)) WHERE name = \(column.name)"
        ) { try $0.text(0) }
        let value =
            switch (column.name, type) {
            case ("tenant", _): "'other'"
            case ("user", _): "'auth0|bob'"
            case ("approval", _): "'cns_1 47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'"
            case (_, "INTEGER"): "coalesce(\(name) + 1, 1)"
            case (_, "TEXT"): "coalesce(\(name), '') || 'x'"
            default: "randomblob(32)"
            }
        try await fixture.server.database.write { connection in
            if column.table == "session" { try connection.execute("DELETE FROM session_client") }
            let count = try connection.execute("UPDATE \(raw: column.table) SET \(raw: name) = \(raw: value)")
            #expect(count == 1)
        }
    }

    private func expectNoted(_ column: Column, _ fixture: AttackFixture) async throws {
        guard column.isFound else { return }
        #expect(try await fixture.server.auditKinds().contains("ciba_request_tampered"))
        #expect(fixture.server.storage.store.changedRowCount > 0)
    }

    @Test("RFC 6749 5.2: a changed code is no grant, and is deleted", arguments: codes)
    func code(column: Column) async throws {
        let fixture = try await fixture()
        let code = try await fixture.code()
        try await change(column, fixture)
        let answer = await fixture.redeem(code)
        expectError(answer, 400, "invalid_grant")
        try await expectNoted(column, fixture)
        if column.isFound { #expect(try await fixture.server.database.count("authorization_code") == 0) }
    }

    @Test("RFC 6749 5.2: a changed or unreadable refresh token is no grant, and its family ends", arguments: families)
    func refreshToken(column: Column) async throws {
        let fixture = try await fixture()
        let code = try await fixture.code(["scope": "openid offline_access", "audience": Samples.api])
        let token = try (await fixture.redeem(code)["refresh_token"]?.stringValue).orThrow("no refresh token")
        try await change(column, fixture)
        let parameters: [String: String?] = [
            "grant_type": "refresh_token", "client_id": "web", "client_secret": Samples.secret, "refresh_token": token,
        ]
        expectError(await fixture.post("/oauth/token", parameters), 400, "invalid_grant")
        try await expectNoted(column, fixture)
        if column.isFound { #expect(try await fixture.server.database.count("refresh_token_family") == 0) }
    }

    @Test("A refresh token whose row cannot be read at all ends its family, too")
    func unreadable() async throws {
        let fixture = try await fixture()
        let code = try await fixture.code(["scope": "openid offline_access", "audience": Samples.api])
        let token = try (await fixture.redeem(code)["refresh_token"]?.stringValue).orThrow("no refresh token")
        try await fixture.server.database.execute("UPDATE refresh_token_family SET authorization_details = '{'")
        let parameters: [String: String?] = [
            "client_id": "web", "client_secret": Samples.secret, "token": token,
        ]
        let introspected = await fixture.post("/oauth/introspect", parameters)
        #expect(introspected.json["active"] == false)
        #expect(try await fixture.server.database.count("refresh_token_family") == 0)
    }

    @Test("A changed session logs nobody in, and ends", arguments: sessions)
    func session(column: Column) async throws {
        let fixture = try await fixture()
        let browser = fixture.browser()
        _ = try await fixture.code(browser: browser)
        let silent = try await browser.open(AttackFixture.authorize(["prompt": "none"]))
        #expect(silent.parameters["code"] != nil)
        try await change(column, fixture)
        let page = try await browser.open(AttackFixture.authorize(["prompt": "none"]))
        #expect(page.parameters["error"] == "login_required", "\(page.url)")
        try await expectNoted(column, fixture)
        if column.isFound { #expect(try await fixture.server.database.count("session") == 0) }
    }

    @Test("A changed login in progress does not go on", arguments: logins)
    func login(column: Column) async throws {
        let fixture = try await fixture()
        let browser = fixture.browser()
        let form = try await browser.open(AttackFixture.authorize()).form("/u/login")
        try await change(column, fixture)
        let page = try await browser.send(
            form, ["username": AttackFixture.ann, "password": AttackFixture.password])
        #expect(!page.isAway, "\(page.url)")
        #expect(try await fixture.server.database.count("authorization_code") == 0)
        if column.isFound { #expect(fixture.server.storage.store.changedRowCount > 0) }
    }

    @Test("RFC 9126 4: a changed pushed request is none", arguments: pushed)
    func pushedRequest(column: Column) async throws {
        let fixture = try await fixture()
        let pushed = await fixture.post(
            "/oauth/par",
            [
                "client_id": "web", "client_secret": Samples.secret, "response_type": "code",
                "redirect_uri": AttackFixture.callback, "scope": "openid",
            ])
        let uri = try (pushed["request_uri"]?.stringValue).orThrow("\(pushed.text)")
        try await change(column, fixture)
        let parameters = FormFields([("client_id", "web"), ("request_uri", uri)])
        let page = try await fixture.browser().open("/authorize?" + parameters.encoded)
        #expect(page.path != "/u/login", "\(page.url)")
        #expect(try await fixture.server.database.count("authorization_transaction") == 0)
    }

    @Test("A changed consent is asked for again", arguments: consents)
    func consent(column: Column) async throws {
        let fixture = try await fixture()
        let request: [String: String?] = [
            "client_id": "third-party", "redirect_uri": "https://third.example/cb?a=1", "audience": Samples.api,
            "scope": "openid pay:read",
        ]
        let browser = fixture.browser()
        _ = try await fixture.logIn(browser, request)
        let silent = request.merging(["prompt": "none"]) { $1 }
        #expect(try await browser.open(AttackFixture.authorize(silent)).parameters["code"] != nil)
        try await change(column, fixture)
        let page = try await browser.open(AttackFixture.authorize(silent))
        #expect(page.parameters["error"] == "consent_required", "\(page.url)")
    }

    @Test("A changed recovery code stands in for no phone", arguments: recoveryCodes)
    func recoveryCode(column: Column) async throws {
        let account = try await AccountFixture { $0.tenant.settings.multiFactor = .whenEnrolled }
        let fixture = account.logins
        try await addOther(fixture)
        let phone = try await InProcessPhone(in: fixture.server)
        let codes = try await account.codes(in: fixture.browser(), with: phone)
        account.grow()
        let hash = try RecoveryCode(typed: codes[0]).orThrow("no code: \(codes)").hash(Samples.hashing)
        try await fixture.server.database.write { try $0.execute("DELETE FROM recovery_code WHERE hash <> \(hash)") }
        let browser = fixture.browser()
        let waiting = try await fixture.logIn(browser)
        let link = try waiting.links.first { $0.hasPrefix("/u/mfa-recovery") }.orThrow("no link at \(waiting.url)")
        let form = try await browser.open(link).form("/u/mfa-recovery")
        try await change(column, fixture)
        let page = try await browser.send(form, ["code": codes[0]])
        #expect(["/u/mfa-recovery", "/u/mfa-push"].contains(page.path), "\(page.url)")
        #expect(try await !fixture.server.auditKinds().contains("gd_recovery_succeed"))
        if ["created_at", "seal"].contains(column.name) { #expect(fixture.server.storage.store.changedRowCount > 0) }
    }
}
