// Texts for adding a phone, about it, and on it.

extension Texts.Enrollment {
    static let german = Texts.Enrollment(
        title: "Telefon hinzufügen",
        lead: "Ihr Telefon schützt dieses Konto: Es fragt Sie, bevor etwas in Ihrem Namen geschieht.",
        account: { "Damit fügen Sie dem Konto \($0) bei \($1) ein Telefon hinzu." },
        open: "Öffnen Sie die Kamera Ihres Telefons, und richten Sie sie auf diesen Code.",
        scan: "Öffnen Sie den Link, der erscheint, und fügen Sie das Telefon dort hinzu.",
        elsewhere: "Oder scannen Sie diesen Code mit einem anderen Telefon:",
        onPhone: "Sie lesen dies auf dem Telefon?",
        openApprover: "Dieses Gerät verwenden",
        cannotScan: "Ich kann den Code nicht scannen",
        copy: "Öffnen Sie diese Adresse auf dem Telefon:",
        type: { "Oder öffnen Sie \($0) auf dem Telefon, und geben Sie dort diesen Code ein:" },
        waiting: "Hier geht es automatisch weiter, sobald das Telefon hinzugefügt ist.",
        displaced: "Drücken Sie die Schaltfläche, sobald das Telefon hinzugefügt ist.",
        scanned: "Ich habe den Code gescannt",
        picture: "QR-Code zum Scannen mit der Kamera des Telefons",
        notAdded: "Es wurde noch kein Telefon hinzugefügt. Scannen Sie zuerst den Code mit der Kamera des Telefons.",
        install: { "Installieren Sie \($0) auf Ihrem Telefon." },
        scanWithApp: { "Öffnen Sie dort \($0), und scannen Sie damit diesen Code." },
        notAddedByApp: { "Es wurde noch kein Telefon hinzugefügt. Scannen Sie zuerst den Code mit \($0)." },
        forApple: { "Für das iPhone (\($0))" },
        forGoogle: { "Für Android (\($0))" },
        inBrowser: "Ich möchte stattdessen den Browser des Telefons verwenden",
        otherApp: "Ich verwende eine andere Freigabe-App",
        scanOther: "Scannen Sie diesen Code mit der App:",
        openOther: "App öffnen",
        copyOther: "Kopieren Sie diesen Text in die App:",
        typeOther: "Oder geben Sie in der App diesen Code ein:",
        pictureOther: "QR-Code zum Scannen mit der App",
        added: "Ihr Telefon wurde hinzugefügt",
        addedLead: { "\($0) bittet Sie ab jetzt um Ihre Zustimmung. Sie können diese Seite schließen." })
}

extension Texts.SecondFactor {
    static let german = Texts.SecondFactor(
        checkPhone: "Sehen Sie auf Ihr Telefon",
        sent: "Wir haben eine Anfrage an Ihr Telefon gesendet. Erlauben Sie sie dort und machen Sie dann hier weiter.",
        noNotification: "Keine Benachrichtigung? Öffnen Sie die App auf Ihrem Telefon.",
        notAnswered:
            "Das Telefon hat noch nicht geantwortet. Machen Sie weiter, sobald Sie die Anfrage dort erlaubt haben.",
        number: { "Die Anfrage auf Ihrem Telefon zeigt die Zahl \($0)." },
        pick: { "Wählen Sie auf Ihrem Telefon diese Zahl: \($0)" },
        type: { "Geben Sie auf Ihrem Telefon diese Zahl ein: \($0)" },
        pickHint: "Zeigt das Telefon nur eine einzige Zahl, erlauben Sie nur, wenn es diese ist.",
        sendAgain: "Erneut senden",
        phoneOffline: "Telefon offline?",
        useCode: "Stattdessen einen Code eingeben",
        notYou: "Sie melden sich gerade nicht an? Dann lehnen Sie die Anfrage auf dem Telefon ab.",
        expired: "Die Anfrage auf Ihrem Telefon ist abgelaufen.",
        superseded:
            "Sie haben in diesem Browser eine weitere Anmeldung begonnen. Sie ist an die Stelle dieser getreten.",
        rejected: "Sie haben diese Anmeldung auf Ihrem Telefon abgelehnt.",
        notMatched: "Diese Anmeldung wurde auf Ihrem Telefon abgelehnt, oder dort wurde eine andere Zahl gewählt.",
        message: { "Anmeldung: \($0)" },
        messageToMatch: "Anmeldung",
        enterCode: "Code eingeben",
        enterCodeLead: "Öffnen Sie die App, die Ihre Codes anzeigt, und geben Sie den Code ein, den sie jetzt anzeigt.",
        code: "Ihr Code",
        usePhone: "Stattdessen auf dem Telefon erlauben",
        wrongCode: "Dieser Code ist falsch oder wurde schon verwendet. Geben Sie den ein, der jetzt angezeigt wird.",
        needsPhone: "Dafür brauchen Sie Ihr Telefon",
        needsPhoneLead: {
            """
            Was \($0) verlangt, muss auf einem Telefon angezeigt und erlaubt werden. Zu Ihrem Konto gehört kein \
            Telefon, das dies kann.
            """
        },
        needsPhoneAdvice: "Bitten Sie den Betreiber dieses Dienstes, Ihr Telefon hinzuzufügen. Ein Code reicht hier "
            + "nicht.")
}

extension Texts.LoginRequest {
    static let german = Texts.LoginRequest(
        headline: { "Bei \($0) anmelden?" },
        browser: "Browser, nach eigener Angabe",
        place: "Ort",
        address: "Adresse",
        time: "Zeit",
        software: { "\($0) auf \($1)" },
        unknownBrowser: "unbekannter Browser")
}

/// In the terminal.
extension Texts.Phone {
    static let german = Texts.Phone(
        title: { "\($0) bittet um Ihre Zustimmung" },
        client: "Client",
        operatedBy: "betrieben von",
        ownClient: "der Organisation dieses Servers",
        otherClient: "einer anderen Organisation",
        audience: "für",
        scopes: "Rechte",
        origin: "von",
        server: "Server",
        request: "Anfrage",
        timeLeft: "Restzeit",
        untyped: "Angabe ohne Typ",
        number: { "Zahl: \($0)" },
        urgent: "dringend",
        listening: { "Warte bei \($0) auf Anfragen an \($1)." },
        again: { "Neuer Versuch in \($0)." },
        unreadable: { "\($0) kann nicht gelesen werden" },
        unsent: { "die Antwort auf \($0) kann nicht gesendet werden" },
        codeChanges: { "Er wechselt in \($0)." },
        notEnrolled: "Dieses Telefon ist mit keinem Konto verbunden.",
        renamed: "umbenannt",
        unenrolled: "getrennt",
        nothingWaits: "Keine Anfrage wartet.",
        nothingDecided: "Noch wurde keine Anfrage beantwortet.",
        noQuietHours: "Es ist keine Ruhezeit eingestellt.",
        thisPhone: "dieses Telefon",
        quietHours: { "Von \($0) bis \($1) Uhr kommen nur dringende Anfragen mit Ton." },
        allowed: "erlaubt",
        rejected: "abgelehnt",
        reported: "abgelehnt und gemeldet",
        withdrawn: "zurückgezogen",
        expired: "abgelaufen",
        unanswered: "unbeantwortet",
        wrongNumber: "Das ist nicht die Zahl, die die Anwendung zeigt. Die Anfrage wurde abgelehnt.",
        numberRequired: "Diese Anfrage lässt sich nur mit der Zahl erlauben, die die Anwendung zeigt.",
        passkeyRequired: "Diese Anfrage lässt sich nur mit einem Passkey erlauben, in der Freigabe-App des Browsers.",
        invalidPasskey: "Der Passkey wurde nicht angenommen.",
        needsNoAnswer: "Die Anfrage ist schon beantwortet oder abgelaufen.",
        question: "Erlauben? Mit m melden Sie: Das war ich nicht.",
        yes: ["j", "ja", "y", "yes"],
        no: ["n", "nein", "no"],
        report: ["m", "melden", "r"],
        advice: "Bitte antworten Sie mit j, n oder m.",
        whichNumber: "Welche Zahl zeigt die Anwendung? n lehnt ab, m meldet: Das war ich nicht.",
        whichNumberOf: { "Welche Zahl zeigt \($0)? n lehnt ab, m meldet: Das war ich nicht." },
        numberAdvice: { "Bitte antworten Sie mit \($0), n oder m." },
        typeAdvice: "Bitte geben Sie die zwei Ziffern ein, n oder m.",
        together: { "\($0) bittet um \($1) Zustimmungen" },
        questionAll: "Alle erlauben? e fragt einzeln, m meldet: Das war ich nicht.",
        each: ["e", "einzeln"],
        adviceAll: "Bitte antworten Sie mit j, n, m oder e.",
        status: { left, others in
            let waiting =
                others == 0
                ? "keine weitere Anfrage wartet" : others == 1 ? "1 weitere wartet" : "\(others) weitere warten"
            return left.map { others == 0 ? "noch \($0)" : "noch \($0), \(waiting)" } ?? waiting
        })
}
