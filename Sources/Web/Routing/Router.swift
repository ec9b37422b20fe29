package import AuthorizationCore
package import HTTPModel
import OAuthWire
import Primitives

/// Finds the route of a path: a dictionary for exact paths, and a tree of segments for paths with parameters. A literal
/// segment takes precedence over a parameter.
package struct Router: Sendable {
    /// Part of the paths that shares rules, also for paths without a route.
    package struct Area: Sendable {
        /// Beginning of the area's paths.
        let prefix: String
        /// Style of errors at paths without a route.
        let errors: ErrorStyle
        /// Name in the metrics of paths without a route. Nil counts them with all others.
        let name: String?
        /// True if empty segments are skipped and literal segments may be percent-encoded, as SDKs that join URLs
        /// send them.
        let isForgiving: Bool
        /// Admits bodies that are larger than most. It throws for a request that may not send one. Nil admits none.
        let admitLargeBody: (@Sendable (Request, RequestContext) throws -> Void)?

        package init(
            _ prefix: String, _ errors: ErrorStyle, name: String? = nil, isForgiving: Bool = false,
            admitLargeBody: (@Sendable (Request, RequestContext) throws -> Void)? = nil
        ) {
            self.prefix = prefix
            self.errors = errors
            self.name = name
            self.isForgiving = isForgiving
            self.admitLargeBody = admitLargeBody
        }
    }

    enum Match {
        /// `values` are those of the path's parameters, in their order.
        case route(Route, values: [String])
        /// The path exists, but not with that method.
        case otherMethods([Route])
        case nothing

        /// Nil if the path does not exist.
        var route: Route? {
            switch self {
            case .route(let route, _): route
            case .otherMethods(let routes): routes.first
            case .nothing: nil
            }
        }
    }

    private struct Node: Sendable {
        var literals: [(text: String, node: Int)] = []
        var parameter: Int?
        var route: Route?
    }

    private static let other = Area("/", .oauth)

    private let areas: [Area]
    private let absent: [AbsentEndpoint]
    private let page: Route?
    private let exact: [String: Route]
    private var nodes = [Node()]

    /// Paths of `routes` are unique. Of two areas that a path begins with the first counts. `absent` explains requests
    /// for which there is no route. `page` answers people's browsers outside the areas.
    package init(
        _ routes: [Route], areas: [Area] = [], absent: [AbsentEndpoint] = [], page: Route.Handle? = nil
    ) {
        self.areas = areas
        self.absent = absent
        self.page = page.map { Route(page: $0) }
        exact = Dictionary(uniqueKeysWithValues: routes.filter(\.parameterNames.isEmpty).map { ($0.path, $0) })
        for route in routes { insert(route) }
    }

    /// Name of a path in the metrics. Nil if it has no route. There are few names, whatever is requested.
    package func name(of path: String) -> String? {
        if let route = exact[path] { return route.name }
        var name: String?
        search(path) { route, _ in
            name = route.name
            return true
        }
        return name ?? area(of: path).name
    }

    package func errorStyle(of path: String) -> ErrorStyle { area(of: path).errors }

    func area(of path: String) -> Area { areas.first { path.hasPrefix($0.prefix) } ?? Self.other }

    /// The route that shows a page about a path without a route. Nil for programs, and for paths that only programs use.
    func page(for request: Request) -> Route? {
        guard [.get, .head].contains(request.method), request.wantsPage,
            !areas.contains(where: { request.path.hasPrefix($0.prefix) }),
            AbsentEndpoint.first(in: absent, for: request.path, request.method) == nil
        else { return nil }
        return page
    }

    /// Refusal of a request without a route.
    func refusal(of path: String, _ method: HTTPMethod, _ routes: [Route]) -> ServerFailure {
        if let absent = AbsentEndpoint.first(in: absent, for: path, method) { return .absent(absent.explanation) }
        return routes.isEmpty ? .notFound : .methodNotAllowed(routes)
    }

    func find(_ path: String, _ method: HTTPMethod) -> Match {
        let known = exact[path]
        if let known, known.handlers[method] != nil { return .route(known, values: []) }
        var others = known.map { [$0] } ?? []
        var match: Match?
        search(path) { route, values in
            if route.handlers[method] != nil {
                match = .route(route, values: values)
            } else if route !== known {
                others.append(route)
            }
            return match != nil
        }
        return match ?? (others.isEmpty ? .nothing : .otherMethods(others))
    }

    /// Answers at a port that has probes alone, without tenants.
    package func answerProbe(_ request: Request, _ errors: ErrorRenderer) async -> Response {
        await errors.answering(request, in: .oauth) {
            let match = find(request.path, request.method)
            guard let route = match.route else {
                throw OAuthError(.notFound, "This port serves \(exact.keys.sorted().joined(separator: ", "))")
            }
            guard case .route = match, case .probe(let answer) = route.handlers[request.method] else {
                throw ServerFailure.methodNotAllowed([route])
            }
            return await answer(request)
        }
    }

    // MARK: the tree

    private mutating func insert(_ route: Route) {
        var place = 0
        for segment in route.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            if segment.isParameter, let next = nodes[place].parameter {
                place = next
            } else if let next = nodes[place].literals.first(where: { $0.text == segment }) {
                place = next.node
            } else {
                if segment.isParameter {
                    nodes[place].parameter = nodes.count
                } else {
                    nodes[place].literals.append((String(segment), nodes.count))
                }
                place = nodes.count
                nodes.append(Node())
            }
        }
        nodes[place].route = route
    }

    /// Calls `accept` with each route whose path fits, until it returns true.
    private func search(_ path: String, _ accept: (Route, [String]) -> Bool) {
        guard path.utf8.first == UInt8(ascii: "/") else { return }
        var values: [String] = []
        _ = search(from: 0, path[...].utf8.dropFirst(), isForgiving: area(of: path).isForgiving, &values, accept)
    }

    /// `rest` is the part of the path without the slash before it. Nil means that the path ended.
    private func search(
        from place: Int, _ rest: Substring.UTF8View?, isForgiving: Bool, _ values: inout [String],
        _ accept: (Route, [String]) -> Bool
    ) -> Bool {
        let node = nodes[place]
        // Skipped in a loop: the recursion is no deeper than a route, however many slashes a client sends.
        let rest = isForgiving ? rest?.drop { $0 == UInt8(ascii: "/") }.nonEmpty : rest
        guard let rest else { return node.route.map { accept($0, values) } ?? false }
        let end = rest.firstIndex(of: UInt8(ascii: "/"))
        let segment = rest[..<(end ?? rest.endIndex)]
        let next = end.map { rest[rest.index(after: $0)...] }
        let text = isForgiving || node.parameter != nil ? PercentEncoding.decode(segment) : nil
        for literal in node.literals
        where isForgiving ? literal.text == text : segment.elementsEqual(literal.text.utf8) {
            if search(from: literal.node, next, isForgiving: isForgiving, &values, accept) { return true }
        }
        guard let parameter = node.parameter, let text, !text.isEmpty else { return false }
        values.append(text)
        if search(from: parameter, next, isForgiving: isForgiving, &values, accept) { return true }
        values.removeLast()
        return false
    }
}

extension Substring.UTF8View {
    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}
