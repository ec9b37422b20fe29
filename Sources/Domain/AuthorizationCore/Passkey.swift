package import JOSE
package import Primitives

/// A person's credential of WebAuthn, by which an authenticator proves that it verified its user.
package struct Passkey: Sendable, Equatable {
    package let id: [UInt8]
    /// P-256 (ES256), or RSA (RS256).
    package let publicKey: JWK
    /// Host to which the authenticator bound the credential (WebAuthn: RP ID).
    package let relyingParty: String
    /// Signatures that the authenticator counted. 0 if it counts none, as those do that copy passkeys between devices.
    package var signCount: UInt32

    package init(id: [UInt8], publicKey: JWK, relyingParty: String, signCount: UInt32) {
        self.id = id
        self.publicKey = publicKey
        self.relyingParty = relyingParty
        self.signCount = signCount
    }

    /// WebAuthn Level 2, 7.2 step 21: a count that does not grow means a copy of the authenticator.
    package func allows(signCount new: UInt32) -> Bool { new > signCount || new == 0 && signCount == 0 }
}

/// A passkey with its person.
package struct OwnedPasskey: Sendable, Equatable {
    /// Most passkeys of one person.
    package static let limit = 20
    /// Characters of a name.
    package static let nameRange = 1...60

    package let passkey: Passkey
    package let user: UserID
    /// Names the person to authenticators and to nobody else (WebAuthn Level 3, 4: user handle). 32 bytes.
    package let handle: [UInt8]
    /// The phone that made it by its key alone, with which it ends. Nil for a passkey of the account page.
    package let device: DeviceID?
    package let name: String
    /// True if it logs the person in, too. The key of a phone alone makes no such passkey: it would turn one factor into
    /// two.
    package var logsIn: Bool
    package let createdAt: Timestamp
    package var lastUsedAt: Timestamp?

    package init(
        _ passkey: Passkey, of user: UserID, handle: [UInt8], device: DeviceID?, name: String, logsIn: Bool,
        createdAt: Timestamp, lastUsedAt: Timestamp? = nil
    ) {
        self.passkey = passkey
        self.user = user
        self.handle = handle
        self.device = device
        self.name = name
        self.logsIn = logsIn
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}

/// Reads and verifies what authenticators sign. Never traps, and its work grows with the input alone.
package protocol PasskeyVerifier: Sendable {
    /// The credential of an attestation object (WebAuthn Level 2, 7.1 steps 7 to 21), made for this relying party by an
    /// authenticator that verified its user.
    func passkey(
        attestationObject: [UInt8], clientDataHash: [UInt8], relyingParty: String
    ) throws(PasskeyFailure) -> Passkey

    /// The authenticator's count, if the passkey signed both arguments for its relying party after the authenticator
    /// verified its user (WebAuthn Level 2, 7.2 steps 13 to 20).
    func signCount(
        authenticatorData: [UInt8], signature: [UInt8], clientDataHash: [UInt8], by passkey: Passkey
    ) throws(PasskeyFailure) -> UInt32
}

/// Reason that a passkey or its assertion is refused, for the device's developer.
package struct PasskeyFailure: Error, Sendable, Equatable {
    package let description: String

    package init(_ description: String) { self.description = description }
}
