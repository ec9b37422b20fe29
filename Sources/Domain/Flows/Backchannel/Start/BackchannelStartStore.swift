package import Audit
package import AuthorizationCore
package import GuardianWire
import OAuthWire
package import Primitives

/// Store port for reading a user who approves requests.
package protocol ApproverStore: PasskeyReader {
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
    /// A login's request supersedes the pending ones of the same user in the same browser, whose devices are told.
    /// Durable when it returns.
    func start(_ request: NewBackchannelRequest, limits: StartLimits) async throws -> StartOutcome
}

/// Store port for ending the request of a login.
package protocol SupersessionStore: Sendable {
    /// Supersedes a login's pending request, whose devices are told. False if it waits no more: then nothing was changed.
    func supersede(
        _ request: AuthReqIDHash, of user: UserID, tenant: TenantID, now: Timestamp, event: AuditEvent
    ) async throws -> Bool
}

/// A user and the devices with a confirmed enrolment.
package struct Approver: Sendable {
    package struct Phone: Sendable, Equatable {
        package let id: DeviceID
        package let capabilities: Set<DeviceCapability>
        /// True if a passkey can confirm its answers: one that the person has, or will make when asked. False unless
        /// `approver(_:at:meeting:)` looked.
        fileprivate(set) var confirms = false

        /// True if the phone said that its key is gone: it answers nothing, and still is one of the person's factors.
        package let isLost: Bool

        package init(id: DeviceID, capabilities: Set<DeviceCapability>, isLost: Bool = false) {
            self.id = id
            self.capabilities = capabilities
            self.isLost = isLost
        }

        /// True if the person can read one-time passwords from the phone. Guardian's own apps name no capabilities, and
        /// show them.
        var showsOneTimeCodes: Bool { capabilities.isEmpty || capabilities.contains(.oneTimeCode) }

        /// True if the phone's answers are evidence enough.
        func gives(_ demand: EvidenceDemand?) -> Bool {
            let signs = !isLost && capabilities.contains(.signedDigest)
            return switch demand {
            case nil: !isLost
            case .signedDigest: signs
            case .passkey: signs && confirms
            }
        }
    }

    package let user: User
    package private(set) var phones: [Phone]
    /// Time at which the user last lost a factor. Nil if none was removed.
    package let factorRemovedAt: Timestamp?

    package init(user: User, phones: [Phone], factorRemovedAt: Timestamp? = nil) {
        self.factorRemovedAt = factorRemovedAt
        self.user = user
        self.phones = phones
    }

    /// The devices that can answer.
    package var devices: [DeviceID] { devices(for: nil) }

    /// True if the user has a phone, also one whose key is gone: losing a key must not turn a second factor off.
    package var hasPhone: Bool { !phones.isEmpty }

    /// The devices whose answers are evidence enough.
    package func devices(for demand: EvidenceDemand?) -> [DeviceID] { phones.filter { $0.gives(demand) }.map(\.id) }

    /// Notes which phones a passkey can confirm. A phone that can use passkeys uses any of the person's, and makes a first
    /// one if it may. Other phones are known by the passkey that they made.
    fileprivate mutating func note(_ passkeys: [OwnedPasskey], mayMake: Bool) {
        for index in phones.indices {
            phones[index].confirms =
                passkeys.contains { $0.device == phones[index].id }
                || phones[index].capabilities.contains(.passkeys) && (mayMake || !passkeys.isEmpty)
        }
    }

    /// The way in which a phone of the person can give a number, if one was demanded. Nil means that no phone can, or
    /// that there is no demand.
    func matching(for demand: NumberMatching?) -> NumberMatching? {
        func can(_ capability: DeviceCapability) -> Bool {
            phones.contains { !$0.isLost && $0.capabilities.contains(capability) }
        }
        if demand == .type, can(.numberTyping) { return .type }
        return demand != nil && can(.numberMatching) ? .choose : nil
    }
}

extension ApproverStore {
    /// The user, whose phones know whether they meet the demand. Reads passkeys only if they are demanded.
    package func approver(
        _ user: UserReference, at tenant: Tenant, meeting demand: EvidenceDemand?
    ) async throws -> Approver? {
        var approver = try await approver(user, tenant: tenant.id)
        if demand == .passkey, let id = approver?.user.id {
            approver?.note(
                try await passkeys(of: id, tenant: tenant.id), mayMake: tenant.settings.passkeyRegistration == .phone)
        }
        return approver
    }
}

package struct NewBackchannelRequest: Sendable {
    package let request: SealedRequest
    /// Devices to notify; none for a request by e-mail.
    package let devices: [DeviceID]
    package var event: AuditEvent
    /// Nil for a request that cannot be repeated.
    package var key: StartKey?
    /// Entry for each request that this one supersedes, to which the store adds the request. Nil for a request of a
    /// client, which supersedes none.
    package var supersession: AuditEvent?
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
    /// The request was started, and superseded older ones of these hashes.
    case superseding([AuthReqIDHash])
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
        case .started, .superseding, .repeated: return
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
