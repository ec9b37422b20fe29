import Foundation
import Guardian
import Localization
import PhoneScreen
import Primitives
import Terminal

/// One enrolment at work: what the commands that answer requests share.
struct Phone: Sendable {
    let device: EnrolledDevice
    let domain: String
    let configuration: GuardianConfiguration
    let output: Output
    let json: Bool
    let language: Language

    var texts: Texts.Phone { language.texts.phone }

    func events() -> AsyncThrowingStream<DeviceChannelEvent, any Error> {
        notifications(forDomain: domain, device: device, configuration: configuration)
    }

    /// Tells the server what this program can do, if it was enrolled by one that could do less. A failure is not told:
    /// the next start tries again, and requests can be answered without.
    func announceCapabilities(in store: FileDeviceStore) async {
        try? await Guardian.announceCapabilities(
            forDomain: domain, device: device, store: store, configuration: configuration)
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
        let request = RequestCard(notification: notification, consent: consent, now: now, language: language)
        if json { output.raw(JSONWriter.string(request.json)) } else { output.card(request.card) }
    }

    /// Signs and sends the answer, and says so. `reason` is for a rejection.
    func answer(
        _ notification: Guardian.Notification, _ consent: Consent?, _ decision: Decision, reason: String?
    ) async throws {
        let authentication = Guardian.authentication(forDomain: domain, device: device, configuration: configuration)
        let call =
            switch decision {
            case .allow(let pick): authentication.allow(notification: notification, consent: consent, pick: pick)
            case .reject: authentication.reject(notification: notification, withReason: reason, consent: consent)
            case .report: authentication.report(notification: notification, consent: consent)
            }
        _ = try await call.start()
        noteOutcome(notification, consent, decision.outcome, style: decision.outcome == .allowed ? .green : .red)
    }

    /// Headline of the request, in the person's language.
    func headline(of consent: Consent?) -> ConsentHeadline? { consent?.headline(inLanguage: language.rawValue) }

    /// Tells how a request ended, and what it was about.
    func noteOutcome(
        _ notification: Guardian.Notification, _ consent: Consent?, _ outcome: Texts.Phone.Outcome,
        style: Style = .yellow
    ) {
        let id = notification.transactionLinkingId ?? ""
        let headline = headline(of: consent)
        if json {
            var event: JSONObject = ["event": .string(outcome.rawValue), "id": .string(id)]
            event["headline"] = headline.map { JSONValue($0.lines) }
            output.raw(JSONWriter.string(.object(event)))
        } else {
            let about = headline.map { ": \($0.lines.joined(separator: ", "))" } ?? ""
            output.line("\(texts.outcome(outcome), style) \(id)\(about)")
        }
    }

    /// Says what went wrong with a call, in the person's language if it is about their answer.
    func explaining<Result>(_ call: () async throws -> Result) async throws -> Result {
        do { return try await call() } catch { throw explained(error, in: language) }
    }
}

extension Guardian.Notification {
    /// A name that tells a request from others, even without a consent record.
    var requestID: String { transactionLinkingId ?? transactionToken }

    /// The same for people: a token is not shown.
    var label: String { transactionLinkingId ?? "(without id)" }
}
