import Localization
import OAuthWire
import Primitives

/// One object of `authorization_details` (RFC 9396) as a definition list of names and values, with nested lists for
/// nested values.
struct AuthorizationDetailView {
    private let detail: JSONObject
    private let presentation: DetailPresentation

    init(_ detail: JSONObject, presentation: DetailPresentation = DetailPresentation()) {
        self.detail = detail
        self.presentation = presentation
    }

    var html: HTML {
        HTML {
            Tag.div(.classes("detail-card")) {
                Tag.p { Tag.strong { name(detail["type"]?.stringValue ?? "", presentation) } }
                if let description = presentation.description {
                    Tag.p { Node.isolated(description) }
                }
                list(detail, presentation, without: "type")
            }
        }
    }

    private func name(_ name: String, _ presentation: DetailPresentation) -> Node {
        presentation.label.map { Node.isolated($0) } ?? .isolated(Self.spaced(name))
    }

    @HTMLBuilder
    private func list(
        _ object: JSONObject, _ presentation: DetailPresentation, without hidden: String? = nil
    ) -> [Node] {
        let members = presentation.ordered(object).filter { $0.name != hidden }
        if !members.isEmpty {
            Tag.dl {
                for (name, value) in members {
                    Tag.dt { self.name(name, presentation[name]) }
                    Tag.dd {
                        if let text = presentation[name].formatted(value, beside: object) {
                            Node.isolated(text)
                        } else {
                            self.value(value, presentation[name])
                        }
                        if let description = presentation[name].description {
                            Tag.span(.classes("detail")) { Node.isolated(description) }
                        }
                    }
                }
            }
        }
    }

    @HTMLBuilder
    private func value(_ value: JSONValue, _ presentation: DetailPresentation) -> [Node] {
        switch value {
        case .null: localized.consent.none
        case .bool(true): localized.consent.yes
        case .bool(false): localized.consent.no
        // In the original spelling: 12.50 is not 12.5 to a reader.
        case .number(let number): Node.text(number.literal)
        case .string(let text): Node.isolated(text)
        case .array(let elements) where elements.isEmpty: localized.consent.none
        case .array(let elements):
            Tag.ul {
                for element in elements {
                    Tag.li {
                        if let text = presentation.items.formatted(element, beside: [:]) {
                            Node.isolated(text)
                        } else {
                            self.value(element, presentation.items)
                        }
                    }
                }
            }
        case .object(let object) where object.isEmpty: localized.consent.none
        case .object(let object): list(object, presentation)
        }
    }

    /// Writes `instructedAmount` and `instructed_amount` as "Instructed amount", and other forms unchanged.
    static func spaced(_ name: String) -> String {
        guard name.utf8.allSatisfy({ isLetter($0) || isDigit($0) || isSeparator($0) }) else { return name }
        let bytes = Array(name.utf8)
        var output = ""
        for (index, byte) in bytes.enumerated() {
            let character = Character(UnicodeScalar(byte))
            if isSeparator(byte) {
                output += " "
            } else if index == 0 {
                output += character.uppercased()
            } else if isUpper(byte), isLower(bytes[index - 1]) {
                // Lowercases a word's first letter, but not an abbreviation.
                let isWord = index + 1 < bytes.count && isLower(bytes[index + 1])
                output += " " + (isWord ? character.lowercased() : String(character))
            } else {
                output.append(character)
            }
        }
        return output
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") }
    private static func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
    private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { isUpper(byte) || isLower(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
