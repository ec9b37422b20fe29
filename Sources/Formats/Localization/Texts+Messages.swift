extension Texts {
    /// Mails. `tenant` is the tenant's name.
    package struct Mail: Sendable {
        package struct Message: Sendable, Equatable {
            package let subject, text: String

            init(_ subject: String, _ text: String) {
                self.subject = subject
                self.text = text
            }
        }

        /// `everywhere` is false for a block of the one address.
        package typealias Blocked =
            @Sendable (_ tenant: String, _ address: String, _ everywhere: Bool, _ reset: String) -> Message
        package typealias WithLink = @Sendable (_ tenant: String, _ link: String) -> Message

        package let passwordBlocked, codeBlocked: Blocked
        /// A login that the person reported on the phone as not asked for.
        package let loginReported: @Sendable (_ tenant: String, _ address: String, _ reset: String) -> Message
        package let passwordReset, signedUp: WithLink
        // Links that an operator sends.
        package let newPassword, addressToConfirm: WithLink
        /// The link works for `seconds`. `account` nil means that the mail goes to the user's own address.
        package let phoneToEnroll:
            @Sendable (_ tenant: String, _ account: String?, _ link: String, _ seconds: Int) -> Message
        /// An import of users ended. Goes to a tenant's administrators.
        package let usersImported:
            @Sendable (_ tenant: String, _ inserted: Int, _ updated: Int, _ failed: Int, _ link: String) -> Message
        /// `contents` has the paragraphs of what is asked.
        package let approval:
            @Sendable (_ tenant: String, _ client: String, _ contents: String, _ link: String, _ seconds: Int) -> String
        package let approvalSubject: @Sendable (_ tenant: String, _ client: String) -> String
        /// Last line of a list that was cut.
        package let more: String
        // Words of the button that opens a mail's link. `open` is for mails that were stored without one.
        package let review, setPassword, confirmAddress, addPhone, open: String
        package let accessRemoved: @Sendable (_ tenant: String, _ list: String) -> Message
        package let removedPhone: @Sendable (_ name: String) -> String
        package let notice: Notice
        package let removedIdentity: @Sendable (_ provider: String) -> String
    }

    /// The phone in the terminal.
    package struct Phone: Sendable {
        // The card.
        package let title: @Sendable (_ client: String) -> String
        package let client, operatedBy, ownClient, otherClient, audience, scopes, origin, server, request,
            timeLeft: String
        package let untyped: String
        /// For a phone that cannot show several numbers to pick from.
        package let number: @Sendable (_ number: String) -> String
        package let urgent: String
        // Around it.
        package let listening: @Sendable (_ server: String, _ user: String) -> String
        package let again: @Sendable (_ pause: String) -> String
        package let unreadable, unsent: @Sendable (_ request: String) -> String
        // Its enrolment.
        package let codeChanges: @Sendable (_ time: String) -> String
        package let notEnrolled, renamed, unenrolled: String
        // The person's account.
        package let nothingWaits, nothingDecided, noQuietHours, thisPhone: String
        package let quietHours: @Sendable (_ from: String, _ to: String) -> String
        // Outcomes.
        package let allowed, rejected, reported, withdrawn, expired, unanswered: String
        // Refusals of an answer.
        package let wrongNumber, numberRequired, passkeyRequired, invalidPasskey, needsNoAnswer: String
        // The question. The first of each list of answers is shown as the choice.
        package let question: String
        package let yes, no, report: [String]
        package let advice: String
        // The question if numbers are shown.
        package let whichNumber: String
        /// The same about a login's browser, such as "Firefox on macOS".
        package let whichNumberOf: @Sendable (_ screen: String) -> String
        package let numberAdvice: @Sendable (_ numbers: String) -> String
        /// If any number may be typed.
        package let typeAdvice: String
        // The question about several requests of one client.
        package let together: @Sendable (_ client: String, _ count: Int) -> String
        package let questionAll: String
        package let each: [String]
        package let adviceAll: String
        /// `others` counts the further requests that wait; `left` nil is for a request without an end.
        package let status: @Sendable (_ left: String?, _ others: Int) -> String
    }
}
