import Foundation
import Primitives
import TestSupport

/// What a page that a server made shows, and what can be sent from it.
struct WebPage: Sendable {
    struct Form: Sendable {
        struct Button: Sendable {
            let name: String?
            let value: String
            var text = ""
        }

        let action: String
        let method: String
        var fields: [(name: String, value: String)] = []
        var buttons: [Button] = []
    }

    let url: String
    let status: Int
    let source: String
    private(set) var forms: [Form] = []
    /// Addresses by text.
    private(set) var links: [String: String] = [:]
    private(set) var heading = ""

    init(url: String, status: Int, source: String) {
        self.url = url
        self.status = status
        self.source = source
        read()
    }

    /// The form with a button of that text; without one the only form there is.
    func form(with button: String?) throws -> Form {
        let found =
            button.map { text in forms.first { $0.buttons.contains { $0.text == text } } }
            ?? (forms.count == 1 ? forms.first : nil)
        return try found.orThrow("no form to send with \(button ?? "any button") on \(self)")
    }

    /// Tags as the pages write them: lower case, and every value in double quotes.
    private mutating func read() {
        let tag = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/
        var open: (name: String, attributes: [String: String], text: String)?
        var end = source.startIndex
        for match in source.matches(of: tag) {
            open?.text += source[end..<match.range.lowerBound]
            end = match.range.upperBound
            let (_, slash, name, list) = match.output
            if slash.isEmpty {
                let attributes = Self.attributes(list)
                switch name {
                case "form": forms.append(Form(action: attributes["action"] ?? "", method: attributes["method"] ?? ""))
                case "input":
                    guard let field = attributes["name"], !forms.isEmpty else { break }
                    forms[forms.count - 1].fields.append((field, attributes["value"] ?? ""))
                case "a", "button", "h1": open = (String(name), attributes, "")
                default: break
                }
            } else if let element = open, element.name == name {
                let text = Self.text(element.text)
                if name == "a" { links[text] = element.attributes["href"] }
                if name == "h1" { heading = text }
                if name == "button", !forms.isEmpty {
                    let value = element.attributes["value"] ?? ""
                    forms[forms.count - 1].buttons.append(
                        Form.Button(name: element.attributes["name"], value: value, text: text))
                }
                open = nil
            }
        }
    }

    private static func attributes(_ list: Substring) -> [String: String] {
        var attributes: [String: String] = [:]
        for match in list.matches(of: /([a-z-]+)(?:="([^"]*)")?/) {
            attributes[String(match.output.1)] = text(String(match.output.2 ?? ""))
        }
        return attributes
    }

    /// Characters for the references that the pages write; what goes first could make others.
    private static func text(_ escaped: String) -> String {
        [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&#13;", "\r"), ("&amp;", "&")]
            .reduce(escaped) { $0.replacing($1.0, with: $1.1) }
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension WebPage: CustomStringConvertible {
    var description: String {
        "\(status) \"\(heading)\" at \(url), with \(forms.flatMap(\.buttons).map(\.text)) and \(links.keys.sorted())"
    }
}
