extension Texts.Passkeys {
    static let french = Texts.Passkeys(
        logIn: "Se connecter avec une clé d’accès",
        refused: "Cette clé d’accès ne vous a pas connecté. Réessayez, ou connectez-vous autrement.",
        offer: "La prochaine fois, connectez-vous sans mot de passe.",
        title: "Clés d’accès",
        lead: "Avec une clé d’accès, vous confirmez des demandes et vous vous connectez par empreinte, visage ou code. "
            + "Elle reste sur votre téléphone, votre ordinateur ou votre clé de sécurité.",
        none: "Vous n’avez pas de clé d’accès.",
        name: "Nom",
        add: "Ajouter une clé d’accès",
        remove: "Supprimer",
        removeLead: "Elle ne vous connecte plus et ne confirme plus aucune demande.",
        letLogIn: "Se connecter aussi avec elle",
        logsIn: "confirme des demandes et vous connecte",
        confirmsOnly: "confirme des demandes",
        notAdded:
            "Aucune clé d’accès n’a été ajoutée. Réessayez. Un appareil qui a déjà l’une des vôtres n’en crée pas "
            + "une seconde.",
        needsScript: "Ce navigateur ne crée pas de clé d’accès ici. Utilisez-en un autre, ou autorisez les scripts.",
        numbered: { "Clé d’accès \($0)" },
        added: { tenant, name, logsIn, link in
            let use =
                logsIn
                ? "Elle confirme des demandes et vous connecte." : "Elle confirme les demandes qui en exigent une."
            return Texts.Mail.Message(
                "\(tenant) : une clé d’accès a été ajoutée",
                """
                Une clé d’accès a été ajoutée à votre compte chez \(tenant) : \(name). \(use)

                Si ce n’était pas vous, quelqu’un d’autre a peut-être votre téléphone ou votre compte. Supprimez la clé \
                d’accès et les téléphones qui ne sont pas les vôtres : \(link)
                """)
        },
        removed: { tenant, name, link in
            Texts.Mail.Message(
                "\(tenant) : une clé d’accès a été supprimée",
                """
                Une clé d’accès a été supprimée de votre compte chez \(tenant) : \(name).

                Si ce n’était pas vous, quelqu’un d’autre a peut-être votre compte. Vérifiez vos clés d’accès et vos \
                téléphones : \(link)
                """)
        },
        removedWithPassword: { "clé d’accès : \($0)" })
}
