import Administration
import Audit
import AuthorizationCore
import Configuration
import GuardianWire
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

/// A success that an account, a phone or a public client can repeat as often as its holder likes.
enum Repetition: String, CaseIterable {
    case logIn = "log in, each time in a new browser"
    case logInSilently = "log in by a session, without a page (prompt=none)"
    case logInInManySessions = "log in by many sessions"
    case consent = "consent to a client again"
    case enrollmentTicket = "get a ticket for a first phone"
    case refresh = "refresh a token"
    case refreshManyTokens = "refresh many tokens of one client"
    case renamePhones = "rename two phones in turn"
    case changePreferences = "change preferences"
    case readRequest = "read a request"
    case changeQuietHours = "change the quiet hours on the account's pages"
    case changePassword = "change the password"
    case endSessions = "log out all other browsers"
    case makeRecoveryCodes = "make new recovery codes"
    case changePasskeys = "add a passkey and remove it in turn"
    case exportAccount = "export an account's data"

    /// Actions a minute.
    var budget: Int { self == .readRequest ? 10 * DiskAttackFixture.budget : DiskAttackFixture.budget }

    /// Kinds of the entries that each leaves.
    var kinds: Set<AuditEvent.Kind> {
        switch self {
        case .logIn: [.loggedIn, .codeIssued]
        case .logInSilently, .logInInManySessions: [.codeIssued]
        case .consent: [.consentGiven]
        case .enrollmentTicket: [.enrollmentTicketCreated]
        case .refresh, .refreshManyTokens: [.refreshTokenExchanged]
        case .renamePhones, .changePreferences: [.deviceUpdated]
        case .readRequest: [.consentFetched]
        case .changeQuietHours: [.accountChanged]
        case .changePassword: [.passwordChanged]
        case .endSessions: [.loggedOut]
        case .makeRecoveryCodes: [.recoveryCodesMade]
        case .changePasskeys: [.passkeyRegistered, .passkeyRemoved]
        case .exportAccount: [.accountExported]
        }
    }
}

/// A server of small budgets, with two people who each have two phones and refresh tokens.
private final class DiskAttackFixture {
    static let budget = 3

    let attack: AttackFixture
    var server: InProcessServer { attack.server }

    init(_ repetition: Repetition) async throws {
        attack = try await AttackFixture { setup in
            setup.tenant.settings.actionsPerMinute = Self.budget
            setup.tenant.settings.requestsPerMinutePerUser = 100
            if repetition == .enrollmentTicket { setup.tenant.settings.multiFactor = .always }
            setup.clients.append(Samples.client("agent"))
        }
    }

    /// Repeats it once more. The answer is the last one that the server gave.
    typealias Step = () async throws -> HTTPAnswer

    func step(_ repetition: Repetition, by name: String) async throws -> Step {
        let user = UserID("auth0|\(name)")
        let email = "\(name)@example.org"
        switch repetition {
        case .logIn:
            return { [attack] in try await attack.logIn(attack.browser(), as: email).answer }
        case .logInSilently:
            let browser = try await browser(of: user)
            return { try await browser.open(AttackFixture.authorize(["prompt": "none"])).answer }
        case .logInInManySessions:
            var browsers: [InProcessBrowser] = []
            for _ in 0..<10 { browsers.append(try await browser(of: user)) }
            return {
                try await browsers.removeLast().open(AttackFixture.authorize(["prompt": "none"])).answer
            }
        case .consent:
            let browser = try await browser(of: user)
            return { [attack] in
                try await attack.logIn(
                    browser,
                    [
                        "client_id": "third-party", "redirect_uri": "https://third.example/cb?a=1",
                        "prompt": "consent",
                    ]
                ).answer
            }
        case .enrollmentTicket:
            return { [attack] in try await attack.logIn(attack.browser(), as: email).answer }
        case .refresh:
            let token = try await refreshToken(of: user)
            return { [attack] in
                await attack.refresh(token, ["client_id": "web", "client_secret": Samples.secret])
            }
        case .refreshManyTokens:
            var tokens: [String] = []
            for _ in 0..<12 { tokens.append(try await refreshToken(of: user)) }
            return { [attack] in
                await attack.refresh(tokens.removeLast(), ["client_id": "web", "client_secret": Samples.secret])
            }
        case .renamePhones:
            let phones = try await [phone(of: user, "ONE"), phone(of: user, "TWO")]
            var count = 0
            return { [server] in
                count += 1
                let phone = phones[count % 2]
                return await server.send(
                    phone.accountRequest(.patch, token: try phone.token(), ["name": .string("Phone \(count)")]))
            }
        case .changePreferences:
            let phone = try await phone(of: user, "ONE")
            var hour = 10
            return { [server] in
                hour += 1
                let night: JSONValue = ["quiet_hours": ["from": "22:00", "to": .string("\(hour):00")]]
                return await server.send(
                    .json(
                        .put, "/appliance-mfa/api/device-accounts/\(phone.id)/preferences", night,
                        fields: ["Authorization": "Bearer \(try phone.token())"]))
            }
        case .changeQuietHours:
            let (browser, page) = try await account(.preferences, of: email)
            let form = try page.forms.first.orThrow("no form")
            var minute = 10
            return {
                minute += 1
                return try await browser.send(form, ["from": "22:00", "to": "06:\(minute)"]).answer
            }
        case .changePassword:
            let (browser, page) = try await account(.password, of: email)
            let form = try page.form(AccountPath.password.rawValue)
            var (old, new) = (AttackFixture.password, "another long pass phrase")
            return {
                let typed = ["old_password": old, "password": new, "password_again": new]
                let answer = try await browser.send(form, typed).answer
                if answer.status < 400 { (old, new) = (new, old) }
                return answer
            }
        case .endSessions:
            _ = try await account(.sessions, of: email)
            let (browser, page) = try await account(.sessions, of: email)
            let form = try page.forms.first { $0.fields["item"] == nil }.orThrow("no form")
            return { try await browser.send(form).answer }
        case .makeRecoveryCodes:
            let phone = try await phone(of: user, "ONE")
            let (browser, page) = try await account(.recoveryCodes, of: email)
            let push = try await browser.send(page.form(AccountPath.recoveryCodes.rawValue))
            _ = try await phone.decideNewest()
            let confirmed = try await browser.send(push.form("/u/mfa-push"))
            let form = try confirmed.form(AccountPath.recoveryCodes.rawValue)
            refill()
            return { try await browser.send(form).answer }
        case .changePasskeys:
            return try await changePasskeys(of: email)
        case .exportAccount:
            let (browser, page) = try await account(.export, of: email)
            let form = try page.form(AccountPath.export.rawValue)
            return { try await browser.send(form).answer }
        case .readRequest:
            let phone = try await phone(of: user, "ONE")
            let request = try await InProcessClient(via: server).started([
                "login_hint": InProcessClient.loginHint(user.rawValue)
            ])
            let notification = try await phone.notification(of: request)
            refill()
            return { [server] in await server.send(try phone.consentRequest(notification)) }
        }
    }

    /// A browser at a page of the account, after the person's proofs.
    private func account(
        _ path: AccountPath, of email: String
    ) async throws -> (InProcessBrowser, InProcessBrowser.Page) {
        let browser = attack.browser()
        let login = try await browser.open(path.rawValue).form("/u/login")
        let page = try await browser.send(login, ["username": email, "password": AttackFixture.password])
        guard page.path == path.rawValue else { throw Unexpected("\(page.url): \(page.text)") }
        refill()
        return (browser, page)
    }

    private func changePasskeys(of email: String) async throws -> Step {
        let (browser, first) = try await account(.passkeys, of: email)
        var page = first
        return { [server] in
            server.advance(.milliseconds(1))
            let answer: InProcessBrowser.Page
            if let removal = page.forms.first(where: { $0.fields["item"] != nil }) {
                answer = try await browser.send(removal, ["decision": "remove"])
            } else {
                page = try await browser.open(AccountPath.passkeys.rawValue)
                let form = try page.passkeyForm().orThrow("no passkeys at \(page.url)")
                let authenticator = try SoftwareAuthenticator(host: InProcessServer.host, name: email)
                let registration = try authenticator.registration(page.passkeyChallenge)
                answer = try await browser.send(
                    form.form, ["passkey": String(decoding: registration.json, as: UTF8.self)])
            }
            if answer.answer.status < 400 { page = answer }
            return answer.answer
        }
    }

    private func phone(of user: UserID, _ identifier: String) async throws -> InProcessPhone {
        try await InProcessPhone(user, identifier: "\(identifier) of \(user)", in: server)
    }

    private var made = 0

    /// A refresh token of a new authorization, which the person was given some time ago.
    private func refreshToken(of user: UserID) async throws -> String {
        made += 1
        let code = try await server.code("\(user) \(made)") { changes in
            changes.client = "web"
            changes.user = user.rawValue
        }
        let answer = await attack.redeem(code, ["redirect_uri": Samples.callback])
        return try (answer["refresh_token"]?.stringValue).orThrow("\(answer.status) \(answer.text)")
    }

    /// A browser in which the person is logged in.
    private func browser(of user: UserID) async throws -> InProcessBrowser {
        let browser = attack.browser()
        let email = "\(user.rawValue.dropFirst("auth0|".count))@example.org"
        _ = try await attack.logIn(browser, as: email).parameters["code"].orThrow("not logged in")
        refill()
        return browser
    }

    /// Lets the minute pass after an action that belongs to the preparation.
    private func refill() { server.advance(.seconds(60)) }
}

@Suite("Attacks on the disk: nobody fills the audit log, which everybody shares, with what succeeds")
struct DiskAttackTests {
    private func expectRefused(
        _ answer: HTTPAnswer, _ repetition: Repetition, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == 429, "\(answer.text)", sourceLocation: sourceLocation)
        #expect(answer.fields["Retry-After"] == String(60 / repetition.budget), sourceLocation: sourceLocation)
    }

    @Test(
        "Beyond the budget it is refused, leaves nothing and harms nobody else, until the minute passes",
        arguments: Repetition.allCases)
    func budget(repetition: Repetition) async throws {
        let fixture = try await DiskAttackFixture(repetition)
        let step = try await fixture.step(repetition, by: "ann")
        let other = try await fixture.step(repetition, by: "bob")
        for _ in 0..<repetition.budget { #expect(try await step().status < 400) }
        let kinds = try await Set(fixture.server.auditKinds())
        #expect(repetition.kinds.allSatisfy { kinds.contains($0.rawValue) }, "\(kinds)")

        let entries = try await fixture.server.auditKinds().count
        for _ in 0..<5 { expectRefused(try await step(), repetition) }
        #expect(try await fixture.server.auditKinds().count == entries)
        let refusals = fixture.server.budgets.refusals.map(\.count).reduce(0, +)
        #expect(refusals == 5, "metrics count them")

        #expect(try await other().status < 400)
        fixture.server.advance(.seconds(60 / repetition.budget))
        #expect(try await step().status < 400)
        expectRefused(try await step(), repetition)
    }

    @Test("Accounts whose address nobody verified share a budget by the network that they come from")
    func manyAccounts() async throws {
        let fixture = try await AttackFixture { setup in
            setup.tenant.settings.actionsPerMinute = 1
            for number in 0..<12 {
                let user = Samples.user("auth0|x\(number)") {
                    $0.email = EmailAddress(parsing: "x\(number)@example.org")
                }
                setup.users.append(user)
                setup.passwords[user.id] = AttackFixture.password
            }
        }
        var browsers: [InProcessBrowser] = []
        for number in 0..<12 {
            let browser = fixture.browser()
            let answer = try await fixture.logIn(browser, as: "x\(number)@example.org")
            #expect(answer.parameters["code"] != nil)
            fixture.server.advance(.seconds(60))
            browsers.append(browser)
        }
        var statuses: [Int] = []
        for browser in browsers {
            statuses.append(try await browser.open(AttackFixture.authorize(["prompt": "none"])).answer.status)
        }
        #expect(statuses.filter { $0 < 400 }.count == 10)
        #expect(statuses.suffix(2) == [429, 429])
    }

    @Test("Requests that are counted out of their order refill no budget twice")
    func outOfOrder() {
        let limit = RateLimit<Int>()
        var taken = 0
        for step in 0..<60_000 {
            for time in [step + 5, step] {
                let usage = limit.count(1, limit: 60, now: Samples.start + .milliseconds(time))
                if !usage.isExceeded { taken += 1 }
            }
        }
        #expect(taken <= 121, "a full bucket, and a minute")
    }

    @Test("A thief of the opaque token uses up no budget of the person's phones")
    func keyless() async throws {
        let fixture = try await AttackFixture { $0.tenant.settings.actionsPerMinute = 3 }
        let (stolen, own) = (
            try await InProcessPhone(identifier: "stolen", in: fixture.server),
            try await InProcessPhone(identifier: "own", in: fixture.server)
        )
        var statuses: [Int] = []
        for number in 0..<5 {
            let request = stolen.accountRequest(
                .patch, token: stolen.enrollment.token, ["name": .string("x\(number)")])
            statuses.append(await fixture.server.send(request).status)
        }
        #expect(statuses == [200, 200, 200, 429, 429])
        let renamed = await fixture.server.send(own.accountRequest(.patch, token: try own.token(), ["name": "Mine"]))
        #expect(renamed.status == 200, "\(renamed.text)")
    }

    @Test(
        "A refused change changes no row",
        arguments: [Repetition.refresh, .renamePhones, .changePreferences, .readRequest])
    func unchanged(repetition: Repetition) async throws {
        let fixture = try await DiskAttackFixture(repetition)
        let step = try await fixture.step(repetition, by: "ann")
        for _ in 0..<repetition.budget { _ = try await step() }
        let before = try await fixture.server.dump()
        expectRefused(try await step(), repetition)
        #expect(try await fixture.server.dump() == before)
    }

    @Test("A request that is read again and again leaves one entry")
    func reading() async throws {
        let fixture = try await DiskAttackFixture(.readRequest)
        let step = try await fixture.step(.readRequest, by: "ann")
        for _ in 0..<10 {
            #expect(try await step().status == 200)
            fixture.server.advance(.seconds(20))
        }
        #expect(
            try await fixture.server.auditKinds().filter { $0 == AuditEvent.Kind.consentFetched.rawValue }.count == 1)
    }

    /// Starts an import that changes a thousand people.
    private func startImport(_ round: Int, _ server: InProcessServer) async throws -> UserJob {
        let users = (0..<1_000).map { number -> JSONValue in
            ["email": .string("u\(number)@example.org"), "given_name": .string("Round \(round)")]
        }
        let context = AdministrativeContext(
            tenant: TenantID("dev"), actor: .client(ClientID("mallory")),
            managementScopes: ["create:users", "update:users"], now: server.clock.now)
        let jobs = server.managers.userJobs
        let database = try await jobs.defaultConnection(of: context.tenant)
        let file = JSONWriter.bytes(.array(users))
        return try await jobs.importUsers(file, into: database, UserJobOrder.Import(upsert: true), for: context).job
    }

    /// Works all jobs for as long as they may go on. Returns the number of entries that they left.
    private func workJobs(_ server: InProcessServer, _ pace: JobPace) async throws -> Int {
        let before = try await server.auditKinds()
        let jobs = server.managers.userJobs
        while try await jobs.work(now: server.clock.now, pace: pace, report: { Issue.record("\($0)") }) {}
        let after = try await server.auditKinds()
        return after.count - before.count
    }

    @Test("Imports over and over write no more users a minute than one program could write by itself")
    func imports() async throws {
        let fixture = try await AttackFixture { $0.tenant.settings.managementRequestsPerMinute = 60 }
        let server = fixture.server
        let pace = JobPace()
        let started = [try await startImport(0, server), try await startImport(1, server)]
        await #expect(throws: AdministrationFailure.tooManyJobs(limit: 2)) { _ = try await startImport(2, server) }
        // A minute is saved, and a part is never cut.
        #expect(try await workJobs(server, pace) == 100)
        #expect(try await workJobs(server, pace) == 0)
        var written = 0
        for _ in 0..<10 {
            server.advance(.seconds(60))
            written += try await workJobs(server, pace)
        }
        #expect((500...600).contains(written), "\(written) in ten minutes")
        // An operator's own import is not held up, and neither is another tenant's.
        let operators = AdministrativeContext(tenant: TenantID("other"), actor: .system, now: server.clock.now)
        let jobs = server.managers.userJobs
        let database = try await jobs.defaultConnection(of: operators.tenant)
        let file = Array(#"[{"email":"free@example.org"}]"#.utf8)
        _ = try await jobs.importUsers(file, into: database, UserJobOrder.Import(), for: operators)
        #expect(try await workJobs(server, pace) == 2)
        server.advance(.seconds(7_201))
        _ = try await workJobs(server, pace)
        for job in started {
            let ended = try await jobs.job(job.id, of: job.tenant, now: server.clock.now).job
            #expect(ended.status == .failed && ended.counts.total < 1_000, "its time is over")
        }
    }

    /// Kinds with a budget whose attacks are elsewhere: logins by a provider in `FlowsTests/Upstream`, and device channels
    /// in `DeliveryTests/DeviceChannelTests`. The last three use something up that must be made again first. They draw
    /// where the other changes of an account do, in `ChangeAccount.apply`.
    private static let elsewhere: Set<AuditEvent.Kind> = [
        .identityLinked, .identityUpdated, .notificationSent, .unenrolled, .consentWithdrawn, .accountDeleted,
    ]

    @Test("Each kind of entry says what bounds it, and each kind with a budget is attacked here")
    func everyKind() {
        let attacked = Repetition.allCases.reduce(into: Self.elsewhere) { $0.formUnion($1.kinds) }
        for kind in AuditEvent.Kind.allCases {
            #expect(!kind.bounds.isEmpty, "\(kind) has no bound")
            let hasBudget = kind.bounds.contains { if case .budget = $0 { true } else { false } }
            #expect(hasBudget == attacked.contains(kind), "\(kind) draws on a budget; add its repetition")
        }
    }
}
