import Foundation
import Guardian
import Localization
import PhoneScreen
import Primitives
import Terminal

/// One enrolment at work: what `watch`, `allow` and `reject` share.
struct Phone: Sendable {
    let device: EnrolledDevice
    let domain: String
    let configuration: GuardianConfiguration
    let output: Output
    let json: Bool
    let texts: Texts.Phone

    func events() -> AsyncThrowingStream<DeviceChannelEvent, any Error> {
        notifications(forDomain: domain, device: device, configuration: configuration)
    }

    /// The request's consent record. Nil means that it has none.
    func consent(for notification: Guardian.Notification) async throws -> Consent? {
        guard let id = notification.transactionLinkingId else { return nil }
        return try await Guardian.consent(forDomain: domain, device: device, configuration: configuration)
            .fetch(consentId: id, notificationToken: notification.transactionToken)
            .start()
    }

    /// `now` nil leaves out how much time is left.
    func show(_ notification: Guardian.Notification, _ consent: Consent?, now: Date?) {
        let request = RequestCard(notification: notification, consent: consent, now: now, texts: texts)
        if json { output.raw(JSONWriter.string(request.json)) } else { output.card(request.card) }
    }

    /// Signs and sends the answer, and says so.
    func answer(
        _ notification: Guardian.Notification, _ consent: Consent?, allow: Bool, reason: String?
    ) async throws {
        let authentication = Guardian.authentication(forDomain: domain, device: device, configuration: configuration)
        _ =
            allow
            ? try await authentication.allow(notification: notification, consent: consent).start()
            : try await authentication.reject(notification: notification, withReason: reason, consent: consent).start()
        report(notification, allow ? .allowed : .rejected, style: allow ? .green : .red)
    }

    /// Tells how a request ended.
    func report(_ notification: Guardian.Notification, _ outcome: Texts.Phone.Outcome, style: Style = .yellow) {
        let id = notification.transactionLinkingId ?? ""
        if json {
            output.raw(JSONWriter.string(["event": .string(outcome.rawValue), "id": .string(id)]))
        } else {
            output.line("\(texts.outcome(outcome), style) \(id)")
        }
    }
}

extension Guardian.Notification {
    /// A name that tells a request from others, even without a consent record.
    var requestID: String { transactionLinkingId ?? transactionToken }

    /// The same for people: a token is not shown.
    var label: String { transactionLinkingId ?? "(without id)" }
}
