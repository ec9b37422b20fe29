package import AuthorizationCore
package import HTTPModel
import OAuthWire
package import Primitives

/// One request that passed the gate, as a route's handler gets it.
package struct EndpointCall: Sendable {
    /// Address and certificate are the client's, also behind a trusted proxy.
    package let request: Request
    /// Tenant, time, address and trace of the request, which flows take.
    package let context: RequestContext
    let route: Route
    let values: [String]

    package var configuration: TenantConfiguration { context.configuration }
    package var tenant: Tenant { context.tenant }
    package var now: Timestamp { context.now }

    /// True if the call came by the route of that path.
    package func isAt(_ path: some RawRepresentable<String>) -> Bool { route.path == path.rawValue }

    /// The same call at another route, inside the process.
    package func inside(_ route: Route, _ values: [String], _ request: Request) -> EndpointCall {
        EndpointCall(request: request, context: context, route: route, values: values)
    }

    /// The same call in another context: later, for an answer that takes long.
    package func at(_ context: RequestContext) -> EndpointCall {
        EndpointCall(request: request, context: context, route: route, values: values)
    }

    /// A parameter of the route's path, percent-decoded. Empty if the path has no such parameter.
    package func parameter(_ name: String) -> String {
        route.parameterNames.firstIndex(of: name).flatMap { values.indices.contains($0) ? values[$0] : nil } ?? ""
    }
}

extension EndpointCall {
    /// A call inside a process without a server.
    package init(of route: Route, _ values: [String], _ request: Request, _ context: RequestContext) {
        self.init(request: request, context: context, route: route, values: values)
    }
}

extension Request {
    /// The token of an `Authorization` header of that scheme (compared without case, RFC 9110 clause 11.1).
    package func authorization(scheme: String = TokenType.bearer.rawValue) -> String? {
        guard let header = fields["Authorization"] else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == scheme.lowercased() else { return nil }
        return String(parts[1].drop { $0 == " " })
    }
}

extension RequestTrace {
    init(of request: Request) {
        self.init(
            userAgent: request.fields["User-Agent"], correlationID: request.fields["X-Correlation-ID"] ?? request.id)
    }
}
