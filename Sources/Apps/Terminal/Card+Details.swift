package import ApprovalWire
package import Localization
package import Primitives

extension Card.Part {
    /// Parts of a card for one authorization detail: its type, and a row for each value. Values of a list are numbered.
    package static func parts(
        of detail: RequestPresentation.Detail, in language: Language,
        zone: @escaping (Timestamp) -> ZoneOffset = { _ in .utc }
    ) -> [Card.Part] {
        let heading = detail.heading ?? language.texts.phone.untyped
        // Terminals are read by developers, too, so the type stands beside its label.
        let type = detail.label == nil ? "" : " (\(detail.type ?? language.texts.phone.untyped))"
        var parts: [Card.Part] = [
            .rule, .text(Text(heading + type, .cyan)),
        ]
        if let description = detail.description { parts.append(.text(Text(description, .dim))) }
        let rows = DetailRows(language: language, zone: zone)
        parts.append(.fields(Fields(detail.members.flatMap { rows.rows($0, title: $0.title ?? "", indent: "") })))
        return parts
    }
}

extension Card.Part {
    /// Headline, a line for each detail, and the client's words below it, visibly somebody's.
    package static func start(
        _ presentation: RequestPresentation, message: String?, of client: String, in language: Language,
        zone: @escaping (Timestamp) -> ZoneOffset = { _ in .utc }
    ) -> [Card.Part] {
        let headlines = presentation.headlines.map { Card.Part.text(Text($0.text(in: language, zone: zone), .bold)) }
        let values = [client, message ?? ""]
        let words = language.texts.card.saysQuoted(Place(0), Place(1)).parts.map { part in
            switch part {
            case .text(let text): text
            case .place(let place): values[place.index]
            }
        }
        return headlines + (message == nil ? [] : [.text(Text(words.joined()))])
    }
}

/// Rows of a value and everything below it, indented by their depth.
private struct DetailRows {
    let language: Language
    let zone: (Timestamp) -> ZoneOffset

    /// Levels with a rule of their own. Deeper values would have no room.
    private static let ruled = 6
    private static let rule = "│ "

    func rows(_ value: PresentedValue, title: String, indent: String) -> [(name: String, value: Text)] {
        let own = Self.lines(value.content.text(in: language, zone: zone) ?? "").enumerated().map { index, line in
            (name: index == 0 ? indent + title : indent, value: Text(line))
        }
        let description = value.description.map { [(name: "", value: Text($0, .dim))] } ?? []
        let isDeep = indent.count >= Self.rule.count * Self.ruled
        return own + description + below(value.content, indent: isDeep ? indent : indent + Self.rule)
    }

    /// Lines of a text, as other phones show them: a break behind another stays visible in its line.
    private static func lines(_ text: String) -> [String] {
        let shown = text.replacingUnseen(keepsLines: true) { $0 == "\n" ? "\\n" : String($0) }
        return shown.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    private func below(_ content: PresentedValue.Content, indent: String) -> [(name: String, value: Text)] {
        switch content {
        case .members(let members): members.flatMap { rows($0, title: $0.title ?? "", indent: indent) }
        case .elements(let elements):
            elements.enumerated().flatMap { index, element in
                rows(element, title: element.title.map { "\(index + 1). \($0)" } ?? "\(index + 1).", indent: indent)
            }
        default: []
        }
    }
}
