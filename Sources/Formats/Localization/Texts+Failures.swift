extension Texts {
    /// Why a hosted page cannot do what was asked.
    package struct Failure: Sendable {
        // A form, which the person sends again.
        package let otherStep, incompleteEmail, wrongCredentials: String
        // Texts for a database whose people have usernames.
        package let incompleteName, wrongNameOrPassword: String
        package let userBlocked, cannotSignUp, tooManyRequests, silentServer: String
        package let tooManyAttempts: @Sendable (_ seconds: Int) -> String
        package let tooManyFromAddress: @Sendable (_ seconds: Int) -> String
        package let page: Page
        package let logout: Logout
        package let upstream: Upstream

        /// A page that cannot go on.
        package struct Page: Sendable {
            package let loginOver, withdrawn, superseded, usedTicket, usedEnrollment: String
            package let foreignBrowser, usedLoginLink: String
            package let tooManyLogins: @Sendable (_ seconds: Int) -> String
            package let tooManyActions: @Sendable (_ seconds: Int) -> String
            package let unknownClient, mayNotLogIn, callback, webOrigin: String
        }

        /// A logout's link, which names what is wrong with it.
        package struct Logout: Sendable {
            package let invalid: @Sendable (_ reason: String) -> String
            package let otherAudience, otherSession, unknownClient, unregisteredURL, foreignToken: String
        }

        /// A login at another provider.
        package struct Upstream: Sendable {
            package let otherLogin: String
            package let denied: @Sendable (_ provider: String) -> String
            package let answered: @Sendable (_ provider: String, _ answer: String) -> String
            package let unreachable: @Sendable (_ provider: String) -> String
            package let unusable: @Sendable (_ provider: String) -> String
            package let notRecent: @Sendable (_ provider: String) -> String
            package let blocked: String
        }
    }
}
