extension AuditEvent.Kind {
    /// Short description.
    package var summary: String {
        switch self {
        case .backchannelStarted: "Backchannel authentication started"
        case .backchannelStartFailed: "Backchannel authentication refused"
        case .notificationSent: "Notification sent to a device"
        case .notificationFailed: "Notification could not be sent"
        case .consentFetched: "Request read by a device"
        case .consentFetchFailed: "Request not shown to a device"
        case .approved: "Request allowed by a person"
        case .rejected: "Request rejected by a person"
        case .reported: "Request rejected and reported by a person who did not ask for it"
        case .wrongNumber: "Request rejected because of a wrong number"
        case .expired: "Request expired undecided"
        case .cancelled: "Request withdrawn by its client"
        case .superseded: "Request of a login not needed any more: a newer login or another factor took its place"
        case .rerouted: "Request sent on by another channel"
        case .undelivered: "Request ended: nobody could be notified"
        case .requestTampered: "Request refused: changed in the database"
        case .exchanged: "auth_req_id exchanged for tokens"
        case .exchangeFailed: "auth_req_id not exchanged for tokens"
        case .enrolled: "Device enrolled"
        case .unenrolled: "Device removed"
        case .deviceUpdated: "Device updated"
        case .deviceKeyLost: "Phone lost its key"
        case .enrollmentTicketCreated: "Enrolment ticket made"
        case .enrollmentFailed: "Enrolment refused"
        case .passkeyRegistered: "Passkey registered"
        case .passkeyRemoved: "Passkey removed"
        case .passkeyRefused: "Passkey refused"
        case .changed: "Configuration changed"
        case .changeRefused: "Change of the configuration refused"
        case .configurationApplied: "Configuration applied"
        case .keyRotated: "Signing key rotated"
        case .keyRevoked: "Signing key revoked"
        case .rateLimited: "Too many requests"
        case .loggedIn: "Logged in"
        case .loginFailed: "Login failed"
        case .wrongPassword: "Wrong password"
        case .unknownUser: "Unknown user name"
        case .accountBlocked: "Blocked after too many attempts"
        case .addressBlocked: "Address blocked after too many attempts"
        case .signedUp: "Signed up"
        case .signUpFailed: "Sign-up failed"
        case .loggedOut: "Logged out"
        case .backchannelLogoutSent: "Logout token delivered"
        case .backchannelLogoutFailed: "Logout token not delivered"
        case .passwordChangeRequested: "Change of password requested"
        case .passwordChangeRefused: "Change of password refused"
        case .passwordChanged: "Password changed"
        case .consentGiven: "Consent given"
        case .consentDenied: "Consent denied"
        case .codeExchanged: "Authorization code exchanged for tokens"
        case .codeRefused: "Authorization code refused"
        case .refreshTokenExchanged: "Refresh token exchanged"
        case .refreshTokenRefused: "Refresh token refused"
        case .refreshTokenReused: "Refresh token presented twice"
        case .clientCredentialsExchanged: "Client credentials exchanged for a token"
        case .clientCredentialsRefused: "Client credentials refused"
        case .pushedRequestRefused: "Pushed authorization request refused"
        case .tokenRevoked: "Refresh token revoked"
        case .codeIssued: "Authorization code issued"
        case .passwordTicketCreated: "Password ticket made"
        case .emailVerified: "E-mail address confirmed"
        case .emailVerificationRequested: "Confirmation of an e-mail address asked for"
        case .emailBounced: "E-mail address refused by its mail server"
        case .emailVerificationRefused: "Confirmation of an e-mail address not asked for"
        case .multiFactorStarted: "Second factor asked for"
        case .multiFactorSucceeded: "Second factor given"
        case .multiFactorFailed: "Second factor or signed answer refused"
        case .recoveryCodesMade: "Recovery codes made"
        case .recoveryCodeUsed: "Recovery code used"
        case .recoveryCodeRefused: "Recovery code refused"
        case .consentWithdrawn: "Access of a client withdrawn by a person"
        case .accountChanged: "Language or quiet hours changed by a person"
        case .accountExported: "Data exported by a person"
        case .accountDeleted: "Account deleted by its person"
        case .identityLinked: "Identity linked"
        case .identityUnlinked: "Identity unlinked"
        case .identityUpdated: "Profile taken over from a provider"
        case .moved: "Moved here from the old server"
        case .moveRefused: "Not moved here from the old server"
        case .oldServerFailed: "Old server failed"
        }
    }
}

extension AuditEvent.Kind {
    /// Everything that may bound entries of the kind. A new kind has to say it here.
    package var bounds: [AuditCharge.Bound] {
        switch self {
        case .backchannelStarted, .multiFactorStarted: [.limit(.requestsOfUser)]
        case .notificationSent: [.once(.delivery), .budget(.device)]
        case .notificationFailed, .backchannelLogoutSent, .backchannelLogoutFailed: [.once(.delivery)]
        case .consentFetched: [.budget(.device)]
        case .approved, .rejected, .reported, .wrongNumber, .cancelled, .superseded, .rerouted, .undelivered,
            .exchanged:
            [.once(.request)]
        case .expired: [.server]
        case .requestTampered: [.refusal, .once(.authorization)]
        case .backchannelStartFailed, .consentFetchFailed, .exchangeFailed, .enrollmentFailed, .passkeyRefused,
            .rateLimited, .unknownUser, .signUpFailed, .passwordChangeRequested, .passwordChangeRefused,
            .refreshTokenRefused, .clientCredentialsRefused, .pushedRequestRefused, .moveRefused, .oldServerFailed:
            [.refusal]
        case .enrolled, .emailVerified: [.once(.ticket)]
        case .passwordChanged: [.once(.ticket), .budget(.user)]
        case .recoveryCodesMade: [.budget(.user)] + Self.administration
        case .consentWithdrawn, .accountChanged, .accountExported, .accountDeleted: [.budget(.user)]
        case .recoveryCodeUsed: [.once(.recoveryCode)]
        case .recoveryCodeRefused: [.limit(.bruteForce)]
        case .unenrolled: [.once(.device), .once(.ticket), .budget(.user)] + Self.administration
        case .deviceUpdated:
            [.budget(.phones), .budget(.user), .once(.delivery), .once(.device)] + Self.administration
        case .deviceKeyLost: [.once(.device)]
        case .enrollmentTicketCreated: [.budget(.user), .budget(.phones)] + Self.administration
        case .passkeyRegistered: [.budget(.phones), .budget(.user)]
        case .passkeyRemoved: [.budget(.user), .once(.ticket)] + Self.administration
        case .changed, .changeRefused, .configurationApplied, .keyRotated, .keyRevoked, .passwordTicketCreated:
            Self.administration
        case .loggedIn, .codeIssued, .consentGiven: [.budget(.user)]
        case .loginFailed: [.refusal, .once(.login)]
        case .wrongPassword, .emailVerificationRequested, .emailVerificationRefused: [.limit(.bruteForce)]
        case .accountBlocked, .addressBlocked: [.limit(.bruteForce), .refusal]
        case .signedUp, .moved: [.limit(.bruteForce), .limit(.logins)]
        case .loggedOut: [.once(.session), .budget(.user)] + Self.administration
        case .consentDenied: [.once(.login)]
        case .codeExchanged: [.once(.code)]
        case .codeRefused: [.once(.code), .refusal]
        case .refreshTokenExchanged: [.budget(.refreshTokens)]
        case .refreshTokenReused: [.once(.authorization)]
        case .clientCredentialsExchanged: [.limit(.clientTokens)]
        case .tokenRevoked: [.once(.authorization)]
        case .emailBounced: [.once(.delivery)] + Self.administration
        case .multiFactorSucceeded: [.once(.request), .once(.oneTimePassword)]
        case .multiFactorFailed: [.refusal, .limit(.bruteForce), .once(.login)]
        case .identityLinked, .identityUpdated: [.budget(.user)]
        case .identityUnlinked: [.once(.ticket)]
        }
    }

    /// Changes by a client of the Management API, by a job that it made, by an operator, and by the server itself.
    private static let administration: [AuditCharge.Bound] = [
        .limit(.managementRequests), .limit(.jobs), .operator, .server,
    ]
}
