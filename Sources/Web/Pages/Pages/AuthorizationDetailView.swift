import OAuthWire
import Primitives

/// One object of `authorization_details` (RFC 9396) for people to read: names and values as a definition list, with
/// lists within lists where the values are nested.
struct AuthorizationDetailView {
    let entry: AuthorizationDetails.Entry

    var html: HTML {
        HTML {
            Tag.div(.classes("detail-card")) {
                Tag.p { Tag.strong { Node.isolated(Self.spaced(entry.type)) } }
                list(entry.object.filter { $0.name != "type" })
            }
        }
    }

    @HTMLBuilder
    private func list(_ members: [(name: String, value: JSONValue)]) -> [Node] {
        if !members.isEmpty {
            Tag.dl {
                for (name, value) in members {
                    Tag.dt { Node.isolated(Self.spaced(name)) }
                    Tag.dd { self.value(value) }
                }
            }
        }
    }

    @HTMLBuilder
    private func value(_ value: JSONValue) -> [Node] {
        switch value {
        case .null: LocalizedText(en: "none", fr: "aucun")
        case .bool(true): LocalizedText(en: "yes", fr: "oui")
        case .bool(false): LocalizedText(en: "no", fr: "non")
        // As it was written: 12.50 is not 12.5 to a reader.
        case .number(let number): Node.text(number.literal)
        case .string(let text): Node.isolated(text)
        case .array(let elements) where elements.isEmpty: LocalizedText(en: "none", fr: "aucun")
        case .array(let elements):
            Tag.ul {
                for element in elements { Tag.li { self.value(element) } }
            }
        case .object(let object) where object.isEmpty: LocalizedText(en: "none", fr: "aucun")
        case .object(let object): list(object.members)
        }
    }

    /// `instructedAmount` and `instructed_amount` as "Instructed amount"; anything that is no such name as it is.
    static func spaced(_ name: String) -> String {
        guard name.utf8.allSatisfy({ isLetter($0) || isDigit($0) || isSeparator($0) }) else { return name }
        var output = ""
        var previous: UInt8?
        for byte in name.utf8 {
            let character = Character(UnicodeScalar(byte))
            if isSeparator(byte) {
                output += " "
            } else if let last = previous, isUpper(byte), isLower(last) {
                output += " " + character.lowercased()
            } else if previous == nil {
                output += character.uppercased()
            } else {
                output.append(character)
            }
            previous = byte
        }
        return output
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") }
    private static func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
    private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { isUpper(byte) || isLower(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
