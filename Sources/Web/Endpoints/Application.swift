import APIDescription
import AuthorizationCore
import Flows
import GuardianWire
package import HTTPModel
import JOSE
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Everything that the server answers over HTTP: finds the tenant by its host and the route by its path, and turns
/// errors into responses. The same with and without sockets.
package struct Application: Sendable {
    package let flows: Flows
    private let configuration: any ConfigurationSource
    private let clock: any WallClock
    private let errors: ErrorRenderer
    private let oauth: OAuthEndpoints
    private let management: ManagementAPI
    private let exact: [String: Route]
    /// Routes whose path ends in one parameter, by what stands before it.
    private let prefixed: [(prefix: String, route: Route)]
    private let isReady: @Sendable () async -> Bool
    private let front: ProxySettings

    /// Wires the use cases over `ports`. `isReady` says whether the store answers; `log` gets private details of errors
    /// with the request's id and the answer's status. Throws what the store or the password hasher throws.
    package init(
        _ ports: Ports, front: ProxySettings = ProxySettings(), isReady: @escaping @Sendable () async -> Bool,
        log: @escaping @Sendable (_ requestID: String, _ detail: String, _ status: Int) -> Void
    ) async throws {
        let flows = try await Flows(ports)
        self.flows = flows
        configuration = ports.configuration
        clock = ports.clock
        self.isReady = isReady
        self.front = front
        let management = ManagementAPI(
            ManagementAPI.Ports(
                store: ports.store, tokens: flows.accessTokens, random: ports.random, hashing: ports.hashing,
                sealer: ports.sealer, passwords: ports.passwords, signingKeys: ports.signingKeys,
                schemas: ports.schemas, decisions: flows.hub),
            // Reads and unseals keys: nothing for the thread that serves other connections meanwhile.
            refresh: { [configuration = ports.configuration] in
                _ = try await Task { try await configuration.refresh() }.value
            },
            log: log)
        self.management = management
        errors = ErrorRenderer(log: log)

        let certificatesCome = front.mtlsPort != nil || front.proxies.haveCertificates
        let metadata = MetadataEndpoints(
            mtlsPort: front.mtlsPort, certificatesCome: certificatesCome,
            methods: flows.authenticator.methods(certificatesCome: certificatesCome))
        let oauth = OAuthEndpoints(flows: flows)
        self.oauth = oauth
        let userInfo = UserInfoEndpoint(flow: flows.userInfo)
        let ofClient = ScriptAccess.registered(client: OAuthEndpoints.client)
        let device = DeviceEndpoints(flows: flows, timer: ports.timer)
        var exact: [String: Route] = [
            "/bc-authorize": Route(
                .oauth, [.post: (.backchannelAuthentication, oauth.backchannelAuthentication)]),
            Self.tokenPath: Route(.oauth, scripts: ofClient, [.post: (.token, oauth.token)]),
            "/oauth/par": Route(.oauth, [.post: (.pushedAuthorization, oauth.pushedAuthorization)]),
            "/oauth/revoke": Route(.oauth, scripts: ofClient, [.post: (.revocation, oauth.revocation)]),
            "/oauth/introspect": Route(.oauth, [.post: (.introspection, oauth.introspection)]),
            "/userinfo": Route(
                .bearer, scripts: .registered(client: UserInfoEndpoint.client),
                [
                    .get: (.userInfo("userinfo"), userInfo.claims),
                    .post: (.userInfo("userinfo_by_post"), userInfo.claims),
                ]),
            "/.well-known/openid-configuration": Route(
                .oauth, scripts: .anyone, [.get: (.openIDConfiguration, metadata.configuration)]),
            "/.well-known/oauth-authorization-server": Route(
                .oauth, scripts: .anyone, [.get: (.authorizationServerMetadata, metadata.configuration)]),
            "/.well-known/jwks.json": Route(.oauth, scripts: .anyone, [.get: (.keySet, metadata.keys)]),
        ]
        let bearer = ErrorRenderer.Style.device(scheme: "Bearer")
        var prefixed = [
            (
                "/rich-consents/",
                Route(.device(scheme: DPoPProof.scheme), [.get: (.fetchConsent, device.consent)])
            )
        ]
        // The bare prefix serves hosts that are Guardian's alone.
        for prefix in [Self.appliancePrefix, ""] {
            exact[prefix + "/api/enroll"] = Route(
                .device(scheme: "Ticket"), [.post: (.enrollDevice, device.enroll)])
            exact[prefix + "/api/resolve-transaction"] = Route(
                bearer, [.post: (.resolveTransaction, device.resolve)])
            exact[prefix + "/api/notifications"] = Route(bearer, [.get: (.notifications, device.notifications)])
            prefixed.append(
                (
                    prefix + "/api/device-accounts/",
                    Route(
                        bearer,
                        [.patch: (.updateDevice, device.update), .delete: (.removeDevice, device.remove)])
                ))
        }
        let pages = HostedPages(hosted: flows.hosted, log: log)
        exact.merge(pages.routes) { own, _ in own }
        prefixed.append((Assets.prefix, Route(.oauth, [.get: (.asset, AuthorizationEndpoints(pages: pages).asset)])))
        let apps = AppAssociationEndpoints(metadata: metadata, hosted: flows.hosted)
        exact["/.well-known/apple-app-site-association"] = Route(
            .oauth, [.get: (.appleAssociation("apple_app_site_association"), apps.apple)])
        // Path that systems before iOS 9.3 use, and that Auth0 documents.
        exact["/apple-app-site-association"] = Route(
            .oauth, [.get: (.appleAssociation("apple_app_site_association_at_root"), apps.apple)])
        exact["/.well-known/assetlinks.json"] = Route(.oauth, [.get: (.assetLinks, apps.android)])
        for (prefix, system) in [
            (AppAssociationEndpoints.applePrefix, "ios"), (AppAssociationEndpoints.androidPrefix, "android"),
        ] {
            prefixed.append(
                (
                    prefix,
                    Route(
                        .oauth, suffix: AppAssociationEndpoints.callbackSuffix,
                        [.get: (.appCallback(system), apps.callback)])
                ))
        }
        let description = OpenAPIDocument(
            operations: Self.operations(exact, prefixed) + Operation.probes + management.operations,
            components: ProtocolComponents.all + ManagementAPI.components)
        exact["/openapi.json"] = Route(
            .oauth, scripts: .anyone, [.get: (.openAPI, { metadata.openAPI(description, $0) })])
        self.exact = exact
        self.prefixed = prefixed
    }

    /// Everything under its first path: Guardian's bare one is an alias.
    private static func operations(
        _ exact: [String: Route], _ prefixed: [(prefix: String, route: Route)]
    ) -> [PlacedOperation] {
        let parameter = [Assets.prefix: "{name}"]
        let places =
            exact.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            + prefixed.map { ($0.prefix + (parameter[$0.prefix] ?? "{id}") + $0.route.suffix, $0.route) }
        return places.filter { !$0.0.hasPrefix("/api/") }.flatMap { path, route in
            route.operations.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                PlacedOperation($0.key, path, $0.value)
            }
        }
    }

    private static let appliancePrefix = "/appliance-mfa"
    private static let tokenPath = "/oauth/token"
    private static let healthPath = "/healthz"
    private static let readinessPath = "/readyz"
    /// Longest body in bytes that is read to find out if it is a poll.
    private static let longestPoll = 4_096

    /// Answers a poll of a request that this node knows to be pending, which takes no store and no task. Nil leaves
    /// everything else, and every error but `slow_down`, to `handle`.
    package func answerSynchronously(_ request: Request) -> Response? {
        guard var response = pollAnswer(request) else { return nil }
        front.transportSecurity?.add(to: &response, for: request)
        return response
    }

    private func pollAnswer(_ request: Request) -> Response? {
        guard request.path == Self.tokenPath, request.method == .post, request.body.count <= Self.longestPoll,
            // A script's answer needs `ScriptAccess`.
            request.fields["Origin"] == nil, Self.refusal(of: request.fields) == nil,
            !front.proxies.mayChangeCertificate(request), let tenant = tenant(of: request),
            let answer = oauth.answerSynchronously(request, tenant, now: clock.now)
        else { return nil }
        switch answer {
        case .pending: return ErrorRenderer.pending
        case .tooEarly(let error): return errors.response(for: error, to: request, style: .oauth)
        }
    }

    /// Answers one request. Never throws: what fails becomes a response.
    package func handle(_ request: Request) async -> Response {
        var response = await respond(to: request)
        front.transportSecurity?.add(to: &response, for: request)
        return response
    }

    private func respond(to request: Request) async -> Response {
        guard let (route, parameter) = route(for: request.path) else {
            if let response = await health(request) { return response }
            if request.path.hasPrefix(ManagementAPI.prefix + "/") { return await manage(request) }
            let error = tenant(of: request) == nil ? Self.unknownHost : Self.notFound
            return errors.response(for: error, to: request, style: style(of: request.path))
        }
        let tenant = tenant(of: request)
        var response = await answer(request, route, parameter, tenant)
        route.scripts.grant(&response, of: route, to: request, tenant)
        return response
    }

    private func answer(
        _ request: Request, _ route: Route, _ parameter: String, _ tenant: TenantConfiguration?
    ) async -> Response {
        if let refusal = Self.refusal(of: request.fields) {
            return errors.response(for: refusal, to: request, style: route.errors)
        }
        guard let tenant else {
            return errors.response(for: Self.unknownHost, to: request, style: route.errors)
        }
        let isHead = request.method == .head
        guard let handle = route.methods[request.method] ?? (isHead && route.answersHead ? route.methods[.get] : nil)
        else {
            return methodNotAllowed(request, allow: route.allow, advice: route.advice, style: route.errors)
        }
        do {
            let context = EndpointCall(
                request: try front.proxies.resolved(request), configuration: tenant, pathParameter: parameter,
                now: clock.now)
            return try await RequestTrace.$current.withValue(RequestTrace(of: request)) { try await handle(context) }
        } catch {
            return errors.response(for: error, to: request, style: route.errors)
        }
    }

    /// The answer to a request that was refused before it got here, where its path has another form of errors than
    /// OAuth's.
    package func response(
        toRefused path: String, status: Int, error: String, _ description: String
    ) -> Response? {
        guard case .device = style(of: path) else { return nil }
        return errors.response(forRefused: status, error: error, description)
    }

    /// Decides by its head about a request whose body is larger than most. Only the Management API has such bodies.
    package func largeBody(_ head: Request) -> LargeBody {
        guard head.path.hasPrefix(ManagementAPI.prefix + "/"), Self.refusal(of: head.fields) == nil,
            let tenant = tenant(of: head)
        else { return .tooLarge }
        return management.refusal(ofLargeBody: head, configuration: tenant, now: clock.now).map { .refused($0) }
            ?? .taken
    }

    private func manage(_ request: Request) async -> Response {
        let style = ErrorRenderer.Style.device(scheme: "Bearer")
        if let refusal = Self.refusal(of: request.fields) {
            return errors.response(for: refusal, to: request, style: style)
        }
        guard let tenant = tenant(of: request) else {
            return errors.response(for: Self.unknownHost, to: request, style: style)
        }
        do {
            let resolved = try front.proxies.resolved(request)
            return await RequestTrace.$current.withValue(RequestTrace(of: request)) {
                await management.handle(resolved, configuration: tenant, now: clock.now)
            }
        } catch {
            return errors.response(for: error, to: request, style: style)
        }
    }

    /// By the name it was called, or by the one that it has where certificates are asked for.
    private func tenant(of request: Request) -> TenantConfiguration? {
        guard let host = request.fields["Host"] else { return nil }
        let configuration = configuration.current
        return configuration.tenant(host: host)
            ?? front.mtlsPort.flatMap { configuration.tenant(host: host, alternatePort: $0) }
    }

    private static let singleFields = ["Host", "Authorization", "Content-Type"]

    /// Of two values of a field that has one, a proxy in front may have read the other; and no body is decoded here.
    private static func refusal(of fields: HTTPFields) -> OAuthError? {
        for name in singleFields where fields.isRepeated(name) {
            return OAuthError(.invalidRequest, "Send the field \(name) once")
        }
        if let coding = fields["Content-Encoding"], coding.lowercased() != "identity" {
            return OAuthError(.invalidRequest, "Send the body as it is, without Content-Encoding")
        }
        return nil
    }

    private func route(for path: String) -> (route: Route, parameter: String)? {
        if let route = exact[path] { return (route, "") }
        for (prefix, route) in prefixed where path.hasPrefix(prefix) {
            let rest = path.utf8.dropFirst(prefix.utf8.count).dropLast(route.suffix.utf8.count)
            guard path.hasSuffix(route.suffix), !rest.contains(UInt8(ascii: "/")),
                let parameter = PercentEncoding.decode(rest), !parameter.isEmpty
            else { return nil }
            return (route, parameter)
        }
        return nil
    }

    /// What a path asks for, with the names of parameters in their place, and one name for all of the Management API;
    /// nil where there is nothing. There are few, whatever is asked.
    package func routeName(of path: String) -> String? {
        // Most are.
        if path == Self.tokenPath { return path }
        if path == Self.healthPath || path == Self.readinessPath { return path }
        if path.hasPrefix(ManagementAPI.prefix + "/") { return ManagementAPI.prefix }
        let name =
            exact[path] == nil
            ? prefixed.first { path.hasPrefix($0.prefix) }.map { $0.prefix + "{id}" + $0.route.suffix } : path
        // Guardian's two paths lead to the same.
        return name.map { $0.hasPrefix(Self.appliancePrefix) ? String($0.dropFirst(Self.appliancePrefix.count)) : $0 }
    }

    private func style(of path: String) -> ErrorRenderer.Style {
        let isDevice = [Self.appliancePrefix, "/api/", "/rich-consents"].contains { path.hasPrefix($0) }
        return isDevice ? .device(scheme: "Bearer") : .oauth
    }

    /// For load balancers and supervisors: whether the process runs, and whether it can do its work.
    private func health(_ request: Request) async -> Response? {
        guard request.path == Self.healthPath || request.path == Self.readinessPath else { return nil }
        guard request.method == .get || request.method == .head else {
            return methodNotAllowed(request, allow: "GET, HEAD", style: .oauth)
        }
        if request.path == Self.healthPath { return .json(Array(#"{"status":"ok"}"#.utf8)) }
        let ready = await isReady()
        return .json(
            Array((ready ? #"{"status":"ready"}"# : #"{"status":"unavailable"}"#).utf8), status: ready ? 200 : 503)
    }

    private func methodNotAllowed(
        _ request: Request, allow: String, advice: String? = nil, style: ErrorRenderer.Style
    ) -> Response {
        let methods = advice ?? allow
        let error = OAuthError(.methodNotAllowed, "Use \(methods) here")
        var response = errors.response(for: error, to: request, style: style)
        response.fields.append("Allow", allow)
        return response
    }

    static let notFound = OAuthError(
        .notFound, "There is nothing at this path; see /.well-known/openid-configuration for what there is")

    private static let unknownHost = OAuthError(
        .notFound,
        "No tenant is served under this host name. If you run this server: countersign tenant list shows the names that it has, and countersign apply makes a tenant for this one"
    )
}

extension RequestTrace {
    fileprivate init(of request: Request) {
        self.init(
            userAgent: request.fields["User-Agent"], correlationID: request.fields["X-Correlation-ID"] ?? request.id)
    }
}
