package import APIDescription
import Administration
import Audit
package import AuthorizationCore
import Configuration
import Flows
package import HTTPModel
import JOSE
import OAuthWire
package import Primitives

/// The Management API, `/api/v2`: what operators' programs change and look up, with tokens that clients have for
/// themselves. It speaks as Auth0's does, so that their SDKs work with it.
package struct ManagementAPI: Sendable {
    package static let prefix = "/api/v2"

    private struct Entry: Sendable {
        let segments: [Substring]
        let route: ManagementRoute
        let reader: OperationReader

        /// The parameters, where the path is one of this route; nil otherwise.
        func parameters(of path: [String]) -> [String: String]? {
            guard path.count == segments.count else { return nil }
            var parameters: [String: String] = [:]
            for (segment, text) in zip(segments, path) {
                if segment.first == "{" {
                    parameters[String(segment.dropFirst().dropLast())] = text
                } else if segment != text {
                    return nil
                }
            }
            return parameters
        }
    }

    private struct Caller: Hashable {
        let tenant: TenantID
        let client: ClientID
    }

    private let entries: [Entry]
    private let routes: [ManagementRoute]
    private let tokens: AccessTokenReader
    private let limits = RateLimit<Caller>()
    private let refresh: @Sendable () async throws -> Void
    private let log: @Sendable (_ requestID: String, _ detail: String, _ status: Int) -> Void

    /// `refresh` has the configuration take up what was changed, which is tried again elsewhere if it fails; `log` gets private details of errors with the request's id.
    package init(
        _ ports: Ports, refresh: @escaping @Sendable () async throws -> Void,
        log: @escaping @Sendable (_ requestID: String, _ detail: String, _ status: Int) -> Void
    ) {
        tokens = ports.tokens
        self.refresh = refresh
        self.log = log
        routes = Self.routes(ports)
        entries = routes.map { route in
            Entry(
                segments: route.path.split(separator: "/"), route: route,
                reader: OperationReader(route.operation, ports.schemas.patterns))
        }
        // What a path says literally wins over what it takes as a parameter.
        .sorted { $0.segments.count { $0.first == "{" } < $1.segments.count { $0.first == "{" } }
    }

    /// What there is, for the OpenAPI document.
    package var operations: [PlacedOperation] {
        routes.map { PlacedOperation($0.method, Self.prefix + $0.path, $0.operation) }
    }

    /// Shapes that the operations refer to by name.
    package static var components: [(name: String, shape: Shape)] {
        [(ManagementComponents.failure, ManagementComponents.failureShape)]
    }

    /// Answers one request whose path begins with `prefix`. Never throws: what fails becomes a response.
    package func handle(_ request: Request, configuration: TenantConfiguration, now: Timestamp) async -> Response {
        var standing: RateLimit<Caller>.Standing?
        var response: Response
        do {
            response = try await answer(request, configuration, now, &standing)
        } catch {
            response = self.response(for: error, request)
        }
        if let standing {
            response.fields.append("x-ratelimit-limit", String(standing.limit))
            response.fields.append("x-ratelimit-remaining", String(standing.remaining))
            response.fields.append("x-ratelimit-reset", String(standing.reset))
        }
        return response
    }

    /// The answer to a request whose body is too large to be taken from just anybody; nil takes it. Only the signature
    /// is checked here, and the rest of the token once the body has come.
    package func refusal(ofLargeBody head: Request, configuration: TenantConfiguration, now: Timestamp) -> Response? {
        do {
            let token = try Self.token(of: head)
            let audience = configuration.tenant.managementAudience
            guard tokens.isFresh(token, for: audience, configuration: configuration, now: now) else {
                throw ManagementFailure.invalidToken
            }
            return nil
        } catch {
            return response(for: error, head)
        }
    }

    private func answer(
        _ request: Request, _ configuration: TenantConfiguration, _ now: Timestamp,
        _ standing: inout RateLimit<Caller>.Standing?
    ) async throws -> Response {
        let (entry, path) = try entry(for: request)
        let reader = try entry.reader.compiled
        let (client, scopes) = try await caller(request, configuration, now)
        let current = limits.count(
            Caller(tenant: configuration.tenant.id, client: client),
            limit: configuration.tenant.settings.managementRequestsPerMinute, now: now)
        standing = current
        guard !current.isExceeded else { throw ManagementFailure.tooManyRequests }
        if case .scopes(let sets) = entry.route.operation.security, !sets.contains(where: scopes.isSuperset) {
            throw ManagementFailure.insufficientScope(sets)
        }
        let query = try reader.query(request.query)
        let body = try reader.body(request)
        for rule in entry.route.operation.memberScopes
        where !rule.sets.contains(where: scopes.isSuperset) && rule.isNamed(in: body) {
            throw ManagementFailure.insufficientScope(rule.sets, toSend: rule.path)
        }
        let call = ManagementCall(
            configuration: configuration,
            context: AdministrativeContext(
                tenant: configuration.tenant.id, actor: .client(client), managementScopes: scopes,
                remoteAddress: request.remoteAddress, now: now),
            path: path, query: query, body: body, scopes: scopes, target: request.path)
        let answer = try await entry.route.handle(call)
        if ![.get, .head].contains(entry.route.method) { await takeUp(request) }
        return Self.response(answer, call)
    }

    /// Once a change is stored, its answer stands. A configuration that cannot take it up now does so later, by itself.
    private func takeUp(_ request: Request) async {
        do {
            try await refresh()
        } catch {
            log(request.id, "the change is stored and will be taken up later: \(error)", 500)
        }
    }

    private func entry(for request: Request) throws(ManagementFailure) -> (Entry, [String: String]) {
        var path: [String] = []
        for part in request.path.dropFirst(Self.prefix.count).split(separator: "/", omittingEmptySubsequences: true) {
            guard let text = PercentEncoding.decode(part.utf8), !text.isEmpty else { throw .notFound }
            path.append(text)
        }
        let method = request.method == .head ? .get : request.method
        var others: Set<String> = []
        for entry in entries {
            guard let parameters = entry.parameters(of: path) else { continue }
            if entry.route.method == method { return (entry, parameters) }
            others.insert(entry.route.method.rawValue)
        }
        throw others.isEmpty ? .notFound : .methodNotAllowed(Array(others))
    }

    private static func token(of request: Request) throws(ManagementFailure) -> String {
        guard let header = request.fields["Authorization"] else { throw .missingToken }
        let parts = header.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .missingToken }
        return String(parts[1])
    }

    /// Who calls, and what they may do: only by a token that a client has for itself, for this API of this tenant (RFC
    /// 6750; Auth0: machine to machine), and no more than the client's grant still allows. The token may have been given
    /// for more.
    private func caller(
        _ request: Request, _ configuration: TenantConfiguration, _ now: Timestamp
    ) async throws -> (client: ClientID, scopes: Set<String>) {
        let token = try Self.token(of: request)
        let found: AccessToken
        do {
            found = try await tokens.accept(
                token, with: request.clientCertificate, configuration: configuration, now: now
            ).token
        } catch is OAuthError {
            throw ManagementFailure.invalidToken
        }
        let audience = configuration.tenant.managementAudience
        guard found.user == nil, found.claims.audience.contains(audience),
            let access = configuration.resourceServers[audience].flatMap({
                configuration.client(found.client)?.access(to: $0)
            })
        else { throw ManagementFailure.invalidToken }
        return (found.client, Set(found.scope.tokens.filter(access.allows(scope:))))
    }

    private static func response(_ answer: ManagementAnswer, _ call: ManagementCall) -> Response {
        switch answer {
        case .object(let object, let status): json(.object(call.projection.apply(to: object)), status)
        case .list(let listing): json(listing.json(call.projection.apply), 200)
        case .value(let value, let status, let fields): json(value, status, fields)
        case .nothing(let status): Response(status: status, fields: ["Cache-Control": "no-store"])
        }
    }

    private static func json(_ value: JSONValue, _ status: Int, _ further: HTTPFields = [:]) -> Response {
        var fields: HTTPFields = ["Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store"]
        for field in further { fields.append(field.name, field.value) }
        return Response(status: status, fields: fields, body: .bytes(JSONWriter.bytes(value)))
    }

    private func response(for error: any Error, _ request: Request) -> Response {
        let failure: ManagementFailure
        switch error {
        case let error as ManagementFailure: failure = error
        case let error as AdministrationFailure: failure = ManagementFailure(error)
        case let error as any TransientError where error.isTransient:
            log(request.id, "\(error)", 503)
            failure = ManagementFailure(
                503, "The server has too much to do; nothing was changed, try again in a moment")
        case is CancellationError: failure = ManagementFailure(503, "The server is stopping; try again")
        default:
            log(request.id, "\(error)", 500)
            failure = ManagementFailure(
                500, "The server failed; try again, and tell its operator the request id if it stays so")
        }
        var response = Response(
            status: failure.status,
            fields: ["Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store"],
            body: .bytes(failure.json))
        if failure.status == 401 { response.fields.append("WWW-Authenticate", "Bearer") }
        if failure.status == 503 { response.fields.append("Retry-After", "1") }
        if let allowed = failure.allowed { response.fields.append("Allow", allowed) }
        return response
    }
}
