package import Audit
package import AuthorizationCore
package import GuardianWire
import OAuthWire
package import Primitives

/// Store port for reading a user who approves requests.
package protocol ApproverStore: Sendable {
    /// The user with the devices that can be notified. Nil means that the reference names no user of the tenant, or
    /// several.
    func approver(_ user: UserReference, tenant: TenantID) async throws -> Approver?
}

package protocol BackchannelStartStore: ApproverStore {
    /// The unexpired request that was started under a key.
    func earlierStart(_ key: [UInt8], tenant: TenantID, now: Timestamp) async throws -> EarlierStart?

    /// Stores the request, an entry of the delivery queue for each device and the audit event in one transaction, if
    /// the limits allow it and the user still exists, is not blocked and has a device. Limits of the user do not count
    /// requests of logins. A request under the key of an unexpired one changes nothing and counts against no limit.
    /// Durable when it returns.
    func start(_ request: NewBackchannelRequest, limits: StartLimits) async throws -> StartOutcome
}

/// A user and the devices with a confirmed enrolment.
package struct Approver: Sendable {
    package struct Phone: Sendable, Equatable {
        package let id: DeviceID
        package let capabilities: Set<DeviceCapability>

        package let hasPasskey: Bool

        package init(id: DeviceID, capabilities: Set<DeviceCapability>, hasPasskey: Bool = false) {
            self.id = id
            self.capabilities = capabilities
            self.hasPasskey = hasPasskey
        }

        /// True if the phone's answers are evidence enough.
        func gives(_ demand: EvidenceDemand?) -> Bool {
            let signs = capabilities.contains(.signedDigest)
            return switch demand {
            case nil: true
            case .signedDigest: signs
            case .passkey: signs && hasPasskey
            }
        }
    }

    package let user: User
    package let phones: [Phone]

    package init(user: User, phones: [Phone]) {
        self.user = user
        self.phones = phones
    }

    package var devices: [DeviceID] { phones.map(\.id) }

    /// The devices whose answers are evidence enough.
    package func devices(for demand: EvidenceDemand?) -> [DeviceID] { phones.filter { $0.gives(demand) }.map(\.id) }

    /// True if a device can show numbers to pick from.
    var canMatchNumbers: Bool { phones.contains { $0.capabilities.contains(.numberMatching) } }
}

package struct NewBackchannelRequest: Sendable {
    package let request: SealedRequest
    /// Devices to notify; none for a request by e-mail.
    package let devices: [DeviceID]
    package let event: AuditEvent
    /// Nil for a request that cannot be repeated.
    package var key: StartKey?
}

package struct StartLimits: Sendable {
    /// Requests of one client for one user since `windowStart`. All clients share the number fairly.
    package let perMinute: Int
    package let windowStart: Timestamp
    /// Undecided and unexpired requests of one client for one user. All clients share the number fairly.
    package let pendingPerUser: Int
    /// Undecided and unexpired requests of the whole tenant. A store may count them approximately.
    package let pendingPerTenant: Int
}

package enum StartOutcome: Sendable, Equatable {
    case started
    /// The request was started before under the same key.
    case repeated(EarlierStart)
    /// The user rejected requests of this client, which has to wait until then.
    case paused(until: Timestamp)
    /// The limit of a minute is reached. `oldest` is the creation of the oldest request within it.
    case rateLimited(oldest: Timestamp)
    case tooManyPendingForUser
    case tooManyPendingForTenant
    /// The user was deleted or blocked, or lost the last device, after the caller read them.
    case approverChanged
}

extension StartLimits {
    init(_ settings: TenantSettings, now: Timestamp) {
        self.init(
            perMinute: settings.requestsPerMinutePerUser, windowStart: now - .seconds(60),
            pendingPerUser: settings.pendingRequestsPerUser, pendingPerTenant: settings.pendingRequests)
    }

    /// Limits for a request of a login. Requests of clients must not keep the user from logging in.
    static func ofLogin(_ settings: TenantSettings, now: Timestamp) -> StartLimits {
        StartLimits(perMinute: .max, windowStart: now, pendingPerUser: .max, pendingPerTenant: settings.pendingRequests)
    }
}

extension StartOutcome {
    /// Throws if nothing was stored.
    func check(_ settings: TenantSettings, now: Timestamp) throws(OAuthError) {
        switch self {
        case .started, .repeated: return
        case .paused(let end):
            let wait = Self.seconds(until: end, now)
            throw OAuthError.tooManyRequests(
                limit: settings.requestsPerMinutePerUser, retryAfter: wait, now: now,
                "This user rejected requests of this client. Try again in \(wait) seconds.")
        case .rateLimited(let oldest):
            let wait = Self.seconds(until: oldest + .seconds(60), now)
            throw OAuthError.tooManyRequests(
                limit: settings.requestsPerMinutePerUser, retryAfter: wait, now: now,
                "This user was sent \(settings.requestsPerMinutePerUser) requests within a minute. "
                    + "Try again in \(wait) seconds.")
        case .tooManyPendingForUser:
            throw OAuthError.tooManyRequests(
                limit: settings.pendingRequestsPerUser, retryAfter: 30, now: now,
                "This user has too many undecided requests. Wait until some are decided or have expired.")
        case .tooManyPendingForTenant:
            throw OAuthError.tooManyRequests(
                limit: settings.pendingRequests, retryAfter: 30, now: now,
                "There are too many undecided requests. Wait until some are decided or have expired.")
        case .approverChanged:
            throw OAuthError(
                .unknownUserID, "User ID is malformed or unknown",
                detail: "the user was deleted or blocked, or lost the last device, during the request")
        }
    }

    private static func seconds(until end: Timestamp, _ now: Timestamp) -> Int {
        max(1, Int((end - now).milliseconds + 999) / 1000)
    }
}
