package import Audit
package import AuthorizationCore
package import Primitives

/// A delivery as administrators of its tenant see it. Holds nothing of the message.
package struct DeliveryRecord: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        /// Not tried yet, or to be tried again at `changedAt`.
        case waiting
        case sent
        /// Given up.
        case failed
        /// The receiver is gone, such as a phone that removed its app.
        case undeliverable
        /// The tenant has no credentials for the phone's push service. The phone gets the request when its app is opened.
        case skipped
    }

    package let id: Int64
    package let queue: DeliveryQueue
    package let state: State
    /// Tries, the delivering one included.
    package let attempts: Int
    /// Reason of the last failure. Nil before the first.
    package let problem: String?
    /// Nil for a mail or a logout notice.
    package let device: DeviceID?
    /// The request's person, or a mail's. Nil for a logout notice, and for a mail to an address that may be a stranger's.
    package let user: UserID?
    package let client: ClientID?
    package let consent: ConsentID?
    package let createdAt: Timestamp
    /// Next try of a waiting entry, or the end of another.
    package let changedAt: Timestamp
    package let expiresAt: Timestamp

    package init(
        id: Int64, queue: DeliveryQueue, state: State, attempts: Int, problem: String?, device: DeviceID?,
        user: UserID?, client: ClientID?, consent: ConsentID?, createdAt: Timestamp, changedAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.id = id
        self.queue = queue
        self.state = state
        self.attempts = attempts
        self.problem = problem
        self.device = device
        self.user = user
        self.client = client
        self.consent = consent
        self.createdAt = createdAt
        self.changedAt = changedAt
        self.expiresAt = expiresAt
    }

    /// The form of the Management API and of the command line.
    package var json: JSONObject {
        var json: JSONObject = [
            "id": .string(String(id)), "queue": .string(queue.rawValue), "state": .string(state.rawValue),
            "attempts": .number(JSONNumber(attempts)), "created_at": .string(createdAt.iso8601),
            "expires_at": .string(expiresAt.iso8601),
        ]
        json[state == .waiting ? "next_attempt_at" : "ended_at"] = .string(changedAt.iso8601)
        json["last_error"] = problem.map(JSONValue.string)
        json["device_id"] = device.map { .string($0.rawValue) }
        json["user_id"] = user.map { .string($0.rawValue) }
        json["client_id"] = client.map { .string($0.rawValue) }
        json["transaction_linking_id"] = consent.map { .string($0.rawValue) }
        return json
    }
}

package enum DeliveryFilter: Sendable, Equatable {
    case request(ConsentID)
    /// Those of the user's requests, and mails to the user.
    case user(UserID)
    /// All failed, undeliverable and skipped ones.
    case failed
    case one(Int64)
}

/// Store port for reading deliveries.
package protocol DeliveryLog: Sendable {
    /// Deliveries of a tenant, newest first, with ids below `id`. Nil begins with the newest.
    func deliveries(
        _ filter: DeliveryFilter, of tenant: TenantID, before id: Int64?, limit: Int
    ) async throws -> [DeliveryRecord]

    /// Lets a delivery that ended without success be tried once more, with the entry of the audit log, in one
    /// transaction. False if it waits or was sent, is of no use any more, or lost its message: then nothing was changed.
    func retry(_ id: Int64, of tenant: TenantID, event: AuditEvent) async throws -> Bool
}
