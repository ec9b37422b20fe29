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

    /// Uses the challenge up and stores the passkey, with the event and the mail, in one transaction. False if the
    /// challenge was used before, the tenant has the passkey already (WebAuthn Level 3, 7.1), the person has as many as
    /// they may, or the person is blocked or lost the phone that made it.
    func register(_ new: NewPasskey, tenant: TenantID) async throws -> Bool

    /// Lets a passkey of the author log in. False, with nothing kept, if it does already, is not theirs, or their
    /// session ended.
    func letLogIn(
        _ id: [UInt8], by author: AccountAuthor, event: AuditEvent, notice: SealedMail?
    ) async throws -> Bool

    /// Names a passkey of the author anew. False, with nothing kept, if it is not theirs, or their session ended.
    func rename(
        passkey id: [UInt8], to name: String, by author: AccountAuthor, event: AuditEvent
    ) async throws -> Bool

    /// Removes a passkey of the author, and voids the second factors given before, except the author's own. False, with
    /// nothing kept, if it is not theirs, or their session ended.
    func remove(
        passkey id: [UInt8], by author: AccountAuthor, event: AuditEvent, notice: SealedMail?
    ) async throws -> Bool

    /// Uses the challenge and the count up in one transaction. False if the challenge was used before, the count did not
    /// grow, the passkey logs nobody in, or the person is blocked.
    func logIn(
        by use: PasskeyUse, of user: UserID, challenge: UsedProof, tenant: TenantID, now: Timestamp
    ) async throws -> Bool
}

/// A passkey to store.
package struct NewPasskey: Sendable {
    package let passkey: OwnedPasskey
    /// True if the person must not have another one.
    package let isFirst: Bool
    package let challenge: UsedProof
    package let event: AuditEvent
    /// Tells the person. Nil for a person without an address.
    package let notice: SealedMail?
    /// Session that has to live. Nil for a phone's passkey.
    package let author: AccountAuthor?

    package init(
        _ passkey: OwnedPasskey, isFirst: Bool, challenge: UsedProof, event: AuditEvent, notice: SealedMail?,
        by author: AccountAuthor? = nil
    ) {
        self.author = author
        self.passkey = passkey
        self.isFirst = isFirst
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

    package init(id: [UInt8], signCount: UInt32) {
        self.id = id
        self.signCount = signCount
    }
}
