extension Texts {
    /// The pages of a person's own account, and the pages around recovery codes.
    package struct Account: Sendable {
        package let title: String
        package let loggedInAs: @Sendable (_ user: Place) -> Phrase
        package let back, save, unknown: String
        package let phones: Phones
        package let recovery: Recovery
        package let sessions: Sessions
        package let applications: Applications
        package let history: History
        package let password: Password
        package let preferences: Preferences
        package let export: Export
        package let deletion: Deletion
        package let absent: Absent

        package struct Phones: Sendable {
            package let title, lead, none: String
            package let added: @Sendable (_ date: String) -> String
            package let silent, change, name, badName, remove, removeLead: String
            package let removeQuestion: @Sendable (_ phone: Place) -> Phrase
            package let add, addLead: String
            // An authenticator app, which is no phone.
            package let authenticator, authenticatorLead, removeAuthenticator, removeAuthenticatorLead: String
            // A lost one.
            package let lost, lostTitle, lostLead, replace, notLost, nothingLost: String
        }

        package struct Recovery: Sendable {
            package let title, lead: String
            package let left: @Sendable (_ count: Int) -> String
            package let needsPhone, make, makeAgain, replaced, shown, shownLead, kept: String
            // The login.
            package let noPhone, enter, enterLead, field, wrong: String
            package let offer, offerLead, later, goOn: String
        }

        package struct Sessions: Sendable {
            package let title, lead, this: String
            package let lastUsed, begun, address: @Sendable (_ value: String) -> String
            package let end, endOthers: String
        }

        package struct Applications: Sendable {
            package let title, lead, none: String
            package let since: @Sendable (_ date: String) -> String
            package let scope: @Sendable (_ scope: String) -> String
            package let withdraw: String
        }

        package struct History: Sendable {
            package let title, lead, none, older: String
            package let decided: @Sendable (_ date: String) -> String
            package let receipt, receiptTitle, download: String
            /// The sentences that a receipt proves.
            package let byPhone: @Sendable (_ phone: String) -> String
            package let byBrowser: String
            package let requested: @Sendable (_ date: String) -> String
            package let words: @Sendable (_ reason: String) -> String
            package let userVerified, signedDigest, signedChallenge, session: String
            package let proof: String
        }

        package struct Password: Sendable {
            package let title, old, wrongOld, lead, none: String
        }

        package struct Preferences: Sendable {
            package let title, language, languageLead, languageAuto: String
            package let quietHours, quietLead, from, to, off, badHours: String
        }

        package struct Export: Sendable {
            package let title, lead, download: String
        }

        package struct Deletion: Sendable {
            package let title, lead, submit, done, doneLead: String
            package let kept: @Sendable (_ date: String) -> String
        }

        /// A path without a page.
        package struct Absent: Sendable {
            package let title, lead, start, approver, account: String
        }
    }
}

extension Texts.Mail {
    /// Mails about a change of what the person logs in with. Each of the sentences stands in `message`.
    package struct Notice: Sendable {
        package let message:
            @Sendable (_ tenant: String, _ sentence: String, _ address: String, _ reset: String) -> Message
        package let phonesRemoved: @Sendable (_ names: String) -> String
        package let phoneLinkMade, authenticatorRemoved, recoveryCodesMade: String
        package let recoveryCodeUsed: @Sendable (_ left: Int) -> String
        package let passwordChanged, accountDeleted: String
    }
}
