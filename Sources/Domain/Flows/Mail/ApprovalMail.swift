import ApprovalWire
package import AuthorizationCore
import Localization
import OAuthWire
package import Primitives
import Templates

extension MailComposer {
    /// Asks for a decision at the user's verified address. The link leads to the page that shows the whole request; opening it decides nothing.
    package static func approval(
        _ request: BackchannelRequest, to email: EmailAddress, _ user: User, tenant: Tenant, now: Timestamp
    ) -> OutgoingMail {
        let language = user.language ?? .english
        let texts = language.texts
        let record = request.record
        let seconds = Int((request.expiresAt - now).components.seconds)
        let link = Self.link(HostedPath.approval(of: record.id, below: record.issuer), in: user.language)
        let message = texts.mail.approval(
            line(tenant.name), record.client.name.outside, contents(record, of: tenant, in: language), link, seconds)
        // A header has no marks around a name.
        let subject = texts.mail.approvalSubject(line(tenant.name), record.client.name.visible)
        var mail = OutgoingMail(to: email.description, recipient: .verified, subject: subject, text: message)
        mail.language = language
        mail.link = link
        mail.button = texts.mail.review
        mail.headings = [texts.consent.able, texts.consent.inDetail]
        mail.message = headline(record, in: language)
        mail.quotation = quotation(record, in: language)
        mail.kinds = [.asynchronousApproval]
        let scopes = record.scope.filter { $0.value != "openid" }
        mail.values = [
            "application": ["name": .string(record.client.name), "client_id": .string(record.client.id)],
            "api": ["name": .string(record.audience.name)], "binding_message": .string(record.bindingMessage),
            "headline": JSONValue(record.presentation(in: language.rawValue).headlines.map { $0.text(in: language) }),
            "scopes": .array(
                scopes.map { ["value": .string($0.value), "description": .string(words(of: $0, in: language))] }),
            "expires_in": .number(JSONNumber(seconds)), "expires_at": .string(request.expiresAt.iso8601),
            "user": .object(user.mailValues), "connection": ["name": .string(user.connection)],
        ]
        return mail
    }

    /// A scope for which the page has a sentence of its own, too.
    private static let offline = "offline_access"

    /// The scope in the words of its API, or in ours, as on the page.
    private static func words(of scope: RequestRecord.Scope, in language: Language) -> String {
        let consent = language.texts.consent
        if scope.value == offline { return consent.offline }
        return scope.description ?? consent.scopes[scope.value] ?? scope.value
    }

    /// Parts of the request that the page shows, in its order. Each is a paragraph or a list.
    private static func contents(_ record: RequestRecord, of tenant: Tenant, in language: Language) -> String {
        let texts = language.texts
        var parts: [String] = []
        if let headline = headline(record, in: language) { parts.append(headline) }
        parts.append(quotation(record, in: language))
        if let isFirstParty = record.display.isFirstParty {
            let phrase = isFirstParty ? texts.approval.ours : texts.approval.foreign
            parts.append(sentence(phrase(Place(0)), tenant.name))
        }
        parts.append(sentence(texts.approval.api(Place(0)), record.audience.name))
        let scopes = record.scope.filter { $0.value != offline }
        if !scopes.isEmpty {
            parts.append(texts.consent.able)
            parts.append(scopes.map { "- \(words(of: $0, in: language).outside)" }.joined(separator: "\n"))
        }
        let details = record.presentation(in: language.rawValue).details
        if !details.isEmpty { parts.append(texts.consent.inDetail) }
        for detail in details {
            parts.append((detail.heading ?? texts.phone.untyped).outside)
            if let description = detail.description { parts.append(description.outside) }
            let lines = lines(of: detail, in: language)
            if !lines.isEmpty { parts.append(lines.joined(separator: "\n")) }
        }
        if scopes.count < record.scope.count { parts.append(texts.consent.offline) }
        return parts.joined(separator: "\n\n")
    }

    /// Headline, a line for each detail. Nil if nothing counts more than the rest.
    private static func headline(_ record: RequestRecord, in language: Language) -> String? {
        let lines = record.presentation(in: language.rawValue).headlines.map { headline in
            let parts = headline.parts(in: language).map { part in
                switch part {
                case .own(let text): text
                case .value(let text): text.outside
                }
            }
            return parts.joined()
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    /// The client's own words, with their speaker.
    private static func quotation(_ record: RequestRecord, in language: Language) -> String {
        sentence(language.texts.card.saysQuoted(Place(0), Place(1)), record.client.name, record.bindingMessage)
    }

    /// The sentence with the values in their places.
    private static func sentence(_ phrase: Phrase, _ values: String...) -> String {
        let parts = phrase.parts.map { part in
            switch part {
            case .text(let text): text
            case .place(let place): values[place.index].outside
            }
        }
        return parts.joined()
    }

    /// Maximum lines of one detail. The page shows all.
    private static let lineLimit = 40

    /// A line for each value, after the names around it.
    private static func lines(of detail: RequestPresentation.Detail, in language: Language) -> [String] {
        var lines: [String] = []
        func add(_ values: [PresentedValue], below names: [String], areNumbered: Bool = false) {
            for (index, value) in values.enumerated() where lines.count <= lineLimit {
                let number = areNumbered ? "\(index + 1)." : nil
                let names = names + [[number, value.title].compactMap(\.self).joined(separator: " ")]
                switch value.content {
                case .members(let values): add(values, below: names)
                case .elements(let values): add(values, below: names, areNumbered: true)
                default:
                    let name = names.map(\.outside).joined(separator: " / ")
                    let text = (value.content.text(in: language) ?? "").outside
                    let description = value.description.map { " (\($0.outside))" } ?? ""
                    lines.append("- \(name): \(text)\(description)")
                }
            }
        }
        add(detail.members, below: [])
        if lines.count > lineLimit { lines[lineLimit] = "- \(language.texts.mail.more)" }
        return lines
    }
}
