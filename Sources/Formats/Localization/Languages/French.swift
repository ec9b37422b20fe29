extension Language {
    package static let french = Language(
        "fr", name: "Français", typeset: frenchSpaces,
        texts: Texts(
            frame: frame, form: form, login: login, passkeys: .french, signUp: signUp, password: password,
            email: email, consent: .french, approval: approval, card: .french, values: values, enrollment: .french,
            secondFactor: .french, account: .french, dashboard: .french, loginRequest: .french, logout: logout,
            ending: ending,
            error: error, failure: failure, mail: mail, phone: .french, ways: .french, loopback: loopback))
}

/// French has a space before `? ! ; : »` and after `«`, at which a line must not break: a narrow one (U+202F) before
/// `? ! ;` and a full one (U+00A0) at the others.
private func frenchSpaces(_ text: String) -> String {
    var output = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        let space: Unicode.Scalar? =
            switch scalar {
            case "?", "!", ";": "\u{202F}"
            case ":", "»": "\u{A0}"
            default: nil
            }
        if let space, output.last == " " {
            output.removeLast()
            output.append(space)
        }
        output.append(scalar == " " && output.last == "«" ? "\u{A0}" : scalar)
    }
    return String(output)
}

// MARK: numbers

private func count(_ count: Int, _ unit: String) -> String { "\(count) \(unit)\(count < 2 ? "" : "s")" }

private func span(_ seconds: Int) -> String {
    switch TimeSpan(seconds: seconds) {
    case .seconds(let seconds): count(seconds, "seconde")
    case .minutes(let minutes): count(minutes, "minute")
    case .hours(let hours, nil): count(hours, "heure")
    case .hours(let hours, let minutes?): "\(count(hours, "heure")) et \(count(minutes, "minute"))"
    case .days(let days): count(days, "jour")
    }
}

// MARK: pages

private let frame = Texts.Frame(
    skipToContent: "Aller au contenu",
    skipToProblem: "Aller au problème",
    titleWithProblem: { "Problème : \($0) – \($1)" },
    problem: "Il y a un problème",
    service: { "Connexion à \($0)" },
    about: "À propos de ce service",
    language: "Langue",
    help: "Aide",
    privacy: "Confidentialité",
    terms: "Conditions")

private let form = Texts.Form(
    optional: { "\($0) (facultatif)" },
    email: "Adresse e-mail",
    emailOrUsername: "Adresse e-mail ou nom d’utilisateur",
    password: "Mot de passe",
    account: { "Connexion en tant que \($0). \($1)" },
    anotherAccount: "Utiliser un autre compte",
    or: "ou",
    continueWith: { "Continuer avec \($0)" },
    continueTo: { "pour continuer vers \($0)" },
    continue: "Continuer",
    logIn: "Se connecter",
    signUp: "Créer un compte",
    backToLogin: "Retour à la connexion",
    backToApplication: "Retourner à l’application",
    tryAgain: "Réessayer")

private let login = Texts.Login(
    title: "Connexion",
    forgotPassword: "Mot de passe oublié ?",
    noAccount: "Pas encore de compte ?",
    chooseAccount: "Choisissez un compte",
    continueAs: { "Continuer en tant que \($0)" })

private let signUp = Texts.SignUp(
    title: "Créer un compte",
    name: "Votre nom",
    submit: "Créer le compte",
    haveAccount: "Vous avez déjà un compte ?")

private let password = Texts.Password(
    forgotten: "Mot de passe oublié ?",
    sendLinkLead: "Indiquez votre adresse e-mail : vous recevrez un lien pour choisir un nouveau mot de passe.",
    sendLink: "Envoyer le lien",
    sent: "Consultez vos e-mails",
    sentLead: { "S’il existe un compte avec l’adresse \($0), un message contenant un lien est en route." },
    nothingArrived: "Rien reçu après quelques minutes ? Cherchez dans les indésirables et vérifiez l’adresse.",
    choose: "Choisissez un nouveau mot de passe",
    account: { "pour le compte \($0)" },
    new: "Nouveau mot de passe",
    newAgain: "Nouveau mot de passe, une seconde fois",
    change: "Changer le mot de passe",
    changed: "Mot de passe changé",
    changedLogIn: "Votre nouveau mot de passe est désormais en service. Poursuivez pour vous connecter.",
    changedEnd: "Votre nouveau mot de passe est désormais en service. Retournez à l’application et connectez-vous. "
        + "Vous pouvez fermer cette page.",
    rule: { "Au moins \($0) caractères. Quelques mots à la suite : facile à retenir, dur à deviner." },
    tooShort: { "Utilisez au moins \($0) caractères." },
    tooLong: { "Utilisez au plus \($0) caractères." },
    isAddress: "N’utilisez pas votre adresse e-mail comme mot de passe.",
    isCommon: "Ce mot de passe est de ceux qui sont essayés en premier. Choisissez-en un autre.",
    differs: "Les deux mots de passe diffèrent.")

private let email = Texts.Email(
    confirm: "Confirmez votre adresse e-mail",
    question: { "L’adresse \($0) est-elle la vôtre ?" },
    yes: "Oui, c’est la mienne",
    confirmed: "Adresse confirmée",
    thanks: "Merci. Vous pouvez fermer cette page.")

private let approval = Texts.Approval(
    title: "Une demande d’accord",
    heading: { "\($0) demande votre accord" },
    ours: { "Cette application appartient à \($0)." },
    foreign: { "Cette application n’appartient pas à \($0)." },
    api: { "L’application demande à utiliser \($0) en votre nom." },
    span: { span($0) },
    pick: "Pour autoriser, choisissez le nombre que montre l’autre écran. Si le nombre est faux, la demande est "
        + "refusée.",
    type: "Pour l’autoriser, saisissez le nombre qu’affiche l’autre écran. Un nombre erroné refuse la demande.",
    typeField: "Nombre, deux chiffres",
    reject: "Refuser",
    giveReason: "Refuser avec un motif",
    reason: "Motif",
    report: "Je n’ai rien demandé",
    onPhone: "Répondez sur votre téléphone : cette demande exige sa signature.",
    hasKey: "Ce navigateur est-il configuré comme votre téléphone ?",
    withKey: "Répondre dans l’application web",
    allowed: "Cette demande a été autorisée",
    allowedLead: "L’application en est informée automatiquement. Vous pouvez fermer cette page.",
    rejected: "Cette demande a été refusée",
    withdrawn: "Cette demande a été retirée",
    expired: "Cette demande a expiré",
    endedLead: "Rien ne sera fait en votre nom. Vous pouvez fermer cette page.",
    otherAccount: "Est-ce le bon compte ?",
    otherAccountLead:
        "Ce lien ne mène à aucune demande pour ce compte. Si la demande concerne un autre de vos comptes, "
        + "connectez-vous à celui-là. Sinon, elle est peut-être terminée.")

private let values = Texts.Values(
    grouping: "\u{202F}",
    decimal: ",",
    months: [
        "janvier", "février", "mars", "avril", "mai", "juin",
        "juillet", "août", "septembre", "octobre", "novembre", "décembre",
    ],
    isSignFirst: false,
    payment: { "\($0) à \($1)" },
    day: { day, month, year in "\(day == 1 ? "1er" : "\(day)") \(month) \(year)" })

private let logout = Texts.Logout(
    question: "Se déconnecter ?",
    loggedInAs: { "Votre session est ouverte en tant que \($0)." },
    logOut: "Se déconnecter",
    stay: "Garder la session ouverte",
    stayed: "Votre session reste ouverte",
    nothingChanged: "Rien n’a été modifié. Vous pouvez fermer cette page.",
    loggedOut: "Votre session est fermée",
    loggedOutLead: "Vous pouvez fermer cette page. Sur un ordinateur partagé, fermez aussi le navigateur.")

private let ending = Texts.Ending(
    almostThere: "Presque terminé",
    goingBack: "Vous retournez vers l’application.",
    messageTitle: "Retour à l’application",
    messageLead: "Revenez à la fenêtre de l’application ; vous pouvez fermer celle-ci. Si rien ne s’y passe, "
        + "recommencez depuis l’application.",
    appTitle: "Retournez à l’application",
    appLead: "L’application aurait dû s’ouvrir d’elle-même. Ouvrez-la et reconnectez-vous ; vous pouvez fermer cette "
        + "page.",
    done: "C’est déjà fait",
    doneLead: "L’application a déjà la réponse. Retournez-y ; vous pouvez fermer cette page.",
    welcome: "Rien à faire ici",
    welcomeLead: {
        """
        C’est ici que les applications de \($0) vous connectent. Ouvrez celle que vous voulez utiliser et commencez \
        là.
        """
    },
    developer: "Vous développez une application ?",
    endpoints: "Voir les points d’accès")

private let error = Texts.Error(
    notLoggedIn: "Connexion refusée",
    didNotWork: "Cela n’a pas fonctionné",
    damaged: "Le lien qui vous a amené ici est endommagé. Retournez à l’application et recommencez.",
    wentWrong: "Une erreur est survenue",
    wentWrongLead: "Le serveur n’a pas pu effectuer cette opération pour le moment.",
    tryLater: "Réessayez dans un instant.",
    code: "Erreur",
    request: "Numéro de la demande")

// MARK: failures

private let failure = Texts.Failure(
    otherStep: "Cette page n’est plus l’étape actuelle de votre connexion.",
    incompleteEmail: "Saisissez une adresse e-mail complète, par exemple ann@example.com.",
    wrongCredentials: "Adresse e-mail ou mot de passe incorrect.",
    incompleteName:
        "Saisissez une adresse e-mail complète, par exemple ann@example.com, ou votre nom d’utilisateur.",
    wrongNameOrPassword: "Adresse e-mail, nom d’utilisateur ou mot de passe incorrect.",
    userBlocked: "Ce compte est bloqué. Contactez le responsable de ce service.",
    cannotSignUp: "Impossible de s’inscrire avec cette adresse. Si vous avez un compte, connectez-vous.",
    tooManyRequests: "Trop de demandes attendent une réponse. Réessayez dans un instant.",
    silentServer: "Le serveur qui connaît votre compte ne répond pas pour le moment. Réessayez dans quelques minutes.",
    tooManyAttempts: {
        "Il y a eu trop de tentatives échouées : cette connexion est bloquée. Réessayez dans \(span($0))."
    },
    tooManyFromAddress: {
        "Il y a eu trop de tentatives depuis votre réseau. Réessayez dans \(span($0)), ou depuis un autre réseau."
    },
    page: Texts.Failure.Page(
        loginOver: "Cette connexion est terminée ou a expiré. Retournez à l’application et recommencez.",
        withdrawn: "L’application ne peut plus demander ceci. Retournez à l’application et recommencez.",
        superseded: "Cette connexion s’est poursuivie dans un autre onglet. Rechargez la page.",
        usedTicket: "Ce lien a déjà servi ou a expiré. Demandez-en un nouveau.",
        usedEnrollment: "Ce lien d’ajout de téléphone a déjà servi, a expiré ou est incomplet. Si vous venez d’ajouter "
            + "votre téléphone, il l’indique, et vous pouvez fermer cette page. Sinon, demandez un nouveau lien au "
            + "service qui vous l’a donné.",
        foreignBrowser: "Ceci ne vient pas de la page d’origine. Revenez en arrière et réessayez.",
        usedLoginLink: "Ce lien de connexion a déjà servi ou a expiré. Retournez à l’application et recommencez.",
        tooManyLogins: {
            "Trop de connexions ont été commencées depuis votre réseau. Rechargez la page dans \(span($0))."
        },
        tooManyActions: { "Cela a été fait trop souvent en une minute. Rechargez la page dans \(span($0))." },
        unknownClient: "L’application qui vous envoie ici n’est pas connue (client_id).",
        mayNotLogIn: "L’application qui vous envoie ici ne peut pas connecter de personnes.",
        callback: "L’application qui vous envoie ici n’a pas enregistré l’adresse de retour (redirect_uri).",
        webOrigin: "L’application qui vous envoie ici demande sa réponse par message (response_mode=web_message), sans "
            + "avoir enregistré pour cela l’origine de son redirect_uri (web_origins)."),
    logout: Texts.Failure.Logout(
        invalid: { "Ce lien de déconnexion n’est pas valide : \($0)." },
        otherAudience: "client_id n’est pas l’audience d’id_token_hint",
        otherSession: "logout_hint n’est pas la session d’id_token_hint",
        unknownClient: "client_id est inconnu",
        unregisteredURL: "l’adresse de retour ne figure pas parmi les adresses de déconnexion autorisées",
        foreignToken: "id_token_hint n’est pas un ID token de ce serveur"),
    upstream: Texts.Failure.Upstream(
        otherLogin: "Cette connexion a été commencée ailleurs ou est déjà terminée. Veuillez recommencer.",
        denied: { "\($0) indique que la connexion n’a pas été autorisée." },
        answered: { "\($0) a répondu : \($1)" },
        unreachable: { "\($0) est injoignable pour le moment. Veuillez réessayer plus tard." },
        unusable: { "La réponse de \($0) n’a pas pu être utilisée." },
        notRecent: { "L’application demande une connexion récente, et \($0) n’en a pas confirmé." },
        blocked: "Ce compte est bloqué."))

// MARK: mails

private func message(_ subject: String, _ lead: String, _ link: String, _ end: String) -> Texts.Mail.Message {
    Texts.Mail.Message(subject, "\(lead)\n\n\(link)\n\n\(end)")
}

private let unexpected = "Si vous n’attendiez pas ce message, ignorez-le : rien ne change."

private let mail = Texts.Mail(
    passwordBlocked: { tenant, address, everywhere, reset in
        let scope = everywhere ? "de partout" : "depuis l’adresse \(address)"
        return Texts.Mail.Message(
            "\(tenant) : connexion bloquée",
            """
            Il y a eu trop de mots de passe incorrects pour votre compte chez \(tenant), le dernier depuis l’adresse \
            \(address). La connexion par mot de passe est bloquée \(scope) pour un moment.

            Si c’était vous, patientez ou choisissez un nouveau mot de passe : \(reset)
            Sinon, votre mot de passe a tenu ; vous n’avez rien à faire.
            """)
    },
    codeBlocked: { tenant, address, everywhere, reset in
        let scope = everywhere ? "de partout" : "depuis l’adresse \(address)"
        return Texts.Mail.Message(
            "\(tenant) : connexion bloquée",
            """
            Il y a eu trop de codes incorrects pour votre compte chez \(tenant), le dernier depuis l’adresse \
            \(address). La connexion par code est bloquée \(scope) pour un moment.

            Si c’était vous, patientez ou connectez-vous avec votre téléphone.
            Sinon, quelqu’un est arrivé jusqu’au code, et connaît donc votre mot de passe ou possède le compte avec \
            lequel vous vous connectez. Choisissez un nouveau mot de passe : \(reset)
            """)
    },
    loginReported: { tenant, address, reset in
        Texts.Mail.Message(
            "\(tenant) : connexion signalée",
            """
            Vous avez signalé une connexion à votre compte chez \(tenant) que vous n’avez pas demandée. Elle venait de \
            l’adresse \(address). Votre téléphone ne recevra plus de demande de connexion depuis cette adresse pour un \
            moment.

            Quelqu’un est arrivé jusqu’à votre téléphone, et connaît donc votre mot de passe ou possède le compte avec \
            lequel vous vous connectez. Choisissez un nouveau mot de passe : \(reset)
            """)
    },
    passwordReset: { tenant, link in
        message(
            "\(tenant) : choisir un nouveau mot de passe",
            "Quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour votre compte chez \(tenant). Ce lien "
                + "permet de le choisir, une fois, dans l’heure :",
            link, "Si ce n’était pas vous, ignorez ce message : rien ne change.")
    },
    signedUp: { tenant, link in
        message(
            "\(tenant) : confirmer votre adresse",
            "Quelqu’un, sans doute vous, s’est inscrit chez \(tenant) avec cette adresse. Ce lien permet de la "
                + "confirmer, une fois, sous 24 heures :",
            link, "Si ce n’était pas vous, ne la confirmez pas : ignorez ce message.")
    },
    newPassword: { tenant, link in
        message(
            "\(tenant) : choisir un mot de passe",
            "Ce lien permet de choisir, une fois, le mot de passe de votre compte chez \(tenant) :", link, unexpected)
    },
    addressToConfirm: { tenant, link in
        message(
            "\(tenant) : confirmer votre adresse",
            "Ce lien confirme que cette adresse est celle de votre compte chez \(tenant) :", link, unexpected)
    },
    phoneToEnroll: { tenant, account, link, seconds in
        let target = account.map { "au compte \($0)" } ?? "à votre compte"
        return message(
            "\(tenant) : ajouter votre téléphone",
            "Ce lien ajoute un téléphone \(target) chez \(tenant). Il fonctionne une seule fois, pendant "
                + "\(span(seconds)). Ouvrez-le sur le téléphone ou sur un autre écran :",
            link,
            "Toute personne qui ouvre ce lien peut autoriser des demandes au nom de ce compte. Ne le transférez pas."
                + "\n\n\(unexpected)")
    },
    usersImported: { tenant, inserted, updated, failed, link in
        message(
            "\(tenant) : comptes importés",
            "Un import de comptes dans \(tenant) est terminé. Ajoutés : \(inserted). Modifiés : \(updated). "
                + "Refusés : \(failed).", link,
            "Les erreurs de la tâche donnent la raison pour chaque compte refusé.")
    },
    approval: { tenant, client, contents, link, seconds in
        """
        \(client) demande votre accord chez \(tenant) :

        \(contents)

        Ce lien montre la demande. C’est là que vous l’autorisez ou la refusez ; ouvrir le lien n’entraîne aucune \
        décision. Vous avez \(span(seconds)) pour répondre.

        \(link)

        Si vous n’avez rien demandé, refusez la demande sur cette page, ou ignorez ce message : rien ne se passe sans \
        vous.
        """
    },
    approvalSubject: { "\($0) : \($1) demande votre accord" },
    more: "… La page montre tout.",
    review: "Voir la demande",
    setPassword: "Choisir le mot de passe",
    confirmAddress: "Confirmer l’adresse",
    addPhone: "Ajouter le téléphone",
    open: "Ouvrir",
    accessRemoved: { tenant, list in
        Texts.Mail.Message(
            "\(tenant) : nouveau mot de passe, et ce qui a été retiré",
            """
            Votre compte chez \(tenant) a un nouveau mot de passe, et il est désormais confirmé que cette adresse est \
            la vôtre. Tant qu’elle ne l’était pas, quelqu’un d’autre a pu ajouter ce qui suit ; cela a donc été retiré :

            \(list)

            Ajoutez de nouveau ce qui est à vous. Si vous n’avez pas choisi de nouveau mot de passe, contactez le \
            responsable de \(tenant).
            """)
    },
    removedPhone: { "téléphone : \($0)" },
    notice: .french,
    removedIdentity: { "compte chez un autre fournisseur : \($0)" })

// MARK: an app on this computer

private let loopback = Texts.Loopback(
    succeeded: "Retour à l’application",
    succeededLead: "Vous pouvez fermer cette fenêtre et continuer dans l’application.",
    failed: "Vous n’êtes pas connecté",
    failedLead: "Vous pouvez fermer cette fenêtre. L’application en dit plus.",
    notFound: "Introuvable",
    notFoundLead: "Il n’y a rien ici.",
    refused: "Refusé",
    refusedLead: "Cette requête n’appartient pas à la connexion que l’application attend.")
