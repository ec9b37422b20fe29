package import AuthorizationCore
package import JSONSchema

/// Victim of a wrong value of a field, and what sending it requires of an administrator beyond the operation's scopes.
/// The operator, who uses the command line and files, is not limited.
package struct Protection: Sendable {
    package let protected: Protected
    /// Scopes, each of which suffices, for a new object and for a change. Empty means that the operation's suffice.
    let create: [String]
    let update: [String]
    /// Largest value that an administrator may set.
    package private(set) var ceiling: (any KeyPath<TenantCeilings, Int> & Sendable)?

    private init(_ protected: Protected, create: [String] = [], update: [String] = []) {
        self.protected = protected
        self.create = create
        self.update = update
    }

    package static var nothing: Protection { Protection(.nothing) }

    /// A credential or a right, which needs the scope for credentials or rights of its kind.
    package static func identity(create: [String] = [], update: [String]) -> Protection {
        Protection(.identity, create: create, update: update)
    }

    package static func identity(_ scope: String) -> Protection { .identity(create: [scope], update: [scope]) }

    /// The creator of a new object decides alone, because nobody relies on the object yet.
    package static var person: Protection { .person(ResourceServer.personScope) }

    package static func person(_ scope: String) -> Protection { Protection(.person, update: [scope]) }

    package static var evidence: Protection { Protection(.evidence, update: [ResourceServer.evidenceScope]) }

    /// Bounded by the field's range.
    package static var server: Protection { Protection(.server) }

    /// Bounded by the operator.
    package static func server(below ceiling: any KeyPath<TenantCeilings, Int> & Sendable) -> Protection {
        Protection(.server).below(ceiling)
    }

    package func below(_ ceiling: any KeyPath<TenantCeilings, Int> & Sendable) -> Protection {
        var copy = self
        copy.ceiling = ceiling
        return copy
    }

    /// Covered by the scopes of the operation, or of an outer member.
    package static func covered(_ protected: Protected) -> Protection { Protection(protected) }

    func sets(_ use: FieldUse) -> [[String]] {
        switch use {
        case .create: create.map { [$0] }
        case .update: update.map { [$0] }
        case .whole: []
        }
    }
}
