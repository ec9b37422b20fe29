extension Language {
    package static let german = Language(
        "de", name: "Deutsch",
        texts: Texts(
            frame: frame, form: form, login: login, passkeys: .german, signUp: signUp, password: password,
            email: email, consent: .german, approval: approval, card: .german, values: values, enrollment: .german,
            secondFactor: .german, account: .german, dashboard: .german, loginRequest: .german, logout: logout,
            ending: ending,
            error: error, failure: failure, mail: mail, phone: .german, ways: .german, loopback: loopback))
}

// MARK: numbers

/// The units are in the dative, since most spans stand after "in".
private func span(_ seconds: Int, days unit: String = "Tagen") -> String {
    func count(_ count: Int, _ unit: String, _ units: String) -> String { "\(count) \(count == 1 ? unit : units)" }
    switch TimeSpan(seconds: seconds) {
    case .seconds(let seconds): return count(seconds, "Sekunde", "Sekunden")
    case .minutes(let minutes): return count(minutes, "Minute", "Minuten")
    case .hours(let hours, nil): return count(hours, "Stunde", "Stunden")
    case .hours(let hours, let minutes?):
        return "\(count(hours, "Stunde", "Stunden")) und \(count(minutes, "Minute", "Minuten"))"
    case .days(let days): return count(days, "Tag", unit)
    }
}

// MARK: pages

private let frame = Texts.Frame(
    skipToContent: "Zum Inhalt springen",
    skipToProblem: "Zum Problem springen",
    titleWithProblem: { "Problem: \($0) – \($1)" },
    problem: "Es gibt ein Problem",
    service: { "Bei \($0) anmelden" },
    about: "Über diesen Dienst",
    language: "Sprache",
    help: "Hilfe",
    privacy: "Datenschutz",
    terms: "Nutzungsbedingungen")

private let form = Texts.Form(
    optional: { "\($0) (freiwillig)" },
    email: "E-Mail-Adresse",
    emailOrUsername: "E-Mail-Adresse oder Benutzername",
    password: "Passwort",
    account: { "Anmeldung als \($0). \($1)" },
    anotherAccount: "Anderes Konto verwenden",
    or: "oder",
    continueWith: { "Weiter mit \($0)" },
    continueTo: { "weiter zu \($0)" },
    continue: "Weiter",
    logIn: "Anmelden",
    signUp: "Registrieren",
    backToLogin: "Zurück zur Anmeldung",
    backToApplication: "Zurück zur Anwendung",
    tryAgain: "Erneut versuchen")

private let login = Texts.Login(
    title: "Anmelden",
    forgotPassword: "Passwort vergessen?",
    noAccount: "Noch kein Konto?",
    chooseAccount: "Konto auswählen",
    continueAs: { "Weiter als \($0)" })

private let signUp = Texts.SignUp(
    title: "Registrieren",
    name: "Ihr Name",
    submit: "Konto erstellen",
    haveAccount: "Sie haben schon ein Konto?")

private let password = Texts.Password(
    forgotten: "Passwort vergessen?",
    sendLinkLead: "Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link, mit dem Sie ein neues Passwort "
        + "festlegen.",
    sendLink: "Link senden",
    sent: "Prüfen Sie Ihr Postfach",
    sentLead: { "Wenn es ein Konto mit der Adresse \($0) gibt, ist eine Nachricht mit einem Link dorthin unterwegs." },
    nothingArrived:
        "Nach ein paar Minuten nichts angekommen? Sehen Sie im Spam-Ordner nach und prüfen Sie die Adresse.",
    choose: "Neues Passwort festlegen",
    account: { "für das Konto \($0)" },
    new: "Neues Passwort",
    newAgain: "Neues Passwort wiederholen",
    change: "Passwort ändern",
    changed: "Passwort geändert",
    changedLogIn: "Ab jetzt gilt Ihr neues Passwort. Melden Sie sich damit an.",
    changedEnd: "Ab jetzt gilt Ihr neues Passwort. Kehren Sie zur Anwendung zurück und melden Sie sich damit an. Sie "
        + "können diese Seite schließen.",
    rule: { "Mindestens \($0) Zeichen. Einige Wörter hintereinander sind leicht zu merken und schwer zu erraten." },
    tooShort: { "Verwenden Sie mindestens \($0) Zeichen." },
    tooLong: { "Verwenden Sie höchstens \($0) Zeichen." },
    isAddress: "Verwenden Sie nicht Ihre E-Mail-Adresse als Passwort.",
    isCommon: "Dieses Passwort wird von Angreifern als Erstes probiert. Wählen Sie ein anderes.",
    differs: "Die beiden Passwörter stimmen nicht überein.")

private let email = Texts.Email(
    confirm: "E-Mail-Adresse bestätigen",
    question: { "Ist \($0) Ihre Adresse?" },
    yes: "Ja, das ist meine",
    confirmed: "Adresse bestätigt",
    thanks: "Vielen Dank. Sie können diese Seite schließen.")

private let approval = Texts.Approval(
    title: "Eine Bitte um Ihre Zustimmung",
    heading: { "\($0) bittet um Ihre Zustimmung" },
    ours: { "Diese Anwendung gehört zu \($0)." },
    foreign: { "Diese Anwendung gehört nicht zu \($0)." },
    api: { "Die Anwendung möchte in Ihrem Namen \($0) verwenden." },
    span: { span($0, days: "Tage") },
    pick: "Wählen Sie zum Erlauben die Zahl, die der andere Bildschirm zeigt. Bei einer falschen wird die Anfrage "
        + "abgelehnt.",
    type:
        "Geben Sie zum Erlauben die Zahl ein, die der andere Bildschirm zeigt. Eine falsche Zahl lehnt die Anfrage ab.",
    typeField: "Zahl, zwei Ziffern",
    reject: "Ablehnen",
    giveReason: "Mit Begründung ablehnen",
    reason: "Begründung",
    report: "Das war ich nicht",
    onPhone: "Antworten Sie auf Ihrem Telefon. Diese Anfrage muss dort signiert werden.",
    hasKey: "Ist dieser Browser als Ihr Telefon eingerichtet?",
    withKey: "In der Freigabe-App antworten",
    allowed: "Diese Anfrage wurde erlaubt",
    allowedLead: "Die Anwendung wird automatisch benachrichtigt. Sie können diese Seite schließen.",
    rejected: "Diese Anfrage wurde abgelehnt",
    withdrawn: "Diese Anfrage wurde zurückgezogen",
    expired: "Diese Anfrage ist abgelaufen",
    endedLead: "In Ihrem Namen geschieht nichts. Sie können diese Seite schließen.",
    otherAccount: "Ist das das richtige Konto?",
    otherAccountLead:
        "Unter diesem Link gibt es keine Anfrage für dieses Konto. Falls die Anfrage für ein anderes Ihrer Konten ist, "
        + "melden Sie sich mit diesem anderen Konto an. Andernfalls ist sie vielleicht schon beendet.")

private let values = Texts.Values(
    grouping: ".",
    decimal: ",",
    months: [
        "Januar", "Februar", "März", "April", "Mai", "Juni",
        "Juli", "August", "September", "Oktober", "November", "Dezember",
    ],
    isSignFirst: false,
    payment: { "\($0) an \($1)" },
    day: { "\($0). \($1) \($2)" })

private let logout = Texts.Logout(
    question: "Abmelden?",
    loggedInAs: { "Sie sind als \($0) angemeldet." },
    logOut: "Abmelden",
    stay: "Angemeldet bleiben",
    stayed: "Sie sind weiterhin angemeldet",
    nothingChanged: "Es wurde nichts geändert. Sie können diese Seite schließen.",
    loggedOut: "Sie sind abgemeldet",
    loggedOutLead: "Sie können diese Seite schließen. Schließen Sie auf einem gemeinsam genutzten Computer auch den "
        + "Browser.")

private let ending = Texts.Ending(
    almostThere: "Fast geschafft",
    goingBack: "Sie kehren zur Anwendung zurück.",
    messageTitle: "Zurück zur Anwendung",
    messageLead:
        "Kehren Sie zum Fenster der Anwendung zurück; dieses können Sie schließen. Wenn dort nichts geschieht, "
        + "beginnen Sie in der Anwendung von vorn.",
    appTitle: "Zurück zur App",
    appLead: "Die App hätte sich von selbst öffnen sollen. Öffnen Sie sie und melden Sie sich dort erneut an; diese "
        + "Seite können Sie schließen.",
    done: "Bereits erledigt",
    doneLead: "Die Anwendung hat die Antwort schon. Kehren Sie zu ihr zurück; diese Seite können Sie schließen.",
    welcome: "Hier gibt es nichts zu tun",
    welcomeLead: {
        "Hier melden die Apps von \($0) Sie an. Öffnen Sie dazu die App, die Sie nutzen möchten, und beginnen Sie dort."
    },
    developer: "Sie entwickeln eine App?",
    endpoints: "Endpunkte anzeigen")

private let error = Texts.Error(
    notLoggedIn: "Nicht angemeldet",
    didNotWork: "Das hat nicht funktioniert",
    damaged: "Der Link, der Sie hierher geführt hat, ist beschädigt. Kehren Sie zur Anwendung zurück und beginnen Sie "
        + "von vorn.",
    wentWrong: "Etwas ist schiefgegangen",
    wentWrongLead: "Der Server konnte dies gerade nicht ausführen.",
    tryLater: "Versuchen Sie es gleich noch einmal.",
    code: "Fehler",
    request: "Nummer der Anfrage")

// MARK: failures

private let failure = Texts.Failure(
    otherStep: "Diese Seite ist nicht mehr der aktuelle Schritt Ihrer Anmeldung.",
    incompleteEmail: "Geben Sie eine vollständige E-Mail-Adresse ein, zum Beispiel ann@example.com.",
    wrongCredentials: "E-Mail-Adresse oder Passwort ist falsch.",
    incompleteName:
        "Geben Sie eine vollständige E-Mail-Adresse ein, zum Beispiel ann@example.com, oder Ihren Benutzernamen.",
    wrongNameOrPassword: "E-Mail-Adresse, Benutzername oder Passwort ist falsch.",
    userBlocked: "Dieses Konto ist gesperrt. Wenden Sie sich an den Betreiber dieses Dienstes.",
    cannotSignUp:
        "Mit dieser Adresse können Sie sich nicht registrieren. Wenn Sie ein Konto haben, melden Sie sich an.",
    tooManyRequests: "Zu viele Anfragen warten auf eine Antwort. Versuchen Sie es gleich noch einmal.",
    silentServer:
        "Der Server, der Ihr Konto kennt, antwortet im Moment nicht. Versuchen Sie es in ein paar Minuten noch einmal.",
    tooManyAttempts: {
        "Es gab zu viele Fehlversuche, deshalb ist diese Anmeldung gesperrt. Versuchen Sie es in \(span($0)) erneut."
    },
    tooManyFromAddress: {
        "Es gab zu viele Versuche aus Ihrem Netzwerk. Versuchen Sie es in \(span($0)) oder aus einem anderen Netzwerk "
            + "erneut."
    },
    page: Texts.Failure.Page(
        loginOver: "Diese Anmeldung ist beendet oder abgelaufen. Kehren Sie zur Anwendung zurück und beginnen Sie von "
            + "vorn.",
        withdrawn: "Die Anwendung darf dies nicht mehr verlangen. Kehren Sie zur Anwendung zurück und beginnen Sie von "
            + "vorn.",
        superseded: "Diese Anmeldung wurde in einem anderen Tab fortgesetzt. Laden Sie die Seite neu.",
        usedTicket: "Dieser Link wurde schon verwendet oder ist abgelaufen. Fordern Sie einen neuen an.",
        usedEnrollment: "Dieser Link zum Hinzufügen eines Telefons wurde schon verwendet, ist abgelaufen oder "
            + "unvollständig. Haben Sie Ihr Telefon gerade hinzugefügt, zeigt es das an, und Sie können diese Seite "
            + "schließen. Andernfalls fordern Sie dort, woher Sie den Link haben, einen neuen an.",
        foreignBrowser: "Dies kam nicht von der Seite, zu der es gehört. Gehen Sie zurück und versuchen Sie es erneut.",
        usedLoginLink: "Dieser Anmelde-Link wurde schon verwendet oder ist abgelaufen. Kehren Sie zur Anwendung zurück "
            + "und beginnen Sie von vorn.",
        tooManyLogins: {
            "Aus Ihrem Netzwerk wurden zu viele Anmeldungen begonnen. Laden Sie die Seite in \(span($0)) neu."
        },
        tooManyActions: { "Das war innerhalb einer Minute zu oft. Laden Sie die Seite in \(span($0)) neu." },
        unknownClient: "Die Anwendung, die Sie hierher geschickt hat, ist nicht bekannt (client_id).",
        mayNotLogIn: "Die Anwendung, die Sie hierher geschickt hat, darf niemanden anmelden.",
        callback: "Die Anwendung, die Sie hierher geschickt hat, hat die Rückkehradresse nicht registriert "
            + "(redirect_uri).",
        webOrigin: "Die Anwendung, die Sie hierher geschickt hat, möchte ihre Antwort als Nachricht "
            + "(response_mode=web_message), hat den Ursprung ihrer redirect_uri dafür aber nicht registriert "
            + "(web_origins)."),
    logout: Texts.Failure.Logout(
        invalid: { "Dieser Abmelde-Link ist ungültig: \($0)." },
        otherAudience: "client_id ist nicht die Audience von id_token_hint",
        otherSession: "logout_hint ist nicht die Sitzung von id_token_hint",
        unknownClient: "client_id ist unbekannt",
        unregisteredURL: "die Rückkehradresse gehört nicht zu den erlaubten Abmelde-Adressen",
        foreignToken: "id_token_hint ist kein ID-Token dieses Servers"),
    upstream: Texts.Failure.Upstream(
        otherLogin: "Diese Anmeldung wurde anderswo begonnen oder ist schon beendet. Bitte beginnen Sie von vorn.",
        denied: { "\($0) meldet, dass die Anmeldung nicht erlaubt wurde." },
        answered: { "\($0) hat geantwortet: \($1)" },
        unreachable: { "\($0) ist zurzeit nicht erreichbar. Bitte versuchen Sie es später erneut." },
        unusable: { "Die Antwort von \($0) konnte nicht verwendet werden." },
        notRecent: { "Die Anwendung verlangt eine aktuelle Anmeldung, und \($0) hat keine bestätigt." },
        blocked: "Dieses Konto ist gesperrt."))

// MARK: mails

private func message(_ subject: String, _ lead: String, _ link: String, _ end: String) -> Texts.Mail.Message {
    Texts.Mail.Message(subject, "\(lead)\n\n\(link)\n\n\(end)")
}

private let unexpected = "Wenn Sie diese E-Mail nicht erwartet haben, ignorieren Sie sie: Es ändert sich nichts."

private let mail = Texts.Mail(
    passwordBlocked: { tenant, address, everywhere, reset in
        let scope = everywhere ? "von überall" : "von der Adresse \(address) aus"
        return Texts.Mail.Message(
            "\(tenant): Anmeldung gesperrt",
            """
            Für Ihr Konto bei \(tenant) wurde zu oft ein falsches Passwort eingegeben, zuletzt von der Adresse \
            \(address). Die Anmeldung mit Passwort ist \(scope) für eine Weile gesperrt.

            Wenn Sie das waren, warten Sie oder legen Sie ein neues Passwort fest: \(reset)
            Wenn nicht, hat Ihr Passwort standgehalten; Sie müssen nichts tun.
            """)
    },
    codeBlocked: { tenant, address, everywhere, reset in
        let scope = everywhere ? "von überall" : "von der Adresse \(address) aus"
        return Texts.Mail.Message(
            "\(tenant): Anmeldung gesperrt",
            """
            Für Ihr Konto bei \(tenant) wurde zu oft ein falscher Code eingegeben, zuletzt von der Adresse \
            \(address). Die Anmeldung mit Code ist \(scope) für eine Weile gesperrt.

            Wenn Sie das waren, warten Sie oder melden Sie sich mit Ihrem Telefon an.
            Wenn nicht, ist jemand bis zum Code gekommen und kennt also Ihr Passwort oder hat Zugang zu dem Konto, mit \
            dem Sie sich anmelden. Legen Sie ein neues Passwort fest: \(reset)
            """)
    },
    loginReported: { tenant, address, reset in
        Texts.Mail.Message(
            "\(tenant): Anmeldung gemeldet",
            """
            Sie haben eine Anmeldung bei \(tenant) gemeldet, die nicht von Ihnen kam. Sie kam von der Adresse \
            \(address). Ihr Telefon wird für eine Weile nach keiner Anmeldung von dort gefragt.

            Jemand ist bis zu Ihrem Telefon gekommen und kennt also Ihr Passwort oder hat Zugang zu dem Konto, mit dem \
            Sie sich anmelden. Legen Sie ein neues Passwort fest: \(reset)
            """)
    },
    passwordReset: { tenant, link in
        message(
            "\(tenant): neues Passwort festlegen",
            "Jemand, vermutlich Sie, hat ein neues Passwort für Ihr Konto bei \(tenant) angefordert. Mit diesem Link "
                + "legen Sie es fest, einmal und innerhalb einer Stunde:",
            link, "Wenn Sie das nicht waren, ignorieren Sie diese E-Mail: Es ändert sich nichts.")
    },
    signedUp: { tenant, link in
        message(
            "\(tenant): Adresse bestätigen",
            "Jemand, vermutlich Sie, hat sich mit dieser Adresse bei \(tenant) registriert. Mit diesem Link bestätigen "
                + "Sie sie, einmal und innerhalb von 24 Stunden:",
            link, "Wenn Sie das nicht waren, bestätigen Sie sie nicht: Ignorieren Sie diese E-Mail.")
    },
    newPassword: { tenant, link in
        message(
            "\(tenant): Passwort festlegen",
            "Mit diesem Link legen Sie einmalig das Passwort Ihres Kontos bei \(tenant) fest:", link, unexpected)
    },
    addressToConfirm: { tenant, link in
        message(
            "\(tenant): Adresse bestätigen",
            "Mit diesem Link bestätigen Sie, dass dies die Adresse Ihres Kontos bei \(tenant) ist:", link, unexpected)
    },
    phoneToEnroll: { tenant, account, link, seconds in
        let target = account.map { "dem Konto \($0)" } ?? "Ihrem Konto"
        return message(
            "\(tenant): Telefon hinzufügen",
            "Mit diesem Link fügen Sie \(target) bei \(tenant) ein Telefon hinzu. Er funktioniert einmal, innerhalb "
                + "von \(span(seconds)). Öffnen Sie ihn auf dem Telefon oder auf einem anderen Bildschirm:",
            link,
            "Wer diesen Link öffnet, kann im Namen dieses Kontos Anfragen erlauben. Leiten Sie ihn nicht weiter.\n\n"
                + unexpected)
    },
    usersImported: { tenant, inserted, updated, failed, link in
        message(
            "\(tenant): Konten importiert",
            "Ein Import von Konten in \(tenant) ist fertig. Neu: \(inserted). Geändert: \(updated). "
                + "Nicht übernommen: \(failed).", link,
            "Die Fehler des Auftrags nennen den Grund für jedes Konto, das nicht übernommen wurde.")
    },
    approval: { tenant, client, contents, link, seconds in
        """
        \(client) bittet bei \(tenant) um Ihre Zustimmung:

        \(contents)

        Über diesen Link sehen Sie die Anfrage und können sie erlauben oder ablehnen. Das Öffnen allein entscheidet \
        noch nichts. Sie haben \(span(seconds, days: "Tage")) Zeit für Ihre Antwort.

        \(link)

        Wenn Sie das nicht angefordert haben, lehnen Sie die Anfrage dort ab oder ignorieren Sie diese E-Mail: Ohne \
        Ihre Antwort geschieht nichts.
        """
    },
    approvalSubject: { "\($0): \($1) bittet um Ihre Zustimmung" },
    more: "… Die Seite zeigt alles.",
    review: "Anfrage ansehen",
    setPassword: "Passwort festlegen",
    confirmAddress: "Adresse bestätigen",
    addPhone: "Telefon hinzufügen",
    open: "Öffnen",
    accessRemoved: { tenant, list in
        Texts.Mail.Message(
            "\(tenant): neues Passwort, und was entfernt wurde",
            """
            Ihr Konto bei \(tenant) hat ein neues Passwort, und diese Adresse ist nun als Ihre bestätigt. Solange sie \
            es nicht war, hätte jemand anderes Folgendes hinzufügen können. Es wurde deshalb entfernt:

            \(list)

            Fügen Sie wieder hinzu, was Ihnen gehört. Wenn Sie kein neues Passwort festgelegt haben, wenden Sie sich \
            an den Betreiber von \(tenant).
            """)
    },
    removedPhone: { "Telefon: \($0)" },
    notice: .german,
    removedIdentity: { "Konto bei einem anderen Anbieter: \($0)" })

// MARK: an app on this computer

private let loopback = Texts.Loopback(
    succeeded: "Zurück zur Anwendung",
    succeededLead: "Sie können dieses Fenster schließen und in der Anwendung weitermachen.",
    failed: "Sie sind nicht angemeldet",
    failedLead: "Sie können dieses Fenster schließen. Die Anwendung sagt Ihnen mehr.",
    notFound: "Nicht gefunden",
    notFoundLead: "Hier gibt es nichts.",
    refused: "Nicht angenommen",
    refusedLead: "Diese Anfrage gehört nicht zu der Anmeldung, auf die die Anwendung wartet.")
