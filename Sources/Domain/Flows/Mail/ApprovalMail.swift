import ApprovalWire
package import AuthorizationCore
import Localization
import OAuthWire
package import Primitives

extension MailComposer {
    /// Asks for a decision. The link leads to the page that shows the whole request; opening it decides nothing.
    package static func approval(
        _ request: BackchannelRequest, to email: EmailAddress, _ user: User, tenant: Tenant, now: Timestamp
    ) -> OutgoingMail {
        let language = user.language ?? .english
        let texts = language.texts
        let record = request.record
        let seconds = Int((request.expiresAt - now).components.seconds)
        let link = HostedPath.approval(of: record.id, below: record.issuer)
        let message = texts.mail.approval(
            line(tenant.name), record.client.name.outside, contents(record, in: language), link, seconds)
        // A header has no marks around a name.
        let subject = texts.mail.approvalSubject(line(tenant.name), record.client.name.visible)
        var mail = OutgoingMail(to: email.description, subject: subject, text: message)
        mail.language = language
        mail.link = link
        mail.kinds = [.asynchronousApproval]
        mail.values = [
            "application": [
                "name": .string(record.client.name.visible), "client_id": .string(record.client.id),
                "clientID": .string(record.client.id),
            ],
            "api": ["name": .string(record.audience.name.visible)],
            "binding_message": .string(record.bindingMessage.visible),
            "scopes": .array(
                shownScopes(record).map { ["value": .string($0.value), "description": .string($0.text.visible)] }),
            "expires_in": .number(JSONNumber(seconds)), "expires_at": .string(request.expiresAt.iso8601),
            "user": .object(user.mailValues),
        ]
        return mail
    }

    private static func shownScopes(_ record: RequestRecord) -> [(value: String, text: String)] {
        record.scope.filter { $0.value != "openid" }.map { ($0.value, $0.description ?? $0.value) }
    }

    /// The message, the API, the scopes and the details, each a paragraph or a list.
    private static func contents(_ record: RequestRecord, in language: Language) -> String {
        let texts = language.texts
        var parts = [record.bindingMessage.outside]
        let api = texts.approval.api(Place(0)).parts.map { part in
            switch part {
            case .text(let text): text
            case .place: record.audience.name.outside
            }
        }
        parts.append(api.joined())
        let scopes = shownScopes(record)
        if !scopes.isEmpty {
            parts.append(texts.consent.able)
            parts.append(scopes.map { "- \($0.text.outside)" }.joined(separator: "\n"))
        }
        let details = record.presentation(in: language.rawValue).details
        if !details.isEmpty { parts.append(texts.consent.inDetail) }
        for detail in details {
            let members = detail.members.flatMap { lines(of: $0, in: language) }
            parts.append((detail.heading ?? texts.phone.untyped).outside)
            if !members.isEmpty { parts.append(members.joined(separator: "\n")) }
        }
        return parts.joined(separator: "\n\n")
    }

    /// Maximum lines of one detail. The page shows all.
    private static let lineLimit = 40

    private static func lines(of value: PresentedValue, in language: Language) -> [String] {
        var lines: [String] = []
        func add(_ value: PresentedValue, _ names: [String]) {
            guard lines.count < lineLimit else { return }
            let names = names + [value.heading].compactMap { $0 }
            if let text = value.content.text(in: language) {
                let name = names.map(\.outside).joined(separator: " / ")
                lines.append(name.isEmpty ? "- \(text.outside)" : "- \(name): \(text.outside)")
            } else if case .members(let values) = value.content {
                for value in values { add(value, names) }
            } else if case .elements(let values) = value.content {
                for value in values { add(value, names) }
            }
        }
        add(value, [])
        return lines
    }
}

extension User {
    /// Values of templates.
    var mailValues: JSONObject {
        var values: JSONObject = ["user_id": .string(id.rawValue), "email_verified": .bool(emailVerified)]
        values["email"] = email.map(JSONValue.string)
        values["name"] = name.map { .string($0.visible) }
        values["given_name"] = givenName.map { .string($0.visible) }
        values["family_name"] = familyName.map { .string($0.visible) }
        values["nickname"] = nickname.map { .string($0.visible) }
        values["username"] = username.map { .string($0.visible) }
        values["locale"] = language.map { .string($0.rawValue) }
        return values
    }
}
