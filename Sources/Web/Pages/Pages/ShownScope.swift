import Localization

/// A scope as people read it.
package struct ShownScope: Sendable, Equatable {
    package let name: String
    /// Description of the scope. Nil shows our own text for a standard scope and the name of any other.
    package let description: String?

    package init(_ name: String, description: String? = nil) {
        self.name = name
        self.description = description
    }
}

extension ShownScope {
    /// True for the scope that lasts while the person is away, for which pages have a sentence of its own.
    var isOffline: Bool { name == Self.offline }

    /// The scope in the words of its API, or in ours.
    var words: Node {
        if let description { return .isolated(description) }
        guard Texts.Consent.Scopes.has(name) else { return Tag.code { Node.text(name) } }
        return .words(LocalizedText { [name] language in language.texts.consent.scopes[name] ?? name })
    }

    static let offline = "offline_access"
}
