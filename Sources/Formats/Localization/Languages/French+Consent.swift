extension Texts.Consent {
    static let french = Texts.Consent(
        title: "Autoriser l’accès ?",
        heading: { "Autoriser \($0) ?" },
        asksForAccount: { "\($0) demande l’accès à votre compte." },
        asksForAPI: { "\($0) demande à utiliser \($1) en votre nom." },
        able: "Cette application pourra",
        inDetail: "En détail",
        offline:
            "Cet accès continue sans que vous utilisiez l’application. Pour y mettre fin, adressez-vous aux personnes "
            + "qui exploitent ce service.",
        deny: "Refuser",
        allow: "Autoriser",
        destination: { "Dans les deux cas, vous retournez ensuite vers \($0)." },
        none: "aucun",
        yes: "oui",
        no: "non",
        scopes: Texts.Consent.Scopes(
            openid: "Savoir que c’est vous",
            profile: "Voir votre nom et votre profil",
            email: "Voir votre adresse e-mail",
            address: "Voir votre adresse postale",
            phone: "Voir votre numéro de téléphone",
            name: "Voir votre nom",
            givenName: "Voir votre prénom",
            familyName: "Voir votre nom de famille",
            nickname: "Voir votre pseudonyme",
            picture: "Voir votre photo",
            createdAt: "Voir la date de création de votre compte",
            emailVerified: "Voir si votre adresse e-mail a été vérifiée"))
}
