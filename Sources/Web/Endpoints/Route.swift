import APIDescription
import AuthorizationCore
import HTTPModel
import Primitives

/// What a route's handler works with.
struct EndpointCall: Sendable {
    let request: Request
    let configuration: TenantConfiguration
    /// The last part of the path where the route ends in one, percent-decoded.
    let pathParameter: String
    let now: Timestamp

    var tenant: Tenant { configuration.tenant }

    /// Facts of the request that flows get.
    var context: RequestContext {
        RequestContext(
            configuration: configuration, now: now, remoteAddress: request.remoteAddress, trace: RequestTrace.current)
    }
}

extension Request {
    /// The token of an `Authorization` header of that scheme (compared without case, RFC 9110 clause 11.1).
    func authorization(scheme: String) -> String? {
        guard let header = fields["Authorization"] else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == scheme.lowercased() else { return nil }
        return String(parts[1].drop { $0 == " " })
    }
}

/// One resource: what answers its methods, and how its errors look.
struct Route: Sendable {
    typealias Handle = @Sendable (EndpointCall) async throws -> Response

    let methods: [HTTPMethod: Handle]
    /// What the OpenAPI document tells of each method.
    let operations: [HTTPMethod: Operation]
    let errors: ErrorRenderer.Style
    /// Whether HEAD does what GET does. Not where GET changes something, as browsers' redirects make it do: whoever
    /// looks at a link with HEAD means nothing by it (RFC 9110 clause 9.2.1).
    let answersHead: Bool
    let scripts: ScriptAccess
    /// Text after the variable part of the path, if the path has one.
    let suffix: String
    /// Every method, as the field `Allow` has it.
    let allow: String
    /// The same for people, without what browsers send by themselves.
    let advice: String

    init(
        _ errors: ErrorRenderer.Style, answersHead: Bool = true, scripts: ScriptAccess = .nobody, suffix: String = "",
        _ methods: [HTTPMethod: (operation: Operation, handle: Handle)]
    ) {
        var methods = methods
        if scripts.isGiven, let id = methods.values.map(\.operation.id).min() {
            methods[.options] = (.preflight(of: id), Self.preflight)
        }
        var names = methods.keys.map(\.rawValue).sorted()
        if answersHead, names.contains("GET") { names.append("HEAD") }
        allow = names.joined(separator: ", ")
        advice = names.filter { $0 != HTTPMethod.options.rawValue }.joined(separator: ", ")
        self.answersHead = answersHead
        self.scripts = scripts
        self.suffix = suffix
        self.methods = methods.mapValues(\.handle)
        operations = methods.mapValues(\.operation)
        self.errors = errors
    }

    /// What a browser asks before a script may send more than a form (Fetch Standard, "CORS-preflight request").
    /// `ScriptAccess` adds what it is told.
    private static let preflight: Handle = { _ in Response(status: 204) }
}
