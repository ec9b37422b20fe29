package import APIDescription
package import Administration
package import AuthorizationCore
package import Flows
package import HTTPModel
import ManagementAPI
import OAuthWire
import Pages
package import Primitives
package import Routing
package import Tracing

/// The server's answers over HTTP, the same with and without sockets.
package struct Application: Sendable {
    package let flows: UseCases
    /// Declarations of every path.
    package var operations: [PlacedOperation] { routes.flatMap(\.placedOperations) }
    package let routes: [Route]
    private let oauth: OAuthEndpoints
    private let router: Router
    private let gate: Gate
    private let errors: ErrorRenderer
    private let snapshots: any ConfigurationSource

    /// - Parameters:
    ///   - formKey: 32 bytes from which the tokens of forms are derived.
    ///   - qrCode: Makes the modules of a text's QR code, row by row. Nil means that the text is too long.
    ///   - admission: Refuses requests while the server is overloaded.
    ///   - tracer: Records requests. Nil records none.
    ///   - isReady: Says whether the store answers.
    ///   - log: Gets private details of errors with the request's id and the answer's status.
    package init(
        _ flows: UseCases, managers: Managers, configuration: any RefreshableConfiguration, clock: any WallClock,
        timer: any Timer, formKey: SecretBytes, qrCode: @escaping @Sendable (String) -> [[Bool]]?,
        proxySettings: ProxySettings = ProxySettings(), admission: Admission = Admission(), tracer: Tracer? = nil,
        isReady: @escaping @Sendable () async -> Bool,
        log: @escaping @Sendable (_ requestID: String, _ detail: String, _ status: Int) -> Void
    ) {
        self.flows = flows
        errors = ErrorRenderer(log: log)
        oauth = OAuthEndpoints(flows: flows)
        let hosted = HostedLogin(
            flows: flows, formTokens: FormTokens(key: formKey, hashing: flows.hashing),
            assets: Assets(hashing: flows.hashing), qrCode: qrCode)
        let pages = HostedPages(hosted: hosted, errors: errors)
        let management = ManagementAPI(
            managers, flows,
            // A task of its own, because it reads and unseals keys while the thread serves other connections.
            refresh: { _ = try await Task { try await configuration.refresh() }.value }, errors: errors)
        let routes = Self.routes(
            oauth, pages, timer: timer, proxySettings: proxySettings, management: management,
            later: { context in
                configuration.current.tenant(id: context.tenant.id).map { context.at(clock.now, $0) }
            }, isReady: isReady)
        self.routes = routes
        router = Router(
            routes, areas: [management.area] + Self.deviceAreas, absent: Auth0Family.absent,
            page: WelcomeEndpoint(pages: pages).absent)
        snapshots = configuration
        gate = Gate(
            router, admission: admission, tracer: tracer, pages: { PageRequest($0, hosted) },
            configuration: configuration, clock: clock, proxySettings: proxySettings, errors: errors)
    }

    /// Answers one request. Never throws: errors become responses.
    package func handle(_ request: Request) async -> Response { await gate.answer(request) }

    /// Decides by its head about a request whose body is larger than most.
    package func largeBody(_ head: Request) -> LargeBody { gate.largeBody(head) }

    /// Name of a path in the metrics. Nil if it has no route. There are few names, whatever is requested.
    package func routeName(of path: String) -> String? { router.name(of: path) }

    /// The answer to a request that the listener refused.
    package func response(to refusal: HTTPRefusal, of request: Request) -> Response {
        errors.response(for: refusal, to: request, in: router.errorStyle(of: request.path))
    }

    // MARK: answers without a task

    /// Bytes of a body that is read before it is known whether it is a poll.
    private static let longestPoll = 4_096

    private static let pending = RedeemBackchannelRequest.pending.response(
        in: .oauth, to: Request(method: .post, path: ""))

    /// Answers a poll of a request that this node knows to be pending, as most requests are, without a task and without
    /// the store. Nil leaves every other request, and every error, to `handle`.
    package func answerSynchronously(_ request: Request) -> Response? {
        guard request.path == EndpointPath.token.rawValue, request.method == .post,
            request.body.count <= Self.longestPoll
        else { return nil }
        return gate.answerPlain(request) { pollAnswer(request) }
    }

    private func pollAnswer(_ request: Request) -> Response? {
        guard let context = gate.contextOfPlain(request), let answer = oauth.answerSynchronously(request, context)
        else { return nil }
        switch answer {
        case .pending: return Self.pending
        case .tooEarly(let error): return errors.response(for: error, to: request, in: .oauth)
        }
    }
}
