package import APIDescription
package import HTTPModel

/// One path: the handlers of its methods, and the style of its errors.
package final class Route: Sendable {
    package typealias Handle = @Sendable (EndpointCall) async throws -> Response
    package typealias Probe = @Sendable (Request) async -> Response

    enum Handler: Sendable {
        /// Gets requests that passed the gate.
        case endpoint(Handle)
        /// Gets every request: load balancers call by any name.
        case probe(Probe)
    }

    /// Path with parameters in braces, each a whole segment: `/roles/{id}`.
    package let path: String
    /// Name of the path in the metrics.
    let name: String
    let parameterNames: [String]
    let handlers: [HTTPMethod: Handler]
    /// Declarations for the OpenAPI document, in the order of the methods' names.
    private let operations: [(method: HTTPMethod, operation: Operation)]
    let errors: ErrorStyle
    let scripts: ScriptAccess
    /// Rank of its requests while the server is overloaded.
    package let work: Admission.Work
    /// True if requests of unknown hosts are answered, too.
    let isProbe: Bool
    /// Methods for the field `Allow`.
    let allowed: [String]

    /// - Parameters:
    ///   - name: Name in the metrics. Nil is the path, in which all parameters are called `id`.
    ///   - answersHead: False if GET changes something, as the redirects of browsers make it do. A program that looks
    ///     at a link with HEAD means nothing by it (RFC 9110 clause 9.2.1).
    ///   - work: Rank of its requests while the server is overloaded.
    ///   - isDocumented: False for an alias, which the OpenAPI document leaves out.
    package init(
        path: String, name: String? = nil, _ errors: ErrorStyle, answersHead: Bool = true,
        scripts: ScriptAccess = .nobody, work: Admission.Work = .begun, isDocumented: Bool = true,
        _ methods: [HTTPMethod: (operation: Operation, handle: Handle)]
    ) {
        var methods = methods
        if scripts.isGiven, let id = methods.values.map(\.operation.id).min() {
            methods[.options] = (.preflight(of: id), Self.preflight)
        }
        self.path = path
        self.name = name ?? Self.name(of: path)
        parameterNames = Self.parameterNames(of: path)
        var handlers = methods.mapValues { Handler.endpoint($0.handle) }
        allowed = Self.allowed(handlers.keys, answersHead: answersHead, errors)
        if answersHead { handlers[.head] = handlers[.get] }
        self.handlers = handlers
        operations = isDocumented ? Self.sorted(methods.mapValues(\.operation)) : []
        self.errors = errors
        self.scripts = scripts
        self.work = work
        isProbe = false
    }

    package convenience init(
        _ path: some RawRepresentable<String>, _ errors: ErrorStyle, answersHead: Bool = true,
        scripts: ScriptAccess = .nobody, work: Admission.Work = .begun,
        _ methods: [HTTPMethod: (operation: Operation, handle: Handle)]
    ) {
        self.init(path: path.rawValue, errors, answersHead: answersHead, scripts: scripts, work: work, methods)
    }

    /// A page about paths without a route.
    init(page: @escaping Handle) {
        path = ""
        name = ""
        parameterNames = []
        handlers = [.get: .endpoint(page), .head: .endpoint(page)]
        operations = []
        errors = .oauth
        scripts = .nobody
        work = .begun
        isProbe = false
        allowed = ["GET", "HEAD"]
    }

    /// A path that is answered before anything is looked up.
    package init(probe path: some RawRepresentable<String>, _ operation: Operation? = nil, _ answer: @escaping Probe) {
        self.path = path.rawValue
        name = path.rawValue
        parameterNames = []
        handlers = [.get: .probe(answer), .head: .probe(answer)]
        operations = operation.map { [(.get, $0)] } ?? []
        errors = .oauth
        scripts = .nobody
        work = .begun
        isProbe = true
        allowed = ["GET", "HEAD"]
    }

    package var placedOperations: [PlacedOperation] {
        operations.map { PlacedOperation($0.method, path, $0.operation.declaring(pathParameters: parameterNames)) }
    }

    /// Field `Allow`.
    var allow: String { allowed.joined(separator: ", ") }

    private static func allowed(
        _ methods: some Sequence<HTTPMethod>, answersHead: Bool, _ errors: ErrorStyle
    ) -> [String] {
        var names = methods.map(\.rawValue).sorted()
        // Auth0's Management API answers HEAD without naming it.
        if case .management = errors { return names }
        if answersHead, names.contains("GET") { names.append("HEAD") }
        return names
    }

    private static func sorted(_ operations: [HTTPMethod: Operation]) -> [(HTTPMethod, Operation)] {
        operations.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    }

    private static func name(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { $0.isParameter ? "{id}" : $0 }
            .joined(separator: "/")
    }

    package static func parameterNames(of path: String) -> [String] {
        path.split(separator: "/").filter(\.isParameter).map { String($0.dropFirst().dropLast()) }
    }

    /// Answers a browser that asks before a script may send more than a form (Fetch Standard, "CORS-preflight
    /// request"). `ScriptAccess` adds the fields.
    private static let preflight: Handle = { _ in Response(status: 204) }
}

extension Substring {
    /// True if this segment of a route's path is a parameter.
    var isParameter: Bool { first == "{" }
}
