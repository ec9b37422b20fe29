import APIDescription
package import Administration
import Audit
import AuthorizationCore
import Configuration
package import Flows
import HTTPModel
import JOSE
package import JSONSchema
import OAuthWire
import Primitives
package import Routing

/// Management API in Auth0's wire format, so that Auth0's SDKs work with it. Operators' programs read and change a
/// tenant with tokens from the client credentials grant.
package struct ManagementAPI: Sendable {
    package static let prefix = EndpointPath.management.rawValue

    /// Client of a token, or person of a dashboard page.
    enum Caller: Hashable {
        case client(ClientID)
        case person(UserID)

        var actor: AuditEvent.Actor {
            switch self {
            case .client(let client): .client(client)
            case .person(let user): .person(user)
            }
        }
    }

    struct CountedCaller: Hashable {
        let tenant: TenantID
        let caller: Caller
    }

    /// An operation with what answers it.
    struct Served: Sendable {
        let operation: ManagementRoute
        /// The operation's path, for calls inside the process.
        let route: Route
        let reader: OperationReader

        init(operation: ManagementRoute, _ patterns: any PatternCompiler) {
            self.operation = operation
            route = Route(path: ManagementAPI.prefix + operation.path, name: ManagementAPI.prefix, .management, [:])
            reader = OperationReader(operation.operation, patterns)
        }
    }

    private let operations: [ManagementRoute]
    /// Files of exports, whose addresses are proofs of their own.
    private let files: Route
    /// By the operations' ids.
    let served: [String: Served]
    private let tokens: AccessTokenReader
    private let limits = RateLimit<CountedCaller>()
    private let refresh: @Sendable () async throws -> Void
    private let errors: ErrorRenderer

    /// `refresh` reloads the configuration after a change. If `refresh` fails, the configuration retries elsewhere.
    package init(
        _ managers: Managers, _ flows: UseCases, refresh: @escaping @Sendable () async throws -> Void,
        errors: ErrorRenderer
    ) {
        tokens = flows.tokens.reader
        self.refresh = refresh
        self.errors = errors
        let patterns = managers.schemas.patterns
        operations = Self.routes(Ports(managers: managers, basic: flows.basic, server: flows))
        served = Dictionary(
            uniqueKeysWithValues: operations.map { ($0.operation.id, Served(operation: $0, patterns)) })
        files = JobRoutes(jobs: managers.userJobs).file(errors)
    }

    /// One route per path.
    package var routes: [Route] {
        var paths: [String] = []
        var methods: [String: [HTTPMethod: (operation: Operation, handle: Route.Handle)]] = [:]
        for operation in operations {
            if methods[operation.path] == nil { paths.append(operation.path) }
            guard let served = served[operation.operation.id] else { continue }
            methods[operation.path, default: [:]][operation.method] = (
                operation.operation, { call in await answer(served, call) }
            )
        }
        let new = Set(operations.filter { $0.work == .new }.map(\.path))
        return paths.map {
            Route(
                path: Self.prefix + $0, name: Self.prefix, .management, work: new.contains($0) ? .new : .begun,
                methods[$0] ?? [:])
        } + [files]
    }

    /// Rules for all paths below the prefix. A large body is read only if the token's signature is valid. The other
    /// checks of the token follow once the body is read.
    package var area: Router.Area {
        Router.Area(Self.prefix + "/", .management, name: Self.prefix, isForgiving: true) { [tokens] head, context in
            let token = try Self.token(of: head)
            let audience = context.tenant.managementAudience
            guard tokens.isFresh(token, for: audience, context: context) else { throw ManagementFailure.invalidToken }
        }
    }

    /// Shapes that the operations reference by name.
    package static var components: [(name: String, shape: Shape)] {
        [(ManagementComponents.failure, ManagementComponents.failureShape)]
    }

    /// Renders errors here, so that they also get the rate-limit fields.
    private func answer(_ served: Served, _ call: EndpointCall) async -> Response {
        var usage: RateLimit<CountedCaller>.Usage?
        var response = await errors.answering(call.request, in: .management) {
            let (client, scopes) = try await caller(call)
            return try await perform(served, call, by: .client(client), scopes) { usage = $0 }.response
        }
        if let usage {
            response.fields.append("x-ratelimit-limit", String(usage.limit))
            response.fields.append("x-ratelimit-remaining", String(usage.remaining))
            response.fields.append("x-ratelimit-reset", String(usage.reset))
        }
        return response
    }

    /// Answer of an operation, filtered as its request wants it.
    struct Performed {
        fileprivate let answer: ManagementAnswer
        fileprivate let call: ManagementCall
        fileprivate let warnings: [String]
    }

    /// Counts towards the caller's limit.
    func usage(of caller: Caller, _ call: EndpointCall) -> RateLimit<CountedCaller>.Usage {
        limits.count(
            CountedCaller(tenant: call.tenant.id, caller: caller),
            limit: call.tenant.settings.managementRequestsPerMinute, now: call.now)
    }

    /// Counts, checks and does what a caller with these scopes asks for. `counting` gets the caller's use of the limit.
    func perform(
        _ served: Served, _ call: EndpointCall, by caller: Caller, _ scopes: Set<String>,
        counting: (RateLimit<CountedCaller>.Usage) -> Void = { _ in }
    ) async throws -> Performed {
        let reader = try served.reader.compiled
        let usage = usage(of: caller, call)
        counting(usage)
        guard !usage.isExceeded else { throw ManagementFailure.tooManyRequests(wait: usage.wait) }
        let operation = served.operation
        let request = try Self.read(call, operation.operation, reader, by: caller, scopes)
        let answer = try await operation.handle(request)
        if operation.method != .get { await takeUp(call.request) }
        let warnings = operation.operation.body?.shape.warnings(about: request.body) ?? []
        if !warnings.isEmpty { errors.note(warnings.joined(separator: "; "), 200, call.request) }
        return Performed(answer: answer, call: request, warnings: warnings)
    }

    private static func read(
        _ call: EndpointCall, _ operation: Operation, _ reader: RequestReader, by caller: Caller,
        _ scopes: Set<String>
    ) throws(ManagementFailure) -> ManagementCall {
        if case .scopes(let sets) = operation.security, !sets.contains(where: scopes.isSuperset) {
            throw .insufficientScope(sets, of: scopes)
        }
        let query = try reader.query(call.request.query)
        let body = try reader.body(call.request)
        for rule in operation.memberScopes
        where !rule.sets.contains(where: scopes.isSuperset) && rule.isNamed(in: body) {
            throw .insufficientScope(rule.sets, of: scopes, toSend: rule.path)
        }
        return ManagementCall(
            call: call,
            context: AdministrativeContext(
                tenant: call.tenant.id, actor: caller.actor, managementScopes: scopes,
                remoteAddress: call.request.remoteAddress, now: call.now, trace: call.context.trace),
            query: query, body: body, scopes: scopes)
    }

    /// A failed reload is only logged, because the change is stored and will be loaded later.
    private func takeUp(_ request: Request) async {
        do {
            try await refresh()
        } catch {
            errors.note("the change is stored and will be taken up later: \(error)", 500, request)
        }
    }

    private static func token(of request: Request) throws(ManagementFailure) -> String {
        guard let header = request.fields["Authorization"] else { throw .missingToken }
        let parts = header.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .missingToken }
        return String(parts[1])
    }

    /// Authenticates the caller by a client credentials token for this tenant's API (RFC 6750; Auth0: machine to
    /// machine). Returns only the scopes that the client's grant still allows.
    private func caller(_ call: EndpointCall) async throws -> (client: ClientID, scopes: Set<String>) {
        let token = try Self.token(of: call.request)
        let configuration = call.configuration
        let found: AccessToken
        do {
            found = try await tokens.accept(token, with: call.request.clientCertificate, context: call.context).token
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
}

extension ManagementAPI.Performed {
    var response: Response {
        switch answer {
        case .value(_, let status, let fields): Self.json(json, status, fields)
        case .object(_, let status): Self.json(json, status)
        case .list: Self.json(json, 200)
        case .nothing(let status): Response(status: status, fields: ["Cache-Control": "no-store"])
        }
    }

    /// Null if the answer has no body.
    var json: JSONValue { answer.json(call.projection).with(warnings) }

    private static func json(_ value: JSONValue, _ status: Int, _ further: HTTPFields = [:]) -> Response {
        var fields: HTTPFields = ["Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store"]
        for field in further { fields.append(field.name, field.value) }
        return Response(status: status, fields: fields, body: .bytes(JSONWriter.bytes(value)))
    }
}

extension JSONValue {
    /// An object with the warnings about the body, if there are any.
    fileprivate func with(_ warnings: [String]) -> JSONValue {
        guard !warnings.isEmpty, var object = objectValue else { return self }
        object[ManagementComponents.warnings.name] = JSONValue(warnings)
        return .object(object)
    }
}
