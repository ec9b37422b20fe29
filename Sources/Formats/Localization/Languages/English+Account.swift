extension Texts.Account {
    static let english = Texts.Account(
        title: "Your account",
        loggedInAs: { "You are logged in as \($0)." },
        back: "Your account",
        save: "Save",
        unknown: "Unknown",
        phones: Phones(
            title: "Phones",
            lead: "These phones can approve requests in your name.",
            none: "You have no phone yet.",
            added: { "Added on \($0)" },
            silent: "Gets no notifications any more. Open the approver on it to see requests.",
            change: "Rename or remove",
            name: "Name",
            badName: "A name has 1 to 128 letters.",
            remove: "Remove this phone",
            removeLead: "It can then approve nothing in your name. To use it again, you have to add it again.",
            removeQuestion: { "Remove \($0)?" },
            add: "Add a phone",
            addLead: "Shows a code for the phone’s camera, and a link for this device.",
            authenticator: "Authenticator app",
            authenticatorLead: "Shows codes for logins. It approves no requests.",
            removeAuthenticator: "Remove this authenticator app",
            removeAuthenticatorLead: "Its codes do not work any more then.",
            lost: "I lost a phone",
            lostTitle: "Replace a lost phone",
            lostLead: "Choose the phone that you no longer have. It is removed at once, and you add another one.",
            replace: "Remove it and add another",
            notLost: "I still have my phone",
            nothingLost: "You have no phone that could be lost."),
        recovery: Recovery(
            title: "Recovery codes",
            lead: "If you lose your phone or your authenticator app, a recovery code takes its place, once each.",
            left: { count in
                switch count {
                case 0: "You have no recovery codes."
                case 1: "You have 1 unused recovery code."
                default: "You have \(count) unused recovery codes."
                }
            },
            needsPhone: "Add a phone first: recovery codes take the place of a phone or of an authenticator app.",
            make: "Make recovery codes",
            makeAgain: "Make new recovery codes",
            replaced: "Your present codes then stop working.",
            shown: "Your recovery codes",
            shownLead:
                "Print or write down these codes, and keep them apart from your phone. This page does not show them again. "
                + "Each works once.",
            kept: "I have kept them",
            noPhone: "I no longer have my phone",
            enter: "Enter a recovery code",
            enterLead: "Each of the codes that you kept works once. Afterwards you can remove the lost phone.",
            field: "Recovery code",
            wrong: "This code is wrong or was used before.",
            offer: "Your phone may get lost",
            offerLead: "Make ten recovery codes now. With one of them you can log in without your phone.",
            later: "Later",
            goOn: "Continue with the login"),
        sessions: Sessions(
            title: "Logged-in browsers",
            lead: "End what you do not know.",
            this: "This browser",
            lastUsed: { "Last used \($0)" },
            begun: { "Logged in \($0)" },
            address: { "Address \($0)" },
            end: "Log it out",
            endOthers: "Log out all other browsers"),
        applications: Applications(
            title: "Applications",
            lead: "These applications have access in your name.",
            none: "No application has access in your name.",
            since: { "Since \($0)" },
            scope: { "May use: \($0)" },
            withdraw: "Withdraw access"),
        history: History(
            title: "Decisions",
            lead: "Requests that you allowed or rejected.",
            none: "You have decided nothing yet.",
            older: "Earlier decisions",
            decided: { "Decided \($0)" },
            receipt: "Read the receipt",
            receiptTitle: "Receipt",
            download: "Download the receipt (JWS)",
            byPhone: { "You decided on the phone \($0)." },
            byBrowser: "You decided in a browser, after a login.",
            requested: { "The request was made on \($0)." },
            words: { "Your words: \($0)" },
            userVerified: "Your phone’s key and its passkey signed exactly this text.",
            signedDigest: "Your phone’s key signed exactly this text.",
            signedChallenge: "Your phone’s key signed the answer to this request.",
            session: "No key of yours signed it.",
            proof: "With the downloaded receipt, anybody can check this without asking here."),
        password: Password(
            title: "Password",
            old: "Present password",
            wrongOld: "This is not your present password.",
            lead: "All other browsers are logged out.",
            none: "You log in without a password of this service."),
        preferences: Preferences(
            title: "Language and quiet hours",
            language: "Language",
            languageLead: "Mails come in this language.",
            languageAuto: "As each browser says",
            quietHours: "Quiet hours",
            quietLead: "Your phones then make no sound for requests, by their own clocks.",
            from: "From",
            to: "To",
            off: "No quiet hours",
            badHours: "Enter two different times, such as 22:00 and 07:00."),
        export: Export(
            title: "Your data",
            lead:
                "One file has what is kept about you: profile, phones, browsers, applications, decisions with their "
                + "receipts, and log entries.",
            download: "Download your data"),
        deletion: Deletion(
            title: "Delete the account",
            lead: "Your account and its data are deleted at once and for good. The log of what happened stays.",
            submit: "Delete my account for good",
            done: "Your account is deleted",
            doneLead: "You can close this window.",
            kept: {
                "Your decisions are evidence for others until \($0). Until then, the account cannot be deleted here."
            }),
        absent: Absent(
            title: "This page does not exist",
            lead: "The address may be misspelt or old. From here you can go on:",
            start: "Start page",
            approver: "Approve requests",
            account: "Your account"))
}

extension Texts.Mail.Notice {
    static let english = Texts.Mail.Notice(
        message: { tenant, sentence, address, reset in
            Texts.Mail.Message(
                "\(tenant): your account was changed",
                """
                \(sentence)

                This happened at your account at \(tenant), from the address \(address).

                If this was you, you need not do anything.
                If it was not, set a new password: \(reset)
                """)
        },
        phonesRemoved: { "Removed phone: \($0)." },
        phoneLinkMade: "A link was made that adds a phone to your account.",
        authenticatorRemoved: "An authenticator app was removed. Its codes do not work any more.",
        recoveryCodesMade: "New recovery codes were made. Earlier ones do not work any more.",
        recoveryCodeUsed: { "Somebody logged in with a recovery code. Codes left: \($0)." },
        passwordChanged: "The password was changed.",
        accountDeleted: "The account was deleted.")
}
