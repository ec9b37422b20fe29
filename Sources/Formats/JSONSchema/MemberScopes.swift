package import Primitives

/// Scopes that one body member requires of a token, in addition to the operation's scopes.
package struct MemberScopes: Sendable, Equatable {
    /// Names from the body down to the member. The rule applies to each element of a list on the way.
    package let path: [String]
    /// Alternatives: every scope of one set suffices.
    package let sets: [[String]]

    init(_ path: [String], _ sets: [[String]]) {
        self.path = path
        self.sets = sets
    }

    func below(_ name: String) -> MemberScopes { MemberScopes([name] + path, sets) }

    /// True if the body has the member, even as null, because null deletes.
    package func isNamed(in body: JSONValue) -> Bool { Self.isNamed(path[...], body) }

    private static func isNamed(_ path: ArraySlice<String>, _ value: JSONValue) -> Bool {
        guard let name = path.first else { return true }
        if let elements = value.arrayValue { return elements.contains { isNamed(path, $0) } }
        return value[name].map { isNamed(path.dropFirst(), $0) } ?? false
    }

    /// Readable text: `client_secret needs update:client_keys`.
    package var words: String { "\(path.joined(separator: ".")) needs \(Self.words(sets))" }

    static func words(_ sets: [[String]]) -> String {
        sets.map { $0.joined(separator: " and ") }.joined(separator: ", or ")
    }
}
