package import Audit
package import AuthorizationCore
package import Primitives

/// Store port for reading a person's passkeys.
package protocol PasskeyReader: Sendable {
    /// All of the person's, oldest first.
    func passkeys(of user: UserID, tenant: TenantID) async throws -> [OwnedPasskey]
}

/// Store port for passkeys.
package protocol PasskeyStore: PasskeyReader {
    func passkey(_ id: [UInt8], tenant: TenantID) async throws -> OwnedPasskey?

    /// Uses the challenge up and stores a person's first passkey, with the event and the mail, in one transaction. False
    /// if the challenge was used before, the tenant has the passkey already (WebAuthn Level 3, 7.1), the person has
    /// another one, or the person is blocked or lost the phone that made it.
    func register(_ new: NewPasskey, tenant: TenantID) async throws -> Bool

    /// Uses the challenge and the count up in one transaction. False if the challenge was used before, the count did not
    /// grow, the passkey logs nobody in, or the person is blocked.
    func logIn(
        by use: PasskeyUse, of user: UserID, challenge: UsedProof, tenant: TenantID, now: Timestamp
    ) async throws -> Bool
}

/// A person's first passkey, to store.
package struct NewPasskey: Sendable {
    package let passkey: OwnedPasskey
    package let challenge: UsedProof
    package let event: AuditEvent
    /// Tells the person. Nil for a person without an address.
    package let notice: SealedMail?

    package init(_ passkey: OwnedPasskey, challenge: UsedProof, event: AuditEvent, notice: SealedMail?) {
        self.passkey = passkey
        self.challenge = challenge
        self.event = event
        self.notice = notice
    }
}

/// A passkey's signature over a challenge of this server, both of which are used up with what they allow.
package struct PasskeyConfirmation: Sendable {
    package let use: PasskeyUse
    package let challenge: UsedProof
}

/// A passkey's count after a use, which is stored with what it allows.
package struct PasskeyUse: Sendable, Equatable {
    package let id: [UInt8]
    package let signCount: UInt32
}
