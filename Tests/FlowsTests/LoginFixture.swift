import Administration
import Audit
import AuthorizationCore
import Configuration
@testable import Flows
import GuardianWire
import HTTPModel
import OAuthWire
import Primitives
import Synchronization
import TestSupport
import Testing

/// A browser: its cookies and its address.
final class Visitor: Sendable {
    private let cookies = Mutex<(session: String?, binding: String?, proof: String?)>((nil, nil, nil))
    let address: String

    init(_ address: String = FlowFixture.remote) { self.address = address }

    var browser: Browser {
        cookies.withLock {
            Browser(sessionCookie: $0.session, bindingCookie: $0.binding, proofCookie: $0.proof)
        }
    }

    var sessionCookie: String? { cookies.withLock { $0.session } }

    func take(_ answer: AuthorizationAnswer) -> AuthorizationAnswer {
        cookies.withLock { cookies in
            cookies.session = answer.sessionCookie ?? cookies.session
            cookies.binding = answer.bindingCookie ?? cookies.binding
            cookies.proof = answer.proofCookie ?? cookies.proof
        }
        return answer
    }

    func forgetSession() { cookies.withLock { $0.session = nil } }
    func plant(session: String) { cookies.withLock { $0.session = session } }
}

/// The hosted login with the public native client `app`, and Ann with a password.
struct LoginFixture {
    typealias Ports = StepStore & BeginStore & PasswordStore & SignUpStore & RecoverPasswordStore & EmailTicketStore
        & PushFactorStore & OneTimePasswordStore & UpstreamStore & CompletionStore & SessionStore
        & AuthorizationCodeStore & DeliveryStore & MailStore

    static let password = "correct horse"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let callback = "https://app.example/callback"

    let fixture: FlowFixture
    let store: any Ports
    let passwords = PlainPasswords()
    let moving: MovePeople
    let transactions: LoginTransactions
    let limit: LoginLimit
    let begin: BeginAuthorization
    let logIn: PasswordLogin
    let signUp: SignUp
    let recover: RecoverPassword
    let push: PushFactor
    let codes: OneTimePasswordFactor
    let firstDevice: EnrollFirstDevice
    let upstream: UpstreamLogin
    let consent: DecideConsent
    let end: EndSession
    let enroll: EnrollDevice

    static let github: LoginConnection = {
        let provider = EndpointURL("https://github.example").map { url in
            UpstreamProvider(dialect: .github(url: url, apiURL: url), clientID: "c", sealedSecret: [], scope: "")
        }
        return LoginConnection(
            name: "github", displayName: "GitHub",
            kind: provider.map { .upstream($0) } ?? .database(allowsSignUp: false))
    }()

    static func app(_ id: String = "app", _ change: (inout Client) -> Void = { _ in }) -> Client {
        var client = Samples.client(id) {
            $0.grantTypes = [.authorizationCode, .refreshToken]
            $0.secretHashes = []
            $0.authenticationMethod = .none
            $0.redirectURIs = [RedirectURI(registering: callback)].compactMap { $0 }
        }
        change(&client)
        return client
    }

    init(
        tenant: Tenant = Samples.tenant(), clients: [Client] = [app()], apis: [ResourceServer]? = nil,
        roles: [Role] = [], connections: [LoginConnection] = [], phone: Bool = false,
        oldServers: OldServers = OldServers(client: HandlerClient([:])) { _ in },
        ann change: @escaping @Sendable (inout User) -> Void = { _ in }
    ) async throws {
        fixture = try await FlowFixture(
            tenant: tenant, clients: clients, apis: apis, roles: roles, phone: phone,
            ann: { user in
                user.email = "ann@example.org"
                change(&user)
            })
        let configuration = fixture.configuration
        self.configuration = TenantConfiguration(
            tenant: tenant, clients: clients, resourceServers: Array(configuration.resourceServers.values),
            roles: roles, connections: connections, keys: configuration.keys)
        store = fixture.made.store
        let ann = Samples.user { user in
            user.email = "ann@example.org"
            change(&user)
        }
        try await fixture.configurationStore.change { transaction in
            try transaction.put(ann, passwordHash: "hash of \(Self.password)", in: tenant.id)
        }
        let completion = CompleteAuthorization(
            store: store, hashing: Samples.hashing, random: fixture.random, budgets: fixture.budgets)
        transactions = LoginTransactions(
            store: store, hashing: Samples.hashing, random: fixture.random, completion: completion)
        limit = LoginLimit()
        begin = BeginAuthorization(
            store: store, transactions: transactions, completion: completion, hashing: Samples.hashing,
            verifier: fixture.verifier, limit: limit)
        let mail = MailComposer(sealer: Samples.sealer)
        moving = MovePeople(
            store: store, servers: oldServers, passwords: passwords, sealer: Samples.sealer, random: fixture.random,
            refusals: fixture.refusals)
        logIn = PasswordLogin(
            store: store, transactions: transactions, hashing: Samples.hashing, passwords: passwords,
            unknownUserHash: "hash of nothing", moving: moving, mail: mail, refusals: fixture.refusals)
        signUp = SignUp(
            store: store, transactions: transactions, hashing: Samples.hashing, random: fixture.random,
            passwords: passwords, moving: moving, mail: mail, refusals: fixture.refusals)
        recover = RecoverPassword(
            store: store, passwords: passwords, hashing: Samples.hashing, random: fixture.random, moving: moving,
            mail: mail, refusals: fixture.refusals)
        enroll = EnrollDevice(
            store: fixture.enrollmentStore, verifier: fixture.verifier, hashing: Samples.hashing,
            random: fixture.random,
            sealer: Samples.sealer, refusals: fixture.refusals, outgoing: OutgoingPolicy())
        push = PushFactor(
            store: store, transactions: transactions, vault: fixture.vault, secrets: fixture.secrets,
            random: fixture.random, places: nil, decisions: fixture.hub, timer: fixture.timer,
            hold: PushFactor.longestHold)
        codes = OneTimePasswordFactor(
            store: store, transactions: transactions, hashing: Samples.hashing, sealer: Samples.sealer,
            mail: mail, push: push)
        firstDevice = EnrollFirstDevice(
            store: store, sealer: Samples.sealer, enroll: enroll, budgets: fixture.budgets,
            watch: StoreWatch(decisions: fixture.hub, timer: fixture.timer, hold: PushFactor.longestHold))
        let providers = UpstreamProviders(client: HandlerClient([:]))
        upstream = UpstreamLogin(
            store: store, transactions: transactions,
            starting: StartUpstreamLogin(providers: providers, hashing: Samples.hashing, random: fixture.random),
            finishing: FinishUpstreamLogin(
                providers: providers, accounts: store, sealer: Samples.sealer, verifier: fixture.verifier,
                hashing: Samples.hashing, budgets: fixture.budgets), refusals: fixture.refusals)
        consent = DecideConsent(transactions: transactions, hashing: Samples.hashing)
        end = EndSession(store: store, verifier: fixture.verifier, hashing: Samples.hashing)
    }

    private(set) var configuration: TenantConfiguration
    var now: Timestamp { fixture.clock.now }
    var tenant: Tenant { configuration.tenant }

    func context(_ remoteAddress: String = FlowFixture.remote) -> RequestContext {
        RequestContext(configuration: configuration, now: now, remoteAddress: remoteAddress)
    }

    /// The transaction of a request at the clock's time.
    func now(_ transaction: LoginTransaction) -> LoginTransaction {
        var transaction = transaction
        let old = transaction.context
        transaction.context = RequestContext(
            configuration: old.configuration, now: now, remoteAddress: old.remoteAddress, trace: old.trace)
        return transaction
    }

    static func parameters(_ changes: [String: String?] = [:]) throws -> Parameters {
        let presets: [String: String?] = [
            "response_type": "code", "client_id": "app", "redirect_uri": callback, "scope": "openid profile",
            "state": "xyz", "nonce": "n-0S6", "code_challenge_method": "S256",
            "code_challenge": CodeChallenge(of: verifier, Samples.hashing).description,
        ]
        let pairs = presets.merging(changes) { $1 }.compactMap { name, value in value.map { (name: name, value: $0) } }
        return try Parameters(form: Array(FormFields(pairs).encoded.utf8))
    }

    func authorize(_ visitor: Visitor, _ changes: [String: String?] = [:]) async throws -> AuthorizationAnswer {
        visitor.take(
            try await begin.begin(
                try Self.parameters(changes), browser: visitor.browser, context: context(visitor.address)))
    }

    func open(_ id: String, _ visitor: Visitor) async throws -> LoginTransaction {
        try await transactions.open(id, browser: visitor.browser, context: context(visitor.address))
    }

    func logIn(
        _ id: String, _ visitor: Visitor, email: String = "ann@example.org", password: String = password
    ) async throws -> AuthorizationAnswer {
        visitor.take(
            try await logIn.logIn(try await open(id, visitor), name: email, password: password))
    }

    /// Allows the access on the consent page.
    func allow(_ page: LoginTransaction) async throws -> AuthorizationAnswer {
        try await consent.allow(page, mark: consent.mark(of: page))
    }

    /// Begins a login and logs Ann in.
    func enter(_ visitor: Visitor, _ changes: [String: String?] = [:]) async throws -> AuthorizationAnswer {
        try await logIn(try await authorize(visitor, changes).page.id, visitor)
    }

    /// Changes the tenant's settings from now on.
    mutating func settings(_ change: (inout TenantSettings) -> Void) {
        var tenant = tenant
        change(&tenant.settings)
        configuration = TenantConfiguration(
            tenant: tenant, clients: configuration.clients,
            resourceServers: Array(configuration.resourceServers.values), roles: Array(configuration.roles.values),
            connections: configuration.connections, keys: configuration.keys)
    }

    func change(ann change: @escaping @Sendable (inout User) -> Void) async throws {
        let tenant = tenant.id
        try await fixture.configurationStore.change { transaction in
            let ann = Samples.user { user in
                user.email = "ann@example.org"
                change(&user)
            }
            try transaction.put(ann, passwordHash: "hash of \(Self.password)", in: tenant)
        }
    }

    /// Enrols a phone for Ann with that secret of one-time passwords.
    func enrol(secret: [UInt8]) async throws {
        let device = try Samples.device()
        let sealed = try Samples.sealer.seal(
            secret, context: KeptOneTimePassword.sealingContext(tenant: tenant.id, device: device.id))
        let ticket = Samples.hashing.sha256(Array("one-time password".utf8))
        let event = AuditEvent(.enrolled, tenant: tenant.id, at: now)
        _ = try await fixture.enrollmentStore.createTicket(
            EnrollmentTicket(
                hash: ticket, tenant: tenant.id, user: device.user, createdAt: now, expiresAt: now + .seconds(60)),
            event: event)
        _ = try await fixture.enrollmentStore.enroll(
            device, tokenHash: [], sealedTOTP: sealed, ticket: ticket, now: now, event: event)
    }

    enum Kept { case transactions, codes, sessions }

    func count(_ kept: Kept) async throws -> Int {
        switch kept {
        case .transactions: try await fixture.made.database.count("authorization_transaction")
        case .codes: try await fixture.made.database.count("authorization_code")
        case .sessions: try await fixture.made.database.count("session")
        }
    }

    func session(of visitor: Visitor) async throws -> Session? {
        guard let cookie = visitor.sessionCookie else { return nil }
        let hash = Samples.hashing.sha256(Array(cookie.utf8))
        return try await store.session(hash, tenant: tenant.id, now: now)?.session
    }

    func logOut(_ visitor: Visitor, _ parameters: [(name: String, value: String)] = []) async throws
        -> EndSession.Answer
    {
        try await end.logOutAtOnce(
            try Parameters(form: Array(FormFields(parameters).encoded.utf8)), browser: visitor.browser,
            context: context(visitor.address))
    }

    func code(_ response: AuthorizationResponse) async throws -> AuthorizationCode {
        let text = try #require(response.parameters["code"])
        let hash = Samples.hashing.sha256(Array(text.utf8))
        return try #require(try await store.code(hash, tenant: tenant.id)).code
    }

    /// Waiting mails, opened.
    func mails() async throws -> [JSONValue] {
        try await store.dueMail(now: now, limit: 99).map { due in
            let context = Delivery.sealingContext(tenant: due.mail.tenant)
            return try JSONReader.parse(try Samples.sealer.open(due.mail.sealed, context: context).bytes)
        }
    }

    /// Notices of ended sessions: the client and the session of each.
    func logouts() async throws -> [String] {
        try await store.dueLogouts(now: now, perClient: 99, limit: 99).map { "\($0.client) \($0.session)" }
    }

    func log(_ kinds: String...) async throws -> [AuditRow] {
        try await fixture.made.database.auditLog().filter { kinds.contains($0.kind) }
    }
}

extension AuthorizationAnswer {
    struct Unexpected: Error {}

    /// The transaction whose page is shown.
    var page: LoginTransaction {
        get throws {
            guard case .interact(let transaction) = next else { throw Unexpected() }
            return transaction
        }
    }

    var response: AuthorizationResponse {
        get throws {
            guard case .respond(let response) = next else { throw Unexpected() }
            return response
        }
    }

    /// The client's error. Nil for a code.
    var error: String? { get throws { try response.parameters["error"] } }
}

func pageFailure(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async throws -> AuthorizationPageFailure.Reason {
    try await #require(throws: AuthorizationPageFailure.self, sourceLocation: sourceLocation) { try await body() }
        .reason
}

func interactionFailure(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async throws -> InteractionFailure {
    try await #require(throws: InteractionFailure.self, sourceLocation: sourceLocation) { try await body() }
}
