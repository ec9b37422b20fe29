extension Texts.Account {
    static let french = Texts.Account(
        title: "Votre compte",
        loggedInAs: { "Vous êtes connecté en tant que \($0)." },
        back: "Votre compte",
        save: "Enregistrer",
        unknown: "Inconnu",
        phones: Phones(
            title: "Téléphones",
            lead: "Ces téléphones peuvent approuver des demandes en votre nom.",
            none: "Vous n’avez pas encore de téléphone.",
            added: { "Ajouté le \($0)" },
            silent: "Ne reçoit plus de notifications. Ouvrez-y l’application d’approbation pour voir les demandes.",
            change: "Renommer ou retirer",
            name: "Nom",
            badName: "Un nom a de 1 à 128 caractères.",
            remove: "Retirer ce téléphone",
            removeLead:
                "Il ne pourra plus rien approuver en votre nom. Pour l’utiliser, il faudra l’ajouter à nouveau.",
            removeQuestion: { "Retirer \($0) ?" },
            add: "Ajouter un téléphone",
            addLead: "Affiche un code pour l’appareil photo du téléphone et un lien pour cet appareil.",
            authenticator: "Application d’authentification",
            authenticatorLead: "Affiche des codes de connexion, mais n’approuve aucune demande.",
            removeAuthenticator: "Retirer cette application d’authentification",
            removeAuthenticatorLead: "Vous ne pourrez plus vous connecter avec ses codes.",
            lost: "J’ai perdu un téléphone",
            lostTitle: "Remplacer un téléphone perdu",
            lostLead:
                "Choisissez le téléphone que vous n’avez plus. Il est retiré aussitôt, et vous en ajoutez un autre.",
            replace: "Le retirer et en ajouter un autre",
            notLost: "J’ai toujours mon téléphone",
            nothingLost: "Vous n’avez aucun téléphone qui puisse être perdu."),
        recovery: Recovery(
            title: "Codes de secours",
            lead:
                "Si vous perdez votre téléphone ou votre application d’authentification, un code de secours en tient lieu, chacun une fois.",
            left: { count in
                switch count {
                case 0: "Vous n’avez aucun code de secours."
                case 1: "Il vous reste 1 code de secours."
                default: "Il vous reste \(count) codes de secours."
                }
            },
            needsPhone:
                "Ajoutez d’abord un téléphone : les codes de secours remplacent un téléphone ou une application d’authentification.",
            make: "Créer des codes de secours",
            makeAgain: "Créer de nouveaux codes de secours",
            replaced: "Vos codes actuels cesseront alors de fonctionner.",
            shown: "Vos codes de secours",
            shownLead:
                "Imprimez ou notez ces codes, et gardez-les loin de votre téléphone. Cette page ne les affichera plus. "
                + "Chacun fonctionne une fois.",
            kept: "Je les ai gardés",
            noPhone: "Je n’ai plus mon téléphone",
            enter: "Saisir un code de secours",
            enterLead: "Chacun des codes gardés fonctionne une fois. Ensuite, vous pourrez retirer le téléphone perdu.",
            field: "Code de secours",
            wrong: "Ce code est faux ou a déjà servi.",
            offer: "Un téléphone peut se perdre",
            offerLead: "Créez maintenant dix codes de secours. L’un d’eux suffit pour se connecter sans téléphone.",
            later: "Plus tard",
            goOn: "Poursuivre la connexion"),
        sessions: Sessions(
            title: "Navigateurs connectés",
            lead: "Déconnectez ce que vous ne connaissez pas.",
            this: "Ce navigateur",
            lastUsed: { "Dernière utilisation : \($0)" },
            begun: { "Connecté : \($0)" },
            address: { "Adresse \($0)" },
            end: "Le déconnecter",
            endOthers: "Déconnecter tous les autres navigateurs"),
        applications: Applications(
            title: "Applications",
            lead: "Ces applications ont un accès en votre nom.",
            none: "Aucune application n’a d’accès en votre nom.",
            since: { "Depuis le \($0)" },
            scope: { "Peut utiliser : \($0)" },
            withdraw: "Retirer l’accès"),
        history: History(
            title: "Décisions",
            lead: "Les demandes que vous avez autorisées ou refusées.",
            none: "Vous n’avez encore rien décidé.",
            older: "Décisions précédentes",
            decided: { "Décidée : \($0)" },
            receipt: "Lire le reçu",
            receiptTitle: "Reçu",
            download: "Télécharger le reçu (JWS)",
            byPhone: { "Vous avez décidé sur le téléphone \($0)." },
            byBrowser: "Vous avez décidé dans un navigateur, après une connexion.",
            requested: { "La demande a été faite : \($0)." },
            words: { "Vos mots : \($0)" },
            userVerified: "La clé de votre téléphone et sa clé d’accès ont signé exactement ce texte.",
            signedDigest: "La clé de votre téléphone a signé exactement ce texte.",
            signedChallenge: "La clé de votre téléphone a signé la réponse à cette demande.",
            session: "Aucune de vos clés ne l’a signée.",
            proof: "Avec le reçu téléchargé, chacun peut le vérifier sans rien demander ici."),
        password: Password(
            title: "Mot de passe",
            old: "Mot de passe actuel",
            wrongOld: "Ce n’est pas votre mot de passe actuel.",
            lead: "Tous les autres navigateurs seront déconnectés.",
            none: "Vous vous connectez sans mot de passe de ce service."),
        preferences: Preferences(
            title: "Langue et heures calmes",
            language: "Langue",
            languageLead: "Les courriels arrivent dans cette langue.",
            languageAuto: "Celle de chaque navigateur",
            quietHours: "Heures calmes",
            quietLead: "Vos téléphones ne sonnent alors pas pour les demandes, selon leur propre horloge.",
            from: "De",
            to: "À",
            off: "Pas d’heures calmes",
            badHours: "Saisissez deux heures différentes, par exemple 22:00 et 07:00."),
        export: Export(
            title: "Vos données",
            lead:
                "Un fichier contient ce qui est gardé sur vous : profil, téléphones, navigateurs, applications, décisions "
                + "avec leurs reçus, et entrées du journal.",
            download: "Télécharger vos données"),
        deletion: Deletion(
            title: "Supprimer le compte",
            lead:
                "Votre compte et ses données sont supprimés aussitôt et définitivement. Le journal de ce qui s’est passé "
                + "reste.",
            submit: "Supprimer mon compte définitivement",
            done: "Votre compte est supprimé",
            doneLead: "Vous pouvez fermer cette fenêtre.",
            kept: {
                "Vos décisions servent de preuve à d’autres jusqu’au \($0). D’ici là, le compte ne peut être supprimé ici."
            }),
        absent: Absent(
            title: "Cette page n’existe pas",
            lead: "L’adresse est peut-être erronée ou ancienne. D’ici, vous pouvez continuer :",
            start: "Page d’accueil",
            approver: "Approuver des demandes",
            account: "Votre compte"))
}

extension Texts.Mail.Notice {
    static let french = Texts.Mail.Notice(
        message: { tenant, sentence, address, reset in
            Texts.Mail.Message(
                "\(tenant) : votre compte a été modifié",
                """
                \(sentence)

                Cela s’est passé sur votre compte chez \(tenant), depuis l’adresse \(address).

                Si c’était vous, vous n’avez rien à faire.
                Sinon, choisissez un nouveau mot de passe : \(reset)
                """)
        },
        phonesRemoved: { "Téléphone retiré : \($0)." },
        phoneLinkMade: "Un lien qui ajoute un téléphone à votre compte a été créé.",
        authenticatorRemoved: "Une application d’authentification a été retirée. Ses codes ne fonctionnent plus.",
        recoveryCodesMade: "De nouveaux codes de secours ont été créés. Les anciens ne fonctionnent plus.",
        recoveryCodeUsed: { "Quelqu’un s’est connecté avec un code de secours. Codes restants : \($0)." },
        passwordChanged: "Le mot de passe a été changé.",
        accountDeleted: "Le compte a été supprimé.")
}
