extension Texts.Passkeys {
    static let german = Texts.Passkeys(
        logIn: "Mit Passkey anmelden",
        refused:
            "Dieser Passkey hat Sie nicht angemeldet. Versuchen Sie es noch einmal, oder melden Sie sich anders an.",
        offer: "Melden Sie sich das nächste Mal ohne Passwort an.",
        title: "Passkeys",
        lead: "Mit einem Passkey bestätigen Sie Anfragen und melden sich an, per Fingerabdruck, Gesicht oder PIN. Er "
            + "bleibt auf Ihrem Telefon, Ihrem Computer oder Ihrem Sicherheitsschlüssel.",
        none: "Sie haben keinen Passkey.",
        name: "Name",
        add: "Passkey hinzufügen",
        remove: "Entfernen",
        removeLead: "Er meldet Sie nicht mehr an und bestätigt keine Anfrage mehr.",
        letLogIn: "Auch zum Anmelden nutzen",
        logsIn: "bestätigt Anfragen und meldet Sie an",
        confirmsOnly: "bestätigt Anfragen",
        notAdded:
            "Es wurde kein Passkey hinzugefügt. Versuchen Sie es noch einmal. Ein Gerät, das schon einen von Ihnen "
            + "hat, erstellt keinen zweiten.",
        needsScript:
            "Dieser Browser erstellt hier keine Passkeys. Nutzen Sie einen anderen, oder erlauben Sie Skripte.",
        numbered: { "Passkey \($0)" },
        added: { tenant, name, logsIn, link in
            let use =
                logsIn ? "Er bestätigt Anfragen und meldet Sie an." : "Er bestätigt Anfragen, die einen verlangen."
            return Texts.Mail.Message(
                "\(tenant): Passkey hinzugefügt",
                """
                Zu Ihrem Konto bei \(tenant) wurde ein Passkey hinzugefügt: \(name). \(use)

                Wenn Sie das nicht waren, hat vielleicht jemand anderes Ihr Telefon oder Ihr Konto. Entfernen Sie den \
                Passkey und die Telefone, die nicht Ihre sind: \(link)
                """)
        },
        removed: { tenant, name, link in
            Texts.Mail.Message(
                "\(tenant): Passkey entfernt",
                """
                Aus Ihrem Konto bei \(tenant) wurde ein Passkey entfernt: \(name).

                Wenn Sie das nicht waren, hat vielleicht jemand anderes Ihr Konto. Sehen Sie nach Ihren Passkeys \
                und Telefonen: \(link)
                """)
        },
        removedWithPassword: { "Passkey: \($0)" })
}
