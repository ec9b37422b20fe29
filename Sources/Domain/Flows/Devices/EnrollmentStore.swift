package import Audit
package import AuthorizationCore
package import GuardianWire
package import Primitives

package protocol EnrollmentStore: Sendable {
    /// Stores a ticket. False if the tenant has no such user.
    func createTicket(_ ticket: EnrollmentTicket, event: AuditEvent) async throws -> Bool

    /// A ticket that enrols a device now. Nil if there is none: it was used or expired, the user's access was ended
    /// since the login that made it, or it is for a first device and the user has one.
    func ticket(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> EnrollmentTicket?

    /// The device that a ticket enrolled. Nil if the ticket is unused, unknown or expired, or the device was removed.
    func device(enrolledBy ticket: [UInt8], tenant: TenantID, now: Timestamp) async throws -> Device?

    /// Uses the ticket up and adds the device, in one transaction. An earlier enrolment of the same user and identifier
    /// is removed: the phone was set up anew and its old key is gone. `sealedTOTP` is the sealed secret of its one-time
    /// passwords. False if `ticket` would find none.
    func enroll(
        _ device: Device, tokenHash: [UInt8], sealedTOTP: [UInt8]?, ticket: [UInt8], now: Timestamp,
        event: AuditEvent
    ) async throws -> Bool

    /// A device of the tenant with the hash of its bearer token.
    func device(_ id: DeviceID, tenant: TenantID) async throws -> EnrolledDevice?

    /// All devices of a user, in the order of their enrolment.
    func devices(of user: UserID, tenant: TenantID) async throws -> [OwnedDevice]

    /// Changes the values that are not nil. Changes nothing if another device of the user has the identifier.
    func update(
        _ id: DeviceID, tenant: TenantID, with update: DeviceAccountUpdate, event: AuditEvent
    ) async throws -> DeviceUpdateOutcome

    /// False if the device was removed already.
    func remove(_ id: DeviceID, tenant: TenantID, event: AuditEvent) async throws -> Bool
}

package enum DeviceUpdateOutcome: Sendable, Equatable {
    case updated(Device)
    case gone
    case identifierTaken
}

package struct EnrollmentTicket: Sendable, Equatable {
    /// SHA-256 of the ticket.
    package let hash: [UInt8]
    package let tenant: TenantID
    package let user: UserID
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// For a ticket of a login: number of times that the user's access had been ended when they proved themselves. Nil
    /// if an operator made it.
    package let accessEndings: Int?
    /// True if it enrols a first device and no other, as every ticket of a login: a password alone may have proved the
    /// user.
    package let isForFirstDevice: Bool

    package init(
        hash: [UInt8], tenant: TenantID, user: UserID, createdAt: Timestamp, expiresAt: Timestamp,
        accessEndings: Int? = nil, isForFirstDevice: Bool? = nil
    ) {
        self.hash = hash
        self.tenant = tenant
        self.user = user
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.accessEndings = accessEndings
        self.isForFirstDevice = isForFirstDevice ?? (accessEndings != nil)
    }
}

/// A device as its user sees it.
package struct OwnedDevice: Sendable, Equatable {
    package let device: Device
    package let hasPasskey: Bool

    package init(device: Device, hasPasskey: Bool) {
        self.device = device
        self.hasPasskey = hasPasskey
    }
}

package struct EnrolledDevice: Sendable {
    package let device: Device
    /// SHA-256 of the bearer token that enrolling returned.
    package let tokenHash: [UInt8]
    /// True if the user is blocked: then the device may do nothing.
    package let isUserBlocked: Bool

    package init(device: Device, tokenHash: [UInt8], isUserBlocked: Bool) {
        self.device = device
        self.tokenHash = tokenHash
        self.isUserBlocked = isUserBlocked
    }
}
