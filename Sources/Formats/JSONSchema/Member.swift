import Primitives

package struct Member: Sendable {
    package let name: String
    package let shape: Shape
    package let isRequired: Bool

    package init(_ name: String, _ shape: Shape, _ description: String? = nil, isRequired: Bool = false) {
        self.name = name
        self.shape = description.map(shape.described) ?? shape
        self.isRequired = isRequired
    }

    package static func required(_ name: String, _ shape: Shape, _ description: String? = nil) -> Member {
        Member(name, shape, description, isRequired: true)
    }

    /// The same member, optional. Null deletes it.
    package var clearable: Member { Member(name, shape.orNull) }

    package var optional: Member { Member(name, shape) }
}

extension Member {
    /// Requires a token with every scope of one of these sets to send the member. Declare credentials and rights with
    /// it, even if the operation already requires the same scopes.
    package func needing(_ sets: [String]...) -> Member { needing(sets) }

    package func needing(_ sets: [[String]]) -> Member {
        let text = "Needs the scope \(MemberScopes.words(sets))"
        let described = shape.schema["description"]?.stringValue.map { "\($0). \(text)" } ?? text
        return Member(name, shape.described(described).needing(sets), isRequired: isRequired)
    }
}
