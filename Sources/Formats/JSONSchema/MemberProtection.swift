package import Primitives

/// Victims of a wrong value of a member.
package enum Protected: String, Sendable, CaseIterable {
    /// Nobody whom the operation's scopes do not cover.
    case nothing
    /// Those who can be impersonated, by a credential, its way or a right.
    case identity
    /// The person who is asked: disturbed, hurried, deceived or left out.
    case person
    /// Those who prove an approval later.
    case evidence
    /// The server, which other tenants use too.
    case server
}

/// Declaration of one body member: its victim, and the scopes that it requires of a token in addition to the
/// operation's.
package struct MemberProtection: Sendable, Equatable {
    /// Names from the body down to the member. The rule applies to each element of a list on the way.
    package let path: [String]
    package let protected: Protected
    /// Alternatives: every scope of one set suffices. Empty means that the operation's scopes suffice.
    package let sets: [[String]]
    /// Warning for whoever sends the member. Nil means none.
    package let warning: String?

    init(_ path: [String], _ protected: Protected, _ sets: [[String]], warning: String? = nil) {
        self.path = path
        self.protected = protected
        self.sets = sets
        self.warning = warning
    }

    static let noEffect = "has no effect on this server"

    func below(_ name: String) -> MemberProtection {
        MemberProtection([name] + path, protected, sets, warning: warning)
    }

    /// True if the body has the member, even as null, because null deletes. `reached` is the result for a null further up,
    /// which deletes the member, too.
    package func isNamed(in body: JSONValue, byOuterNull reached: Bool = true) -> Bool {
        Self.isNamed(path[...], body, reached)
    }

    private static func isNamed(_ path: ArraySlice<String>, _ value: JSONValue, _ reached: Bool) -> Bool {
        guard let name = path.first else { return true }
        if value.isNull { return reached }
        if let elements = value.arrayValue { return elements.contains { isNamed(path, $0, reached) } }
        return value[name].map { isNamed(path.dropFirst(), $0, reached) } ?? false
    }

    /// Readable name: `refresh_token.leeway`.
    package var name: String { path.joined(separator: ".") }

    static func words(_ sets: [[String]]) -> String {
        sets.map { $0.joined(separator: " and ") }.joined(separator: ", or ")
    }
}
