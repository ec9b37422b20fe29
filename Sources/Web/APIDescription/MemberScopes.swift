package import Primitives

/// Scopes that a token needs to send one member of a body, beside those of the operation.
package struct MemberScopes: Sendable, Equatable {
    /// Names from the body down to the member. Lists on the way are passed through: the rule is for each element.
    package let path: [String]
    /// Sets of scopes. One of them suffices, whole.
    package let sets: [[String]]

    init(_ path: [String], _ sets: [[String]]) {
        self.path = path
        self.sets = sets
    }

    func below(_ name: String) -> MemberScopes { MemberScopes([name] + path, sets) }

    /// True if a body has the member, also as null: null takes something away.
    package func isNamed(in body: JSONValue) -> Bool { Self.isNamed(path[...], body) }

    private static func isNamed(_ path: ArraySlice<String>, _ value: JSONValue) -> Bool {
        guard let name = path.first else { return true }
        if let elements = value.arrayValue { return elements.contains { isNamed(path, $0) } }
        return value[name].map { isNamed(path.dropFirst(), $0) } ?? false
    }

    /// One line for people: `client_secret needs update:client_keys`.
    package var words: String { "\(path.joined(separator: ".")) needs \(Self.words(sets))" }

    static func words(_ sets: [[String]]) -> String {
        sets.map { $0.joined(separator: " and ") }.joined(separator: ", or ")
    }
}

extension Member {
    /// The same member, which a token may send only if it has all scopes of one of these sets. What proves somebody,
    /// or gives somebody more rights, says so, even if the operation asks for the same scopes anyway.
    package func needing(_ sets: [String]...) -> Member { needing(sets) }

    package func needing(_ sets: [[String]]) -> Member {
        let text = "Needs the scope \(MemberScopes.words(sets))"
        let described = shape.schema["description"]?.stringValue.map { "\($0). \(text)" } ?? text
        return Member(name, shape.described(described).needing(sets), isRequired: isRequired)
    }
}
