import ApprovalWire
import Localization
import Primitives

/// Objects of `authorization_details` (RFC 9396) as cards with definition lists, nested as the values are.
struct DetailCards {
    let details: [JSONObject]
    /// The record's `presentation`: a node for each detail, or nothing.
    var presentation: [JSONObject] = []
    /// Nil is the reader's.
    var language: Language?

    /// Labels depend on the language, so the cards are made once the language is known.
    var html: Node {
        .translated(
            Localized { [details, presentation, fixed = language] reader in
                let language = fixed ?? reader
                let shown = RequestPresentation(
                    details: details, presentation: presentation, language: language.rawValue)
                return shown.details.map { Self.card($0, language) }
            })
    }

    private static func card(_ detail: RequestPresentation.Detail, _ language: Language) -> Node {
        Tag.div(.classes("detail-card")) {
            Tag.p { Tag.strong { Node.read(detail.heading ?? language.texts.phone.untyped) } }
            if let description = detail.description {
                Tag.p { Node.read(description) }
            }
            list(detail.members, language)
        }
    }

    @HTMLBuilder
    private static func list(_ members: [PresentedValue], _ language: Language) -> [Node] {
        if !members.isEmpty {
            Tag.dl {
                for member in members {
                    // A value is read together with its name. Names of values that have parts are alone.
                    Tag.dt(member.hasParts ? .classes("group") : nil) {
                        member.hasParts ? Node.read(member.title ?? "") : Node.isolated(member.title ?? "")
                    }
                    Tag.dd(member.hasParts ? .classes("group") : nil) { value(member, language) }
                }
            }
        }
    }

    @HTMLBuilder
    private static func value(_ value: PresentedValue, _ language: Language) -> [Node] {
        let description = value.description.map { text in
            Tag.span(.classes("detail")) { Node.isolated(text) }
        }
        switch value.content {
        case .members(let members):
            if let description { description }
            list(members, language)
        case .elements(let elements):
            if let description { description }
            Tag.ol {
                for element in elements {
                    Tag.li {
                        if let title = element.title {
                            Tag.strong { Node.isolated(title) }
                            Node.text(" ")
                        }
                        self.value(element, language)
                    }
                }
            }
        default:
            Node.read(value.content.text(in: language) ?? "")
            if let description { description }
        }
    }
}

extension PresentedValue {
    fileprivate var hasParts: Bool {
        switch content {
        case .members, .elements: true
        default: false
        }
    }
}
