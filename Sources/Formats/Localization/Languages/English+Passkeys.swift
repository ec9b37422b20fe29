extension Texts.Passkeys {
    static let english = Texts.Passkeys(
        logIn: "Log in with a passkey",
        refused: "This passkey did not log you in. Try again, or log in another way.",
        offer: "Log in without a password next time.",
        title: "Passkeys",
        lead:
            "With a passkey you confirm requests and log in by fingerprint, face or PIN. It stays on your phone, your "
            + "computer or your security key.",
        none: "You have no passkey.",
        name: "Name",
        add: "Add a passkey",
        remove: "Remove",
        removeLead: "It no longer logs you in and confirms no request any more.",
        letLogIn: "Log in with it, too",
        logsIn: "confirms requests and logs you in",
        confirmsOnly: "confirms requests",
        notAdded: "No passkey was added. Try again. A device that has one of yours already makes no second one.",
        needsScript: "This browser makes no passkeys here. Use another one, or allow scripts.",
        numbered: { "Passkey \($0)" },
        added: { tenant, name, logsIn, link in
            let use = logsIn ? "It confirms requests and logs you in." : "It confirms requests that ask for one."
            return Texts.Mail.Message(
                "\(tenant): a passkey was added",
                """
                A passkey was added to your account at \(tenant): \(name). \(use)

                If this was not you, somebody else may have your phone or your account. Remove the passkey and the \
                phones that are not yours: \(link)
                """)
        },
        removed: { tenant, name, link in
            Texts.Mail.Message(
                "\(tenant): a passkey was removed",
                """
                A passkey was removed from your account at \(tenant): \(name).

                If this was not you, somebody else may have your account. See to your passkeys and phones: \(link)
                """)
        },
        removedWithPassword: { "passkey: \($0)" })
}
