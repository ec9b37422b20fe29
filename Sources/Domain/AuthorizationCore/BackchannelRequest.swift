package import ApprovalWire
package import OAuthWire
package import Primitives

/// A request for a user's decision (CIBA Core 7), from its start to its end. Its record says what is asked.
package struct BackchannelRequest: Sendable, Equatable {
    package enum State: Int, Sendable {
        case pending = 0
        case approved = 1
        case denied = 2
        /// Tokens were issued.
        case redeemed = 3
        /// Nobody decided in time, and the audit log has an entry of it.
        case expired = 4
        /// No channel reached anybody, and the audit log has an entry of it.
        case undelivered = 5
        /// A newer login in the same browser took its place, and the audit log has an entry of it.
        case superseded = 6
    }

    package enum Decision: Sendable, Equatable {
        case allow
        /// `reason` is the user's own text. Nil means that the user gave none.
        case reject(reason: String?)

        package var state: State { if case .allow = self { .approved } else { .denied } }

        package var reason: String? { if case .reject(let reason) = self { reason } else { nil } }
    }

    /// Session of a browser in which a person decided, as it was then.
    package struct DecidingSession: Sendable, Equatable {
        package let id: SessionID
        /// `auth_time`.
        package let authenticatedAt: Timestamp
        /// `amr` (RFC 8176).
        package let methods: [String]
        /// `acr`. Nil means none that has a name.
        package let contextClass: String?

        package init(id: SessionID, authenticatedAt: Timestamp, methods: [String], contextClass: String?) {
            self.id = id
            self.authenticatedAt = authenticatedAt
            self.methods = methods
            self.contextClass = contextClass
        }
    }

    package enum Decider: Sendable, Equatable {
        case device(DeviceID)
        case session(DecidingSession)
    }

    /// A decision as stored.
    package struct Outcome: Sendable, Equatable {
        package let decision: Decision
        package let decidedAt: Timestamp
        /// Nil means that the client withdrew the request.
        package let decider: Decider?
        /// Nil for an approval and for a plain rejection.
        package let cause: ApprovalEvidence.Cause?

        package var device: DeviceID? { if case .device(let id) = decider { id } else { nil } }

        package var session: DecidingSession? { if case .session(let session) = decider { session } else { nil } }

        package init(
            _ decision: Decision, at decidedAt: Timestamp, by decider: Decider?, cause: ApprovalEvidence.Cause? = nil
        ) {
            self.decision = decision
            self.decidedAt = decidedAt
            self.decider = decider
            self.cause = cause
        }
    }

    /// Increases with every request of a database. 0 before the request is stored. Device streams resume by it.
    package var sequence: Int64 = 0
    package let record: RequestRecord
    package let digest: RequestDigest
    package var channel: Client.NotificationChannel
    /// Seconds between two polls.
    package let interval: Int
    /// True if the client gets a receipt with the tokens.
    package var wantsReceipt = false
    /// SHA-256 of the login transaction that asks for a second factor. Nil for a request of the client.
    package var login: [UInt8]?
    /// SHA-256 of the binding cookie of the browser whose login asks. Nil for a request of the client.
    package var browser: [UInt8]?
    package var state = State.pending
    /// Nil before the decision, and after the redemption or expiry.
    package var outcome: Outcome?

    package init(
        record: RequestRecord, digest: RequestDigest, channel: Client.NotificationChannel, interval: Int
    ) {
        self.record = record
        self.digest = digest
        self.channel = channel
        self.interval = interval
    }

    package var consentID: ConsentID { ConsentID(record.id) }
    package var tenant: TenantID { TenantID(record.tenant) }
    package var client: ClientID { ClientID(record.client.id) }
    package var user: UserID { UserID(record.user) }
    package var scope: ScopeSet { ScopeSet(record.scope.map(\.value)) }
    /// The API's identifier, or the userinfo endpoint.
    package var audience: String { record.audience.id }
    package var createdAt: Timestamp { record.createdAt }
    package var expiresAt: Timestamp { record.expiresAt }

    package var authorizationDetails: JSONValue? {
        record.authorizationDetails.isEmpty ? .none : .array(record.authorizationDetails.map(JSONValue.object))
    }

    /// A request ends at its expiry, whatever was decided before.
    package func isExpired(at now: Timestamp) -> Bool { now >= expiresAt }
}
