extension Texts {
    /// Around every page.
    package struct Frame: Sendable {
        package let skipToContent, skipToProblem: String
        package let titleWithProblem: @Sendable (_ title: Place, _ tenant: Place) -> Phrase
        package let problem: String
        package let service: @Sendable (_ tenant: Place) -> Phrase
        package let about, language: String
        package let help, privacy, terms: String
    }

    /// Fields, buttons and lines of several pages.
    package struct Form: Sendable {
        package let optional: @Sendable (_ label: Place) -> Phrase
        package let email, emailOrUsername, password: String
        package let account: @Sendable (_ name: Place, _ another: Place) -> Phrase
        package let anotherAccount: String
        package let or: String
        package let continueWith: @Sendable (_ connection: Place) -> Phrase
        package let continueTo: @Sendable (_ client: Place) -> Phrase
        package let `continue`, logIn, signUp, backToLogin, backToApplication, tryAgain: String
    }

    package struct Login: Sendable {
        package let title, forgotPassword, noAccount: String
        package let chooseAccount: String
        package let continueAs: @Sendable (_ user: Place) -> Phrase
    }

    package struct SignUp: Sendable {
        package let title, name, submit, haveAccount: String
    }

    package struct Password: Sendable {
        // Forgotten.
        package let forgotten, sendLinkLead, sendLink: String
        package let sent: String
        package let sentLead: @Sendable (_ email: Place) -> Phrase
        package let nothingArrived: String
        // A new one.
        package let choose: String
        package let account: @Sendable (_ email: Place) -> Phrase
        package let new, newAgain, change, changed, changedLogIn, changedEnd: String
        // The rule, and why a password breaks it.
        package let rule: @Sendable (_ minimum: Int) -> String
        package let tooShort: @Sendable (_ minimum: Int) -> String
        package let tooLong: @Sendable (_ maximum: Int) -> String
        package let isAddress, isCommon, differs: String
    }

    package struct Email: Sendable {
        package let confirm: String
        package let question: @Sendable (_ email: Place) -> Phrase
        package let yes, confirmed, thanks: String
    }

    package struct Consent: Sendable {
        package let title: String
        package let heading: @Sendable (_ client: Place) -> Phrase
        package let asksForAccount: @Sendable (_ client: Place) -> Phrase
        package let asksForAPI: @Sendable (_ client: Place, _ api: Place) -> Phrase
        package let able, inDetail, offline, deny, allow: String
        package let destination: @Sendable (_ host: Place) -> Phrase
        // Values of authorization_details.
        package let none, yes, no: String
        package let scopes: Scopes

        /// OIDC Core 5.4, and the single claims that Auth0 has scopes for.
        package struct Scopes: Sendable {
            package let openid, profile, email, address, phone, name, givenName, familyName, nickname, picture: String
            package let createdAt, emailVerified: String
        }
    }

    /// The page to decide a request on.
    package struct Approval: Sendable {
        package let title: String
        package let heading: @Sendable (_ client: Place) -> Phrase
        package let ours, foreign: @Sendable (_ tenant: Place) -> Phrase
        package let api: @Sendable (_ api: Place) -> Phrase
        package let span: @Sendable (_ seconds: Int) -> String
        // The answer.
        package let pick, type, typeField, reject, giveReason, reason, report: String
        package let onPhone, hasKey, withKey: String
        // The end.
        package let allowed, allowedLead, rejected, withdrawn, expired, endedLead: String
        // Another person's browser.
        package let otherAccount, otherAccountLead: String
    }

    /// A phone to add.
    package struct Enrollment: Sendable {
        package let title, lead: String
        /// The page of a link, which no login shows.
        package let account: @Sendable (_ name: Place, _ tenant: Place) -> Phrase
        package let open, scan: String
        /// On a phone, between the link that adds it and the code.
        package let elsewhere: String
        package let onPhone, openApprover, cannotScan, copy: String
        package let type: @Sendable (_ address: Place) -> Phrase
        package let waiting: String
        /// Instead of `waiting`, on a page that newer ones displaced.
        package let displaced: String
        package let scanned, picture, notAdded: String
        // The tenant's app.
        package let install, scanWithApp: @Sendable (_ app: Place) -> Phrase
        package let notAddedByApp: @Sendable (_ app: String) -> String
        /// Links to stores, with their hosts.
        package let forApple, forGoogle: @Sendable (_ host: Place) -> Phrase
        package let inBrowser: String
        // Another app than the server's own.
        package let otherApp, scanOther, openOther, copyOther, typeOther, pictureOther: String
        package let added: String
        package let addedLead: @Sendable (_ phone: Place) -> Phrase
    }

    package struct SecondFactor: Sendable {
        // On the phone.
        package let checkPhone, sent, noNotification, notAnswered: String
        /// `number` is shown on the phone, `pick` is picked and `type` is typed there.
        package let number, pick, type: @Sendable (_ number: Place) -> Phrase
        package let pickHint: String
        package let sendAgain, phoneOffline, useCode, notYou, expired, superseded, rejected, notMatched: String
        /// The request's message on the phone: ASCII, as for binding messages.
        package let message: @Sendable (_ number: Int) -> String
        /// The same without the number, which has to be picked.
        package let messageToMatch: String
        // A code.
        package let enterCode, enterCodeLead, code, usePhone, wrongCode: String
        // Neither.
        package let needsPhone: String
        package let needsPhoneLead: @Sendable (_ client: Place) -> Phrase
        package let needsPhoneAdvice: String
    }

    package struct Logout: Sendable {
        package let question: String
        package let loggedInAs: @Sendable (_ user: Place) -> Phrase
        package let logOut, stay, stayed, nothingChanged, loggedOut, loggedOutLead: String
    }

    /// Pages that lead back to the application, and the issuer's own.
    package struct Ending: Sendable {
        package let almostThere, goingBack: String
        package let messageTitle, messageLead: String
        package let appTitle, appLead: String
        package let done, doneLead: String
        package let welcome: String
        package let welcomeLead: @Sendable (_ tenant: Place) -> Phrase
        package let developer, endpoints: String
    }

    package struct Error: Sendable {
        package let notLoggedIn, didNotWork, damaged, wentWrong, wentWrongLead, tryLater, code, request: String
    }

    /// The page that the SDK shows at the end of a login.
    package struct Loopback: Sendable {
        package let succeeded, succeededLead, failed, failedLead, notFound, notFoundLead, refused, refusedLead: String
    }
}
