@testable import AuthorizationCore
import OAuthWire
import Primitives
import TestSupport
import Testing

@testable import Flows

@Suite("The next step of a login")
struct AuthorizationProgressTests {
    static let now = Samples.start
    static let ann = Samples.user()

    struct Row: Sendable, CustomTestStringConvertible {
        let rule: String
        let expected: AuthorizationStep
        var parameters: [String: String] = [:]
        var client: @Sendable (inout Client) -> Void = { _ in }
        var connections: [LoginConnection] = []
        var policy = MultiFactorPolicy.never
        var eachTime = false
        /// Methods of the browser's session, which began a minute ago. Nil means no session.
        var session: [String]?
        var factors = SecondFactors.none
        /// Ages that a page of this server asks for.
        var recency: OwnPage.Recency?
        /// Seconds since the second factor of the browser's session. Nil if none was given.
        var secondFactorAge: Int?
        var granted: ScopeSet?
        var isUserThere = true
        var progress: @Sendable (inout AuthorizationProgress) -> Void = { _ in }

        var testDescription: String { rule }
    }

    static let phone = SecondFactors(push: true, oneTimePassword: true, hasFactor: true)
    static let github = LoginFixture.github
    static let recent = OwnPage.Recency(login: 300, secondFactor: 300)
    static let here = AuthorizationProgress.Owner(user: ann.id, accessEndings: 0)
    static let bySession = AuthorizationProgress.Owner(user: ann.id, accessEndings: 0, session: SessionID("s"))
    static let other = AuthorizationProgress.Owner(user: UserID("auth0|bob"), accessEndings: 0)

    static func proven(_ methods: [String] = ["pwd"], ago seconds: Int = 0) -> Authentication {
        Authentication(
            user: ann.id, at: now - .seconds(seconds), methods: methods,
            connection: LoginConnection.defaultDatabaseName)
    }

    static let rows: [Row] = [
        Row(rule: "nobody is known", expected: .logIn),
        Row(rule: "screen_hint=signup", expected: .signUp, parameters: ["screen_hint": "signup"]),
        Row(
            rule: "sign-up is off", expected: .logIn, parameters: ["screen_hint": "signup"],
            connections: [LoginConnection(name: "db", displayName: "", kind: .database(allowsSignUp: false))]),
        Row(
            rule: "connection names a provider", expected: .upstream(connection: "github"),
            parameters: ["connection": "github"], connections: [.defaultDatabase, github]),
        Row(rule: "one provider and nothing else", expected: .upstream(connection: "github"), connections: [github]),
        Row(rule: "several connections are listed", expected: .logIn, connections: [.defaultDatabase, github]),
        Row(rule: "a session is enough", expected: .done, session: ["pwd"]),
        Row(
            rule: "a session of a user who is gone or blocked is not", expected: .logIn, session: ["pwd"],
            isUserThere: false),
        Row(
            rule: "a change of factors asks a person who has one for it again", expected: .multiFactor(phone),
            session: ["pwd", "pop", "mfa"], factors: phone, recency: recent, secondFactorAge: 300),
        Row(
            rule: "a change of factors, right after one", expected: .done, session: ["pwd", "pop", "mfa"],
            factors: phone, recency: recent, secondFactorAge: 299),
        Row(
            rule: "a change of factors asks for one that the tenant's logins do not ask for",
            expected: .multiFactor(phone), session: ["pwd"], factors: phone, recency: recent),
        Row(
            rule: "without a second factor, a change asks for a login again", expected: .logIn, session: ["pwd"],
            recency: OwnPage.Recency(login: 60, secondFactor: 300)),
        Row(
            rule: "without a second factor, a change right after the login", expected: .done, session: ["pwd"],
            recency: recent),
        Row(
            rule: "a login in the transaction is recent, whatever the session's age", expected: .done,
            recency: OwnPage.Recency(login: 60, secondFactor: 60),
            progress: { $0.authentication = proven() }),
        Row(rule: "prompt=login", expected: .logIn, parameters: ["prompt": "login"], session: ["pwd"]),
        Row(
            rule: "prompt=login is met by a login here", expected: .done, parameters: ["prompt": "login"],
            session: ["pwd"], progress: { $0.authentication = proven() }),
        Row(rule: "max_age=0", expected: .logIn, parameters: ["max_age": "0"], session: ["pwd"]),
        Row(
            rule: "max_age=0 is met by a login here", expected: .done, parameters: ["max_age": "0"],
            progress: { $0.authentication = proven() }),
        Row(rule: "max_age is over", expected: .logIn, parameters: ["max_age": "60"], session: ["pwd"]),
        Row(rule: "max_age is not over", expected: .done, parameters: ["max_age": "61"], session: ["pwd"]),
        Row(
            rule: "a session of another connection", expected: .upstream(connection: "github"),
            parameters: ["connection": "github"], connections: [.defaultDatabase, github], session: ["pwd"]),
        Row(
            rule: "a session of a connection that the client may not use", expected: .upstream(connection: "github"),
            connections: [github], session: ["pwd"]),
        Row(
            rule: "prompt=select_account", expected: .selectAccount, parameters: ["prompt": "select_account"],
            session: ["pwd"]),
        Row(
            rule: "prompt=select_account without a session", expected: .logIn,
            parameters: ["prompt": "select_account"]),
        Row(
            rule: "the session's account was selected", expected: .done, parameters: ["prompt": "select_account"],
            session: ["pwd"], progress: { $0.account = .current(ann.id) }),
        Row(
            rule: "another session's account was selected", expected: .selectAccount,
            parameters: ["prompt": "select_account"], session: ["pwd"],
            progress: { $0.account = .current(UserID("auth0|bob")) }),
        Row(
            rule: "another account was selected", expected: .logIn, parameters: ["prompt": "select_account"],
            session: ["pwd"], progress: { $0.account = .other }),
        Row(
            rule: "a login here selects the account", expected: .done, parameters: ["prompt": "select_account"],
            progress: { $0.authentication = proven() }),
        Row(
            rule: "when-enrolled and no device", expected: .done, policy: .whenEnrolled,
            progress: { $0.authentication = proven() }),
        Row(
            rule: "when-enrolled and a device", expected: .multiFactor(phone), policy: .whenEnrolled, factors: phone,
            progress: { $0.authentication = proven() }),
        Row(
            rule: "never, whatever there is", expected: .done, factors: phone,
            progress: { $0.authentication = proven() }),
        Row(
            rule: "always and no device", expected: .enrollDevice, policy: .always,
            progress: { $0.authentication = proven() }),
        Row(
            rule: "always and a device", expected: .multiFactor(phone), policy: .always, factors: phone,
            progress: { $0.authentication = proven() }),
        Row(
            rule: "a device that can prove nothing does not let the password alone enrol another",
            expected: .multiFactor(SecondFactors(push: false, oneTimePassword: false, hasFactor: true)),
            policy: .always, factors: SecondFactors(push: false, oneTimePassword: false, hasFactor: true),
            progress: { $0.authentication = proven() }),
        Row(
            rule: "the second factor was given", expected: .done, policy: .always, factors: phone,
            progress: { $0.authentication = proven(["pwd", "otp", "mfa"]) }),
        Row(
            rule: "a session with two factors", expected: .done, policy: .always, session: ["pwd", "pop", "mfa"],
            factors: phone),
        Row(
            rule: "a session with one factor is stepped up", expected: .multiFactor(phone), policy: .always,
            session: ["pwd"], factors: phone),
        Row(
            rule: "an API that wants MFA in each transaction is not content with the session's",
            expected: .multiFactor(phone), eachTime: true, session: ["pwd", "pop", "mfa"], factors: phone),
        Row(
            rule: "it is content with one given here", expected: .done, eachTime: true, factors: phone,
            progress: {
                $0.authentication = proven(["pwd", "pop", "mfa"])
                $0.change(of: here) { $0.gaveSecondFactor = true }
            }),
        Row(
            rule: "it is not content with one that another user gave here", expected: .multiFactor(phone),
            eachTime: true, factors: phone,
            progress: {
                $0.authentication = proven(["pwd", "pop", "mfa"])
                $0.change(of: other) { $0.gaveSecondFactor = true }
            }),
        Row(rule: "a third party asks", expected: .consent, client: { $0.isFirstParty = false }, session: ["pwd"]),
        Row(
            rule: "a third party was allowed all of it", expected: .done, client: { $0.isFirstParty = false },
            session: ["pwd"], granted: ScopeSet(["profile", "openid", "email"])),
        Row(
            rule: "a third party was allowed less", expected: .consent, client: { $0.isFirstParty = false },
            session: ["pwd"], granted: ScopeSet(["openid"])),
        Row(
            rule: "consent was given here", expected: .done, client: { $0.isFirstParty = false }, session: ["pwd"],
            progress: { $0.change(of: bySession) { $0.consented = ScopeSet(["openid", "profile"]) } }),
        Row(
            rule: "another user's consent is not theirs", expected: .consent, client: { $0.isFirstParty = false },
            session: ["pwd"],
            progress: { $0.change(of: other) { $0.consented = ScopeSet(["openid", "profile"]) } }),
        Row(
            rule: "consent to less than what would be given now", expected: .consent,
            client: { $0.isFirstParty = false }, session: ["pwd"],
            progress: { $0.change(of: bySession) { $0.consented = ScopeSet(["openid"]) } }),
        Row(
            rule: "prompt=consent asks again", expected: .consent, parameters: ["prompt": "consent"],
            client: { $0.isFirstParty = false }, session: ["pwd"], granted: ScopeSet(["profile", "openid"])),
        Row(
            rule: "RFC 9396: details are always shown", expected: .consent,
            parameters: ["authorization_details": #"[{"type":"payment"}]"#], session: ["pwd"],
            granted: ScopeSet(["profile", "openid"])),
        Row(
            rule: "consent comes after the second factor", expected: .multiFactor(phone),
            client: { $0.isFirstParty = false }, policy: .always, session: ["pwd"], factors: phone),
        Row(
            rule: "a session that ended meanwhile is none", expected: .logIn, session: nil,
            progress: { $0.session = SessionID("another") }),
    ]

    @Test("The step follows from request, progress, session, user, policy and consent", arguments: rows)
    func step(_ row: Row) throws {
        let parameters = try LoginFixture.parameters(row.parameters.mapValues { $0 })
        let request = try AuthorizationRequest(parsing: parameters, limits: .init())
        let client = LoginFixture.app("app", row.client)
        let configuration = TenantConfiguration(
            tenant: Samples.tenant(), clients: [client], resourceServers: [], roles: [],
            connections: row.connections, keys: KeyRing(current: [], published: []))
        var progress = AuthorizationProgress()
        row.progress(&progress)
        let session = row.session.map { methods in
            var authentication = Self.proven(methods, ago: 60)
            authentication.secondFactorAt = row.secondFactorAge.map { Self.now - .seconds($0) }
            return Session(
                hash: [1], id: SessionID("s"), tenant: TenantID("dev"), authentication: authentication,
                createdAt: Self.now - .seconds(60),
                lastUsedAt: Self.now, expiresAt: Self.now + .seconds(60), idleExpiresAt: Self.now + .seconds(60))
        }
        let step = progress.nextStep(
            in: AuthorizationProgress.Circumstances(
                request: request, skipsConsent: client.isFirstParty || row.recency != nil,
                choices: LoginChoices(request, client: client, configuration: configuration), policy: row.policy,
                requiresSecondFactorEachTime: row.eachTime, session: session,
                user: row.isUserThere ? Self.ann : nil, factors: row.factors, recency: row.recency,
                scope: request.scope, granted: row.granted, now: Self.now))
        #expect(step == row.expected)
        #expect(AuthorizationProgress(progress.json) == progress, "it is kept as it was")
    }

    @Test("Progress that cannot be read counts as none")
    func unreadable() {
        let none = AuthorizationProgress()
        for value: JSONValue in [
            nil, [], "x", ["authentication": ["user": "u", "at": 1, "connection": "c"]], ["session": 1],
            ["account": 1], ["belongings": ["second_factor": true]], ["belongings": ["user": "auth0|ann"]],
        ] { #expect(AuthorizationProgress(value) == none) }
    }
}
