package import AuthorizationCore
package import HTTPModel
import OAuthWire
package import Primitives
package import Tracing

/// The one way into the server: every request passes the same checks in the same order before its route answers.
package struct Gate: Sendable {
    private let router: Router
    private let configuration: any ConfigurationSource
    private let clock: any WallClock
    private let proxySettings: ProxySettings
    private let errors: ErrorRenderer
    private let admission: Admission
    private let tracer: Tracer?
    private let pages: @Sendable (EndpointCall) -> any FailurePages

    /// - Parameter pages: Shows people the failure of a request that was refused before its route.
    package init(
        _ router: Router, admission: Admission, tracer: Tracer?,
        pages: @escaping @Sendable (EndpointCall) -> any FailurePages, configuration: any ConfigurationSource,
        clock: any WallClock, proxySettings: ProxySettings, errors: ErrorRenderer
    ) {
        self.router = router
        self.admission = admission
        self.tracer = tracer
        self.pages = pages
        self.configuration = configuration
        self.clock = clock
        self.proxySettings = proxySettings
        self.errors = errors
    }

    /// Answers one request. Never throws: errors become responses.
    package func answer(_ request: Request) async -> Response {
        let match = router.find(request.path, request.method)
        let tenant = tenant(of: request)
        guard let tracer else { return await respond(to: request, match, tenant) }
        let span = tracer.begin(request, at: match.route)
        let response = await Tracer.$current.withValue(span.context) { await respond(to: request, match, tenant) }
        tracer.end(span, with: response, of: tenant?.tenant.id)
        return response
    }

    private func respond(to request: Request, _ match: Router.Match, _ tenant: TenantConfiguration?) async -> Response {
        let style = match.route?.errors ?? router.errorStyle(of: request.path)
        var response = await errors.answering(request, in: style) { try await answer(request, match, tenant) }
        if let route = match.route { route.scripts.grant(&response, of: route, to: request, tenant) }
        finish(&response, to: request)
        return response
    }

    private func answer(
        _ request: Request, _ match: Router.Match, _ tenant: TenantConfiguration?
    ) async throws -> Response {
        if match.route?.isProbe != true { try Self.check(request.fields) }
        switch match {
        case .route(let route, let values):
            switch route.handlers[request.method] {
            case .probe(let answer): return await answer(request)
            case .endpoint(let handle):
                do throws(ServerFailure) {
                    try admission.admit(request, as: route.work)
                } catch {
                    guard request.wantsPage, tenant != nil else { throw error }
                    let pages = pages(try call(to: route, values, request, tenant))
                    return errors.response(for: error, to: request, in: .page(pages))
                }
                let call = try call(to: route, values, request, tenant)
                return try await handle(call)
            case nil: throw ServerFailure.methodNotAllowed([route])
            }
        case .otherMethods(let routes):
            if tenant == nil, !routes.contains(where: \.isProbe) { throw unknownHost(of: request) }
            throw router.refusal(of: request.path, request.method, routes)
        case .nothing:
            guard tenant != nil else { throw unknownHost(of: request) }
            if let page = router.page(for: request), case .endpoint(let handle) = page.handlers[request.method] {
                return try await handle(try call(to: page, [], request, tenant))
            }
            throw router.refusal(of: request.path, request.method, [])
        }
    }

    private func call(
        to route: Route, _ values: [String], _ request: Request, _ tenant: TenantConfiguration?
    ) throws -> EndpointCall {
        guard let tenant else { throw unknownHost(of: request) }
        let resolved = try proxySettings.proxies.resolved(request)
        let context = RequestContext(
            configuration: tenant, now: clock.now, remoteAddress: resolved.remoteAddress,
            trace: RequestTrace(of: resolved))
        return EndpointCall(request: resolved, context: context, route: route, values: values)
    }

    /// Context of a request that the gate would let through unchanged, for an answer without a task. Nil leaves the
    /// request to `answer`. Such an answer writes no audit entry, so the context has no trace.
    package func contextOfPlain(_ request: Request) -> RequestContext? {
        // Scripts need `ScriptAccess` each time.
        guard request.fields["Origin"] == nil, (try? Self.check(request.fields)) != nil,
            !proxySettings.proxies.mayChangeCertificate(request), let tenant = tenant(of: request)
        else { return nil }
        return RequestContext(configuration: tenant, now: clock.now, remoteAddress: request.remoteAddress)
    }

    /// Answers a request by `body` without a task. Nil leaves it to `answer`.
    package func answerPlain(_ request: Request, _ body: () -> Response?) -> Response? {
        let span = tracer?.begin(request, at: router.find(request.path, request.method).route)
        guard var response = body() else { return nil }
        finish(&response, to: request)
        if let tracer, let span { tracer.end(span, with: response, of: tenant(of: request)?.tenant.id) }
        return response
    }

    /// Adds the fields that every answer has.
    private func finish(_ response: inout Response, to request: Request) {
        proxySettings.transportSecurity?.add(to: &response, for: request)
    }

    /// Decides by its head about a request whose body is larger than most.
    package func largeBody(_ head: Request) -> LargeBody {
        let area = router.area(of: head.path)
        guard let admit = area.admitLargeBody, (try? Self.check(head.fields)) != nil, let tenant = tenant(of: head)
        else { return .tooLarge }
        do {
            try admit(head, RequestContext(configuration: tenant, now: clock.now))
            return .taken
        } catch {
            return .refused(errors.response(for: error, to: head, in: area.errors))
        }
    }

    /// Tenant of the called name, or of the name at the port that asks for certificates.
    private func tenant(of request: Request) -> TenantConfiguration? {
        guard let host = request.fields["Host"] else { return nil }
        let configuration = configuration.current
        return configuration.tenant(host: host)
            ?? proxySettings.mtlsPort.flatMap { configuration.tenant(host: host, alternatePort: $0) }
    }

    private static let singleFields = ["Host", "Authorization", "Content-Type"]

    /// Refuses repeated single-value fields (a proxy may have read the other value) and encoded bodies.
    private static func check(_ fields: HTTPFields) throws(OAuthError) {
        for name in singleFields where fields.isRepeated(name) {
            throw OAuthError(.invalidRequest, "Send the field \(name) once")
        }
        if let coding = fields["Content-Encoding"], coding.lowercased() != "identity" {
            throw OAuthError(.invalidRequest, "Send the body as it is, without Content-Encoding")
        }
    }

    /// Tenants' hosts that a refusal looks at.
    private static let hostsSeen = 100

    /// Names the host to the client, and to the operator's log those that are served, which strangers need not know.
    private func unknownHost(of request: Request) -> OAuthError {
        let host = request.fields["Host"] ?? ""
        let served = configuration.current.tenants.lazy.flatMap(\.tenant.hosts).prefix(Self.hostsSeen)
        var detail =
            "no tenant has the host \(host.prefix(80)); served are: \(served.prefix(4).joined(separator: ", "))"
        if served.contains(where: { $0.hasPrefix("\(host):") }) {
            detail += ". A proxy must forward the port, too (nginx: proxy_set_header Host $http_host)"
        }
        return OAuthError(
            .notFound,
            "No tenant is served under the host name \(host). If you run this server: countersign tenant list shows the names that it has, its log shows what was asked for, and countersign apply makes a tenant for this one",
            detail: detail)
    }
}

/// Proxies in front of the server, and the port and policy that clients receive.
package struct ProxySettings: Sendable {
    package let mtlsPort: UInt16?
    package let proxies: TrustedProxies
    let transportSecurity: StrictTransportSecurity?

    /// - Parameters:
    ///   - mtlsPort: Port at which the same server asks for clients' certificates.
    ///   - proxies: Proxies that are believed about their client.
    ///   - transportSecurity: Policy for browsers. Nil sends none.
    package init(
        mtlsPort: UInt16? = nil, proxies: TrustedProxies = TrustedProxies(),
        transportSecurity: StrictTransportSecurity? = nil
    ) {
        self.mtlsPort = mtlsPort
        self.proxies = proxies
        self.transportSecurity = transportSecurity
    }
}
