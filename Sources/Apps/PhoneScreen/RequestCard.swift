import ApprovalWire
package import Foundation
package import Guardian
package import Localization
package import Primitives
package import Terminal

/// A request as a person reads it before answering: nothing that was asked is left out.
package struct RequestCard {
    let notification: Guardian.Notification
    let consent: Consent?
    let now: Date?
    let language: Language
    let timeZone: TimeZone

    /// `consent` nil shows what the notification alone tells. `now` is for the time left, which nil leaves out because
    /// it is shown elsewhere.
    package init(
        notification: Guardian.Notification, consent: Consent?, now: Date?,
        language: Language = .english, timeZone: TimeZone = .current
    ) {
        self.notification = notification
        self.consent = consent
        self.now = now
        self.language = language
        self.timeZone = timeZone
    }

    private var texts: Texts.Phone { language.texts.phone }

    package var card: Card {
        var parts: [Card.Part] = []
        if let login {
            parts.append(.text(Text(login.headline, .bold)))
            parts.append(.fields(Fields(login.rows.map { ($0.label, Text($0.value)) })))
        } else if let consent {
            parts += Card.Part.start(
                consent.presentation(in: language.rawValue), message: consent.requestedDetails.bindingMessage,
                of: client, in: language, zone: zone)
        }
        parts.append(.fields(Fields(overview)))
        for detail in consent?.details(inLanguage: language.rawValue) ?? [] {
            parts += Card.Part.parts(of: detail.detail, in: language, zone: zone)
        }
        return Card(Text(texts.title(client)), parts)
    }

    private var client: String { consent?.client?.name ?? notification.domain }

    private func zone(_ time: Timestamp) -> ZoneOffset {
        let date = Date(timeIntervalSince1970: Double(time.seconds))
        return ZoneOffset(
            seconds: timeZone.secondsFromGMT(for: date), name: timeZone.abbreviation(for: date) ?? "UTC")
    }

    private var login: LoginPresentation? {
        consent?.login.map { LoginPresentation($0.login, in: language, zone: zone) }
    }

    private var overview: [(name: String, value: Text)] {
        var rows: [(name: String, value: Text)] = []
        if let client = consent?.client {
            rows.append((texts.client, "\(client.name) (\(client.clientId))"))
            if let isOwn = client.isFirstParty {
                rows.append((texts.operatedBy, Text(isOwn ? texts.ownClient : texts.otherClient)))
            }
        }
        if isUrgent { rows.append(("", Text(texts.urgent, .yellow))) }
        if let details = consent?.requestedDetails {
            let name = details.audienceName.map { $0 == details.audience ? $0 : "\($0) (\(details.audience))" }
            rows.append((texts.audience, Text(name ?? details.audience)))
            for (index, scope) in details.scope.enumerated() {
                let text: Text = details.scopeDescriptions[scope].map { "\(scope): \($0)" } ?? Text(scope)
                rows.append((index == 0 ? texts.scopes : "", text))
            }
        }
        if let place { rows.append((texts.origin, Text(place))) }
        rows.append((texts.server, Text(notification.domain)))
        if let id = notification.transactionLinkingId { rows.append((texts.request, Text(id))) }
        if let consent, let now { rows.append((texts.timeLeft, timeLeft(consent, now))) }
        return rows
    }

    private var isUrgent: Bool { consent?.isUrgent ?? notification.isUrgent }

    private var place: String? {
        let agents = [notification.source?.browser, notification.source?.os].compactMap(\.self)
            .map { [$0.name, $0.version].compactMap(\.self).joined(separator: " ") }
        let parts = agents + [notification.location?.name].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private func timeLeft(_ consent: Consent, _ now: Date) -> Text {
        let seconds = Int64(consent.expiresAt.timeIntervalSince(now).rounded(.down))
        return seconds > 0 ? Text(spellDuration(.seconds(seconds)), .yellow) : Text(texts.expired, .red)
    }

    /// For programs; the same facts.
    package var json: JSONValue {
        var object: JSONObject = ["event": "request", "id": .string(notification.transactionLinkingId ?? "")]
        object["server"] = .string(notification.domain)
        guard let consent else { return .object(object) }
        let details = consent.requestedDetails
        if let client = consent.client {
            var members: JSONObject = ["client_id": .string(client.clientId), "name": .string(client.name)]
            members["logo"] = client.logo.map { .string($0.absoluteString) }
            members["is_first_party"] = client.isFirstParty.map(JSONValue.bool)
            object["client"] = .object(members)
        }
        object["audience"] = .string(details.audience)
        object["scope"] = JSONValue(details.scope)
        if let headline = consent.headline(inLanguage: language.rawValue, timeZone: timeZone) {
            object["headline"] = JSONValue(headline.lines)
            object["action"] = headline.action.map(JSONValue.string)
        }
        object["binding_message"] = details.bindingMessage.map(JSONValue.string)
        object["authorization_details"] = .array(
            details.authorizationDetails.compactMap { try? JSONReader.parse(Array($0.data)) })
        if !consent.matchingChoices.isEmpty {
            object["matching_choices"] = JSONValue(consent.matchingChoices.map(\.description))
        }
        if consent.asksTypedNumber { object["matching"] = "type" }
        if let login = consent.login {
            var members: JSONObject = ["application": .string(login.application)]
            members["browser"] = login.browser.map(JSONValue.string)
            members["system"] = login.system.map(JSONValue.string)
            members["address"] = login.address.map(JSONValue.string)
            members["place"] = login.place(inLanguage: language.rawValue).map(JSONValue.string)
            members["at"] = JSONValue(Int64(login.date.timeIntervalSince1970))
            object["login"] = .object(members)
        }
        if isUrgent { object["urgent"] = true }
        object["record"] = consent.record.map(JSONValue.string)
        object["request_digest"] = consent.requestDigest.map(JSONValue.string)
        object["expires_at"] = JSONValue(Int64(consent.expiresAt.timeIntervalSince1970))
        return .object(object)
    }
}
