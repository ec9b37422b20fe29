extension Texts.Account {
    static let german = Texts.Account(
        title: "Ihr Konto",
        loggedInAs: { "Sie sind als \($0) angemeldet." },
        back: "Ihr Konto",
        save: "Speichern",
        unknown: "Unbekannt",
        phones: Phones(
            title: "Telefone",
            lead: "Diese Telefone können Anfragen in Ihrem Namen freigeben.",
            none: "Sie haben noch kein Telefon.",
            added: { "Hinzugefügt am \($0)" },
            silent: "Bekommt keine Mitteilungen mehr. Öffnen Sie darauf die Freigabe-App, um Anfragen zu sehen.",
            change: "Umbenennen oder entfernen",
            name: "Name",
            badName: "Ein Name hat 1 bis 128 Zeichen.",
            remove: "Dieses Telefon entfernen",
            removeLead:
                "Es kann dann nichts mehr in Ihrem Namen freigeben. Um es wieder zu verwenden, müssen Sie es neu hinzufügen.",
            removeQuestion: { "\($0) entfernen?" },
            add: "Telefon hinzufügen",
            addLead: "Zeigt einen Code für die Kamera des Telefons und einen Link für dieses Gerät.",
            authenticator: "Authenticator-App",
            authenticatorLead: "Zeigt Codes für Anmeldungen. Sie gibt keine Anfragen frei.",
            removeAuthenticator: "Diese Authenticator-App entfernen",
            removeAuthenticatorLead: "Mit ihren Codes können Sie sich dann nicht mehr anmelden.",
            lost: "Ich habe ein Telefon verloren",
            lostTitle: "Verlorenes Telefon ersetzen",
            lostLead:
                "Wählen Sie das Telefon, das Sie nicht mehr haben. Es wird sofort entfernt, und Sie fügen ein anderes hinzu.",
            replace: "Entfernen und ein anderes hinzufügen",
            notLost: "Ich habe mein Telefon noch",
            nothingLost: "Sie haben kein Telefon, das verloren sein könnte."),
        recovery: Recovery(
            title: "Wiederherstellungscodes",
            lead:
                "Wenn Sie Ihr Telefon oder Ihre Authenticator-App verlieren, ersetzt ein Wiederherstellungscode sie, jeder einmal.",
            left: { count in
                switch count {
                case 0: "Sie haben keine Wiederherstellungscodes."
                case 1: "Sie haben 1 unbenutzten Wiederherstellungscode."
                default: "Sie haben \(count) unbenutzte Wiederherstellungscodes."
                }
            },
            needsPhone:
                "Fügen Sie zuerst ein Telefon hinzu: Wiederherstellungscodes ersetzen ein Telefon oder eine Authenticator-App.",
            make: "Wiederherstellungscodes erstellen",
            makeAgain: "Neue Wiederherstellungscodes erstellen",
            replaced: "Ihre jetzigen Codes gelten dann nicht mehr.",
            shown: "Ihre Wiederherstellungscodes",
            shownLead:
                "Drucken oder schreiben Sie diese Codes auf, und bewahren Sie sie getrennt vom Telefon auf. Diese Seite "
                + "zeigt sie nicht wieder. Jeder gilt einmal.",
            kept: "Ich habe sie aufbewahrt",
            noPhone: "Ich habe mein Telefon nicht mehr",
            enter: "Wiederherstellungscode eingeben",
            enterLead: "Jeder Ihrer aufbewahrten Codes gilt einmal. Danach können Sie das verlorene Telefon entfernen.",
            field: "Wiederherstellungscode",
            wrong: "Dieser Code ist falsch oder wurde schon benutzt.",
            offer: "Ihr Telefon kann verloren gehen",
            offerLead:
                "Erstellen Sie jetzt zehn Wiederherstellungscodes. Mit einem davon können Sie sich ohne Telefon anmelden.",
            later: "Später",
            goOn: "Mit der Anmeldung fortfahren"),
        sessions: Sessions(
            title: "Angemeldete Browser",
            lead: "Melden Sie ab, was Sie nicht kennen.",
            this: "Dieser Browser",
            lastUsed: { "Zuletzt benutzt: \($0)" },
            begun: { "Angemeldet: \($0)" },
            address: { "Adresse \($0)" },
            end: "Abmelden",
            endOthers: "Alle anderen Browser abmelden"),
        applications: Applications(
            title: "Anwendungen",
            lead: "Diese Anwendungen haben Zugriff in Ihrem Namen.",
            none: "Keine Anwendung hat Zugriff in Ihrem Namen.",
            since: { "Seit \($0)" },
            scope: { "Darf verwenden: \($0)" },
            withdraw: "Zugriff entziehen"),
        history: History(
            title: "Entscheidungen",
            lead: "Anfragen, die Sie erlaubt oder abgelehnt haben.",
            none: "Sie haben noch nichts entschieden.",
            older: "Frühere Entscheidungen",
            decided: { "Entschieden: \($0)" },
            receipt: "Beleg lesen",
            receiptTitle: "Beleg",
            download: "Beleg herunterladen (JWS)",
            byPhone: { "Sie haben auf dem Telefon \($0) entschieden." },
            byBrowser: "Sie haben nach einer Anmeldung in einem Browser entschieden.",
            requested: { "Die Anfrage wurde gestellt: \($0)." },
            words: { "Ihre Worte: \($0)" },
            userVerified: "Der Schlüssel Ihres Telefons und sein Passkey haben genau diesen Text unterschrieben.",
            signedDigest: "Der Schlüssel Ihres Telefons hat genau diesen Text unterschrieben.",
            signedChallenge: "Der Schlüssel Ihres Telefons hat die Antwort auf diese Anfrage unterschrieben.",
            session: "Kein Schlüssel von Ihnen hat das unterschrieben.",
            proof: "Mit dem heruntergeladenen Beleg kann das jeder prüfen, ohne hier zu fragen."),
        password: Password(
            title: "Passwort",
            old: "Jetziges Passwort",
            wrongOld: "Das ist nicht Ihr jetziges Passwort.",
            lead: "Alle anderen Browser werden abgemeldet.",
            none: "Sie melden sich ohne ein Passwort dieses Dienstes an."),
        preferences: Preferences(
            title: "Sprache und Ruhezeiten",
            language: "Sprache",
            languageLead: "E-Mails kommen in dieser Sprache.",
            languageAuto: "Wie der jeweilige Browser sagt",
            quietHours: "Ruhezeiten",
            quietLead: "Dann geben Ihre Telefone bei Anfragen keinen Ton, nach ihrer eigenen Uhr.",
            from: "Von",
            to: "Bis",
            off: "Keine Ruhezeiten",
            badHours: "Geben Sie zwei verschiedene Zeiten ein, etwa 22:00 und 07:00."),
        export: Export(
            title: "Ihre Daten",
            lead:
                "Eine Datei enthält, was über Sie gespeichert ist: Profil, Telefone, Browser, Anwendungen, Entscheidungen "
                + "mit Belegen und Einträge des Protokolls.",
            download: "Daten herunterladen"),
        deletion: Deletion(
            title: "Konto löschen",
            lead:
                "Ihr Konto und seine Daten werden sofort und endgültig gelöscht. Das Protokoll dessen, was geschah, bleibt.",
            submit: "Mein Konto endgültig löschen",
            done: "Ihr Konto ist gelöscht",
            doneLead: "Sie können dieses Fenster schließen.",
            kept: {
                "Ihre Entscheidungen sind bis \($0) Belege für andere. Bis dahin kann das Konto hier nicht gelöscht werden."
            }),
        absent: Absent(
            title: "Diese Seite gibt es nicht",
            lead: "Die Adresse ist vielleicht falsch geschrieben oder alt. Von hier geht es weiter:",
            start: "Startseite",
            approver: "Anfragen freigeben",
            account: "Ihr Konto"))
}

extension Texts.Mail.Notice {
    static let german = Texts.Mail.Notice(
        message: { tenant, sentence, address, reset in
            Texts.Mail.Message(
                "\(tenant): Ihr Konto wurde geändert",
                """
                \(sentence)

                Das geschah an Ihrem Konto bei \(tenant), von der Adresse \(address) aus.

                Wenn Sie das waren, müssen Sie nichts tun.
                Wenn nicht, setzen Sie ein neues Passwort: \(reset)
                """)
        },
        phonesRemoved: { "Entferntes Telefon: \($0)." },
        phoneLinkMade: "Es wurde ein Link erstellt, der Ihrem Konto ein Telefon hinzufügt.",
        authenticatorRemoved: "Eine Authenticator-App wurde entfernt. Ihre Codes gelten nicht mehr.",
        recoveryCodesMade: "Neue Wiederherstellungscodes wurden erstellt. Frühere gelten nicht mehr.",
        recoveryCodeUsed: { "Jemand hat sich mit einem Wiederherstellungscode angemeldet. Übrige Codes: \($0)." },
        passwordChanged: "Das Passwort wurde geändert.",
        accountDeleted: "Das Konto wurde gelöscht.")
}
