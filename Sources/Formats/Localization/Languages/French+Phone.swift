// Texts for adding a phone, about it, and on it.

extension Texts.Enrollment {
    static let french = Texts.Enrollment(
        title: "Ajoutez votre téléphone",
        lead: "Votre téléphone protège ce compte : rien ne sera fait en votre nom sans qu’il vous demande votre "
            + "accord.",
        account: { "Vous ajoutez un téléphone au compte \($0) chez \($1)." },
        open: "Ouvrez l’appareil photo de votre téléphone et visez ce code.",
        scan: "Ouvrez le lien qui s’affiche, et ajoutez-y le téléphone.",
        elsewhere: "Ou scannez ce code avec un autre téléphone :",
        onPhone: "Vous lisez ceci sur le téléphone ?",
        openApprover: "Utiliser cet appareil",
        cannotScan: "Je ne peux pas scanner le code",
        copy: "Ouvrez cette adresse sur le téléphone :",
        type: { "Ou ouvrez \($0) sur le téléphone et saisissez-y ce code :" },
        waiting: "La suite s’affichera automatiquement dès que le téléphone sera ajouté.",
        displaced: "Appuyez sur le bouton dès que le téléphone est ajouté.",
        scanned: "J’ai scanné le code",
        picture: "Code QR à scanner avec l’appareil photo du téléphone",
        notAdded: "Aucun téléphone n’a encore été ajouté. Scannez d’abord le code avec l’appareil photo.",
        install: { "Installez \($0) sur votre téléphone." },
        scanWithApp: { "Ouvrez-y \($0) et scannez ce code avec cette application." },
        notAddedByApp: { "Aucun téléphone n’a encore été ajouté. Scannez d’abord le code avec \($0)." },
        forApple: { "Pour iPhone, sur \($0)" },
        forGoogle: { "Pour Android, sur \($0)" },
        inBrowser: "Je préfère utiliser le navigateur du téléphone",
        otherApp: "J’utilise une autre application d’approbation",
        scanOther: "Scannez ce code avec l’application :",
        openOther: "Ouvrir l’application",
        copyOther: "Copiez ce texte dans l’application :",
        typeOther: "Ou saisissez ce code dans l’application :",
        pictureOther: "Code QR à scanner avec l’application",
        added: "Votre téléphone a été ajouté",
        addedLead: { "Désormais, \($0) vous demandera votre accord. Vous pouvez fermer cette page." })
}

extension Texts.SecondFactor {
    static let french = Texts.SecondFactor(
        checkPhone: "Consultez votre téléphone",
        sent: "Nous avons envoyé une demande à votre téléphone. Autorisez-la, puis continuez ici.",
        noNotification: "Pas de notification ? Ouvrez l’application sur votre téléphone.",
        notAnswered: "Le téléphone n’a pas encore répondu. Continuez après y avoir autorisé la demande.",
        number: { "La demande sur votre téléphone affiche le nombre \($0)." },
        pick: { "Sur votre téléphone, choisissez ce nombre : \($0)" },
        type: { "Sur votre téléphone, saisissez ce nombre : \($0)" },
        pickHint: "Si le téléphone n’affiche qu’un seul nombre, autorisez seulement si c’est celui-ci.",
        sendAgain: "Renvoyer la demande",
        phoneOffline: "Téléphone hors ligne ?",
        useCode: "Saisir plutôt un code",
        notYou: "Ce n’est pas vous qui vous connectez ? Alors refusez la demande sur le téléphone.",
        expired: "La demande sur votre téléphone a expiré.",
        superseded: "Vous avez commencé une autre connexion dans ce navigateur. Elle a remplacé celle-ci.",
        rejected: "Vous avez refusé cette connexion sur votre téléphone.",
        notMatched: "Cette connexion a été refusée sur votre téléphone, ou un autre nombre y a été choisi.",
        message: { "Connexion: \($0)" },
        messageToMatch: "Connexion",
        enterCode: "Saisissez votre code",
        enterCodeLead: "Ouvrez l’application qui affiche vos codes et saisissez celui qu’elle affiche maintenant.",
        code: "Votre code",
        usePhone: "Autoriser plutôt sur le téléphone",
        wrongCode: "Ce code est incorrect ou a déjà servi. Saisissez celui qui est affiché maintenant.",
        needsPhone: "Il faut votre téléphone",
        needsPhoneLead: {
            """
            La demande de \($0) doit être affichée et autorisée sur un téléphone. Aucun téléphone de votre compte ne \
            le permet.
            """
        },
        needsPhoneAdvice: "Demandez au responsable de ce service d’ajouter votre téléphone. Un code ne suffit pas ici.")
}

extension Texts.LoginRequest {
    static let french = Texts.LoginRequest(
        headline: { "Se connecter à \($0) ?" },
        browser: "Navigateur, selon ses dires",
        place: "Lieu",
        address: "Adresse",
        time: "Heure",
        software: { "\($0) sur \($1)" },
        unknownBrowser: "navigateur inconnu")
}

/// In the terminal.
extension Texts.Phone {
    static let french = Texts.Phone(
        title: { "\($0) demande votre accord" },
        client: "client",
        operatedBy: "exploité par",
        ownClient: "l’organisation de ce serveur",
        otherClient: "une autre organisation",
        audience: "pour",
        scopes: "droits",
        origin: "depuis",
        server: "serveur",
        request: "demande",
        timeLeft: "temps restant",
        untyped: "détail sans type",
        number: { "Nombre : \($0)" },
        urgent: "urgente",
        listening: { "À l’écoute de \($0) pour \($1)." },
        again: { "Nouvel essai dans \($0)." },
        unreadable: { "\($0) ne peut pas être lue" },
        unsent: { "la réponse à \($0) ne peut pas être envoyée" },
        codeChanges: { "Il change dans \($0)." },
        notEnrolled: "Ce téléphone n’est associé à aucun compte.",
        renamed: "renommé",
        unenrolled: "dissocié",
        nothingWaits: "Aucune demande en attente.",
        nothingDecided: "Aucune demande n’a encore reçu de réponse.",
        noQuietHours: "Aucune heure calme n’est définie.",
        thisPhone: "ce téléphone",
        quietHours: { "Les demandes ne sonnent pas de \($0) à \($1), sauf les urgentes." },
        allowed: "autorisée",
        rejected: "refusée",
        reported: "refusée et signalée",
        withdrawn: "retirée",
        expired: "expirée",
        unanswered: "sans réponse",
        wrongNumber: "Ce n’est pas le nombre que l’application affiche. La demande a été refusée.",
        numberRequired: "Cette demande ne peut être autorisée qu’avec le nombre que l’application affiche.",
        passkeyRequired: "Cette demande ne peut être autorisée qu’avec une clé d’accès, dans l’application web.",
        invalidPasskey: "La clé d’accès n’a pas été reconnue.",
        needsNoAnswer: "La demande a déjà reçu une réponse ou a expiré.",
        question: "Autoriser ? Tapez s si vous n’avez rien demandé.",
        yes: ["o", "oui", "y", "yes"],
        no: ["n", "non", "no"],
        report: ["s", "signaler", "r"],
        advice: "Répondez par o, n ou s.",
        whichNumber: "Quel nombre l’application affiche-t-elle ? Tapez n pour refuser, s si vous n’avez rien demandé.",
        whichNumberOf: { "Quel nombre \($0) affiche-t-il ? Tapez n pour refuser, s si vous n’avez rien demandé." },
        numberAdvice: { "Répondez par \($0), n ou s." },
        typeAdvice: "Tapez les deux chiffres, n ou s.",
        together: { "\($0) demande \($1) accords" },
        questionAll: "Tout autoriser ? Tapez u pour répondre une par une, s si vous n’avez rien demandé.",
        each: ["u", "une", "e"],
        adviceAll: "Répondez par o, n, s ou u.",
        status: { left, others in
            let waiting =
                others == 0
                ? "aucune autre demande n’attend" : others == 1 ? "1 autre attend" : "\(others) autres attendent"
            return left.map { others == 0 ? "encore \($0)" : "encore \($0), \(waiting)" } ?? waiting
        })
}
