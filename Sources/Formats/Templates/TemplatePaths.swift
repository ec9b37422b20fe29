/// Dotted paths of values, such as `user.email`. A path covers everything below it, and the elements of lists.
package struct TemplatePaths: Sendable, Equatable {
    private var isWhole = false
    private var members: [String: TemplatePaths] = [:]

    package init(_ paths: [String] = []) {
        for path in paths { insert(path.split(separator: ".")[...]) }
    }

    private mutating func insert(_ names: ArraySlice<Substring>) {
        guard let name = names.first else {
            isWhole = true
            return
        }
        members[String(name), default: TemplatePaths()].insert(names.dropFirst())
    }

    /// True if the value at this place is covered.
    var coversThis: Bool { isWhole }

    /// The paths below a member.
    func below(_ name: String) -> TemplatePaths { isWhole ? self : members[name] ?? TemplatePaths() }

    /// True for a covered path, for a part of one, and for the size or an element of either.
    package func leadsTo(_ path: String) -> Bool {
        var place = self
        for name in path.split(separator: ".") where !place.isWhole && !Self.ofAny.contains(String(name)) {
            guard let next = place.members[String(name)] else { return false }
            place = next
        }
        return true
    }

    private static let ofAny: Set = ["size", "first", "last"]
}
