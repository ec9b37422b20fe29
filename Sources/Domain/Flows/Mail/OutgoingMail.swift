package import AuthorizationCore
package import Localization
package import Primitives

/// A mail to one person, before its tenant's template and its layout are known.
package struct OutgoingMail: Sendable, Equatable {
    package let to: String
    /// Decides whether the operator's mail server sends the mail, and in whose words.
    package let recipient: MailRecipient
    /// The built-in text. Its paragraphs are apart by an empty line.
    package let subject, text: String
    package var language = Language.english
    /// The address that the mail asks to open, a paragraph of `text`. Nothing else in the mail becomes a link.
    package var link: String?
    /// Words of the button that opens the link. Nil means the language's own.
    package var button: String?
    /// Paragraphs of `text` that are headings.
    package var headings: [String] = []
    /// Paragraph of `text` that stands out.
    package var message: String?
    /// Paragraph of `text` with words of somebody else.
    package var quotation: String?
    /// Kinds of templates that take the place of the built-in text, in the order of preference.
    package var kinds: [MailTemplate.Kind] = []
    /// Values for a template.
    package var values: JSONObject = [:]
    /// Account that the mail is about, for administrators. Not a part of the stored form.
    var account: UserID?
}

extension OutgoingMail {
    private enum Name {
        static let (to, subject, text, language, link) = ("to", "subject", "text", "language", "link")
        static let (button, headings, message, quotation) = ("button", "headings", "message", "quotation")
        static let (kinds, values, recipient) = ("templates", "values", "recipient")
    }

    /// The stored form.
    package var json: JSONValue {
        var object: JSONObject = [
            Name.to: .string(to), Name.subject: .string(subject), Name.text: .string(text),
            Name.language: .string(language.rawValue), Name.recipient: .string(recipient.rawValue),
        ]
        object[Name.link] = link.map(JSONValue.string)
        object[Name.button] = button.map(JSONValue.string)
        if !headings.isEmpty { object[Name.headings] = JSONValue(headings) }
        object[Name.message] = message.map(JSONValue.string)
        object[Name.quotation] = quotation.map(JSONValue.string)
        if !kinds.isEmpty { object[Name.kinds] = JSONValue(kinds.map(\.rawValue)) }
        if !values.isEmpty { object[Name.values] = .object(values) }
        return .object(object)
    }

    /// Nil for a value that is no mail.
    package init?(_ json: JSONValue) {
        guard let to = json[Name.to]?.stringValue, let subject = json[Name.subject]?.stringValue,
            let text = json[Name.text]?.stringValue
        else { return nil }
        // One of an earlier form goes out in the built-in text.
        let recipient = json[Name.recipient]?.stringValue.flatMap(MailRecipient.init(rawValue:)) ?? .unverified
        self.init(to: to, recipient: recipient, subject: subject, text: text)
        language = json[Name.language]?.stringValue.flatMap(Language.init(rawValue:)) ?? .english
        link = json[Name.link]?.stringValue
        button = json[Name.button]?.stringValue
        headings = json[Name.headings]?.stringsValue ?? []
        message = json[Name.message]?.stringValue
        quotation = json[Name.quotation]?.stringValue
        kinds = (json[Name.kinds]?.stringsValue ?? []).compactMap(MailTemplate.Kind.init(rawValue:))
        values = json[Name.values]?.objectValue ?? [:]
    }
}
