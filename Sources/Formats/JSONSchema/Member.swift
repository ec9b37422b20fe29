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

    package func named(_ name: String) -> Member { Member(name, shape, isRequired: isRequired) }
}

extension Member {
    /// Declares the victim of a wrong value, and alternative sets of scopes that a token needs to send the member.
    /// Without sets, the operation's scopes suffice. A test fails for a member of a body without a declaration.
    package func protecting(_ protected: Protected, _ sets: [String]...) -> Member { protecting(protected, sets) }

    package func protecting(_ protected: Protected, _ sets: [[String]]) -> Member {
        declared(MemberProtection([], protected, [])).needing(sets)
    }

    /// Sets the scopes of a declared member.
    package func needing(_ sets: [String]...) -> Member { needing(sets) }

    private func needing(_ sets: [[String]]) -> Member {
        guard !sets.isEmpty else { return self }
        let text = "Needs the scope \(MemberProtection.words(sets))"
        let described = shape.described(shape.schema["description"]?.stringValue.map { "\($0). \(text)" } ?? text)
        return Member(name, described, isRequired: isRequired)
            .declared(MemberProtection([], declaration.protected, sets, warning: declaration.warning))
    }

    /// Warns whoever sends the member.
    package func warning(_ text: String) -> Member {
        declared(MemberProtection([], declaration.protected, declaration.sets, warning: text))
    }

    /// Taken for programs that send it. It is stored or ignored.
    package var withoutEffect: Member { warning(MemberProtection.noEffect) }

    private var declaration: MemberProtection {
        shape.protections.first(where: \.path.isEmpty) ?? MemberProtection([], .nothing, [])
    }

    private func declared(_ protection: MemberProtection) -> Member {
        Member(name, shape.protecting(protection), isRequired: isRequired)
    }
}
