import ApprovalWire
import Audit
import AuthorizationCore
import HTTPModel
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Says what happened in plain sentences, and links to what it happened to.
struct TimelineSentences {
    private let visit: DashboardVisit
    /// Names of the user's phones, by their ids.
    private let phones: [String: String]

    private static var texts: Localized<Texts.Dashboard.Users.Timeline> { localized.dashboard.users.timeline }

    init(_ visit: DashboardVisit) async throws {
        self.visit = visit
        let found = try await visit.ifAllowed("list_user_enrollments", [visit.path.object ?? ""])
        phones = Dictionary(
            (found?.arrayValue ?? []).map { ($0["id"]?.stringValue ?? "", $0["name"]?.stringValue ?? "") },
            uniquingKeysWith: { first, _ in first })
    }

    // MARK: entries of the log

    func moment(ofEntry entry: JSONValue) -> DashboardBlock.Moment {
        let type = entry["type"]?.stringValue ?? ""
        let sentence = AuditEvent.Kind(rawValue: type).flatMap(Self.sentence)
        let title: Words = sentence.map(Words.ours) ?? .theirs(entry["description"]?.stringValue ?? type)
        let recorded = entry["details"]
        var details: [DashboardBlock.Inline] = []
        if let id = entry["client_id"]?.stringValue {
            details.append(visit.linked(.theirs(entry["client_name"]?.stringValue ?? id), .clients, id))
        }
        details += request(recorded?["transaction_linking_id"]) + phone(recorded?["device_id"])
        details += object(recorded) + actor(recorded?["actor"])
        if let agent = entry["user_agent"]?.stringValue {
            let software = BrowserSoftware(userAgent: agent)
            if software != .unknown {
                details.append(
                    .words(
                        .ours(LocalizedText { LoginPresentation.screen(software.browser, software.system, in: $0) })))
            }
        }
        if let address = entry["ip"]?.stringValue { details.append(.code(address)) }
        details.append(.code(type))
        return DashboardBlock.Moment(Self.time(entry["date"]), [.words(title)], details)
    }

    private static func time(_ value: JSONValue?) -> Timestamp {
        value?.stringValue.flatMap(Timestamp.init(iso8601:)) ?? Timestamp(seconds: 0)
    }

    private func request(_ id: JSONValue?) -> [DashboardBlock.Inline] {
        id?.stringValue.map { [.link(.theirs($0), visit.url(.requests, $0))] } ?? []
    }

    private func phone(_ id: JSONValue?) -> [DashboardBlock.Inline] {
        guard let id = id?.stringValue else { return [] }
        guard let name = phones[id] else { return [.code(id)] }
        return [.words(.shown(LocalizedText { Self.texts.on[$0](name) }))]
    }

    /// The change of an administrator, in the API's names.
    private func object(_ details: JSONValue?) -> [DashboardBlock.Inline] {
        guard let kind = details?["object"]?["kind"]?.stringValue else { return [] }
        let action = details?["action"]?.stringValue ?? ""
        let fields = (details?["changed"]?.arrayValue ?? []).compactMap(\.stringValue)
        return [.code(([action, kind] + fields).filter { !$0.isEmpty }.joined(separator: " "))]
    }

    private func actor(_ name: JSONValue?) -> [DashboardBlock.Inline] {
        guard let name = name?.stringValue, let actor = AuditEvent.Actor(rawValue: name) else { return [] }
        switch actor {
        case .person(let id) where id.rawValue != visit.path.object:
            return [.link(.shown(LocalizedText { Self.texts.by[$0](id.rawValue) }), visit.url(.users, id.rawValue))]
        case .person: return []
        default: return [.words(.shown(LocalizedText { Self.texts.by[$0](name) }))]
        }
    }

    // MARK: deliveries

    func moment(ofDelivery delivery: JSONValue) -> DashboardBlock.Moment {
        let texts = Self.texts
        let title: LocalizedText =
            switch delivery["state"]?.stringValue {
            case "sent": texts.sent
            case "waiting": texts.waiting
            case "undeliverable": texts.undeliverable
            case "skipped": texts.skipped
            default: texts.failed
            }
        var details: [DashboardBlock.Inline] = [.code(delivery["queue"]?.stringValue ?? "")]
        details += phone(delivery["device_id"]) + request(delivery["transaction_linking_id"])
        if let error = delivery["last_error"]?.stringValue { details.append(.words(.theirs(error))) }
        return DashboardBlock.Moment(Self.time(delivery["created_at"]), [.words(.ours(title))], details)
    }

    // MARK: sentences

    /// Nil for a kind that has only the API's description.
    private static func sentence(_ kind: AuditEvent.Kind) -> LocalizedText? {
        switch kind {
        case .backchannelStarted: texts.requested
        case .notificationSent: texts.notified
        case .notificationFailed: texts.notNotified
        case .consentFetched: texts.read
        case .approved: texts.allowed
        case .rejected: texts.rejected
        case .reported: texts.reported
        case .wrongNumber: texts.wrongNumber
        case .expired: texts.expired
        case .cancelled: texts.cancelled
        case .undelivered: texts.undelivered
        case .exchanged: texts.exchanged
        case .enrolled: texts.enrolled
        case .unenrolled: texts.unenrolled
        case .deviceUpdated: texts.phoneChanged
        case .deviceKeyLost: texts.keyLost
        case .enrollmentTicketCreated: texts.enrollmentLink
        case .passkeyRegistered: texts.passkeyAdded
        case .passkeyRemoved: texts.passkeyRemoved
        case .changed: texts.changed
        default: sentenceOfLogin(kind)
        }
    }

    private static func sentenceOfLogin(_ kind: AuditEvent.Kind) -> LocalizedText? {
        switch kind {
        case .loggedIn: texts.loggedIn
        case .loginFailed: texts.loginFailed
        case .wrongPassword: texts.wrongPassword
        case .accountBlocked: texts.blocked
        case .signedUp: texts.signedUp
        case .loggedOut: texts.loggedOut
        case .passwordChangeRequested: texts.passwordAsked
        case .passwordChanged: texts.passwordChanged
        case .passwordTicketCreated: texts.passwordLink
        case .emailVerified: texts.emailConfirmed
        case .emailVerificationRequested: texts.emailAsked
        case .emailBounced: texts.emailBounced
        case .consentGiven: texts.consentGiven
        case .consentDenied: texts.consentDenied
        case .consentWithdrawn: texts.consentWithdrawn
        case .codeIssued: texts.codeIssued
        case .codeExchanged: texts.codeExchanged
        case .refreshTokenExchanged: texts.refreshed
        case .refreshTokenReused: texts.reused
        case .tokenRevoked: texts.revoked
        case .multiFactorStarted: texts.factorAsked
        case .multiFactorSucceeded: texts.factorGiven
        case .multiFactorFailed: texts.factorFailed
        case .recoveryCodesMade: texts.codesMade
        case .recoveryCodeUsed: texts.codeUsed
        case .recoveryCodeRefused: texts.codeRefused
        case .accountChanged: texts.accountChanged
        default: nil
        }
    }
}
