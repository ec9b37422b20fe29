package import Audit
package import AuthorizationCore
package import Primitives

/// Notice to a client that a session ended, stored with the change that ends it.
package struct LogoutNotice: Sendable, Equatable {
    /// Time from the end of a session during which clients are notified.
    package static let life = Duration.seconds(1800)

    package let tenant: TenantID
    package let client: ClientID
    package let user: UserID
    package let session: SessionID
    /// The tenant's host that issued the client's code. Nil means the tenant's own name.
    package let host: String?

    /// Throws if this program did not write the payload.
    package init(_ delivery: Delivery) throws {
        let payload = try JSONReader.parse(delivery.payload)
        guard let user = payload["user"]?.stringValue, let session = payload["sid"]?.stringValue else {
            throw UnreadablePayload()
        }
        tenant = delivery.tenant
        client = ClientID(delivery.recipient)
        self.user = UserID(user)
        self.session = SessionID(session)
        host = payload["host"]?.stringValue
    }
}

/// Notifies clients of ended sessions, several at once, so that a client that does not answer delays no other.
package struct LogoutCourier: DeliveryCourier {
    package let queue = DeliveryQueue.logoutNotices
    package let policy = DeliveryPolicy(
        pace: .leased(for: .seconds(60), inFlight: 64, perTenant: 32, perRecipient: 8, sharesByTime: true),
        attempts: 10,
        firstDelay: .seconds(5),
        longestDelay: .seconds(600))

    let logout: BackchannelLogout
    let configuration: any ConfigurationSource

    package func deliver(_ entry: DeliveryEntry, now: Timestamp) async throws -> DeliveryAttempt {
        let notice = try LogoutNotice(entry.delivery)
        guard let tenant = configuration.current.tenant(id: notice.tenant, host: notice.host) else {
            return DeliveryAttempt(.unneeded)
        }
        do {
            guard try await logout.notify(notice, configuration: tenant, now: now) else {
                return DeliveryAttempt(.unneeded)
            }
        } catch let error as LogoutNotSent {
            // A client that names a long wait must not lose the notice.
            let wait = error.retryAfter.map { min($0, policy.longestDelay) }
            return DeliveryAttempt(
                .failed(reason: error.reason, retryAfter: wait), detail: error.detail,
                event: failure(entry, reason: error.reason, now: now))
        }
        return DeliveryAttempt(.delivered, event: notice.event(.backchannelLogoutSent, at: now))
    }

    package func failure(_ entry: DeliveryEntry, reason: String, now: Timestamp) -> AuditEvent? {
        Self.failure(entry, reason: reason, now: now)
    }

    /// Event for a notice that was given up.
    package static func failure(_ entry: DeliveryEntry, reason: String, now: Timestamp) -> AuditEvent? {
        try? LogoutNotice(entry.delivery).event(.backchannelLogoutFailed, at: now, ["reason": .string(reason)])
    }
}

extension LogoutNotice {
    fileprivate func event(_ kind: AuditEvent.Kind, at now: Timestamp, _ details: JSONObject = [:]) -> AuditEvent {
        var details = details
        details["sid"] = .string(session.rawValue)
        return AuditEvent(
            kind, charge: .once(.delivery), tenant: tenant, at: now, user: user, client: client, details: details)
    }
}
