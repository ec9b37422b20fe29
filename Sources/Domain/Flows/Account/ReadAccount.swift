package import ApprovalWire
import Audit
package import AuthorizationCore
package import GuardianWire
import JOSE
import Localization
import OAuthWire
package import Primitives

/// Shows people their own account.
package struct ReadAccount: Sendable {
    /// Most sessions and grants that a page lists.
    package static let listLimit = 100
    /// Most entries of the log, and decisions, in an export.
    static let exportLimit = 1000
    /// Bytes of records after which an export has no further decision.
    static let exportBytes = 8_388_608

    let store: any OwnAccountStore
    let history: DecisionHistory
    let receipts: IssueReceipt
    let budgets: AuditBudgets
    let places: (any PlaceFinder)?

    package func phones(_ visitor: PageVisitor) async throws -> [OwnedDevice] {
        try await store.devices(of: visitor.user.id, tenant: visitor.session.tenant)
    }

    package func authenticators(_ visitor: PageVisitor) async throws -> [Authenticator] {
        try await store.authenticators(of: visitor.user.id, tenant: visitor.session.tenant)
    }

    package func recoveryCodes(_ visitor: PageVisitor) async throws -> Int {
        try await store.recoveryCodes(of: visitor.user.id, tenant: visitor.session.tenant)
    }

    package func passkeys(_ visitor: PageVisitor) async throws -> [OwnedPasskey] {
        try await store.passkeys(of: visitor.user.id, tenant: visitor.session.tenant)
    }

    /// True if the tenant lets passkeys log in, and the person has none.
    package func mayOfferPasskey(to visitor: PageVisitor, _ context: RequestContext) async throws -> Bool {
        guard context.tenant.settings.passkeyLogin else { return false }
        return try await passkeys(visitor).isEmpty
    }

    package func sessions(_ visitor: PageVisitor, _ context: RequestContext) async throws -> [OwnSession] {
        try await store.sessions(
            of: visitor.user.id, tenant: context.tenant.id, now: context.now, limit: Self.listLimit)
    }

    /// Nil without a database of places, and if the database does not have the address.
    package func place(of address: String) -> RequestRecord.Place? { places?.place(of: address) }

    package func applications(
        _ visitor: PageVisitor, _ context: RequestContext
    ) async throws -> [AllowedApplication] {
        try await store.applications(
            of: visitor.user.id, tenant: context.tenant.id, now: context.now, limit: Self.listLimit)
    }

    package func preferences(_ visitor: PageVisitor) async throws -> PhonePreferences {
        try await store.preferences(of: visitor.user.id, tenant: visitor.session.tenant)
    }

    package func decisions(
        _ visitor: PageVisitor, before: Int64?, _ context: RequestContext
    ) async throws -> DecidedRequests {
        try await history.page(
            of: visitor.user.id, before: before, unanswered: true, count: DecisionHistory.defaultPage,
            context: context)
    }

    /// The receipt as a compact JWS, and the decision that it proves. Nil if the person has no such decision.
    package func receipt(
        _ consent: ConsentID, _ visitor: PageVisitor, _ context: RequestContext
    ) async throws -> (token: String, evidence: ApprovalEvidence)? {
        do {
            return try await receipts.issued(consent, to: .user(visitor.user.id), context)
        } catch is IssueReceipt.Failure {
            return nil
        }
    }

    package func decisionsKept(_ visitor: PageVisitor, _ context: RequestContext) async throws -> Timestamp? {
        try await store.decisionsKept(of: visitor.user.id, tenant: context.tenant.id, now: context.now)
    }

    // MARK: export

    /// All that the server knows of the person, as one document without secrets. Lists are bounded, and `truncated` names
    /// those that end early.
    package func export(_ visitor: PageVisitor, _ context: RequestContext) async throws -> JSONObject {
        let user = visitor.user
        var event = context.event(
            .accountExported, charge: try budgets.draw(on: .user(user.id), of: user, context), user: user.id)
        event.actor = .person(user.id)
        try await store.record(event)
        var truncated: [String] = []
        var decisions: [JSONValue] = []
        var (bytes, cursor) = (0, Int64?.none)
        repeat {
            let page = try await self.decisions(visitor, before: cursor, context)
            for element in page.requests {
                bytes += element.record.text.utf8.count
                decisions.append(try await decision(element, visitor, context))
            }
            cursor = page.next.flatMap { Int64($0) }
        } while cursor != nil && decisions.count < Self.exportLimit && bytes < Self.exportBytes
        if cursor != nil { truncated.append("decisions") }
        let entries = try await store.ownEntries(of: user.id, tenant: context.tenant.id, limit: Self.exportLimit + 1)
        if entries.count > Self.exportLimit { truncated.append("log") }
        let (sessions, applications) = (try await sessions(visitor, context), try await applications(visitor, context))
        if sessions.count == Self.listLimit { truncated.append("sessions") }
        if applications.count == Self.listLimit { truncated.append("applications") }
        let hours = try await preferences(visitor).quietHours
        return [
            "exported_at": .string(context.now.iso8601), "issuer": .string(context.tenant.issuer),
            "profile": .object(Self.profile(user)),
            "devices": .array(try await phones(visitor).map(Self.device)),
            "passkeys": .array(try await store.passkeys(of: user.id, tenant: context.tenant.id).map(Self.passkey)),
            "authenticators": .array(try await authenticators(visitor).map(Self.authenticator)),
            "quiet_hours": hours.map {
                ["from": .string(QuietHours.text($0.from)), "to": .string(QuietHours.text($0.to))]
            }
                ?? .null,
            "recovery_codes_left": .number(JSONNumber(try await recoveryCodes(visitor))),
            "sessions": .array(sessions.map(Self.session)),
            "applications": .array(applications.map(Self.application)),
            "decisions": .array(decisions),
            "log": .array(entries.prefix(Self.exportLimit).map(Self.entry)),
            "truncated": JSONValue(truncated),
        ]
    }

    private func decision(
        _ element: DecidedRequests.Element, _ visitor: PageVisitor, _ context: RequestContext
    ) async throws -> JSONValue {
        var object: JSONObject = [
            "id": .string(element.record.id), "outcome": .string(element.outcome.rawValue),
            "record": .string(element.record.text),
        ]
        switch element {
        case .decided(let evidence):
            object["decided_at"] = .string(evidence.decidedAt.iso8601)
            object["decision"] = .string(evidence.decision.rawValue)
            let receipt = try await receipt(ConsentID(evidence.record.id), visitor, context)
            object["receipt"] = receipt.map { .string($0.token) }
        case .unanswered(let request): object["ended_at"] = .string(request.endedAt.iso8601)
        }
        return .object(object)
    }

    private static func profile(_ user: User) -> JSONObject {
        var object: JSONObject = [
            "user_id": .string(user.id.rawValue), "email_verified": .bool(user.emailVerified),
            "created_at": .string(user.createdAt.iso8601), "updated_at": .string(user.updatedAt.iso8601),
            "roles": JSONValue(user.roles.map(\.rawValue)),
        ]
        for (name, value) in [
            ("email", user.email?.description), ("username", user.username), ("name", user.name),
            ("given_name", user.givenName), ("family_name", user.familyName), ("nickname", user.nickname),
            ("picture", user.picture), ("phone_number", user.phoneNumber), ("language", user.language?.rawValue),
        ] {
            if let value { object[name] = .string(value) }
        }
        return object
    }

    private static func device(_ owned: OwnedDevice) -> JSONValue {
        let device = owned.device
        return [
            "id": .string(device.id.rawValue), "name": .string(device.name),
            "identifier": .string(device.identifier), "enrolled_at": .string(device.enrolledAt.iso8601),
            "push_service": device.push.map { .string($0.service.rawValue) } ?? .null,
            "public_key": device.publicKey.json, "has_passkey": .bool(owned.hasPasskey),
        ]
    }

    private static func passkey(_ owned: OwnedPasskey) -> JSONValue {
        [
            "id": .string(Base64URL.encode(owned.passkey.id)), "name": .string(owned.name),
            "host": .string(owned.passkey.relyingParty), "logs_in": .bool(owned.logsIn),
            "created_at": .string(owned.createdAt.iso8601),
            "last_used_at": owned.lastUsedAt.map { .string($0.iso8601) } ?? .null,
        ]
    }

    private static func authenticator(_ authenticator: Authenticator) -> JSONValue {
        [
            "id": .string(authenticator.id.rawValue), "name": authenticator.name.map { .string($0) } ?? .null,
            "created_at": .string(authenticator.createdAt.iso8601),
        ]
    }

    private static func session(_ own: OwnSession) -> JSONValue {
        let session = own.session
        return [
            "sid": .string(session.id.rawValue), "created_at": .string(session.createdAt.iso8601),
            "last_used_at": .string(session.lastUsedAt.iso8601), "expires_at": .string(session.expiresAt.iso8601),
            "methods": JSONValue(session.authentication.methods),
            "user_agent": session.origin.userAgent.map { .string($0) } ?? .null,
            "address": session.origin.address.map { .string($0) } ?? .null,
            "clients": JSONValue(own.clients.map(\.rawValue)),
        ]
    }

    private static func application(_ application: AllowedApplication) -> JSONValue {
        [
            "client_id": .string(application.client.rawValue), "audience": .string(application.audience),
            "scope": .string(application.scope.description), "since": .string(application.since.iso8601),
        ]
    }

    private static func entry(_ entry: AuditEntry) -> JSONValue {
        var object: JSONObject = ["date": .string(entry.at.iso8601), "type": .string(entry.kind)]
        if let address = entry.remoteAddress { object["ip"] = .string(address) }
        if let client = entry.client { object["client_id"] = .string(client) }
        if let device = entry.device { object["device_id"] = .string(device) }
        return .object(object)
    }
}
