import Audit
import AuthorizationCore
@testable import Flows
import HTTPModel
import OpenSSLCrypto
import Primitives
import Synchronization
import TestSupport
import Testing

/// A tenant with the connections `idp` (OpenID Connect), `github` and `forum` (OAuth 2), and the providers behind them.
struct UpstreamFixture {
    static let github = "https://github.com"
    static let secret = "a secret+of=the provider"

    let clock = ManualClock()
    let idp: OpenIDStandIn
    let github: GitHubStandIn
    let accounts = UpstreamAccounts()
    let budgets = AuditBudgets()
    let providers: UpstreamProviders
    var configuration: TenantConfiguration

    init(
        github url: String = github, client: (any OutgoingHTTPClient)? = nil,
        standIn: GitHubStandIn? = nil, tenant change: (inout Tenant) -> Void = { _ in },
        method: UpstreamProvider.AuthenticationMethod? = nil, forum: [String: Handler] = [:]
    ) throws {
        let idp = try OpenIDStandIn(clock)
        let github = standIn ?? Self.standIn()
        self.idp = idp
        self.github = github
        let handlers: [String: Handler] = [
            OpenIDStandIn.origin: { idp.handle($0) }, Self.github: { github.handle($0) },
            "https://api.github.com": { github.handle($0) },
        ]
        providers = UpstreamProviders(client: client ?? HandlerClient(handlers.merging(forum) { $1 }))
        let tenant = Samples.tenant("dev", change)
        func connection(_ name: String, _ dialect: UpstreamProvider.Dialect) throws -> LoginConnection {
            let context = UpstreamProvider.sealingContext(tenant: tenant.id, connection: name)
            return LoginConnection(
                name: name, displayName: name,
                kind: .upstream(
                    UpstreamProvider(
                        dialect: dialect, clientID: "client",
                        sealedSecret: try Samples.sealer.seal(Array(Self.secret.utf8), context: context),
                        authenticationMethod: method, scope: "read:user user:email",
                        attributes: name == "forum" ? [.subject: "uid"] : [:])))
        }
        let api = url == Self.github ? "https://api.github.com" : "\(url)/api/v3"
        let base = try Samples.configuration(tenant)
        configuration = TenantConfiguration(
            tenant: tenant, clients: [Samples.client()], resourceServers: [], roles: [],
            connections: [
                .defaultDatabase,
                try connection("idp", .openIDConnect(issuer: try UpstreamFixture.url(OpenIDStandIn.issuer))),
                try connection(
                    "github", .github(url: try UpstreamFixture.url(url), apiURL: try UpstreamFixture.url(api))),
                try connection(
                    "forum",
                    .oauth2(
                        OAuth2Endpoints(
                            authorization: try UpstreamFixture.url("https://forum.example/authorize"),
                            token: try UpstreamFixture.url("https://forum.example/token"),
                            userInfo: try UpstreamFixture.url("https://forum.example/me")))),
            ], keys: base.keys)
    }

    static func standIn() -> GitHubStandIn {
        GitHubStandIn(clientID: "client", clientSecret: secret, callbackURL: "https://dev.example/login/callback")
    }

    private static func url(_ text: String) throws -> EndpointURL { try #require(EndpointURL(text)) }

    /// Begins a login. Returns the browser's next address and the attempt to keep.
    func start(
        _ connection: String, demands: StartUpstreamLogin.Demands = StartUpstreamLogin.Demands()
    ) async throws -> (location: String, query: FormFields, attempt: UpstreamAttempt) {
        let start = StartUpstreamLogin(providers: providers, hashing: Samples.hashing, random: SystemRandom())
        let (location, attempt) = try await start.start(
            try #require(configuration.connections.first { $0.name == connection }), transaction: "transaction",
            demands: demands, context: RequestContext(configuration: configuration, now: clock.now))
        let query = try FormFields(parsing: Array(location.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()))
        idp.nonce.withLock { $0 = attempt.nonce }
        return (location, query, attempt)
    }

    func finish(_ attempt: UpstreamAttempt, _ callback: FormFields) async throws -> UpstreamOutcome {
        try await FinishUpstreamLogin(
            providers: providers, accounts: accounts, sealer: Samples.sealer, verifier: OpenSSLVerifier(),
            hashing: Samples.hashing, budgets: budgets
        ).finish(
            attempt, callback: callback, client: ClientID("agent"),
            context: RequestContext(configuration: configuration, now: clock.now))
    }

    /// Logs in with the OpenID provider, whose callback has `state` and `parameters`.
    func logIn(_ parameters: [(name: String, value: String)] = [("code", "code")]) async throws -> UpstreamOutcome {
        let (_, query, attempt) = try await start("idp")
        return try await finish(attempt, FormFields(parameters + [("state", query["state"] ?? "")]))
    }

    /// The failure that logging in with the OpenID provider ends with.
    func failure(
        _ parameters: [(name: String, value: String)] = [("code", "code")],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> UpstreamFailure {
        try await #require(throws: UpstreamFailure.self, sourceLocation: sourceLocation) {
            try await logIn(parameters)
        }
    }

    /// Query of the address to which GitHub sends the browser back.
    func callback(from location: String, of client: any HTTPClient) async throws -> FormFields {
        let answer = try await client.send(ClientRequest(method: .get, url: location))
        #expect(answer.status == 302)
        let target = try #require(answer.fields["Location"])
        #expect(target.hasPrefix("https://dev.example/login/callback?"))
        return try FormFields(parsing: Array(target.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()))
    }

    func logInWithGitHub() async throws -> UpstreamOutcome {
        let github = github
        let (location, _, attempt) = try await start("github")
        let callback = try await callback(from: location, of: HandlerClient([Self.github: { github.handle($0) }]))
        return try await finish(attempt, callback)
    }
}
