extension Texts.Consent {
    static let german = Texts.Consent(
        title: "Zugriff erlauben?",
        heading: { "\($0) Zugriff erlauben?" },
        asksForAccount: { "\($0) bittet um Zugriff auf Ihr Konto." },
        asksForAPI: { "\($0) möchte \($1) in Ihrem Namen nutzen." },
        able: "Diese Anwendung darf dann",
        inDetail: "Im Einzelnen",
        offline:
            "Der Zugriff gilt auch, wenn Sie die Anwendung gerade nicht nutzen. Um ihn zu beenden, wenden Sie sich an "
            + "den Betreiber dieses Dienstes.",
        deny: "Ablehnen",
        allow: "Erlauben",
        destination: { "In beiden Fällen gelangen Sie danach zurück zu \($0)." },
        none: "keine Angabe",
        yes: "ja",
        no: "nein",
        scopes: Texts.Consent.Scopes(
            openid: "Wissen, dass Sie es sind",
            profile: "Ihren Namen und Ihr Profil sehen",
            email: "Ihre E-Mail-Adresse sehen",
            address: "Ihre Postanschrift sehen",
            phone: "Ihre Telefonnummer sehen",
            name: "Ihren Namen sehen",
            givenName: "Ihren Vornamen sehen",
            familyName: "Ihren Nachnamen sehen",
            nickname: "Ihren Spitznamen sehen",
            picture: "Ihr Foto sehen",
            createdAt: "Sehen, wann Ihr Konto erstellt wurde",
            emailVerified: "Sehen, ob Ihre E-Mail-Adresse bestätigt ist"))
}
