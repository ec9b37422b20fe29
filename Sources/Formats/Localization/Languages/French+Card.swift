extension Texts.Card {
    static let french = Texts.Card(
        says: { "\($0) écrit :" },
        saysQuoted: { "\($0) écrit : « \($1) »" },
        several: { "\($0) en tout, détaillés plus bas" },
        requestedBy: { "Demandé par \($0)" },
        allow: { "Autoriser \($0)" },
        allowByNumber: { "Autoriser \($0) avec le nombre \($1)" },
        question: { "Autoriser \($0) ? Tapez s si vous n’avez rien demandé." },
        whichNumber: {
            "Quel nombre l’application affiche-t-elle ? Il autorise \($0). Tapez n pour refuser, s si vous n’avez rien "
                + "demandé."
        },
        questionAll: { "Tout autoriser, \($0) ? Tapez u pour répondre une par une, s si vous n’avez rien demandé." },
        unread: { "Parties encore à lire : \($0)" },
        nextPart: "Partie suivante",
        notRead: "Lisez d’abord toute la demande, puis confirmez-le et choisissez à nouveau.",
        readAll: { "J’ai lu les \($0) parties" },
        timeLeft: { "Temps restant : \($0)" },
        until: { "Fin : \($0)" },
        reported: "Cette demande a été refusée et signalée",
        reportedLead: "Les responsables de ce service sont prévenus. L’application doit attendre avant de vous "
            + "solliciter à nouveau.",
        wrongNumber: "Cette demande a été refusée : l’autre écran affichait un autre nombre",
        wrongNumberLead: "Quelqu’un d’autre a peut-être demandé en votre nom. Si c’était vous, recommencez.",
        elsewhere: "La réponse a été donnée sur un téléphone ou dans un autre navigateur.")
}
