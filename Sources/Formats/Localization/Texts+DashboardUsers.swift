extension Texts.Dashboard {
    /// The pages of users and of roles.
    package struct Users: Sendable {
        package let list: List
        package let page: Page
        package let factors: Factors
        package let access: Access
        package let actions: Actions
        package let timeline: Timeline

        package struct List: Sendable {
            package let email, lastLogin, state, never, active, blocked, unconfirmed, bounced, search, searchHint,
                none, noMatch: String
        }

        package struct Page: Sendable {
            package let profile, loginCount, created, connection, username, phone, language, metadata, noMetadata,
                attempts, noAttempts, everywhere: String
            /// An account is blocked for `factor` after failed attempts from `address`.
            package let attempt: @Sendable (_ factor: String, _ address: String) -> String
        }

        package struct Factors: Sendable {
            package let title, phones, noPhones, device, state, lastSeen, push, added, enrolled, keyLost, noPush,
                notTried, oneTimePasswords, authenticators, authenticator, passkeys, noPasskeys, lastUse,
                recovery: String
            package let works, ended, failed, skipped: @Sendable (_ detail: String) -> String
            package let codesLeft: @Sendable (_ count: Int) -> String
        }

        package struct Access: Sendable {
            package let sessions, noSessions, browser, address, begun, applications, noApplications, application,
                api, scopes, kind, consent, refreshToken, expires, roles, noRoles, permissions, noPermissions,
                permission, source, direct, members, noMembers, rolePermissions, chooseRole, noOtherRoles, all: String
        }

        package struct Actions: Sendable {
            package let create, createLead, edit, invite, inviteLead, reset, resetLead, block, blockLead, unblock,
                lift, liftLead, confirm, confirmLead, resetFactors, resetFactorsLead, removePhone, removePasskey,
                removePasswords, newCode, newCodeLead, enroll, enrollLead, endSession, endSessions, endSessionsLead,
                revokeConsent, revokeToken, revokeTokens, addRole, removeRole, addPermission, removePermission,
                delete, deleteLead, addMembers, addMembersLead, rightsLead, removeMember: String
            // Outcomes.
            package let link, linkShown, code, codeShown, scan: String
        }

        /// Events in the life of a user's account.
        package struct Timeline: Sendable {
            package let title, none, older, all: String
            package let by, on: @Sendable (_ name: String) -> String
            package let sent, waiting, failed, undeliverable, skipped: String
            package let requested, notified, notNotified, read, allowed, rejected, reported, wrongNumber, expired,
                cancelled, undelivered, exchanged, enrolled, unenrolled, phoneChanged, keyLost, enrollmentLink,
                passkeyAdded, passkeyRemoved, changed, loggedIn, loginFailed, wrongPassword, blocked, signedUp,
                loggedOut, passwordAsked, passwordChanged, passwordLink, emailConfirmed, emailAsked, emailBounced,
                consentGiven, consentDenied, consentWithdrawn, codeIssued, codeExchanged, refreshed, reused, revoked,
                factorAsked, factorGiven, factorFailed, codesMade, codeUsed, codeRefused, accountChanged: String
        }
    }
}
