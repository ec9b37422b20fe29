package import Audit
package import AuthorizationCore
package import GuardianWire
package import Primitives

package protocol EnrollmentStore: Sendable {
    /// Stores a ticket. False if the tenant has no such user.
    func createTicket(_ ticket: EnrollmentTicket, event: AuditEvent) async throws -> Bool

    /// Stores a ticket that a phone asked for, and uses up what confirmed it. False if the phone was removed, the challenge
    /// was used before, or the passkey's count does not grow.
    func createTicket(
        _ ticket: EnrollmentTicket, confirmedBy passkey: PasskeyConfirmation?, event: AuditEvent
    ) async throws -> Bool

    /// A ticket that enrols a device now. Nil if there is none: it was used or expired, the user's access was ended
    /// since the login that made it, it is for a first device and the user has one, or the phone that asked for it is gone.
    func ticket(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> EnrollmentTicket?

    /// The device that a ticket enrolled. Nil if the ticket is unused, unknown or expired, or the device was removed.
    func device(enrolledBy ticket: [UInt8], tenant: TenantID, now: Timestamp) async throws -> Device?

    /// Uses the ticket up and adds the device, in one transaction. An earlier enrolment of the same user and identifier
    /// is removed: the phone was set up anew and its old key is gone. `sealedTOTP` is the sealed secret of its one-time
    /// passwords. False if `ticket` would find none.
    func enroll(_ new: NewEnrollment, now: Timestamp, event: AuditEvent) async throws -> Bool

    /// Notes that a device's key is gone, and ends its push, if the hash is that of its farewell. The farewell works once.
    /// The event gets the device's user.
    func loseKey(of id: DeviceID, farewell: [UInt8], tenant: TenantID, event: AuditEvent) async throws -> Bool

    /// Notes that a device proved its key after it said that the key is gone.
    func regainKey(of id: DeviceID, tenant: TenantID, event: AuditEvent) async throws -> Bool

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

/// A device to add, and what uses its ticket up.
package struct NewEnrollment: Sendable {
    package let device: Device
    /// SHA-256 of the device's bearer token.
    package let tokenHash: [UInt8]
    /// SHA-256 of the secret with which the device says that its key is gone. Nil without one.
    package var farewellHash: [UInt8]?
    package let sealedTOTP: [UInt8]?
    /// SHA-256 of the ticket.
    package let ticket: [UInt8]
    /// Hash of the code that was typed, which must still be the ticket's. Nil if the ticket itself was presented.
    package var code: [UInt8]?
    /// Mail to the person about the new phone. Nil sends none.
    package var notice: SealedMail?

    package init(_ device: Device, tokenHash: [UInt8], sealedTOTP: [UInt8]?, ticket: [UInt8]) {
        self.device = device
        self.tokenHash = tokenHash
        self.sealedTOTP = sealedTOTP
        self.ticket = ticket
    }
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
    /// Phone of the user that asked for it. Nil for other tickets.
    package let requestedBy: DeviceID?

    package init(
        hash: [UInt8], tenant: TenantID, user: UserID, createdAt: Timestamp, expiresAt: Timestamp,
        accessEndings: Int? = nil, isForFirstDevice: Bool? = nil, requestedBy: DeviceID? = nil
    ) {
        self.requestedBy = requestedBy
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
    /// Most devices of a person: each request is told to all.
    package static let limit = 50

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
