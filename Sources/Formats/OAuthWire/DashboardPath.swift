import Primitives

/// A page of the dashboard: `/admin`, a section of it, an object of the section by its id, and a part of that object,
/// such as the form that changes it; with the query of its address, such as words to search for.
package struct DashboardPath: Sendable, Hashable {
    package enum Section: String, Sendable, CaseIterable {
        case users, requests, clients, apis, grants, connections, roles, keys, push, mail, templates, branding, domains
        case settings, log, deliveries, statistics, health, configuration
        /// Only asks for a recent proof of the person.
        case confirmation
    }

    package static let root = "/admin"
    /// Octets of an id in an address.
    private static let idLimit = 1024
    /// Octets of a query. A longer one is left out.
    private static let queryLimit = 1024

    package let section: Section?
    /// Nil for a list.
    package let object: String?
    /// Nil for the object's own page.
    package let part: String?
    /// Encoded parameters of the address. Empty if there are none.
    package private(set) var query = ""

    package init(_ section: Section? = nil, _ object: String? = nil, _ part: String? = nil) {
        self.section = section
        self.object = section == nil ? nil : object
        self.part = object == nil ? nil : part
    }

    /// Nil for a section that does not exist, and for segments that no page has.
    package init?(section name: String, object: String? = nil, part: String? = nil) {
        guard let section = Section(rawValue: name),
            [object, part].allSatisfy({ $0.map { (1...Self.idLimit).contains($0.utf8.count) } ?? true })
        else { return nil }
        self.init(section, object, part)
    }

    /// The same page with parameters, encoded anew.
    package func with(_ parameters: [(name: String, value: String)]) -> DashboardPath {
        var path = self
        let encoded = FormFields(parameters).encoded
        path.query = encoded.utf8.count <= Self.queryLimit ? encoded : ""
        return path
    }

    /// The page's address below an issuer, which ends in a slash.
    package func url(below issuer: String) -> String { issuer + rawValue.dropFirst() }

    /// The path of the page's address, without a query.
    package var path: String {
        ([Self.root] + [section?.rawValue, object, part].compactMap { $0.map(PercentEncoding.encode) })
            .joined(separator: "/")
    }
}

extension DashboardPath: RawRepresentable {
    /// Path and query of the page's address.
    package var rawValue: String { query.isEmpty ? path : "\(path)?\(query)" }

    package init?(rawValue: String) {
        let halves = rawValue.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = halves.count > 1 ? Array(halves[1].utf8) : []
        guard let path = Self.page(of: halves[0]), let parameters = try? FormFields(parsing: query) else { return nil }
        self = path.with(parameters.pairs)
    }

    private static func page(of path: Substring) -> DashboardPath? {
        var segments = path.split(separator: "/", omittingEmptySubsequences: false)[...]
        guard segments.popFirst() == "", segments.popFirst().map({ "/" + $0 }) == root, segments.count <= 3
        else { return nil }
        let decoded = segments.map { PercentEncoding.decode($0.utf8) }
        guard let name = decoded.first else { return DashboardPath() }
        guard let name, !decoded.contains(nil) else { return nil }
        return DashboardPath(
            section: name, object: decoded.dropFirst().first.flatMap(\.self),
            part: decoded.dropFirst(2).first.flatMap(\.self))
    }
}
