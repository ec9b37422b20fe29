extension Language {
    package static let english = Language(
        "en", name: "English",
        texts: Texts(
            frame: frame, form: form, login: login, passkeys: .english, signUp: signUp, password: password,
            email: email, consent: .english, approval: approval, card: .english, values: values, enrollment: .english,
            secondFactor: .english, account: .english, dashboard: .english, loginRequest: .english, logout: logout,
            ending: ending,
            error: error, failure: failure, mail: mail, phone: .english, ways: .english, loopback: loopback))
}

// MARK: numbers

private func count(_ count: Int, _ unit: String) -> String { "\(count) \(unit)\(count == 1 ? "" : "s")" }

private func span(_ seconds: Int) -> String {
    switch TimeSpan(seconds: seconds) {
    case .seconds(let seconds): count(seconds, "second")
    case .minutes(let minutes): count(minutes, "minute")
    case .hours(let hours, nil): count(hours, "hour")
    case .hours(let hours, let minutes?): "\(count(hours, "hour")) and \(count(minutes, "minute"))"
    case .days(let days): count(days, "day")
    }
}

// MARK: pages

private let frame = Texts.Frame(
    skipToContent: "Skip to the content",
    skipToProblem: "Skip to the problem",
    titleWithProblem: { "Problem: \($0) – \($1)" },
    problem: "There is a problem",
    service: { "Log in to \($0)" },
    about: "About this service",
    language: "Language",
    help: "Help",
    privacy: "Privacy",
    terms: "Terms")

private let form = Texts.Form(
    optional: { "\($0) (optional)" },
    email: "E-mail address",
    emailOrUsername: "E-mail address or username",
    password: "Password",
    account: { "Logging in as \($0). \($1)" },
    anotherAccount: "Use another account",
    or: "or",
    continueWith: { "Continue with \($0)" },
    continueTo: { "to continue to \($0)" },
    continue: "Continue",
    logIn: "Log in",
    signUp: "Sign up",
    backToLogin: "Back to login",
    backToApplication: "Back to the application",
    tryAgain: "Try again")

private let login = Texts.Login(
    title: "Log in",
    forgotPassword: "Forgot your password?",
    noAccount: "No account yet?",
    chooseAccount: "Choose an account",
    continueAs: { "Continue as \($0)" })

private let signUp = Texts.SignUp(
    title: "Sign up",
    name: "Your name",
    submit: "Sign up",
    haveAccount: "Already have an account?")

private let password = Texts.Password(
    forgotten: "Forgot your password?",
    sendLinkLead: "Enter your e-mail address, and we will send you a link to choose a new password.",
    sendLink: "Send the link",
    sent: "Check your e-mail",
    sentLead: { "If there is an account with the address \($0), a message with a link is on its way to it." },
    nothingArrived: "Nothing after a few minutes? Look in the spam folder, and check the address.",
    choose: "Choose a new password",
    account: { "for the account \($0)" },
    new: "New password",
    newAgain: "New password, once more",
    change: "Change the password",
    changed: "Password changed",
    changedLogIn: "Your new password is in use from now on. Go on and log in with it.",
    changedEnd: "Your new password is in use from now on. Go back to the application and log in with it. You can close "
        + "this page.",
    rule: { "At least \($0) characters. A few words in a row are easy to remember and hard to guess." },
    tooShort: { "Use at least \($0) characters." },
    tooLong: { "Use at most \($0) characters." },
    isAddress: "Do not use your e-mail address as the password.",
    isCommon: "This password is one of those that are tried first. Choose another.",
    differs: "The two passwords differ.")

private let email = Texts.Email(
    confirm: "Confirm your e-mail address",
    question: { "Is \($0) your address?" },
    yes: "Yes, it is mine",
    confirmed: "Address confirmed",
    thanks: "Thank you. You can close this page.")

private let approval = Texts.Approval(
    title: "A request for your approval",
    heading: { "\($0) asks for your approval" },
    ours: { "This application belongs to \($0)." },
    foreign: { "This application does not belong to \($0)." },
    api: { "The application asks to use \($0) in your name." },
    span: { span($0) },
    pick: "To allow it, pick the number that the other screen shows. A wrong number rejects the request.",
    type: "To allow it, type the number that the other screen shows. A wrong number rejects the request.",
    typeField: "Number, two digits",
    reject: "Reject",
    giveReason: "Reject with a reason",
    reason: "Reason",
    report: "I did not ask for this",
    onPhone: "Answer on your phone: this request needs its signature.",
    hasKey: "Is this browser set up as your phone?",
    withKey: "Answer with its key",
    allowed: "This request was allowed",
    allowedLead: "The application is told automatically. You can close this page.",
    rejected: "This request was rejected",
    withdrawn: "This request was withdrawn",
    expired: "This request has expired",
    endedLead: "Nothing happens in your name. You can close this page.",
    otherAccount: "Is this the right account?",
    otherAccountLead: "This link leads to no request for this account. If the request is for another account of yours, "
        + "log in to that one. Otherwise it may be over.")

private let values = Texts.Values(
    grouping: ",",
    decimal: ".",
    months: [
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ],
    isSignFirst: true,
    payment: { "\($0) to \($1)" },
    day: { "\($0) \($1) \($2)" })

private let logout = Texts.Logout(
    question: "Log out?",
    loggedInAs: { "You are logged in as \($0)." },
    logOut: "Log out",
    stay: "Stay logged in",
    stayed: "You are still logged in",
    nothingChanged: "Nothing was changed. You can close this page.",
    loggedOut: "You are logged out",
    loggedOutLead: "You can close this page. On a shared computer, close the browser as well.")

private let ending = Texts.Ending(
    almostThere: "Almost there",
    goingBack: "You are going back to the application.",
    messageTitle: "Back to the application",
    messageLead: "Return to the window of the application; you can close this one. If nothing happens there, start "
        + "again from the application.",
    appTitle: "Return to the app",
    appLead: "The app should have opened by itself. Open it and log in there again; you can close this page.",
    done: "Already done",
    doneLead: "The application already has the answer. Go back to it; you can close this page.",
    welcome: "Nothing to do here",
    welcomeLead: { "Apps of \($0) log you in here. To log in, open the app you want to use and start there." },
    developer: "Developing an app?",
    endpoints: "Show the endpoints")

private let error = Texts.Error(
    notLoggedIn: "Not logged in",
    didNotWork: "This did not work",
    damaged: "The link that brought you here is damaged. Go back to the application and start again.",
    wentWrong: "Something went wrong",
    wentWrongLead: "The server could not do this just now.",
    tryLater: "Try again in a moment.",
    code: "Error",
    request: "Request number")

// MARK: failures

private let failure = Texts.Failure(
    otherStep: "This page is no longer the current step of your login.",
    incompleteEmail: "Enter a complete e-mail address, such as ann@example.com.",
    wrongCredentials: "Wrong e-mail address or password.",
    incompleteName: "Enter a complete e-mail address, such as ann@example.com, or your username.",
    wrongNameOrPassword: "Wrong e-mail address, username or password.",
    userBlocked: "This account is blocked. Contact the people who run this service.",
    cannotSignUp: "You cannot sign up with this address. If you have an account, log in instead.",
    tooManyRequests: "Too many requests are waiting for an answer. Try again in a moment.",
    silentServer: "The server that knows your account does not answer at the moment. Try again in a few minutes.",
    tooManyAttempts: {
        "There were too many failed attempts, so this login is blocked. Try again in \(span($0))."
    },
    tooManyFromAddress: {
        "There were too many attempts from your network. Try again in \(span($0)), or from another network."
    },
    page: Texts.Failure.Page(
        loginOver: "This login is over or has expired. Go back to the application and start again.",
        withdrawn: "The application may no longer ask for this. Go back to the application and start again.",
        superseded: "This login went on in another tab. Reload the page.",
        usedTicket: "This link was used before or has expired. Ask for a new one.",
        usedEnrollment:
            "This link to add a phone was used before, has expired or is incomplete. If you have just added "
            + "your phone, it shows so, and you can close this page. Otherwise ask the people who gave you the link "
            + "for a new one.",
        foreignBrowser: "This did not come from the page that it belongs to. Go back and try again.",
        usedLoginLink: "This login link was used before or has expired. Go back to the application and start again.",
        tooManyLogins: { "Too many logins were started from your network. Reload the page in \(span($0))." },
        tooManyActions: { "This was done too often within a minute. Reload the page in \(span($0))." },
        unknownClient: "The application that sent you here is not known (client_id).",
        mayNotLogIn: "The application that sent you here may not log people in.",
        callback: "Callback URL mismatch: the application that sent you here did not register where to return "
            + "(redirect_uri).",
        webOrigin: "The application that sent you here asked for its answer as a message "
            + "(response_mode=web_message), and did not register the origin of its redirect_uri for that "
            + "(web_origins)."),
    logout: Texts.Failure.Logout(
        invalid: { "This logout link is not valid: \($0)." },
        otherAudience: "client_id is not the audience of id_token_hint",
        otherSession: "logout_hint is not the session of id_token_hint",
        unknownClient: "client_id is unknown",
        unregisteredURL: "the address to return to is not among the Allowed Logout URLs",
        foreignToken: "id_token_hint is not an ID token of this server"),
    upstream: Texts.Failure.Upstream(
        otherLogin: "This login was started elsewhere, or has ended already. Please start again.",
        denied: { "\($0) says that the login was not allowed." },
        answered: { "\($0) answered: \($1)" },
        unreachable: { "\($0) cannot be reached at the moment. Please try again later." },
        unusable: { "The answer of \($0) could not be used." },
        notRecent: { "The application asks for a recent login, and \($0) did not confirm one." },
        blocked: "This account is blocked."))

// MARK: mails

private func message(_ subject: String, _ lead: String, _ link: String, _ end: String) -> Texts.Mail.Message {
    Texts.Mail.Message(subject, "\(lead)\n\n\(link)\n\n\(end)")
}

private let unexpected = "If you did not expect this mail, ignore it: nothing changes."

private let mail = Texts.Mail(
    passwordBlocked: { tenant, address, everywhere, reset in
        let scope = everywhere ? "from everywhere" : "from the address \(address)"
        return Texts.Mail.Message(
            "\(tenant): login blocked",
            """
            There were too many wrong passwords for your account at \(tenant), the last one from the address \
            \(address). Logging in with your password is blocked \(scope) for a while.

            If this was you, wait or set a new password: \(reset)
            If it was not, your password still holds; you need not do anything.
            """)
    },
    codeBlocked: { tenant, address, everywhere, reset in
        let scope = everywhere ? "from everywhere" : "from the address \(address)"
        return Texts.Mail.Message(
            "\(tenant): login blocked",
            """
            There were too many wrong codes for your account at \(tenant), the last one from the address \
            \(address). Logging in with a code is blocked \(scope) for a while.

            If this was you, wait, or log in with your phone.
            If it was not, somebody got as far as the code, and so knows your password or has the account that you \
            log in with. Set a new password: \(reset)
            """)
    },
    loginReported: { tenant, address, reset in
        Texts.Mail.Message(
            "\(tenant): login reported",
            """
            You reported a login to your account at \(tenant) that you did not ask for. It came from the address \
            \(address). Your phone is asked for no login from there for a while.

            Somebody got as far as your phone, and so knows your password or has the account that you log in with. \
            Set a new password: \(reset)
            """)
    },
    passwordReset: { tenant, link in
        message(
            "\(tenant): set a new password",
            "Someone, hopefully you, asked for a new password for your account at \(tenant). This link sets it, once, "
                + "within an hour:",
            link, "If it was not you, ignore this mail: nothing changes.")
    },
    signedUp: { tenant, link in
        message(
            "\(tenant): confirm your address",
            "Someone, hopefully you, signed up at \(tenant) with this address. This link confirms it, once, within "
                + "24 hours:",
            link, "If it was not you, do not confirm it: ignore this mail.")
    },
    newPassword: { tenant, link in
        message(
            "\(tenant): set a password", "This link sets the password of your account at \(tenant), once:", link,
            unexpected)
    },
    addressToConfirm: { tenant, link in
        message(
            "\(tenant): confirm your address",
            "This link confirms that this is the address of your account at \(tenant):", link, unexpected)
    },
    phoneToEnroll: { tenant, account, link, seconds in
        let target = account.map { "the account \($0)" } ?? "your account"
        return message(
            "\(tenant): add your phone",
            "This link adds a phone to \(target) at \(tenant). It works once, within \(span(seconds)). Open it on the "
                + "phone, or on another screen:",
            link,
            "Whoever opens this link can approve requests in the name of this account. Do not forward it.\n\n"
                + unexpected)
    },
    usersImported: { tenant, inserted, updated, failed, link in
        message(
            "\(tenant): users imported",
            "An import of users into \(tenant) is done. Added: \(inserted). Changed: \(updated). Not taken: \(failed).",
            link,
            "The job’s errors name the reason for each user who was not taken.")
    },
    approval: { tenant, client, contents, link, seconds in
        """
        \(client) asks for your approval at \(tenant):

        \(contents)

        This link shows the request. There, you allow or reject it; opening the link decides nothing. You can answer \
        within \(span(seconds)):

        \(link)

        If you did not ask for this, reject the request there, or ignore this mail: nothing happens without you.
        """
    },
    approvalSubject: { "\($0): \($1) asks for your approval" },
    more: "… The page shows all.",
    review: "Review the request",
    setPassword: "Set the password",
    confirmAddress: "Confirm the address",
    addPhone: "Add the phone",
    open: "Open",
    accessRemoved: { tenant, list in
        Texts.Mail.Message(
            "\(tenant): a new password, and what was removed",
            """
            Your account at \(tenant) has a new password, and this address is now confirmed as yours. Somebody else \
            could have added the following while it was not, so it was removed:

            \(list)

            Add again what is yours. If you did not set a new password, contact the people who run \(tenant).
            """)
    },
    removedPhone: { "phone: \($0)" },
    notice: .english,
    removedIdentity: { "account at another provider: \($0)" })

// MARK: an app on this computer

private let loopback = Texts.Loopback(
    succeeded: "Back to the application",
    succeededLead: "You may close this window and go on in the application.",
    failed: "You are not logged in",
    failedLead: "You may close this window. The application says more.",
    notFound: "Not found",
    notFoundLead: "There is nothing here.",
    refused: "Not accepted",
    refusedLead: "This request does not belong to the login that the application waits for.")
