package import AuthorizationCore
package import GuardianWire
package import Localization

/// A change that people make to their own account.
package enum AccountChange: Sendable, Equatable {
    case rename(DeviceID, to: String)
    /// Removes phones, and makes a ticket for another one. Neither has to be asked for.
    case phones(removing: [DeviceID], adding: EnrollmentTicket?)
    /// Puts codes in the place of all earlier ones. Each is SHA-256 of a code. Changes nothing without a phone or
    /// an authenticator app, whose place a code takes.
    case recoveryCodes([[UInt8]])
    /// Uses the challenge up, and adds a passkey. Changes nothing for a passkey that the tenant has (WebAuthn Level 3, 7.1),
    /// and beyond the person's limit.
    case addPasskey(OwnedPasskey, challenge: UsedProof)
    /// Lets a passkey that a phone made log in. Nothing changes if it does already.
    case letPasskeyLogIn([UInt8])
    case renamePasskey([UInt8], to: String)
    /// Removes a passkey, and voids the second factors given before, except the author's own.
    case removePasskey([UInt8])
    /// Removes an authenticator app, and voids the second factors given before, except the author's own.
    case removeAuthenticator(AuthenticatorID)
    case endSession(SessionID)
    case endOtherSessions
    /// Ends a client's access: its tokens, and the consent to it.
    case withdraw(ClientID)
    /// Replaces the hash `old`. Other sessions, and tokens that did not come of this one, end.
    case password(hash: String, old: String)
    /// Nil leaves the language to the browser.
    case language(Language?)
    case quietHours(QuietHours?)
    case deleteAccount

    /// True for a change of what the person logs in with, and of what cannot be undone.
    package var needsRecentProof: Bool {
        switch self {
        case .phones, .recoveryCodes, .addPasskey, .letPasskeyLogIn, .renamePasskey, .removePasskey,
            .removeAuthenticator, .password, .deleteAccount:
            true
        case .rename, .endSession, .endOtherSessions, .withdraw, .language, .quietHours: false
        }
    }
}

/// A person who changes the own account, with the session that proves the person.
package struct AccountAuthor: Sendable, Equatable {
    package let user: UserID
    package let tenant: TenantID
    package let session: SessionID
    /// SHA-256 of the session's cookie. A session that got another cookie since proves nobody.
    package let cookie: [UInt8]
}

extension AccountAuthor {
    init(_ visitor: PageVisitor) {
        self.init(
            user: visitor.user.id, tenant: visitor.session.tenant, session: visitor.session.id,
            cookie: visitor.session.hash)
    }
}
