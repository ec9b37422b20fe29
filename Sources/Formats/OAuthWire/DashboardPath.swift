import Primitives

/// A page of the dashboard: `/admin`, a section of it, an object of the section by its id, and a part of that object,
/// such as the form that changes it.
package struct DashboardPath: Sendable, Hashable {
    package enum Section: String, Sendable, CaseIterable {
        case users, requests, clients, apis, grants, connections, roles, keys, push, mail, templates, branding, domains
        case settings, log, deliveries, statistics
        /// Only asks for a recent proof of the person.
        case confirmation
    }

    package static let root = "/admin"
    /// Octets of an id in an address.
    private static let idLimit = 1024

    package let section: Section?
    /// Nil for a list.
    package let object: String?
    /// Nil for the object's own page.
    package let part: String?

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

    /// URL of the page below an issuer, which ends in a slash.
    package func url(below issuer: String) -> String { issuer + rawValue.dropFirst() }
}

extension DashboardPath: RawRepresentable {
    /// The path of the page's address.
    package var rawValue: String {
        ([Self.root] + [section?.rawValue, object, part].compactMap { $0.map(PercentEncoding.encode) })
            .joined(separator: "/")
    }

    package init?(rawValue: String) {
        var segments = rawValue.split(separator: "/", omittingEmptySubsequences: false)[...]
        guard segments.popFirst() == "", segments.popFirst().map({ "/" + $0 }) == Self.root, segments.count <= 3
        else { return nil }
        let decoded = segments.map { PercentEncoding.decode($0.utf8) }
        guard let name = decoded.first else {
            self.init()
            return
        }
        guard let name, !decoded.contains(nil) else { return nil }
        self.init(
            section: name, object: decoded.dropFirst().first.flatMap(\.self),
            part: decoded.dropFirst(2).first.flatMap(\.self))
    }
}
