// Texts for adding a phone, about it, and on it.

extension Texts.Enrollment {
    static let english = Texts.Enrollment(
        title: "Add your phone",
        lead: "Your phone protects this account: it will ask you before something is done in your name.",
        account: { "This adds a phone to the account \($0) at \($1)." },
        open: "Open the camera of your phone, and point it at this code.",
        scan: "Open the link that appears, and add the phone there.",
        elsewhere: "Or scan this code with another phone:",
        onPhone: "Reading this on the phone?",
        openApprover: "Use this device",
        cannotScan: "I cannot scan the code",
        copy: "Open this address on the phone:",
        type: { "Or open \($0) on the phone, and enter this code there:" },
        waiting: "This page goes on by itself once the phone has been added.",
        displaced: "Press the button once the phone has been added.",
        scanned: "I have scanned it",
        picture: "QR code to scan with the phone’s camera",
        notAdded: "No phone was added yet. Scan the code with the phone’s camera first.",
        install: { "Install \($0) on your phone." },
        scanWithApp: { "Open \($0) there, and scan this code with it." },
        notAddedByApp: { "No phone was added yet. Scan the code with \($0) first." },
        forApple: { "For iPhone, from \($0)" },
        forGoogle: { "For Android, from \($0)" },
        inBrowser: "I want to use the phone’s browser instead",
        otherApp: "I use another approval app",
        scanOther: "Scan this code with the app:",
        openOther: "Open the app",
        copyOther: "Copy this text into the app:",
        typeOther: "Or enter this code in the app:",
        pictureOther: "QR code to scan with the app",
        added: "Your phone was added",
        addedLead: { "From now on, \($0) will ask for your approval. You can close this page." })
}

extension Texts.SecondFactor {
    static let english = Texts.SecondFactor(
        checkPhone: "Check your phone",
        sent: "We have sent a request to your phone. Allow it there, then continue here.",
        noNotification: "No notification? Open the app on your phone.",
        notAnswered: "The phone has not answered yet. Continue once you have allowed the request there.",
        number: { "The request on your phone shows the number \($0)." },
        pick: { "On your phone, pick this number: \($0)" },
        type: { "On your phone, type this number: \($0)" },
        pickHint: "If the phone shows one number alone, allow only if it is this one.",
        sendAgain: "Send it again",
        phoneOffline: "Phone offline?",
        useCode: "Enter a code instead",
        notYou: "Is it not you who is logging in? Then reject the request on the phone.",
        expired: "The request on your phone has expired.",
        superseded: "You began another login in this browser. It took the place of this one.",
        rejected: "You rejected this login on your phone.",
        notMatched: "This login was rejected on your phone, or another number was picked there.",
        message: { "Log in: \($0)" },
        messageToMatch: "Log in",
        enterCode: "Enter your code",
        enterCodeLead: "Open the app that shows your codes, and enter the one that it shows now.",
        code: "Your code",
        usePhone: "Allow on the phone instead",
        wrongCode: "This code is wrong or was used before. Enter the one that is shown now.",
        needsPhone: "This needs your phone",
        needsPhoneLead: {
            "\($0) asks for something that has to be shown and allowed on a phone. Your account has no phone that can."
        },
        needsPhoneAdvice: "Ask the people who run this service to add your phone. A code is not enough here.")
}

extension Texts.LoginRequest {
    static let english = Texts.LoginRequest(
        headline: { "Log in to \($0)?" },
        browser: "Browser, as it says",
        place: "Place",
        address: "Address",
        time: "Time",
        software: { "\($0) on \($1)" },
        unknownBrowser: "unknown browser")
}

/// In the terminal.
extension Texts.Phone {
    static let english = Texts.Phone(
        title: { "\($0) asks for your approval" },
        client: "client",
        operatedBy: "run by",
        ownClient: "the organization of this server",
        otherClient: "another organization",
        audience: "for",
        scopes: "scopes",
        origin: "from",
        server: "server",
        request: "request",
        timeLeft: "time left",
        untyped: "detail without type",
        number: { "Number: \($0)" },
        urgent: "urgent",
        listening: { "Listening at \($0) for \($1)." },
        again: { "Trying again in \($0)." },
        unreadable: { "\($0) cannot be read" },
        unsent: { "the answer to \($0) cannot be sent" },
        codeChanges: { "It changes in \($0)." },
        notEnrolled: "This phone is not enrolled.",
        renamed: "renamed",
        unenrolled: "unenrolled",
        nothingWaits: "No request waits.",
        nothingDecided: "No request was answered yet.",
        noQuietHours: "There are no quiet hours.",
        thisPhone: "this phone",
        quietHours: { "Requests make no sound from \($0) to \($1), unless they are urgent." },
        allowed: "allowed",
        rejected: "rejected",
        reported: "rejected and reported",
        withdrawn: "withdrawn",
        expired: "expired",
        unanswered: "unanswered",
        wrongNumber: "That is not the number that the application shows. The request was rejected.",
        numberRequired: "This request can only be allowed with the number that the application shows.",
        passkeyRequired: "This request can only be allowed with a passkey, in the web app.",
        invalidPasskey: "The passkey was not accepted.",
        needsNoAnswer: "The request was already answered or has expired.",
        question: "Allow? Answer r if you did not ask for this.",
        yes: ["y", "yes"],
        no: ["n", "no"],
        report: ["r", "report"],
        advice: "Please answer y, n or r.",
        whichNumber: "Which number does the application show? Answer n to reject, r if you did not ask for this.",
        whichNumberOf: { "Which number does \($0) show? Answer n to reject, r if you did not ask for this." },
        numberAdvice: { "Please answer one of \($0), n or r." },
        typeAdvice: "Please type the two digits, n or r.",
        together: { "\($0) asks for \($1) approvals" },
        questionAll: "Allow all? Answer e to decide one by one, r if you did not ask for these.",
        each: ["e", "each"],
        adviceAll: "Please answer y, n, r or e.",
        status: { left, others in
            let waiting = others == 0 ? "no other request waits" : others == 1 ? "1 more waits" : "\(others) more wait"
            return left.map { others == 0 ? "\($0) left" : "\($0) left, \(waiting)" } ?? waiting
        })
}
