import TestSupport

/// A page's text, links and forms.
struct WebPage: Sendable {
    struct Form: Sendable {
        struct Button: Sendable {
            let name: String?
            let value: String
            let text: String
        }

        let action: String
        let method: String
        let fields: [(name: String, value: String)]
        let buttons: [Button]
        /// Values of the form and its fields for the page's script, such as `data-challenge`.
        let data: [String: String]
    }

    let url: String
    let status: Int
    let heading: String
    let text: String
    let forms: [Form]
    /// URLs by link text.
    let links: [String: String]

    /// `markup` is nil for pages of other sites.
    init(url: String, status: Int, markup: Markup.Element?) {
        self.url = url
        self.status = status
        func all(_ name: String) -> [Markup.Element] { markup?.all(name) ?? [] }
        heading = all("h1").first.map(Self.text) ?? ""
        text = all("body").first.map(Self.text) ?? ""
        forms = all("form").map { form in
            Form(
                action: form["action"] ?? "", method: form["method"] ?? "",
                fields: form.all("input").compactMap { field in field["name"].map { ($0, field["value"] ?? "") } },
                buttons: form.all("button").map { button in
                    Form.Button(name: button["name"], value: button["value"] ?? "", text: Self.text(button))
                },
                data: Dictionary(
                    form.all.flatMap(\.attributes).filter { $0.name.hasPrefix("data-") }.map { ($0.name, $0.value) }
                ) { first, _ in first })
        }
        links = Dictionary(all("a").map { (Self.text($0), $0["href"] ?? "") }) { first, _ in first }
    }

    /// The form with a button of that text. Nil means the only form.
    func form(with button: String?) throws -> Form {
        let found =
            button.map { text in forms.first { $0.buttons.contains { $0.text == text } } }
            ?? (forms.count == 1 ? forms.first : nil)
        return try found.orThrow("no form to send with \(button ?? "any button") on \(self)")
    }

    private static func text(_ element: Markup.Element) -> String {
        element.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension WebPage: CustomStringConvertible {
    var description: String {
        "\(status) \"\(heading)\" at \(url), with \(forms.flatMap(\.buttons).map(\.text)) and \(links.keys.sorted())"
    }
}
