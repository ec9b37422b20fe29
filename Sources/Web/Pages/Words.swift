package import Localization

/// Words of ours, or text of somebody else.
package enum Words: Sendable, Equatable {
    case ours(LocalizedText)
    case theirs(String)
    /// Text of somebody else, of which a part depends on the language.
    case shown(LocalizedText)

    var node: Node {
        switch self {
        case .ours(let words): .words(words)
        case .theirs(let text): .isolated(text)
        case .shown(let text): .translated(Localized { [.isolated(text[$0])] })
        }
    }
}
